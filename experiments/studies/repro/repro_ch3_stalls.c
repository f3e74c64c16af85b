/* Where cycles go: THESIS Figs. 3.3, 3.4 and 3.6 to 3.9. All of one set of runs. */
#include <math.h>
#include <stdlib.h>
#include "poise/repro.h"

/* ---- Figs. 3.3, 3.4: occupancy over the usage lifetime ---- */

#define OCCUPANCY(queue, full) \
    { \
        {"1-25 %", {queue "_le25_cycles", NULL}, NAN}, {"26-50 %", {queue "_le50_cycles", NULL}, NAN}, \
            {"51-75 %", {queue "_le75_cycles", NULL}, NAN}, {"76-99 %", {queue "_lt100_cycles", NULL}, NAN}, \
        { \
            "100 %", {queue "_full_cycles", NULL}, full \
        } \
    }
static const struct repro_share l2_occupancy[] = OCCUPANCY("l2_access_queue", 46),
                                dram_occupancy[] = OCCUPANCY("dram_queue", 39);

static void report_3_3(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double means[COUNT_OF(l2_occupancy)];
    (void)study;
    repro_shares(data, l2_occupancy, COUNT_OF(l2_occupancy), means, report);
    repro_check(report, means[4] > 20, "the L2 access queues are full for a large part of their usage lifetime");
}
const struct repro_study repro_thesis_3_3 = {"thesis-3.3",
                                             "occupancy of the L2 access queues",
                                             "THESIS Fig. 3.3",
                                             MEAN_ARITHMETIC,
                                             "thesis-ch3/baseline.yaml",
                                             report_3_3,
                                             NULL};

static void report_3_4(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double means[COUNT_OF(dram_occupancy)];
    (void)study;
    repro_shares(data, dram_occupancy, COUNT_OF(dram_occupancy), means, report);
    repro_check(report, means[4] > 20, "the DRAM queues are full for a large part of their usage lifetime");
    repro_note_l2_hits(data, report);
}
const struct repro_study repro_thesis_3_4 = {"thesis-3.4",
                                             "occupancy of the DRAM queues",
                                             "THESIS Fig. 3.4",
                                             MEAN_ARITHMETIC,
                                             "thesis-ch3/baseline.yaml",
                                             report_3_4,
                                             NULL};

/* ---- Fig. 3.6: issue stalls by hazard ---- */

static const struct repro_share hazards[] = {{"data-MEM", {"stall_data_mem", NULL}, 15},
                                             {"data-ALU", {"stall_data_alu", NULL}, 5.5},
                                             {"str-MEM", {"stall_str_mem", NULL}, 71},
                                             {"str-ALU", {"stall_str_alu", NULL}, 0.5},
                                             {"fetch", {"stall_fetch", NULL}, 8}};

static void report_3_6(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { DATA_MEM, DATA_ALU, STR_MEM, STR_ALU, FETCH };
    double m[COUNT_OF(hazards)];
    (void)study;
    repro_shares(data, hazards, COUNT_OF(hazards), m, report);
    repro_check(report, m[STR_MEM] > m[DATA_MEM], "structural hazards of the memory stage lose more than data hazards");
    repro_check(report, m[STR_MEM] + m[DATA_MEM] > 75, "memory causes most issue stalls");
    repro_check(report, m[STR_MEM] > 50, "structural hazards of the memory stage are the major part");
    repro_check(report, m[DATA_ALU] + m[STR_ALU] < 15, "arithmetic causes few");
    repro_check(report, m[STR_ALU] < m[DATA_ALU], "busy arithmetic units lose less than arithmetic results");
}
const struct repro_study repro_thesis_3_6 = {
    "thesis-3.6", "issue stalls by hazard", "THESIS Fig. 3.6", MEAN_ARITHMETIC, "thesis-ch3/baseline.yaml", report_3_6,
    NULL};

/* ---- Fig. 3.7: DRAM bandwidth efficiency ---- */

