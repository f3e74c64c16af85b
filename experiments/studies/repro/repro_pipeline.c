/* Studies that tell their rows from a pipeline's summary: chapter 5 of the thesis. */
#include <jansson.h>
#include <string.h>
#include "poise/file.h"
#include "poise/pipeline.h"
#include "poise/repro.h"
#include "poise/table_csv.h"
#include "studies/repro/repro_internal.h"
#include "studies/repro/figure.h"

static int load_json(const char *dir, const char *name, json_t **out, struct error *err)
{
    char path[1300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return (*out = file_read_json(path, err)) ? 0 : -1;
}

static void note_scope(const struct pipeline_spec *spec, const struct repro_options *o, const json_t *summary,
                       struct repro_report *report)
{
    const json_t *training = json_object_get(summary, "training");
    repro_deviation(
        report, "%lld training kernels of ours and %zu evaluation benchmarks %s, size %s, %s points a kernel",
        (long long)json_integer_value(json_object_get(training, "used")),
        json_array_size(json_object_get(summary, "benchmarks")),
        o->paths.cast ? "of the suite" : "with inputs of our own", json_string_value(json_object_get(summary, "size")),
        json_string_value(json_object_get(summary, "points_per_kernel")));
    for (size_t i = 0; i < spec->n_contenders; i++)
        if (strstr(spec->contenders[i].name, "pcal")) {
            repro_deviation(report, "PCAL's windows and thresholds are assumed: the thesis does not give them");
            break;
        }
    if (o->cap)
        repro_deviation(report, "of each program the launches in which its first %llu warp instructions are",
                        (unsigned long long)o->cap);
    if (o->config) repro_deviation(report, "configuration %s in place of the study's", o->config);
}

static int take_totals(const char *dir, struct repro_result *out, struct error *err)
{
    json_t *info;
    if (load_json(dir, "run_info.json", &info, err) < 0) return -1;
    out->totals.simulated = (uint64_t)json_integer_value(json_object_get(info, "runs_simulated"));
    out->totals.reused = (uint64_t)json_integer_value(json_object_get(info, "runs_reused"));
    out->totals.core_s = json_number_value(json_object_get(info, "core_seconds"));
    out->totals.wall_s = json_number_value(json_object_get(info, "wall_s"));
    json_decref(info);
    return 0;
}

static json_t *find_profiled(const json_t *summary, const char *label)
{
    const json_t *benchmark;
    json_t *launch;
    size_t b, l;
    json_array_foreach(json_object_get(summary, "benchmarks"), b, benchmark)
        json_array_foreach(json_object_get(benchmark, "profiled"), l, launch)
            if (strcmp(json_string_value(json_object_get(launch, "launch")), label) == 0) return launch;
    return NULL;
}

/* Every point of profile.csv, as "points_of_profile": [[N, p, speedup], ...] of its launch: what Fig. 5.2 is drawn
 * from. */
static int add_points(const char *dir, json_t *summary, struct error *err)
{
    char path[1300];
    struct table_csv table;
    snprintf(path, sizeof path, "%s/profile.csv", dir);
    if (table_csv_read(&table, path, err) < 0) return -1;
    const struct table_column *label = table_csv_find(&table, "launch"), *N = table_csv_find(&table, "N"),
                              *p = table_csv_find(&table, "p"), *speedup = table_csv_find(&table, "speedup");
    const bool is_profile = label && N && p && speedup;
    for (size_t i = 0; is_profile && i < table.n_rows; i++) {
        json_t *launch = find_profiled(summary, label->texts[i]);
        if (launch && !json_object_get(launch, "points_of_profile"))
            json_object_set_new(launch, "points_of_profile", json_array());
        if (launch)
            json_array_append_new(json_object_get(launch, "points_of_profile"),
                                  json_pack("[iif]", (int)N->values[i], (int)p->values[i], speedup->values[i]));
    }
    table_csv_fini(&table);
    return is_profile ? 0 : error_set(err, ERR_INPUT, "%s: no columns launch, N, p and speedup", path);
}

static int tell(const struct repro_study *study, const struct pipeline_spec *spec, const struct repro_options *o,
                const char *dir, struct repro_result *out, struct error *err)
{
    json_t *summary = NULL;
    int result = load_json(dir, "summary.json", &summary, err);
    if (result == 0 && json_array_size(json_object_get(summary, "benchmarks")) > REPRO_TOLD_MAX)
        result =
            error_set(err, ERR_INPUT, "%s/summary.json: a study tells of at most %d benchmarks", dir, REPRO_TOLD_MAX);
    if (result == 0) result = add_points(dir, summary, err);
    if (result == 0) {
        study->tell(study, summary, &out->report);
        note_scope(spec, o, summary, &out->report);
        out->report.n_runs = (size_t)json_integer_value(json_object_get(summary, "sim_runs"));
        if (repro_opens_sealed(study) && looks_end(study, o, &out->report, err) < 0) result = -1;
        if (out->report.out_of_memory) result = error_set(err, ERR_MEMORY, "out of memory for the report");
    }
    json_decref(summary);
    return result;
}

int repro_run_pipeline(const struct repro_study *study, const struct repro_options *o, struct repro_result *out,
                       struct error *err)
{
    struct pipeline_spec *spec = malloc(sizeof *spec);
    char path[1200], dir[1000], suites[100];
    repro_on_names(o, "+", suites, sizeof suites);
    int result = spec ? 0 : error_set(err, ERR_MEMORY, "out of memory for a study");
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    const bool is_look = repro_opens_sealed(study) && !o->is_dry;
    if (result == 0 && is_look) result = looks_writable(o, err);
    if (result == 0) result = pipeline_spec_load(spec, path, err);
    if (result == 0 && spec->is_sampled)
        result = error_set(err, ERR_USAGE, "%s: %s: a published figure is told from runs: leave out sample", study->id,
                           spec->name);
    if (result == 0 && is_look) result = looks_check(o, spec, err);
    if (result == 0 && is_look) result = looks_begin(study, o, err);
    if (result == 0) {
        if (o->config) snprintf(spec->config, sizeof spec->config, "%s", o->config);
        if (o->mode == REPRO_FULL && spec->points.kind != POINTS_LATTICE) spec->points.kind = POINTS_ALL;
        snprintf(out->config, sizeof out->config, "%.127s", spec->config);
        repro_only(o->only, spec->evaluation, &spec->n_evaluation, COUNT_OF(spec->evaluation));
        snprintf(dir, sizeof dir, "%.*s%s-%s%s%.60s%s%s%.100s", repro_folder_length(o->store), o->store, spec->name,
                 repro_mode_names[o->mode], o->config ? "-" : "", o->config && !strchr(o->config, '/') ? o->config : "",
                 o->paths.cast ? "-on-"
                 : o->only     ? "-beside-"
                               : "",
                 suites, o->cap ? "-capped" : "");
        struct pipeline_options p = {.runner = o->runner,
                                     .paths = o->paths,
                                     .out_dir = dir,
                                     .store = o->store,
                                     .shard = o->shard,
                                     .cap = o->cap};
        p.paths.opens_sealed = repro_opens_sealed(study);
        result = o->is_dry ? pipeline_estimate(spec, &p, &out->estimate, err) : pipeline_run(spec, &p, err);
    }
    out->has_report = !o->shard && !o->is_dry;
    if (result == 0 && !o->is_dry) result = take_totals(dir, out, err);
    if (result == 0 && out->has_report) result = tell(study, spec, o, dir, out, err);
    free(spec);
    if (result < 0) repro_result_fini(out);
    return result;
}
