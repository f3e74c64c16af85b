/* The tag-split cache: Figs. 1, 2, 4, 5, 9 to 13, Tabs. 1 and 3, and what §5.5, §5.6 and the outlook say in words. [TSC] */
#include <math.h>
#include <string.h>
#include "poise/repro.h"

/* [TSC Tab. 1]; CLN: prefers small lines. The tree has two kmeans; `kmn` reads rows as Fig. 3 does. */
static const struct { const char *name, *label; bool is_cln; } papers[] = {
    {"bfs", "bfs", true}, {"cfd", "cfd", true}, {"kmn", "kmeans", true}, {"mummer", "mummer", true}, {"particlefilter", "particlefilter", true},
    {"srad2", "srad2", true}, {"spmv", "spmv", true}, {"b+tree", "b+tree", false}, {"dwt2d", "dwt2d", false}, {"gaussian", "gaussian", false},
    {"srad1", "srad1", false}, {"streamcluster", "streamcluster", false}, {"histo", "histo", false}, {"mri-gridding", "mri-gridding", false},
    {"stencil", "stencil", false}};
enum { BENCHMARKS = sizeof papers / sizeof *papers };

/* Its number in the data; data->n: it was not measured. */
static size_t find(const struct repro_data *data, const char *label)
{
    size_t i = 0, b = 0;
    while (i < BENCHMARKS && strcmp(papers[i].label, label) != 0) i++;
    while (i < BENCHMARKS && b < data->n && strcmp(data->benchmarks[b].name, papers[i].name) != 0) b++;
    return i < BENCHMARKS ? b : data->n;
}

typedef double metric(const struct repro_data *data, size_t benchmark, size_t point);

static double per_inst(const struct repro_data *data, size_t b, size_t p, const char *counter)
{
    return repro_value(data, b, p, counter) / repro_value(data, b, p, "warp_insts");
}
static double mpki(const struct repro_data *data, size_t b, size_t p) { return per_inst(data, b, p, "l1d_misses") / per_inst(data, b, 0, "l1d_misses"); }
static double down(const struct repro_data *data, size_t b, size_t p) { return per_inst(data, b, p, "request_flits") / per_inst(data, b, 0, "request_flits"); }
static double up(const struct repro_data *data, size_t b, size_t p) { return per_inst(data, b, p, "reply_flits") / per_inst(data, b, 0, "reply_flits"); }

/* The geometric mean over the benchmarks that were measured, NAN of none. */
static double mean_of(const struct repro_data *data, metric *of, const char *point)
{
    double values[BENCHMARKS];
    size_t n = 0;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        if (b < data->n) values[n++] = of(data, b, repro_point(data, point));
    }
    return repro_mean(MEAN_GEOMETRIC, values, n);
}

static double gain_of(const struct repro_data *data, metric *of, const char *point) { return 100 * (mean_of(data, of, point) - 1); }

/* The mean gain of a point, as a row with the paper's. */
static double gain_row(const struct repro_data *data, const char *point, double paper, struct repro_report *report)
{
    const double gain = gain_of(data, repro_speedup, point);
    repro_row(report, paper, gain, "%", "GM %s", point);
    return gain;
}

static void cells(const struct repro_data *data, metric *of, const char *what, const char *const points[], size_t n, struct repro_report *report)
{
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        for (size_t k = 0; k < n && b < data->n; k++)
            repro_cell(report, NAN, 100 * (of(data, b, repro_point(data, points[k])) - 1), "%", papers[i].label, "%s%s", what, points[k]);
    }
}

static void note(const struct repro_data *data, struct repro_report *report)
{
    for (size_t i = 0; i < BENCHMARKS; i++)
        if (find(data, papers[i].label) == data->n) repro_deviation(report, "not measured here: %s", papers[i].label);
    repro_deviation(report, "the paper's run GPGPU-Sim 3.2.2 on Rodinia 3.0 and Parboil with their inputs, ours our own kernels and inputs; quick mode the first "
                            "60,000 cycles of a launch each");
}

