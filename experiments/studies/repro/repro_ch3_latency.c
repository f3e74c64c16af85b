/* How long misses take, and what it costs: THESIS Fig. 3.1, Fig. 3.2 and Tab. 3.2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/repro.h"

/* Issue slots lost to the five hazards of Fig. 3.6; not to barriers or to schedulers without a warp. */
static double stall_share(const struct repro_data *data, size_t b)
{
    static const char *const hazards[] = {"stall_data_mem", "stall_data_alu", "stall_str_mem", "stall_str_alu",
                                          "stall_fetch"};
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(hazards); i++) sum += repro_value(data, b, 0, hazards[i]);
    return 100 * sum / repro_value(data, b, 0, "issue_slots");
}

static double or_nothing(double value) { return value > 0 ? value : NAN; } /* a mean latency of no access is none */

/* ---- Fig. 3.1 ---- */

static void report_3_1(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double *stalls = calloc(3 * data->n + 1, sizeof *stalls), *l2 = stalls + data->n, *aml = l2 + data->n;
    if (!stalls) {
        report->out_of_memory = true;
        return;
    }
    for (size_t b = 0; b < data->n; b++) {
        stalls[b] = stall_share(data, b);
        l2[b] = or_nothing(repro_value(data, b, 0, "l2_hit_latency_cycles"));
        aml[b] = or_nothing(repro_value(data, b, 0, "aml_cycles"));
    }
    const double mean_stall = repro_mean(study->mean, stalls, data->n), mean_l2 = repro_mean(study->mean, l2, data->n);
    const double mean_aml = repro_mean(study->mean, aml, data->n),
                 l2_alone = repro_param(data, 0, "l2", "round_trip_cycles");
    repro_row(report, 62, mean_stall, "%", "mean issue stall");
    repro_row(report, 303, mean_l2, "cycles", "mean L2-AHL");
    repro_row(report, 452, mean_aml, "cycles", "mean AML");
    for (size_t b = 0; b < data->n; b++) {
        repro_cell(report, NAN, stalls[b], "%", data->benchmarks[b].name, "issue stall");
        repro_cell(report, NAN, l2[b], "cycles", data->benchmarks[b].name, "L2-AHL");
        repro_cell(report, NAN, aml[b], "cycles", data->benchmarks[b].name, "AML");
    }
    repro_check(report, mean_stall > 50, "stalled for most of the issue slots");
    repro_check(report, mean_l2 > 1.5 * l2_alone, "L2 hits take far longer than the %g cycles of an uncongested one",
                l2_alone);
    repro_check(report, mean_aml > mean_l2, "AML is above the L2 hit latency");
    repro_check(report, mean_aml > l2_alone + repro_param(data, 0, "dram", "extra_cycles"),
                "AML is above the latency of an uncongested DRAM access");
    free(stalls);
}

const struct repro_study repro_thesis_3_1 = {"thesis-3.1",
                                             "issue stalls, L2 hit latency and memory latency",
                                             "THESIS Fig. 3.1",
                                             MEAN_ARITHMETIC,
                                             "thesis-ch3/baseline.yaml",
                                             report_3_1,
                                             NULL};

/* ---- Fig. 3.2 ---- */

#define PLATEAU 0.95 /* of the best performance */
struct curve {
    double plateau, intercept;
};

/* Where the curve leaves its plateau and where it meets the baseline, by linear interpolation; NAN where it does not
 * within the range. */
static double crossing(const struct repro_data *data, size_t b, double level)
{
    for (size_t p = 2; p < data->n_points; p++) {
        const double x0 = repro_param(data, p - 1, "ideal", "latency_cycles"),
                     x1 = repro_param(data, p, "ideal", "latency_cycles");
        const double y0 = repro_speedup(data, b, p - 1), y1 = repro_speedup(data, b, p);
        if (y0 >= level && y1 < level) return x0 + (x1 - x0) * (y0 - level) / (y0 - y1);
    }
    return NAN;
}

