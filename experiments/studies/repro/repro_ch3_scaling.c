/* More bandwidth, where and at what cost: THESIS Figs. 3.10, 3.11 and 3.12. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/repro.h"

static double gain(const struct repro_data *data, size_t b, size_t p) { return 100 * (repro_speedup(data, b, p) - 1); }

/* The mean gain of a point in percent, as a row. */
static double mean_gain(const struct repro_study *study, const struct repro_data *data, size_t p, double paper,
                        const char *label, struct repro_report *report)
{
    double *values = calloc(data->n + 1, sizeof *values);
    if (!values) {
        report->out_of_memory = true;
        return NAN;
    }
    for (size_t b = 0; b < data->n; b++) values[b] = repro_speedup(data, b, p);
    const double mean = 100 * (repro_mean(study->mean, values, data->n) - 1);
    repro_row(report, paper, mean, "%", "mean gain, %s", label);
    free(values);
    return mean;
}

/* What the text says of single benchmarks. */
struct told {
    const char *benchmark, *point;
    double gain;
};
static void each_gain(const struct repro_data *data, const struct told *told, size_t n_told,
                      struct repro_report *report)
{
    for (size_t b = 0; b < data->n; b++)
        for (size_t p = 1; p < data->n_points; p++) {
            double paper = NAN;
            for (size_t i = 0; i < n_told; i++)
                if (strcmp(told[i].benchmark, data->benchmarks[b].name) == 0 &&
                    strcmp(told[i].point, data->points[p]) == 0)
                    paper = told[i].gain;
            repro_cell(report, paper, gain(data, b, p), "%", data->benchmarks[b].name, "gain, %s", data->points[p]);
        }
}

/* ---- Fig. 3.10 ---- */

static void l2_misses(const struct repro_data *data, size_t p_l1, struct repro_report *report)
{
    static const struct {
        const char *name;
        double base, l1;
    } told[] = {{"mm", 16, 58}, {"ii", 15, 62}};
    for (size_t b = 0; b < data->n; b++)
        for (size_t i = 0; i < COUNT_OF(told); i++) {
            if (strcmp(told[i].name, data->benchmarks[b].name) != 0) continue;
            repro_cell(report, told[i].base, 100 * (1 - repro_value(data, b, 0, "l2_hit_rate")), "%", told[i].name,
                       "L2 miss rate, base");
            repro_cell(report, told[i].l1, 100 * (1 - repro_value(data, b, p_l1, "l2_hit_rate")), "%", told[i].name,
                       "L2 miss rate, L1");
        }
}

static void report_3_10(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { L1, L2, DRAM, L1_L2, L2_DRAM, ALL, N };
    static const struct {
        const char *point;
        double paper;
    } levels[N] = {{"L1", 4}, {"L2", 59}, {"DRAM", 11}, {"L1+L2", 69}, {"L2+DRAM", 76}, {"all", 90}};
    static const struct told told[] = {
        {"mm", "L1", -33}, {"ii", "L1", -25},   {"mm", "L2", 266}, {"mm", "L1+L2", 276}, {"streamcluster", "L1", 240},
        {"cfd", "L1", 16}, {"lbm", "DRAM", 61}, {"nn", "DRAM", 60}};
    double g[N];
    for (size_t i = 0; i < N; i++)
        g[i] = mean_gain(study, data, repro_point(data, levels[i].point), levels[i].paper, levels[i].point, report);
    each_gain(data, told, COUNT_OF(told), report);
    l2_misses(data, repro_point(data, "L1"), report);
    repro_check(report, g[L2] > g[DRAM] && g[L2] > g[L1], "of single levels, L2 gains most");
    repro_check(report, g[DRAM] > g[L1], "DRAM gains more than L1");
    repro_check(report, g[L1_L2] > g[L1] + g[L2], "L1 and L2 together gain more than the sum of each");
    repro_check(report, g[L1_L2] > g[DRAM], "the cache hierarchy gains more than DRAM");
    repro_check(report, g[L2_DRAM] > g[L2] && g[L2_DRAM] > g[DRAM], "L2 and DRAM together gain more than each");
    repro_check(report, g[ALL] > g[L1_L2] && g[ALL] > g[L2_DRAM], "all levels gain most");
    repro_note_l2_hits(data, report);
}
const struct repro_study repro_thesis_3_10 = {"thesis-3.10",
                                              "4x the bandwidth resources of L1, L2, DRAM and together",
                                              "THESIS Fig. 3.10, Tab. 3.3",
                                              MEAN_ARITHMETIC,
                                              "thesis-ch3/scaling.yaml",
                                              report_3_10,
                                              NULL};

/* ---- Fig. 3.12 and the area of §3.7.3 ---- */

/* Buffers of 128 bytes, miss queue entries and MSHRs of 8 [THESIS 3.7.3]; a request that waits in the
 * load-store unit is counted as a buffer. */