static bool all_hold(const struct repro_data *data, const char *const labels[], size_t n, metric *of, const char *a, const char *b, bool above)
{
    for (size_t i = 0; i < n; i++) {
        const size_t k = find(data, labels[i]);
        if (k == data->n) continue;
        const double x = of(data, k, repro_point(data, a)), y = b ? of(data, k, repro_point(data, b)) : 1;
        if (above ? !(x > y) : !(x < y)) return false;
    }
    return true;
}

/* ---- Fig. 10 ---- */

static void report_10a(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"32B", "64B", "TSC", "TSC+"}, *const losers[] = {"srad1", "histo"};
    (void)study;
    const double lines = gain_row(data, "32B", NAN, report), lines_64 = gain_row(data, "64B", NAN, report);
    const double tsc = gain_row(data, "TSC", 15.6, report), plus = gain_row(data, "TSC+", 17.2, report);
    cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    size_t lose = 0, beats = 0, n = 0;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        if (b == data->n) continue;
        const double speedup = repro_speedup(data, b, repro_point(data, "TSC"));
        n++;
        lose += speedup < 0.995;
        beats += speedup >= repro_speedup(data, b, repro_point(data, "32B"));
    }
    repro_row(report, 2, (double)lose, "of 15", "benchmarks that TSC slows down by half a percent or more");
    repro_check(report, tsc > 0 && plus > 0, "TSC and TSC+ gain");
    repro_check(report, tsc > lines && tsc > lines_64, "TSC gains more than small lines do");
    repro_check(report, 4 * beats >= 3 * n, "it is faster than lines of 32 bytes on almost every benchmark");
    repro_check(report, plus > tsc, "TSC+ gains more than TSC");
    repro_check(report, all_hold(data, losers, COUNT_OF(losers), repro_speedup, "TSC", NULL, false), "TSC loses on srad_v1 and histo");
    repro_deviation(report, "in quick mode the sampler sets of SM 0 see a few hundred misses: how much falls on which set differs by more than the modes do, so that TSC+ "
                            "takes coarse mode on several benchmarks that lose by it (stencil: TSC with all sets in coarse mode loses 1 %%)");
    note(data, report);
}
const struct repro_study repro_tsc_10a = {"tsc-10a", "The tag-split cache beside caches of small lines", "TSC Fig. 10(a)", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_10a, NULL};

static void report_10b(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"MRPB", "LAMAR", "DSC-2", "DSC-4", "TSC", "TSC+", "TSC matching"}, *const kmeans[] = {"bfs", "kmeans"};
    (void)study;
    const double mrpb = gain_row(data, "MRPB", 7.0, report), lamar = gain_row(data, "LAMAR", 7.4, report);
    const double dsc2 = gain_row(data, "DSC-2", 10.4, report), dsc4 = gain_row(data, "DSC-4", 11.7, report);
    const double tsc = gain_row(data, "TSC", 15.6, report), plus = gain_row(data, "TSC+", 17.2, report);
    gain_row(data, "TSC matching", NAN, report);
    cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, tsc > lamar && plus > lamar, "the tag-split cache gains more than LAMAR");
    repro_check(report, tsc > dsc2 && tsc > dsc4, "it gains more than decoupled sectors");
    repro_check(report, tsc > mrpb, "it gains more than MRPB");
    repro_check(report, dsc4 > dsc2 && dsc2 > lamar, "more tags gain more: DSC-4, DSC-2, LAMAR");
    repro_check(report, mrpb > 0 && lamar > 0, "MRPB and LAMAR gain");
    repro_check(report, all_hold(data, kmeans, 2, repro_speedup, "TSC", "DSC-4", true), "TSC is faster than DSC-4 on bfs and kmeans");
    repro_deviation(report, "'TSC matching' takes chunks of matching groups first, whatever their NRU bit: the other reading of where room comes from");
    note(data, report);
}
const struct repro_study repro_tsc_10b = {"tsc-10b", "The tag-split cache and its rivals", "TSC Fig. 10(b)", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_10b, NULL};

/* ---- Figs. 11 and 12 ---- */

