/* Figures of a pipeline: what it measured of each benchmark under each policy, read from its summary. Policies are
 * points; a counter is the policy's own number (speedup, l1d_hit_rate, aml_cycles), and PART.NUMBER one of a part of it
 * (locality.p_hits, oracle.windows). The point 'benchmark' is the benchmark itself (features.W). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/figure.h"

static const char own_point[] = "benchmark";

static void add_point(struct repro_data *data, const char *name)
{
    if (data->n_points == REPRO_POINTS_MAX || strlen(name) >= REPRO_NAME_MAX ||
        repro_point(data, name) < data->n_points)
        return;
    snprintf(data->points[data->n_points++], REPRO_NAME_MAX, "%s", name);
}

/* Every policy of any benchmark, gto first. */
static void find_points(struct repro_data *data, const json_t *benchmarks)
{
    size_t b;
    json_t *benchmark, *policy;
    const char *name;
    add_point(data, "gto");
    add_point(data, own_point);
    json_array_foreach(benchmarks, b, benchmark)
        json_object_foreach(json_object_get(benchmark, "policies"), name, policy) add_point(data, name);
}

void figure_tell(const struct repro_study *study, const struct json_t *summary, struct repro_report *report)
{
    const json_t *benchmarks = json_object_get(summary, "benchmarks");
    struct repro_data data = {.n = json_array_size(benchmarks)};
    struct error err;
    if (!(data.benchmarks = calloc(data.n + 1, sizeof *data.benchmarks))) {
        report->out_of_memory = true;
        return;
    }
    find_points(&data, benchmarks);
    for (size_t b = 0; b < data.n; b++) {
        json_t *benchmark = json_array_get(benchmarks, b);
        const char *name = json_string_value(json_object_get(benchmark, "name"));
        data.benchmarks[b].name = name ? name : "";
        for (size_t p = 0; p < data.n_points; p++)
            data.benchmarks[b].mechs[p] = strcmp(data.points[p], own_point) == 0
                                              ? benchmark
                                              : json_object_get(json_object_get(benchmark, "policies"), data.points[p]);
    }
    if (figure_report(study, &data, report, &err) < 0) repro_deviation(report, "%.300s", err.text);
    free(data.benchmarks);
}