static struct curve curve_of(const struct repro_data *data, size_t b)
{
    double best = 0;
    for (size_t p = 1; p < data->n_points; p++) best = fmax(best, repro_speedup(data, b, p));
    return (struct curve){.plateau = crossing(data, b, PLATEAU * best), .intercept = crossing(data, b, 1)};
}

/* What the text says of nn: 3.3 at 0 cycles, 3.03 at 250, and 1.9 times less 250 cycles on. */
static double published_at(const struct repro_data *data, size_t b, size_t p)
{
    const double cycles = repro_param(data, p, "ideal", "latency_cycles");
    if (strcmp(data->benchmarks[b].name, "nn") != 0) return NAN;
    return cycles == 0 ? 3.3 : cycles == 250 ? 3.03 : NAN;
}

static void nn_falls(const struct repro_data *data, struct repro_report *report)
{
    for (size_t b = 0; b < data->n; b++)
        if (strcmp(data->benchmarks[b].name, "nn") == 0)
            repro_row(report, 1.9,
                      repro_speedup(data, b, repro_point(data, "250 cycles")) /
                          repro_speedup(data, b, repro_point(data, "500 cycles")),
                      "x", "nn at 250 cycles over nn at 500");
}

static void report_3_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double *values = calloc(3 * data->n + 1, sizeof *values), *plateau = values + data->n,
           *intercept = plateau + data->n;
    double last = INFINITY;
    size_t beyond = 0, met = 0;
    bool falls = true;
    if (!values) {
        report->out_of_memory = true;
        return;
    }
    for (size_t b = 0; b < data->n; b++) {
        const struct curve c = curve_of(data, b);
        plateau[b] = c.plateau;
        intercept[b] = c.intercept;
        met += !isnan(c.intercept);
        beyond += !isnan(c.intercept) && c.plateau < c.intercept;
    }
    const double mean_intercept = repro_mean(study->mean, intercept, data->n);
    repro_row(report, 452, mean_intercept, "cycles", "mean latency at baseline performance");
    repro_row(report, NAN, repro_mean(study->mean, plateau, data->n), "cycles",
              "mean latency at the plateau's end (%g of best)", PLATEAU);
    for (size_t p = 1; p < data->n_points; p++) {
        for (size_t b = 0; b < data->n; b++) values[b] = repro_speedup(data, b, p);
        const double mean = repro_mean(study->mean, values, data->n);
        repro_row(report, NAN, mean, "x", "mean at %g cycles", repro_param(data, p, "ideal", "latency_cycles"));
        falls = falls && mean <= 1.02 * last;
        last = mean;
    }
    for (size_t b = 0; b < data->n; b++) {
        repro_cell(report, NAN, plateau[b], "cycles", data->benchmarks[b].name, "plateau's end");
        repro_cell(report, NAN, intercept[b], "cycles", data->benchmarks[b].name, "at baseline performance");
    }
    nn_falls(data, report);
    for (size_t b = 0; b < data->n; b++)
        for (size_t p = 1; p < data->n_points; p++)
            repro_cell(report, published_at(data, b, p), repro_speedup(data, b, p), "x", data->benchmarks[b].name,
                       "at %g cycles", repro_param(data, p, "ideal", "latency_cycles"));
    repro_check(report, falls, "performance falls as the L1 miss latency grows");
    repro_check(report, 2 * beyond > data->n, "the baseline lies beyond the plateau for most benchmarks (%zu of %zu)",
                beyond, data->n);
    repro_check(report,
                mean_intercept >
                    repro_param(data, 0, "l2", "round_trip_cycles") + repro_param(data, 0, "dram", "extra_cycles"),
                "the baseline's latency is above the uncongested L2 and DRAM latencies");
    repro_deviation(report,
                    "the paper's 452 is the AML of Fig. 3.1, which its Fig. 3.2 says the curves meet; %zu of %zu "
                    "curves meet the baseline within the sweep",
                    met, data->n);
    free(values);
}