static void report_11(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"LAMAR", "DSC-2", "DSC-4", "TSC", "TSC+"}, *const more[] = {"b+tree", "cfd", "srad1", "srad2", "histo"}, *const kmeans[] = {"bfs", "kmeans"};
    (void)study;
    for (size_t k = 0; k < COUNT_OF(shown); k++) repro_row(report, NAN, gain_of(data, mpki, shown[k]), "%", "GM misses an instruction, %s", shown[k]);
    cells(data, mpki, "misses, ", shown, COUNT_OF(shown), report);
    size_t fewer = 0;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        if (b < data->n) fewer += mpki(data, b, repro_point(data, "LAMAR")) < 0.995;
    }
    repro_check(report, fewer == 0, "LAMAR has as many misses as the baseline, or more");
    repro_check(report, all_hold(data, more, COUNT_OF(more), mpki, "TSC", NULL, true), "TSC has more misses than the baseline on b+tree, cfd, srad_v1, srad_v2 and histo");
    repro_check(report, all_hold(data, kmeans, 2, mpki, "DSC-4", "TSC", false), "DSC-4 has fewer misses than TSC on bfs and kmeans");
    repro_deviation(report, "misses are accesses that sent a request for something new, a partial miss included; merged ones are not");
    note(data, report);
}
const struct repro_study repro_tsc_11 = {"tsc-11", "L1 misses an instruction over those of whole lines", "TSC Fig. 11", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_11, NULL};

static void report_12(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"LAMAR", "TSC"};
    (void)study;
    for (size_t k = 0; k < 2; k++) {
        repro_row(report, NAN, gain_of(data, down, shown[k]), "%", "GM flits L1 to L2, %s", shown[k]);
        repro_row(report, NAN, gain_of(data, up, shown[k]), "%", "GM flits L2 to L1, %s", shown[k]);
    }
    const size_t kmeans = find(data, "kmeans"), lamar = repro_point(data, "LAMAR"), tsc = repro_point(data, "TSC");
    if (kmeans < data->n) {
        repro_row(report, 45.4, 100 * (1 - down(data, kmeans, tsc) / down(data, kmeans, lamar)), "%", "kmeans, L1 to L2 below LAMAR");
        repro_row(report, 71.8, 100 * (1 - up(data, kmeans, tsc) / up(data, kmeans, lamar)), "%", "kmeans, L2 to L1 below LAMAR");
    }
    cells(data, down, "L1 to L2, ", shown, 2, report);
    cells(data, up, "L2 to L1, ", shown, 2, report);
    repro_check(report, mean_of(data, down, "TSC") < mean_of(data, down, "LAMAR"), "TSC sends fewer requests than LAMAR");
    repro_check(report, mean_of(data, up, "TSC") < mean_of(data, up, "LAMAR") && mean_of(data, up, "LAMAR") < 1, "L2 sends less back under LAMAR than to the baseline, and less still under TSC");
    repro_check(report, mean_of(data, down, "LAMAR") > 1, "LAMAR sends more requests than the baseline");
    repro_deviation(report, "flits an instruction, instruction fetches and stores included, over those of the baseline in the same direction");
    note(data, report);
}
const struct repro_study repro_tsc_12 = {"tsc-12", "Traffic between L1 and L2 under LAMAR and the tag-split cache", "TSC Fig. 12", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_12, NULL};

/* ---- Tab. 3 ---- */

static void report_tab_3(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct { const char *point; double kilobytes, bytes, gain; } rows[] = {
        {"LAMAR", 0.063, 64, 7.4}, {"DSC-2", 0.45, 464, 10.4}, {"DSC-4", 1.33, 1360, 11.7}, {"TSC", 0.58, 592, 15.6}, {"TSC 5 bits", 0.44, 448, 13.6}};
    enum { TAG_BITS = 20 }; /* of 32-bit addresses, 128-byte lines and 32 sets [TSC §5.1] */
    bool same = true;
    (void)study;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double bytes = (double)gpu_l1_extra_bits(data->params[repro_point(data, rows[i].point)], TAG_BITS) / 8;
        repro_row(report, rows[i].kilobytes, bytes / 1024, "KB", "storage an L1, %s", rows[i].point);
        same &= bytes == rows[i].bytes;
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) gain_row(data, rows[i].point, rows[i].gain, report);
    repro_check(report, same, "each needs the bits that the paper's table says");
    repro_check(report, gain_of(data, repro_speedup, "TSC 5 bits") > gain_of(data, repro_speedup, "DSC-2"), "with private tags of five bits TSC is smaller than DSC-2 and gains more");
    repro_deviation(report, "TSC+ has four 16-bit counters a GPU besides; MRPB's 1.21 KB are not worked out here, nor area, time and energy of CACTI (0.002 mm2, 0.02 ns, 0.0008 nJ)");
    note(data, report);
}
const struct repro_study repro_tsc_tab_3 = {"tsc-tab-3", "What each scheme stores, and gains", "TSC Tab. 3, §5.6", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_tab_3, NULL};

