/* What L1s share, and what a perfect network between them would gain: THESIS Tab. 4.2, Figs. 4.1, 4.2 and 4.3. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "studies/repro/repro_ccn.h"

/* THESIS Tab. 4.2: speedup with a perfect memory, and the reuse coefficient in percent. */
static const struct {
    const char *name;
    double perfx, mu_rc;
} table_4_2[] = {
    {"mm", 9.86, 4},
    {"ss", 6.18, 28},
    {"cfd", 6.17, 51},
    {"pvr", 5.93, 32},
    {"streamcluster", 5.49, 18},
    {"bfs", 5.18, 3},
    {"dwt2d", 4.96, 7},
    {"lbm", 4.49, 0},
    {"km", 3.85, 24},
    {"hybridsort", 3.68, 1},
    {"pbfs", 3.57, 6},
    {"lavamd", 2.81, 1},
    {"histo", 2.63, 1},
    {"sm", 2.52, 3},
    {"myocyte", 2.38, 1},
    {"nw", 2.31, 8},
    {"b+tree", 2.21, 25},
    {"ii", 2.19, 2},
    {"particlefilter", 2.15, 8},
    {"leukocyte", 1.88, 1},
    {"wc", 1.86, 54},
    {"sad", 1.76, 3},
    {"srad1", 1.74, 15},
    {"srad2", 1.70, 16},
    {"mri-gridding", 1.49, 2},
    {"kmeans", 1.47, 0},
    {"lud", 1.27, 28},
    {"stencil", 1.23, 6},
    {"heartwall", 1.19, 0},
    {"backprop", 1.10, 3},
    {"hotspot", 1.07, 29},
    {"cutcp", 1.00, 78},
    {"mri-q", 1.00, 0},
    {"tpacf", 1.00, 19},
};

static double published(const char *name, bool is_reuse)
{
    for (size_t i = 0; i < COUNT_OF(table_4_2); i++)
        if (strcmp(table_4_2[i].name, name) == 0) return is_reuse ? table_4_2[i].mu_rc : table_4_2[i].perfx;
    return NAN;
}
double ccn_published_reuse(const char *name) { return published(name, true); }

double ccn_reuse(const struct repro_data *data, size_t b, size_t p)
{
    return 100 * repro_mech_value(data, b, p, "sharing", "reused") / repro_mech_value(data, b, p, "sharing", "misses");
}

static double miss_rate(const struct repro_data *data, size_t b, size_t p)
{
    return 100 * repro_value(data, b, p, "l1d_misses") / repro_value(data, b, p, "l1d_load_accesses");
}

/* Of the benchmarks with published reuse above (or below) a limit, how many have it with us too. */
static size_t in_group(const struct repro_data *data, size_t p, bool is_high, size_t *n)
{
    size_t agree = 0;
    *n = 0;
    for (size_t b = 0; b < data->n; b++) {
        const double paper = published(data->benchmarks[b].name, true), ours = ccn_reuse(data, b, p);
        if (isnan(ours) || !(is_high ? paper > 10 : paper < 3)) continue;
        ++*n;
        agree += is_high ? ours > 10 : ours < 3;
    }
    return agree;
}

static void report_tab_4_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const size_t seen = repro_point(data, "sharing"), perfect = repro_point(data, "perfect memory");
    double most = 0, sum_low = 0, sum_high = 0;
    size_t n_low, n_high, low = 0, high = 0;
    repro_row(report, 14, ccn_mean(study, data, seen, ccn_reuse), "%", "mean reuse coefficient");
    for (size_t b = 0; b < data->n; b++) {
        const char *name = data->benchmarks[b].name;
        const double ours = ccn_reuse(data, b, seen), paper = published(name, true);
        if (ours > most) most = ours;
        if (paper > 10 && !isnan(ours)) sum_high += ours, high++;
        if (paper < 3 && !isnan(ours)) sum_low += ours, low++;
        repro_cell(report, paper, ours, "%", name, "mu_RC");
        repro_cell(report, published(name, false), repro_speedup(data, b, perfect), "x", name, "PerfX");
    }
    repro_row(report, 78, most, "%", "largest reuse coefficient");
    const size_t agree_high = in_group(data, seen, true, &n_high), agree_low = in_group(data, seen, false, &n_low);
    repro_check(report, high && low && sum_high / (double)high > sum_low / (double)low,
                "benchmarks above 10 %% in the paper share more than those below 3 %%");
    repro_deviation(report, "of %zu benchmarks that the paper has above 10 %%, %zu are with us; of %zu below 3 %%, %zu",
                    n_high, agree_high, n_low, agree_low);
    repro_deviation(report, "our inputs are smaller and launches are cold and of the first cycles: neighbouring CTAs "
                            "run at the same time on all SMs, and "
                            "inputs fit more of the L1s together");
}
const struct repro_study repro_ccn_tab_4_2 = {"ccn-tab-4.2",
                                              "reuse coefficients and speedup with a perfect memory",
                                              "THESIS Tab. 4.2",
                                              MEAN_ARITHMETIC,
                                              "thesis-ch4/reuse.yaml",
                                              report_tab_4_2,
                                              NULL};

static void report_4_1(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const size_t seen = repro_point(data, "sharing");
    const double mean = ccn_mean(study, data, seen, miss_rate), shared = ccn_mean(study, data, seen, ccn_reuse);
    repro_row(report, NAN, mean, "%", "mean L1 miss rate, merges apart");
    repro_row(report, 14, shared, "%", "mean share of the misses that other L1s hold");
    for (size_t b = 0; b < data->n; b++) {
        repro_cell(report, NAN, miss_rate(data, b, seen), "%", data->benchmarks[b].name, "L1-Miss");
        repro_cell(report, published(data->benchmarks[b].name, true), ccn_reuse(data, b, seen), "%",
                   data->benchmarks[b].name, "L1-Replication");
    }
    repro_check(report, mean > 30, "L1 miss rates are high");
    repro_check(report, shared > 10, "a good part of the misses is in other L1s");
}
const struct repro_study repro_ccn_4_1 = {
    "ccn-4.1", "L1 miss rates and replication", "THESIS Fig. 4.1", MEAN_ARITHMETIC, "thesis-ch4/reuse.yaml", report_4_1,
    NULL};

