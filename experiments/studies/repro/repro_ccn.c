/* The Cooperative Caching Network: THESIS Figs. 4.6 to 4.17 and Eq. 4.1 to 4.5. */
#include <math.h>
#include <string.h>
#include "studies/repro/repro_ccn.h"

double ccn_gain(const struct repro_data *data, size_t b, size_t p) { return 100 * (repro_speedup(data, b, p) - 1); }

double ccn_mean(const struct repro_study *study, const struct repro_data *data, size_t p, ccn_value value)
{
    double values[64];
    const size_t n = data->n < COUNT_OF(values) ? data->n : COUNT_OF(values);
    for (size_t b = 0; b < n; b++) values[b] = value(data, b, p);
    return repro_mean(study->mean, values, n);
}

double ccn_change(const struct repro_data *data, size_t b, size_t p,
                  double (*of)(const struct repro_data *, size_t, size_t))
{
    const double base = of(data, b, 0) / repro_value(data, b, 0, "warp_insts"),
                 ours = of(data, b, p) / repro_value(data, b, p, "warp_insts");
    return 100 * (ours / base - 1);
}

static size_t find(const struct repro_data *data, const char *name)
{
    size_t b = 0;
    while (b < data->n && strcmp(data->benchmarks[b].name, name) != 0) b++;
    return b;
}
static double value_of(const struct repro_data *data, const char *name, size_t p, ccn_value value)
{
    const size_t b = find(data, name);
    return b < data->n ? value(data, b, p) : NAN;
}

/* A value of single benchmarks that the text gives. */
struct told {
    const char *benchmark, *point;
    double value;
};
/* The mean of some points as rows, and each benchmark as a table. */
struct shown {
    const char *point;
    double paper;
};
static void show(const struct repro_study *study, const struct repro_data *data, const struct shown *points, size_t n,
                 ccn_value value, const char *what, const struct told *told, size_t n_told, double *means,
                 struct repro_report *report)
{
    for (size_t i = 0; i < n; i++) {
        const size_t p = repro_point(data, points[i].point);
        means[i] = ccn_mean(study, data, p, value);
        repro_row(report, points[i].paper, means[i], "%", "mean %s, %s", what, points[i].point);
    }
    for (size_t b = 0; b < data->n; b++)
        for (size_t i = 0; i < n; i++) {
            double paper = NAN;
            for (size_t t = 0; t < n_told; t++)
                if (strcmp(told[t].benchmark, data->benchmarks[b].name) == 0 &&
                    strcmp(told[t].point, points[i].point) == 0)
                    paper = told[t].value;
            repro_cell(report, paper, value(data, b, repro_point(data, points[i].point)), "%", data->benchmarks[b].name,
                       "%s", points[i].point);
        }
}
#define TOLD(list) list, COUNT_OF(list)
#define NOTHING_TOLD NULL, 0

/* ---- Figs. 4.6 and 4.7: speedup ---- */

static void note_sampling(const struct repro_data *data, struct repro_report *report)
{
    const size_t rt = repro_point(data, "CCN-RT");
    double samples = 0, off = 0;
    for (size_t b = 0; b < data->n; b++) {
        samples += repro_mech_value(data, b, rt, "ccn", "samples");
        off += repro_mech_value(data, b, rt, "ccn", "samples_off");
    }
    repro_deviation(report,
                    "CCN-RT samples a tenth of each of ten periods of a launch, as ours are shorter than t_P "
                    "(`epochs`); %.0f of %.0f samples of an SM left the network",
                    off, samples);
}