static void report_5bit(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"DSC-2", "TSC 5 bits", "TSC"};
    (void)study;
    repro_row(report, 0.44, (double)gpu_l1_extra_bits(data->params[repro_point(data, "TSC 5 bits")], 20) / 8 / 1024, "KB", "storage an L1, TSC 5 bits");
    repro_row(report, 0.45, (double)gpu_l1_extra_bits(data->params[repro_point(data, "DSC-2")], 20) / 8 / 1024, "KB", "storage an L1, DSC-2");
    const double dsc = gain_row(data, "DSC-2", 10.4, report), five = gain_row(data, "TSC 5 bits", 13.6, report), eight = gain_row(data, "TSC", 15.6, report);
    cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, five > dsc, "it gains more than DSC-2, which is larger");
    repro_check(report, five < eight, "it gains less than with eight bits");
    note(data, report);
}
const struct repro_study repro_tsc_5bit = {"tsc-5bit", "Private tags of five bits: smaller than DSC-2", "TSC §5.6", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_5bit, NULL};

/* Of points named "PREFIX N" the fastest of each benchmark. */
static double best_gain(const struct repro_data *data, const char *prefix)
{
    double values[BENCHMARKS];
    size_t n = 0;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        double best = 0;
        for (size_t p = 0; p < data->n_points && b < data->n; p++)
            if (strncmp(data->points[p], prefix, strlen(prefix)) == 0) best = fmax(best, repro_speedup(data, b, p));
        if (best > 0) values[n++] = best;
    }
    return 100 * (repro_mean(MEAN_GEOMETRIC, values, n) - 1);
}

static void report_throttled(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"BUCL", "TSC", "TSC BUCL", "SWL 2", "TSC SWL 2", "SWL 8", "TSC SWL 8"};
    (void)study;
    const double tsc = gain_row(data, "TSC", NAN, report), bucl = gain_row(data, "BUCL", NAN, report), both = gain_row(data, "TSC BUCL", NAN, report);
    const double swl = best_gain(data, "SWL "), throttled = best_gain(data, "TSC SWL ");
    repro_row(report, NAN, swl, "%", "GM best of SWL");
    repro_row(report, NAN, throttled, "%", "GM TSC and best of SWL");
    cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, throttled > swl, "a throttled kernel still gains by the tag-split cache");
    repro_check(report, throttled > tsc, "and the tag-split cache by throttling");
    repro_check(report, both > bucl, "so it does where loads go around L1");
    repro_deviation(report, "the paper says that they can be used together and measures none; the best of SWL is of all, 2, 4, 8 and 16 warps a scheduler, by hindsight");
    note(data, report);
}
const struct repro_study repro_tsc_throttled = {"tsc-throttled", "The tag-split cache under SWL and BUCL", "TSC §6, left there as future work", MEAN_GEOMETRIC, "tsc/throttled.yaml", report_throttled, NULL};

static void report_plus_mrpb(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"MRPB", "TSC", "TSC MRPB"};
    (void)study;
    const double mrpb = gain_row(data, "MRPB", 7.0, report), tsc = gain_row(data, "TSC", 15.6, report), both = gain_row(data, "TSC MRPB", NAN, report);
    cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, both > tsc && both > mrpb, "both together gain more than each alone");
    note(data, report);
}
const struct repro_study repro_tsc_plus_mrpb = {"tsc-plus-mrpb", "The tag-split cache with MRPB", "TSC §5.2, left there as future work", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_plus_mrpb, NULL};

