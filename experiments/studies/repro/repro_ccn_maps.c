/* Which SMs hold what an SM misses, as maps: THESIS Fig. 4.2. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "studies/repro/repro_own.h"

/* Percent of the load misses that another L1 holds. */
static double reuse(const struct repro_data *data, size_t b, size_t p)
{
    return 100 * repro_mech_value(data, b, p, "sharing", "reused") / repro_mech_value(data, b, p, "sharing", "misses");
}

static const char *const distances[] = {"distance_1", "distance_2", "distance_3", "distance_4",
                                        "distance_5", "distance_6", "distance_7"};

/* Percent of the copies at a distance in the ring, of 15 SMs two each: 14.3 if they are spread evenly. */
static double at_distance(const struct repro_data *data, size_t b, size_t p, size_t distance)
{
    double all = repro_mech_value(data, b, p, "sharing", "copies");
    return all > 0 ? 100 * repro_mech_value(data, b, p, "sharing", distances[distance - 1]) / all : NAN;
}

static double spread(const struct repro_data *data, const char *name, size_t p, size_t distance)
{
    for (size_t b = 0; b < data->n; b++)
        if (strcmp(data->benchmarks[b].name, name) == 0) return at_distance(data, b, p, distance);
    return NAN;
}

/* The heat map of Fig. 4.2: of the misses of the SM of a column, the percent that the SM of a row holds. All SMs are
 * taken to miss alike. */
static void add_heat_map(const struct repro_data *data, size_t b, size_t p, struct repro_report *report)
{
    const json_t *counts = repro_mech_map(data, b, p, "sharing", "heat_map");
    const size_t n = json_array_size(counts);
    const double misses = repro_mech_value(data, b, p, "sharing", "misses") / (double)n;
    json_t *values = json_array();
    for (size_t y = 0; y < n; y++) {
        json_t *line = json_array();
        for (size_t x = 0; x < n; x++) {
            const double held = json_number_value(json_array_get(json_array_get(counts, x), y));
            json_array_append_new(line, json_real(round(1e4 * held / misses) / 100));
        }
        json_array_append_new(values, line);
    }
    repro_map(report, data->benchmarks[b].name, "misses of an SM that another SM's L1 holds", "SM that misses",
              "SM that holds it", "%", values);
}

static void report_4_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const size_t seen = repro_point(data, "sharing");
    (void)study;
    for (size_t b = 0; b < data->n; b++)
        for (size_t d = 1; d <= COUNT_OF(distances); d++)
            repro_cell(report, NAN, at_distance(data, b, seen, d), "%", data->benchmarks[b].name, "distance %zu", d);
    for (size_t b = 0; b < data->n; b++)
        if (repro_mech_map(data, b, seen, "sharing", "heat_map") && reuse(data, b, seen) >= 1)
            add_heat_map(data, b, seen, report);
    const double even = 100.0 / COUNT_OF(distances), dwt2d = spread(data, "dwt2d", seen, 1),
                 near_km = spread(data, "km", seen, 1), far_km = spread(data, "km", seen, 7);
    repro_row(report, NAN, even, "%", "copies at each distance if spread evenly");
    repro_row(report, NAN, spread(data, "cutcp", seen, 4), "%", "cutcp, four SMs away");
    repro_row(report, NAN, dwt2d, "%", "dwt2d, neighbours");
    repro_check(report, spread(data, "cutcp", seen, 4) > even, "cutcp finds its data four cores away");
    repro_check(report, dwt2d > even, "dwt2d finds its data at its neighbours");
    repro_check(report, near_km > far_km, "km finds less the further it looks");
    repro_check(report, fabs(spread(data, "tpacf", seen, 1) - even) < even / 2,
                "tpacf finds its data at all cores alike");
    repro_deviation(report, "the paper shows maps of 15 x 15; these rows are their diagonals. The maps are `maps` of "
                            "--json, and pictures where `poise report` finds that");
}
const struct repro_study repro_ccn_4_2 = {.id = "ccn-4.2",
                                          .title = "which SMs hold what an SM misses",
                                          .source = "THESIS Fig. 4.2",
                                          .mean = MEAN_ARITHMETIC,
                                          .spec = "thesis-ch4/reuse.yaml",
                                          .report = report_4_2};