static void report_4_6(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { B, RT, IDEAL, AS_PUBLISHED, CUT, SAME, N };
    static const struct shown points[N] = {{"CCN-B", 14.5},      {"CCN-RT", 14.7},
                                           {"ideal", 21.5},      {"CCN-RT as published", 14.7},
                                           {"cut-through", NAN}, {"same direction", NAN}};
    double g[N];
    show(study, data, points, N, ccn_gain, "gain", NOTHING_TOLD, g, report);
    repro_check(report, g[B] > 0 && g[RT] > 0, "CCN-B and CCN-RT gain");
    repro_check(report, fabs(g[RT] - g[B]) < fmax(2, fabs(g[B]) / 4), "where L1s share, throttling changes little");
    repro_check(report, g[IDEAL] > g[RT], "the ideal network gains more");
    repro_check(report, g[SAME] <= g[RT], "rings that run the same way gain no more");
    note_sampling(data, report);
}
const struct repro_study repro_ccn_4_6 = {"ccn-4.6",
                                          "speedup of CCN-B, CCN-RT and ideal cooperation where L1s share",
                                          "THESIS Fig. 4.6",
                                          MEAN_ARITHMETIC,
                                          "thesis-ch4/network.yaml",
                                          report_4_6,
                                          NULL};

static void report_4_7(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { B, RT, IDEAL, N };
    static const struct shown points[N] = {{"CCN-B", -1.7}, {"CCN-RT", -0.1}, {"ideal", NAN}};
    static const double published_worst[2] = {-11.5, -1.5};
    double g[N], worst[2] = {INFINITY, INFINITY};
    show(study, data, points, N, ccn_gain, "gain", NOTHING_TOLD, g, report);
    for (size_t i = 0; i < 2; i++) {
        for (size_t b = 0; b < data->n; b++)
            worst[i] = fmin(worst[i], ccn_gain(data, b, repro_point(data, points[i].point)));
        repro_row(report, published_worst[i], worst[i], "%", "largest loss, %s", points[i].point);
    }
    repro_check(report, worst[0] < 0, "without sharing, a round through the network costs");
    repro_check(report, worst[1] > worst[0], "throttling takes most of the largest loss away");
    repro_check(report, fabs(g[RT]) < fmax(1, fabs(g[B])), "with throttling the network is neutral on average");
    note_sampling(data, report);
}
const struct repro_study repro_ccn_4_7 = {"ccn-4.7",
                                          "change of IPC where L1s share little",
                                          "THESIS Fig. 4.7",
                                          MEAN_ARITHMETIC,
                                          "thesis-ch4/little-reuse.yaml",
                                          report_4_7,
                                          NULL};

/* ---- Figs. 4.8 to 4.11: traffic, latency, stalls ---- */

double ccn_packets(const struct repro_data *data, size_t b, size_t p)
{
    return repro_value(data, b, p, "request_packets");
}
static double lost_slots(const struct repro_data *data, size_t b, size_t p)
{
    return repro_value(data, b, p, "issue_slots") - repro_value(data, b, p, "warp_insts");
}
static double bursts(const struct repro_data *data, size_t b, size_t p)
{
    return repro_value(data, b, p, "dram_reads") + repro_value(data, b, p, "dram_writes");
}
static double traffic(const struct repro_data *data, size_t b, size_t p) { return ccn_change(data, b, p, ccn_packets); }
static double stalls(const struct repro_data *data, size_t b, size_t p) { return ccn_change(data, b, p, lost_slots); }
static double off_chip(const struct repro_data *data, size_t b, size_t p) { return ccn_change(data, b, p, bursts); }
static double latency(const struct repro_data *data, size_t b, size_t p)
{
    return 100 * (repro_value(data, b, p, "aml_cycles") / repro_value(data, b, 0, "aml_cycles") - 1);
}
enum { F_B, F_RT, F_IDEAL, F_N };