const struct repro_study repro_thesis_3_2 = {"thesis-3.2",
                                             "performance against a fixed L1 miss latency",
                                             "THESIS Fig. 3.2",
                                             MEAN_ARITHMETIC,
                                             "thesis-ch3/latency.yaml",
                                             report_3_2,
                                             NULL};

/* ---- Tab. 3.2 ---- */

/* By the names of this tree: lavamd is lavaMD, streamcluster sc, pbfs bfs' (Parboil's), srad1 and srad2 sradv1 and
 * sradv2. */
static const struct {
    const char *name;
    double p_inf, p_dram;
} published[] = {
    {"mm", 4.90, 1.01},         {"lbm", 3.40, 1.87},           {"ss", 3.23, 1.00},       {"nn", 3.11, 1.84},
    {"hybridsort", 3.10, 1.24}, {"cfd", 3.08, 1.06},           {"pvr", 2.89, 1.01},      {"bfs", 2.84, 1.00},
    {"lavamd", 2.70, 1.00},     {"streamcluster", 2.70, 1.13}, {"pbfs", 2.10, 1.00},     {"ii", 1.98, 1.00},
    {"srad1", 1.51, 1.19},      {"srad2", 1.49, 1.08},         {"nw", 1.43, 1.09},       {"stencil", 1.23, 1.20},
    {"dwt2d", 1.20, 1.14},      {"sad", 1.16, 1.09},           {"leukocyte", 1.08, 1.00}};

/* A column: the mean, then each. Returns the mean. */
static double column(const struct repro_study *study, const struct repro_data *data, const char *point, double mean,
                     struct repro_report *report)
{
    const bool is_inf = strcmp(point, "P_inf") == 0;
    const size_t p = repro_point(data, point);
    double *all = calloc(data->n + 1, sizeof *all);
    if (!all) {
        report->out_of_memory = true;
        return NAN;
    }
    for (size_t b = 0; b < data->n; b++) all[b] = repro_speedup(data, b, p);
    const double ours = repro_mean(study->mean, all, data->n);
    repro_row(report, mean, ours, "x", "mean %s", point);
    for (size_t b = 0; b < data->n; b++) {
        double paper = NAN;
        for (size_t i = 0; i < COUNT_OF(published); i++)
            if (strcmp(published[i].name, data->benchmarks[b].name) == 0)
                paper = is_inf ? published[i].p_inf : published[i].p_dram;
        repro_cell(report, paper, all[b], "x", data->benchmarks[b].name, "%s", point);
    }
    free(all);
    return ours;
}

static void report_tab_3_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const size_t inf = repro_point(data, "P_inf"), dram = repro_point(data, "P_dram");
    const double p_inf = column(study, data, "P_inf", 2.37, report),
                 p_dram = column(study, data, "P_dram", 1.15, report);
    size_t above = 0;
    for (size_t b = 0; b < data->n; b++) above += repro_speedup(data, b, inf) >= repro_speedup(data, b, dram);
    repro_check(report, p_inf > 1.1, "memory of infinite bandwidth is faster");
    repro_check(report, p_dram >= 1, "DRAM of infinite bandwidth is not slower");
    repro_check(report, p_inf - 1 > 2 * (p_dram - 1), "the cache hierarchy holds more than half of the gain");
    repro_check(report, 10 * above >= 9 * data->n, "P_inf is at least P_dram for nearly all benchmarks (%zu of %zu)",
                above, data->n);
    repro_note_l2_hits(data, report);
}

const struct repro_study repro_thesis_tab_3_2 = {"thesis-tab-3.2",
                                                 "speedup with infinite bandwidth: all of memory, DRAM alone",
                                                 "THESIS Tab. 3.2",
                                                 MEAN_ARITHMETIC,
                                                 "thesis-ch3/infinite.yaml",
                                                 report_tab_3_2,
                                                 NULL};