static void report_3_7(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    double *values = calloc(data->n + 1, sizeof *values), best = 0;
    if (!values) {
        report->out_of_memory = true;
        return;
    }
    for (size_t b = 0; b < data->n; b++) {
        values[b] =
            repro_value(data, b, 0, "dram_pending_cycles") > 0 ? 100 * repro_value(data, b, 0, "dram_efficiency") : NAN;
        best = fmax(best, values[b]);
    }
    const double mean = repro_mean(study->mean, values, data->n);
    repro_row(report, 41, mean, "%", "mean");
    repro_row(report, 65, best, "%", "highest (paper: stencil)");
    for (size_t b = 0; b < data->n; b++) repro_row(report, NAN, values[b], "%", "%s", data->benchmarks[b].name);
    repro_check(report, mean < 60, "DRAM moves data for well under the time in which requests are pending");
    repro_note_l2_hits(data, report);
    free(values);
}
const struct repro_study repro_thesis_3_7 = {"thesis-3.7",
                                             "DRAM bandwidth efficiency",
                                             "THESIS Fig. 3.7",
                                             MEAN_ARITHMETIC,
                                             "thesis-ch3/baseline.yaml",
                                             report_3_7,
                                             NULL};

/* ---- Figs. 3.8, 3.9: cache stalls by cause ---- */

static const struct repro_share l2_causes[] = {{"bp-ICNT", {"l2_stall_response_cycles", NULL}, 42},
                                               {"bp-DRAM", {"l2_stall_dram_cycles", NULL}, 35},
                                               {"port", {"l2_stall_port_cycles", NULL}, 12},
                                               {"cache line", {"l2_stall_line_cycles", NULL}, 8},
                                               {"MSHR", {"l2_stall_mshr_cycles", NULL}, 3}};

static void report_3_8(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { ICNT, DRAM, PORT, LINE, MSHR };
    double m[COUNT_OF(l2_causes)];
    (void)study;
    repro_shares(data, l2_causes, COUNT_OF(l2_causes), m, report);
    repro_check(report, m[ICNT] > m[DRAM] && m[ICNT] > m[PORT] && m[ICNT] > m[LINE] && m[ICNT] > m[MSHR],
                "back pressure from the interconnect is the main cause");
    repro_check(report, m[DRAM] > m[PORT] && m[DRAM] > m[LINE] && m[DRAM] > m[MSHR],
                "back pressure from DRAM comes second");
    repro_check(report, m[MSHR] < 10, "MSHRs seldom stall L2");
    repro_note_l2_hits(data, report);
}
const struct repro_study repro_thesis_3_8 = {
    "thesis-3.8", "L2 stalls by cause", "THESIS Fig. 3.8", MEAN_ARITHMETIC, "thesis-ch3/baseline.yaml", report_3_8,
    NULL};

/* A merge that finds its MSHR full waits for an MSHR resource. */
static const struct repro_share l1_causes[] = {{"bp-L2", {"l1d_fail_queue_cycles", NULL}, 48},
                                               {"MSHR", {"l1d_fail_mshr_cycles", "l1d_fail_merge_cycles"}, 41},
                                               {"cache line", {"l1d_fail_line_cycles", NULL}, 11}};

static void report_3_9(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { L2, MSHR, LINE };
    double m[COUNT_OF(l1_causes)];
    (void)study;
    repro_shares(data, l1_causes, COUNT_OF(l1_causes), m, report);
    repro_check(report, m[L2] > m[MSHR] && m[L2] > m[LINE], "back pressure from L2 is the main cause");
    repro_check(report, m[MSHR] > m[LINE], "MSHRs come before cache lines");
}
const struct repro_study repro_thesis_3_9 = {
    "thesis-3.9", "L1 stalls by cause", "THESIS Fig. 3.9", MEAN_ARITHMETIC, "thesis-ch3/baseline.yaml", report_3_9,
    NULL};