static void report_4_8(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct shown points[F_N] = {{"CCN-B", NAN}, {"CCN-RT", -29}, {"ideal", -33}};
    double g[F_N];
    show(study, data, points, F_N, traffic, "change of requests to L2", NOTHING_TOLD, g, report);
    repro_check(report, g[F_RT] < 0, "the network takes requests off L2");
    repro_check(report, g[F_IDEAL] <= g[F_RT], "the ideal network takes more");
    repro_check(report, fabs(g[F_B] - g[F_RT]) < 5, "throttling costs few hits");
    repro_deviation(report, "requests of all kinds to L2, an instruction");
}
const struct repro_study repro_ccn_4_8 = {
    "ccn-4.8", "requests from L1 to L2", "THESIS Fig. 4.8", MEAN_ARITHMETIC, "thesis-ch4/network.yaml", report_4_8,
    NULL};

static void report_4_9(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct shown points[F_N] = {{"CCN-B", NAN}, {"CCN-RT", -24}, {"ideal", NAN}};
    static const struct told told[] = {{"cutcp", "CCN-RT", -65}};
    double g[F_N];
    show(study, data, points, F_N, latency, "change of AML", TOLD(told), g, report);
    repro_check(report, g[F_RT] < 0, "the average memory latency falls");
}
const struct repro_study repro_ccn_4_9 = {
    "ccn-4.9", "average memory latency", "THESIS Fig. 4.9", MEAN_ARITHMETIC, "thesis-ch4/network.yaml", report_4_9,
    NULL};

static void report_4_10(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct shown points[F_N] = {{"CCN-B", NAN}, {"CCN-RT", -26}, {"ideal", -28}};
    double g[F_N];
    show(study, data, points, F_N, stalls, "change of stalls", NOTHING_TOLD, g, report);
    repro_check(report, g[F_RT] < 0, "cores stall less");
    repro_check(report, value_of(data, "cfd", repro_point(data, "CCN-RT"), stalls) < 0, "cfd stalls less");
    repro_check(report, value_of(data, "cutcp", repro_point(data, "CCN-RT"), stalls) < 2,
                "cutcp, which memory does not bound, does not stall more");
    repro_deviation(report, "issue slots without an issue, an instruction");
}
const struct repro_study repro_ccn_4_10 = {
    "ccn-4.10", "core stall cycles", "THESIS Fig. 4.10", MEAN_ARITHMETIC, "thesis-ch4/network.yaml", report_4_10, NULL};

static void report_4_11(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct shown points[F_N] = {{"CCN-B", NAN}, {"CCN-RT", NAN}, {"ideal", NAN}};
    static const struct told told[] = {{"streamcluster", "CCN-RT", -12}};
    double g[F_N];
    show(study, data, points, F_N, off_chip, "change of DRAM bursts", TOLD(told), g, report);
    repro_check(report, fabs(g[F_RT]) < 5, "off-chip traffic hardly changes on average");
    repro_deviation(report, "bursts of reads and writes, an instruction; benchmarks of few bursts move much");
    repro_note_l2_hits(data, report);
}
const struct repro_study repro_ccn_4_11 = {
    "ccn-4.11", "off-chip traffic", "THESIS Fig. 4.11", MEAN_ARITHMETIC, "thesis-ch4/network.yaml", report_4_11, NULL};

/* ---- Figs. 4.13, 4.14, 4.16, 4.17: other machines and networks ---- */

/* Against the same machine without the network. */
static double gain_over(const struct repro_data *data, size_t b, const char *point, const char *base)
{
    const size_t p = repro_point(data, point), q = repro_point(data, base);
    return 100 * (repro_value(data, b, p, "ipc") / repro_value(data, b, q, "ipc") - 1);
}
static double gain_48(const struct repro_data *data, size_t b, size_t p)
{
    return p == repro_point(data, "CCN-RT") ? gain_over(data, b, "CCN-RT", "base")
                                            : gain_over(data, b, "48 KB CCN-RT", "48 KB");
}