static double storage_kb(const struct repro_data *data, size_t p)
{
    static const struct {
        const char *group, *name, *per_group, *per;
        double bytes;
    } parts[] = {{"l1", "miss_queue", "core", "sms", 8},
                 {"l1", "mshrs", "core", "sms", 8},
                 {"lsu", "pending_requests", "core", "sms", 128},
                 {"l2", "miss_queue", "l2", "banks", 8},
                 {"l2", "mshrs", "l2", "banks", 8},
                 {"l2", "response_queue", "l2", "banks", 128},
                 {"l2", "access_queue", "l2", "banks", 128}};
    double bytes = 0;
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        bytes += parts[i].bytes * (repro_param(data, p, parts[i].group, parts[i].name) *
                                       repro_param(data, p, parts[i].per_group, parts[i].per) -
                                   repro_param(data, 0, parts[i].group, parts[i].name) *
                                       repro_param(data, 0, parts[i].per_group, parts[i].per));
    return bytes / 1024;
}

#define MM2_A_KB (6.9 / 94)
#define DIE_MM2 700.0

/* The wires of a 32+32 crossbar take 11.6 mm2 at 40 nm, in proportion to the bytes of both directions [THESIS
 * 3.7.3]. */
static double wires_mm2(const struct repro_data *data, size_t p)
{
    const double wires =
        repro_param(data, p, "xbar", "request_flit_bytes") + repro_param(data, p, "xbar", "reply_flit_bytes");
    return 11.6 * (wires / (repro_param(data, 0, "xbar", "request_flit_bytes") +
                            repro_param(data, 0, "xbar", "reply_flit_bytes")) -
                   1);
}

static void report_3_12(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { HBM, CROSSBAR, N16_48, N16_68, N32_52, N };
    static const struct {
        const char *point;
        double paper, wires;
    } made[N] = {{"HBM", 11, 0},
                 {"crossbar 16+48 alone", 15.5, 0},
                 {"16+48", 23.4, 0},
                 {"16+68", 29, 3.62},
                 {"32+52", 25.7, 3.62}};
    static const struct told told[] = {{"lavamd", "16+48", -37}};
    double g[N];
    for (size_t i = 0; i < N; i++)
        g[i] = mean_gain(study, data, repro_point(data, made[i].point), made[i].paper, made[i].point, report);
    const double kb = storage_kb(data, repro_point(data, "16+48"));
    repro_row(report, 94, kb, "KB", "added storage, cost-effective");
    repro_row(report, MM2_A_KB * 94, MM2_A_KB * kb, "mm2", "its area at 40 nm, 6.9/94 mm2 a KB");
    for (size_t i = N16_48; i < N; i++) {
        const double wires = wires_mm2(data, repro_point(data, made[i].point));
        repro_row(report, made[i].wires, wires, "mm2", "added wires, %s", made[i].point);
        repro_row(report, i == N16_48 ? 0.98 : 1.5, 100 * (MM2_A_KB * kb + wires) / DIE_MM2, "%",
                  "added area of the die, %s", made[i].point);
    }
    each_gain(data, told, COUNT_OF(told), report);
    repro_check(report, g[N16_48] > 0, "the 16+48 configuration is faster at no more wires");
    repro_check(report, g[N16_48] > g[CROSSBAR], "16+48 gains more than its asymmetric crossbar alone");
    repro_check(report, g[N16_68] > g[N16_48], "16+68 gains more than 16+48");
    repro_check(report, g[N16_68] > g[N32_52],
                "wires of the reply network gain more than those of the request network");
    repro_check(report, g[N16_48] > g[HBM], "16+48 gains more than 4x DRAM");
    repro_note_l2_hits(data, report);
    repro_deviation(report, "storage follows the entry sizes that the text states, with a request that waits in the "
                            "load-store unit counted as a buffer; its 94 KB is not broken down");
}
const struct repro_study repro_thesis_3_12 = {"thesis-3.12",
                                              "cost-effective configurations",
                                              "THESIS Fig. 3.12, 3.7.3",
                                              MEAN_ARITHMETIC,
                                              "thesis-ch3/cost-effective.yaml",
                                              report_3_12,
                                              NULL};

/* ---- Fig. 3.11 ---- */

static void report_3_11(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double worst = INFINITY;
    size_t slower = 0, less = 0;
    for (size_t p = 1; p < data->n_points; p++) mean_gain(study, data, p, NAN, data->points[p], report);
    for (size_t b = 0; b < data->n; b++) {
        double lowest = INFINITY, most = 0;
        for (size_t p = 1; p < data->n_points; p++) {
            const double ratio = repro_param(data, p, "clock", "core_mhz") / repro_param(data, 0, "clock", "core_mhz");
            if (ratio > 1)
                lowest = fmin(lowest, gain(data, b, p)), most = fmax(most, gain(data, b, p) / (100 * (ratio - 1)));
        }
        worst = fmin(worst, lowest);
        slower += lowest < 0;
        less += most < 0.9;
    }
    repro_row(report, -10, worst, "%", "largest loss at a raised core clock");
    each_gain(data, NULL, 0, report);
    repro_check(report, slower > 0, "some benchmarks lose when the core clock is raised (%zu of %zu)", slower, data->n);
    repro_check(report, 2 * less > data->n, "most gain less than the clock does (%zu of %zu)", less, data->n);
    repro_deviation(report, "the paper's figure is of a GTX 480 board; here L2 and DRAM keep their latencies in "
                            "nanoseconds while the core clock changes");
}
const struct repro_study repro_thesis_3_11 = {"thesis-3.11",
                                              "performance against the core clock",
                                              "THESIS Fig. 3.11",
                                              MEAN_ARITHMETIC,
                                              "thesis-ch3/core-clock.yaml",
                                              report_3_11,
                                              NULL};