/* ---- Tab. 1, Figs. 2 and 5 ---- */

static void report_tab_1(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    size_t agree = 0, n = 0;
    (void)study;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        if (b == data->n) continue;
        const double small = repro_speedup(data, b, repro_point(data, "32B")), perfect = repro_speedup(data, b, repro_point(data, "perfect"));
        const bool is_cln = small > 1;
        n++;
        agree += is_cln == papers[i].is_cln;
        repro_cell(report, papers[i].is_cln, is_cln, "CLN", papers[i].label, "prefers lines of 32 bytes");
        repro_cell(report, strcmp(papers[i].label, "kmeans") == 0 ? 165 : NAN, 100 * (small - 1), "%", papers[i].label, "gain of lines of 32 bytes");
        repro_cell(report, NAN, 100 * (perfect - 1), "%", papers[i].label, "gain of a perfect L1");
    }
    repro_row(report, 15, (double)agree, "of 15", "benchmarks of the paper's class");
    repro_check(report, 4 * agree >= 3 * n, "three quarters of the benchmarks or more are in the paper's class");
    repro_deviation(report, "size decides on srad_v2: the first 60,000 cycles of each of its launches gain 7 %% by lines of 32 bytes at size full, and lose 2 %% at small");
    repro_deviation(report, "a perfect L1 hits on every load, compulsory misses included: above the paper's cache, by which a benchmark is sensitive from 3 %% on");
    note(data, report);
}
const struct repro_study repro_tsc_tab_1 = {"tsc-tab-1", "Which benchmarks prefer small lines, and which large ones", "TSC Tab. 1", MEAN_GEOMETRIC, "tsc/lines.yaml", report_tab_1, NULL};

static double group_gain(const struct repro_data *data, bool is_cln, const char *point)
{
    double values[BENCHMARKS];
    size_t n = 0;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        if (b < data->n && papers[i].is_cln == is_cln) values[n++] = repro_speedup(data, b, repro_point(data, point));
    }
    return 100 * (repro_mean(MEAN_GEOMETRIC, values, n) - 1);
}

static void report_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"32B", "64B", "256B", "32B in 32 sets"};
    (void)study;
    for (int cln = 1; cln >= 0; cln--)
        for (size_t k = 0; k < COUNT_OF(shown); k++) repro_row(report, NAN, group_gain(data, cln, shown[k]), "%", "GM %s, %s", cln ? "CLN" : "CLP", shown[k]);
    cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, group_gain(data, true, "32B") > 0, "CLN benchmarks gain by lines of 32 bytes");
    repro_check(report, group_gain(data, false, "32B") < 0, "CLP benchmarks lose by them");
    repro_check(report, group_gain(data, true, "256B") < 0, "CLN benchmarks lose by lines of 256 bytes");
    repro_deviation(report, "16 KB in four ways; Fermi's hash is cut to 16 sets and extended to 64 and 128; '32B in 32 sets' has 16 ways instead");
    note(data, report);
}
const struct repro_study repro_tsc_2 = {"tsc-2", "Lines of 32 to 256 bytes", "TSC Fig. 2", MEAN_GEOMETRIC, "tsc/lines.yaml", report_2, NULL};

static void report_5(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"32B", "64B", "256B"};
    static const struct { const char *label; double percent; } told[] = {{"streamcluster", 170}, {"stencil", 103}};
    (void)study;
    for (size_t k = 0; k < COUNT_OF(shown); k++) repro_row(report, NAN, gain_of(data, down, shown[k]), "%", "GM flits L1 to L2, %s", shown[k]);
    for (size_t i = 0; i < COUNT_OF(told); i++) {
        const size_t b = find(data, told[i].label);
        if (b < data->n) repro_row(report, told[i].percent, 100 * (down(data, b, repro_point(data, "32B")) - 1), "%", "%s, 32B", told[i].label);
    }
    cells(data, down, "", shown, COUNT_OF(shown), report);
    const double small = gain_of(data, down, "32B");
    repro_check(report, small > 0, "lines of 32 bytes send more to L2");
    repro_check(report, fabs(gain_of(data, down, "256B")) < small, "lines of 256 bytes send nearly as much as lines of 128");
    note(data, report);
}
const struct repro_study repro_tsc_5 = {"tsc-5", "Traffic from L1 to L2 with lines of 32 to 256 bytes", "TSC Fig. 5", MEAN_GEOMETRIC, "tsc/lines.yaml", report_5, NULL};