static void report_4_13(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct shown points[] = {{"CCN-RT", 14.7}, {"48 KB CCN-RT", 20.6}};
    double g[2];
    show(study, data, points, 2, gain_48, "gain over the same L1 without it", NOTHING_TOLD, g, report);
    repro_check(report, g[0] > 0 && g[1] > 0, "the network gains with either L1");
    repro_check(report, g[1] > g[0], "it gains more with the larger one");
    repro_deviation(report, "48 KB are 96 sets of four ways (THESIS 4.4.3), taken modulo");
}
const struct repro_study repro_ccn_4_13 = {"ccn-4.13",
                                           "gain with L1s of 16 and 48 KB",
                                           "THESIS Fig. 4.13",
                                           MEAN_ARITHMETIC,
                                           "thesis-ch4/network.yaml",
                                           report_4_13,
                                           NULL};

static void report_4_14(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct shown points[] = {{"CCN-RT", 14.7}, {"link 3", 13.6}, {"link 5", 11.2}};
    static const struct told told[] = {{"b+tree", "CCN-RT", 31}, {"b+tree", "link 5", 19}};
    double g[3];
    show(study, data, points, 3, ccn_gain, "gain", TOLD(told), g, report);
    repro_check(report, g[0] > g[2], "longer links gain less");
    repro_check(report, g[2] > g[0] / 2, "most of the gain stands at five cycles a link");
}
const struct repro_study repro_ccn_4_14 = {"ccn-4.14",
                                           "links of 1, 3 and 5 cycles",
                                           "THESIS Fig. 4.14",
                                           MEAN_ARITHMETIC,
                                           "thesis-ch4/network.yaml",
                                           report_4_14,
                                           NULL};

/* Against SMs of the same width without the network. */
static double gain_of_width(const struct repro_data *data, size_t b, size_t p)
{
    static const char *const widths[] = {"64 lanes", "128 lanes", "192 lanes", "64 units"};
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        char with[REPRO_NAME_MAX];
        snprintf(with, sizeof with, "%s CCN-RT", widths[i]);
        if (p == repro_point(data, with)) return gain_over(data, b, with, widths[i]);
    }
    return gain_over(data, b, "CCN-RT", "base");
}

static void report_4_15(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { N = 5 };
    static const struct shown points[N] = {{"CCN-RT", 14.7},
                                           {"64 lanes CCN-RT", 13.6},
                                           {"128 lanes CCN-RT", 11.4},
                                           {"192 lanes CCN-RT", 10.2},
                                           {"64 units CCN-RT", NAN}};
    static const char *const widths[] = {"base", "64 lanes", "128 lanes", "192 lanes"};
    double g[N];
    show(study, data, points, N, gain_of_width, "gain over the same width without it", NOTHING_TOLD, g, report);
    for (size_t i = 1; i < COUNT_OF(widths); i++)
        repro_row(report, NAN, ccn_mean(study, data, repro_point(data, widths[i]), ccn_gain), "%",
                  "mean gain of %s without it", widths[i]);
    repro_check(report, g[0] > 0 && g[1] > 0 && g[2] > 0 && g[3] > 0, "the network gains at every width");
    repro_check(report, g[3] < g[0], "with 192 lanes it gains less than with 32");
    repro_check(report, g[3] > g[0] / 2, "the widest SMs keep most of the gain");
    repro_deviation(report, "n times the lanes are n times the schedulers, units and memory instructions waiting, with "
                            "one L1 port and as many warps; 64 units are twice the units alone");
}
const struct repro_study repro_ccn_4_15 = {"ccn-4.15",
                                           "gain with 32 to 192 SIMD lanes",
                                           "THESIS Fig. 4.15",
                                           MEAN_ARITHMETIC,
                                           "thesis-ch4/lanes.yaml",
                                           report_4_15,
                                           NULL};