/* ---- Fig. 4.2: where the copies are ---- */

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
        if (repro_mech_map(data, b, seen, "sharing", "heat_map") && ccn_reuse(data, b, seen) >= 1)
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
const struct repro_study repro_ccn_4_2 = {"ccn-4.2",
                                          "which SMs hold what an SM misses",
                                          "THESIS Fig. 4.2",
                                          MEAN_ARITHMETIC,
                                          "thesis-ch4/reuse.yaml",
                                          report_4_2,
                                          NULL};

/* ---- Fig. 4.3 ---- */

static void report_4_3(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *point;
        double paper;
    } told[] = {{"0", 21.5}, {"80", 18.8}, {"300", 0}};
    double gain[REPRO_POINTS_MAX] = {0};
    for (size_t p = 1; p < data->n_points; p++) {
        double paper = NAN;
        for (size_t i = 0; i < COUNT_OF(told); i++)
            if (strcmp(told[i].point, data->points[p]) == 0) paper = told[i].paper;
        gain[p] = ccn_mean(study, data, p, ccn_gain);
        repro_row(report, paper, gain[p], "%", "mean gain, reuse latency %s", data->points[p]);
    }
    for (size_t b = 0; b < data->n; b++)
        for (size_t p = 1; p < data->n_points; p++) {
            const char *name = data->benchmarks[b].name;
            const double paper = p > 1 ? NAN : strcmp(name, "cfd") == 0 ? 73 : strcmp(name, "pvr") == 0 ? 38 : NAN;
            repro_cell(report, paper, ccn_gain(data, b, p), "%", name, "%s", data->points[p]);
        }
    const double at_0 = gain[repro_point(data, "0")], at_80 = gain[repro_point(data, "80")],
                 at_300 = gain[repro_point(data, "300")];
    repro_check(report, at_0 > 0, "cooperation gains");
    repro_check(report, at_0 - at_80 < (at_80 - at_300) / 2, "the gain holds up to 80 cycles and falls then");
    repro_check(report, at_300 < at_0 / 4, "at the latency of L2 little is left");
}
const struct repro_study repro_ccn_4_3 = {"ccn-4.3",
                                          "gain of cooperation against the latency of remote hits",
                                          "THESIS Fig. 4.3",
                                          MEAN_ARITHMETIC,
                                          "thesis-ch4/latency.yaml",
                                          report_4_3,
                                          NULL};

/* ---- ours: under other mechanisms, and with fewer warps that pollute ---- */

static double over_alone(const struct repro_data *data, size_t b, const char *with, const char *alone)
{
    return 100 * (repro_value(data, b, repro_point(data, with), "ipc") /
                      repro_value(data, b, repro_point(data, alone), "ipc") -
                  1);
}

static void report_stacks(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const alone[] = {"base", "SWL 8", "Poise", "BUCL", "TSC"}, *const with[] = {
                                                                                      "CCN-RT", "SWL 8 CCN-RT",
                                                                                      "Poise CCN-RT", "BUCL CCN-RT",
                                                                                      "TSC CCN-RT"};
    static const char *const fewer[] = {"all pollute", "8 pollute", "4 pollute", "1 pollutes"};
    double added[COUNT_OF(alone)], shared[COUNT_OF(fewer)], values[64];
    const size_t n = data->n < COUNT_OF(values) ? data->n : COUNT_OF(values);
    for (size_t i = 0; i < COUNT_OF(alone); i++) {
        if (i)
            repro_row(report, NAN, ccn_mean(study, data, repro_point(data, alone[i]), ccn_gain), "%", "mean gain, %s",
                      alone[i]);
        repro_row(report, i ? NAN : 14.7, ccn_mean(study, data, repro_point(data, with[i]), ccn_gain), "%",
                  "mean gain, %s", with[i]);
        for (size_t b = 0; b < n; b++) values[b] = over_alone(data, b, with[i], alone[i]);
        added[i] = repro_mean(study->mean, values, n);
        if (i) repro_row(report, NAN, added[i], "%", "mean gain of CCN-RT over %s alone", alone[i]);
        for (size_t b = 0; b < n; b++)
            repro_cell(report, NAN, values[b], "%", data->benchmarks[b].name, "over %s", alone[i]);
    }
    for (size_t i = 0; i < COUNT_OF(fewer); i++) {
        shared[i] = ccn_mean(study, data, repro_point(data, fewer[i]), ccn_reuse);
        repro_row(report, NAN, shared[i], "%", "mean mu_RC, %s", fewer[i]);
    }
    for (size_t i = 1; i < COUNT_OF(alone); i++) repro_check(report, added[i] > 0, "the network adds to %s", alone[i]);
    repro_check(report, shared[COUNT_OF(fewer) - 1] < shared[0], "with fewer warps that pollute, L1s share less");
    repro_deviation(report, "Poise has the thesis's published weights, made for another machine; SWL limits every "
                            "benchmark to 8 warps a scheduler");
}
const struct repro_study repro_ccn_stacks = {
    "ccn-stacks",
    "the network with SWL, Poise, BUCL and TSC, and what fewer polluting warps share",
    "ours, on THESIS 4.7.4",
    MEAN_ARITHMETIC,
    "thesis-ch4/stacks.yaml",
    report_stacks,
    NULL};