/* ---- Figs. 1 and 4 ---- */

static double seen(const struct repro_data *data, size_t b, size_t p, const char *counter) { return repro_mech_value(data, b, p, "utilisation", counter); }

static void report_1(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const counters[] = {"lines_0", "lines_1", "lines_2", "lines_3", "lines_4"};
    size_t wide = 0;
    (void)study;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        double lines[5], all = 0;
        if (b == data->n) continue;
        for (size_t q = 0; q < 5; q++) all += lines[q] = seen(data, b, 0, counters[q]);
        if (!(all > 0)) continue;
        for (size_t q = 0; q < 5; q++) repro_cell(report, NAN, 100 * lines[q] / all, "%", papers[i].label, "%zu %% reused", 25 * q);
        const double reused = all - lines[0];
        repro_cell(report, strcmp(papers[i].label, "mummer") == 0 ? 90.3 : NAN, reused > 0 ? 100 * lines[1] / reused : NAN, "%", papers[i].label, "a quarter, of the reused");
        wide += reused > 0 && strcmp(papers[i].label, "histo") != 0 && lines[3] + lines[4] > reused / 2;
    }
    repro_check(report, wide == 0, "of no benchmark but histo more than half of the reused lines are reused by more than half");
    repro_deviation(report, "a quarter is reused if an access after the one that brought the line finds it there or on its way; lines that a store evicts are counted too");
    note(data, report);
}
const struct repro_study repro_tsc_1 = {"tsc-1", "How much of a line is reused before it goes", "TSC Fig. 1", MEAN_GEOMETRIC, "tsc/observed.yaml", report_1, NULL};

static double load_miss_rate(const struct repro_data *data, size_t b, size_t p) { return 100 * seen(data, b, p, "loads_missed") / seen(data, b, p, "loads"); }

static void report_4(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"32B", "64B", "base", "256B"};
    size_t less = 0, n = 0;
    (void)study;
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        if (b == data->n) continue;
        for (size_t k = 0; k < COUNT_OF(shown); k++) {
            const bool is_kmeans = strcmp(papers[i].label, "kmeans") == 0;
            const double paper = is_kmeans && k == 0 ? 20.5 : is_kmeans && k == 2 ? 95.5 : NAN;
            repro_cell(report, paper, load_miss_rate(data, b, repro_point(data, shown[k])), "%", papers[i].label, "%s", k == 2 ? "128B" : shown[k]);
        }
        n++;
        less += load_miss_rate(data, b, repro_point(data, "32B")) <= load_miss_rate(data, b, 0) + 1;
    }
    repro_row(report, NAN, (double)less, "of 15", "loads miss as often with lines of 32 bytes as with 128, or less");
    repro_check(report, 2 * less > n, "of most benchmarks no more loads miss with lines of 32 bytes than with 128");
    repro_deviation(report, "loads with a miss over loads, so that lines of all sizes have the same whole; what finds its data on its way is no miss");
    note(data, report);
}
const struct repro_study repro_tsc_4 = {"tsc-4", "Loads that miss, with lines of 32 to 256 bytes", "TSC Fig. 4", MEAN_GEOMETRIC, "tsc/observed.yaml", report_4, NULL};

/* ---- Figs. 9 and 13, §5.5 ---- */