static void report_4_16(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    enum { BANKS, CCN, BOTH };
    static const struct shown points[] = {{"2x banks", 10.2}, {"CCN-RT", 14.7}, {"2x banks CCN-RT", 23.5}};
    double g[3];
    show(study, data, points, 3, ccn_gain, "gain", NOTHING_TOLD, g, report);
    const size_t cfd = find(data, "cfd");
    if (cfd < data->n)
        repro_row(report, 34, gain_over(data, cfd, "CCN-RT", "2x banks"), "%", "cfd, the network over twice the banks");
    repro_check(report, g[CCN] > g[BANKS], "the network gains more than twice the L2 banks");
    repro_check(report, g[BOTH] > g[CCN] && g[BOTH] > g[BANKS], "both together gain more than each");
    repro_deviation(report, "twice the banks of half the size, with as many ports and the same DRAM");
}
const struct repro_study repro_ccn_4_16 = {"ccn-4.16",
                                           "twice the L2 banks, the network, and both",
                                           "THESIS Fig. 4.16",
                                           MEAN_ARITHMETIC,
                                           "thesis-ch4/network.yaml",
                                           report_4_16,
                                           NULL};

static void report_4_17(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct shown points[] = {{"ideal clusters of 3", 4}, {"ideal clusters of 5", 8}, {"ideal", 21},
                                          {"rings of 3", NAN},        {"rings of 5", NAN},        {"CCN-RT", 14.7}};
    double g[6];
    show(study, data, points, 6, ccn_gain, "gain", NOTHING_TOLD, g, report);
    repro_check(report, g[0] < g[1] && g[1] < g[2], "the more SMs share, the larger the gain");
}
const struct repro_study repro_ccn_4_17 = {"ccn-4.17",
                                           "sharing within clusters of SMs",
                                           "THESIS Fig. 4.17",
                                           MEAN_ARITHMETIC,
                                           "thesis-ch4/network.yaml",
                                           report_4_17,
                                           NULL};

/* ---- Eq. 4.1 to 4.5 ---- */