static void report_9(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct { const char *point; double gain; } told[] = {{"5 bits", 13.6}, {"8 bits", 15.6}};
    enum { TAG_BITS = 20 };
    double gains[REPRO_POINTS_MAX] = {0};
    bool rises = true;
    (void)study;
    for (size_t p = 1; p < data->n_points; p++) {
        double paper = NAN;
        for (size_t i = 0; i < COUNT_OF(told); i++)
            if (strcmp(told[i].point, data->points[p]) == 0) paper = told[i].gain;
        gains[p] = gain_row(data, data->points[p], paper, report);
        rises &= p == 1 || gains[p] > gains[p - 1] - 1;
        repro_row(report, strcmp(data->points[p], "8 bits") == 0 ? 0.58 : NAN, (double)gpu_l1_extra_bits(data->params[p], TAG_BITS) / 8 / 1024, "KB", "storage, %s", data->points[p]);
    }
    const size_t sc = find(data, "streamcluster");
    if (sc < data->n)
        repro_row(report, NAN, 100 * (repro_speedup(data, sc, repro_point(data, "7 bits")) / repro_speedup(data, sc, repro_point(data, "6 bits")) - 1), "%", "streamcluster, 7 bits over 6");
    repro_check(report, gain_of(data, repro_speedup, "8 bits") > gain_of(data, repro_speedup, "0 bits"), "a private tag of 8 bits gains more than none");
    repro_check(report, rises, "longer private tags do not lose (by more than a point)");
    repro_check(report, gain_of(data, repro_speedup, "20 bits") - gain_of(data, repro_speedup, "8 bits") < gain_of(data, repro_speedup, "8 bits") - gain_of(data, repro_speedup, "0 bits"),
                "beyond 8 bits less is gained than up to them");
    note(data, report);
}
const struct repro_study repro_tsc_9 = {"tsc-9", "Private tags of 0 to 20 bits", "TSC Fig. 9", MEAN_GEOMETRIC, "tsc/private.yaml", report_9, NULL};

static void report_13(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct { const char *point; double gain; } told[] = {{"8 bytes", 15.7}, {"16 bytes", 18.1}, {"32 bytes", 15.6}, {"64 bytes", 11.7}};
    static const char *const shown[] = {"8 bytes", "16 bytes", "32 bytes", "64 bytes"};
    double gains[COUNT_OF(told)];
    (void)study;
    for (size_t i = 0; i < COUNT_OF(told); i++) gains[i] = gain_row(data, told[i].point, told[i].gain, report);
    cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, gains[2] > gains[3], "chunks of 32 bytes gain more than those of 64");
    repro_check(report, gains[1] > gains[0] && gains[1] > gains[2], "chunks of 16 bytes gain most");
    note(data, report);
}
const struct repro_study repro_tsc_13 = {"tsc-13", "Chunks of 8 to 64 bytes", "TSC Fig. 13", MEAN_GEOMETRIC, "tsc/chunks.yaml", report_13, NULL};

static void report_latency(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct { const char *plain, *tsc; double gain; } bases[] = {{"plain 1", "tag-split 1", 15.6}, {"plain 20", "tag-split 20", 15.6}, {"plain 90", "tag-split 90", 15.4}};
    double worst = 0;
    (void)study;
    gain_row(data, "extra 1", 15.6, report);
    gain_row(data, "extra 2", NAN, report);
    gain_row(data, "extra 3", NAN, report);
    for (size_t i = 0; i < BENCHMARKS; i++) {
        const size_t b = find(data, papers[i].label);
        if (b < data->n) worst = fmax(worst, 100 * (1 - repro_speedup(data, b, repro_point(data, "extra 3")) / repro_speedup(data, b, repro_point(data, "extra 1"))));
    }
    repro_row(report, 1, worst, "%", "most that a benchmark loses by 3 cycles in place of 1 (paper: less than 1)");
    double gains[COUNT_OF(bases)];
    for (size_t i = 0; i < COUNT_OF(bases); i++) {
        gains[i] = 100 * (mean_of(data, repro_speedup, bases[i].tsc) / mean_of(data, repro_speedup, bases[i].plain) - 1);
        repro_row(report, bases[i].gain, gains[i], "%", "GM %s over %s", bases[i].tsc, bases[i].plain);
    }
    repro_check(report, worst < 1, "no benchmark loses a percent by two cycles more");
    repro_check(report, fabs(gains[2] - gains[0]) < 3, "an L1 of 90 cycles leaves the gain within three points");
    note(data, report);
}
const struct repro_study repro_tsc_latency = {"tsc-latency", "More cycles to hit, and slower L1s", "TSC §5.5", MEAN_GEOMETRIC, "tsc/latency.yaml", report_latency, NULL};