/* The terms over all benchmarks together: sums over sums. */
struct terms {
    double l_O, h_reuse, l_reuse, delta_cong, delta_overhead, l_C, hops, direct;
    double at_home; /* of delta_overhead: waiting for L1's miss queue */
};
static double total(const struct repro_data *data, size_t p, const char *counter)
{
    double sum = 0;
    for (size_t b = 0; b < data->n; b++) sum += repro_value(data, b, p, counter);
    return sum;
}
static double ccn_total(const struct repro_data *data, size_t p, const char *counter)
{
    double sum = 0;
    for (size_t b = 0; b < data->n; b++) {
        const double value = repro_mech_value(data, b, p, "ccn", counter);
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}
static struct terms terms_of(const struct repro_data *data, const char *point)
{
    const size_t p = repro_point(data, point);
    const double fills = total(data, p, "l1d_fills"), waited = total(data, p, "miss_latency_sum"),
                 hits = ccn_total(data, p, "hits");
    const double hit_cycles = ccn_total(data, p, "hit_cycles"), rounds = ccn_total(data, p, "round_cycles"),
                 returned = ccn_total(data, p, "returned");
    struct terms t = {.l_O = total(data, 0, "miss_latency_sum") / total(data, 0, "l1d_fills"), .l_C = waited / fills};
    t.h_reuse = hits / fills;
    t.l_reuse = hit_cycles / hits;
    t.delta_overhead = returned > 0 ? rounds / returned : 0;
    t.at_home = returned > 0 ? ccn_total(data, p, "home_cycles") / returned : 0;
    t.delta_cong = t.l_O - (waited - hit_cycles - rounds) / (fills - hits);
    t.hops = ccn_total(data, p, "hit_hops") / hits;
    t.direct = (fills - hits - returned) / fills;
    return t;
}

/* Benchmarks alike, however many misses they have. */
static double reuse_cycles(const struct repro_data *data, size_t b, size_t p)
{
    return repro_mech_value(data, b, p, "ccn", "hit_cycles") / repro_mech_value(data, b, p, "ccn", "hits");
}
static double round_cycles(const struct repro_data *data, size_t b, size_t p)
{
    return (repro_mech_value(data, b, p, "ccn", "round_cycles") - repro_mech_value(data, b, p, "ccn", "home_cycles")) /
           repro_mech_value(data, b, p, "ccn", "returned");
}

static void report_model(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const struct terms ccn = terms_of(data, "CCN-RT"), banks = terms_of(data, "2x banks"),
                       both = terms_of(data, "2x banks CCN-RT"), homed = terms_of(data, "home queue 8");
    const double predicted =
        (ccn.l_O - ccn.delta_cong + ccn.delta_overhead) * (1 - ccn.h_reuse) + ccn.l_reuse * ccn.h_reuse;
    repro_row(report, 300, ccn.l_O, "cycles", "l_O: L1 miss to data without the network");
    repro_row(report, 29, 100 * ccn.h_reuse, "%", "h_reuse: misses that other L1s answer");
    repro_row(report, 42, ccn.l_reuse, "cycles", "l_reuse: L1 miss to data of these");
    repro_row(report, 54, ccn.delta_overhead, "cycles", "delta_overhead: a round without a hit");
    repro_row(report, NAN, ccn.at_home, "cycles", "of it: at home, waiting for L1's miss queue");
    repro_row(report, 42, ccn_mean(study, data, repro_point(data, "CCN-RT"), reuse_cycles), "cycles",
              "l_reuse, mean of the benchmarks' own");
    repro_row(report, 54, ccn_mean(study, data, repro_point(data, "CCN-RT"), round_cycles), "cycles",
              "a round until it is home, likewise");
    repro_row(report, 78, ccn.delta_cong, "cycles", "delta_cong: what L2 is faster with the network");
    repro_row(report, 80, banks.delta_cong, "cycles", "delta_cong with twice the banks");
    repro_row(report, 117, both.delta_cong, "cycles", "delta_cong with both");
    repro_row(report, 208, ccn.l_C, "cycles", "l_C with the network, measured (Eq. 4.3)");
    repro_row(report, NAN, predicted, "cycles", "l_C with the network by Eq. 4.1 from our terms");
    repro_row(report, 220, banks.l_C, "cycles", "l_C with twice the banks, measured (Eq. 4.4)");
    repro_row(report, 180, both.l_C, "cycles", "l_C with both, measured (Eq. 4.5)");
    repro_row(report, 10, ccn.hops, "links", "links of a request that hits and its response");
    repro_row(report, 15, terms_of(data, "same direction").hops, "links", "the same where both rings run one way");
    repro_row(report, NAN, 100 * ccn.direct, "%", "misses that go straight to L2");
    repro_row(report, 42, homed.l_reuse, "cycles", "l_reuse with a queue beside the ring for requests that are home");
    repro_row(report, 54, homed.delta_overhead, "cycles", "delta_overhead with it");
    repro_row(report, NAN, homed.at_home, "cycles", "of it: at home, with it");
    repro_row(report, 29, 100 * homed.h_reuse, "%", "h_reuse with it");
    repro_row(report, 14.7, ccn_mean(study, data, repro_point(data, "home queue 8"), ccn_gain), "%", "gain with it");
    repro_check(report, ccn.l_reuse < ccn.l_O, "a remote hit is faster than L2 (Eq. 4.2)");
    repro_check(report, ccn.delta_overhead < ccn.delta_cong, "a round costs less than L2 gains (Eq. 4.2)");
    repro_check(report, ccn.l_C < ccn.l_O, "the average latency falls");
    repro_check(report, both.l_C < ccn.l_C && both.l_C < banks.l_C, "both together have the lowest latency");
    repro_deviation(report, "sums over all benchmarks; latencies are of all L1 misses, those that go on to DRAM "
                            "included; Eq. 4.1 charges a round to all that L2 answers, "
                            "also to those that went there straight");
}
const struct repro_study repro_ccn_model = {"ccn-model",
                                            "the terms of the latency model",
                                            "THESIS Eq. 4.1 to 4.5",
                                            MEAN_ARITHMETIC,
                                            "thesis-ch4/network.yaml",
                                            report_model,
                                            NULL};
