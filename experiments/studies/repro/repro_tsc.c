/* The tag-split cache and its rivals: Figs. 9 to 13, Tab. 3, and what §5.5, §5.6 and the outlook say in words. [TSC] */
#include <math.h>
#include <string.h>
#include "studies/repro/repro_tsc.h"

const struct tsc_benchmark tsc_papers[TSC_BENCHMARKS] = {{"bfs", "bfs", true, NULL},
                                                         {"cfd", "cfd", true, "cfd-shuffled"},
                                                         {"kmn", "kmeans", true, NULL},
                                                         {"mummer", "mummer", true, NULL},
                                                         {"particlefilter", "particlefilter", true, NULL},
                                                         {"srad2", "srad2", true, "srad2-round"},
                                                         {"spmv", "spmv", true, NULL},
                                                         {"b+tree", "b+tree", false, NULL},
                                                         {"dwt2d", "dwt2d", false, NULL},
                                                         {"gaussian", "gaussian", false, "gaussian-1024"},
                                                         {"srad1", "srad1", false, NULL},
                                                         {"streamcluster", "streamcluster", false, NULL},
                                                         {"histo", "histo", false, NULL},
                                                         {"mri-gridding", "mri-gridding", false, NULL},
                                                         {"stencil", "stencil", false, NULL}};

static size_t find_name(const struct repro_data *data, const char *name)
{
    size_t b = 0;
    while (b < data->n && strcmp(data->benchmarks[b].name, name) != 0) b++;
    return b;
}

static size_t index_of(const char *label)
{
    size_t i = 0;
    while (i < TSC_BENCHMARKS && strcmp(tsc_papers[i].label, label) != 0) i++;
    return i;
}

size_t tsc_find(const struct repro_data *data, const char *label)
{
    const size_t i = index_of(label);
    return i < TSC_BENCHMARKS ? find_name(data, tsc_papers[i].name) : data->n;
}

size_t tsc_find_variant(const struct repro_data *data, const char *label)
{
    const size_t i = index_of(label),
                 b = i < TSC_BENCHMARKS && tsc_papers[i].variant ? find_name(data, tsc_papers[i].variant) : data->n;
    return b < data->n ? b : tsc_find(data, label);
}

static double per_inst(const struct repro_data *data, size_t b, size_t p, const char *counter)
{
    return repro_value(data, b, p, counter) / repro_value(data, b, p, "warp_insts");
}
static double mpki(const struct repro_data *data, size_t b, size_t p)
{
    return per_inst(data, b, p, "l1d_misses") / per_inst(data, b, 0, "l1d_misses");
}
double tsc_down(const struct repro_data *data, size_t b, size_t p)
{
    return per_inst(data, b, p, "request_flits") / per_inst(data, b, 0, "request_flits");
}
static double up(const struct repro_data *data, size_t b, size_t p)
{
    return per_inst(data, b, p, "reply_flits") / per_inst(data, b, 0, "reply_flits");
}

static double mean_over(const struct repro_data *data, tsc_metric *of, const char *point,
                        size_t (*find)(const struct repro_data *, const char *))
{
    double values[TSC_BENCHMARKS];
    size_t n = 0;
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = find(data, tsc_papers[i].label);
        if (b < data->n) values[n++] = of(data, b, repro_point(data, point));
    }
    return repro_mean(MEAN_GEOMETRIC, values, n);
}

double tsc_mean_of(const struct repro_data *data, tsc_metric *of, const char *point)
{
    return mean_over(data, of, point, tsc_find);
}

double tsc_gain_of(const struct repro_data *data, tsc_metric *of, const char *point)
{
    return 100 * (tsc_mean_of(data, of, point) - 1);
}

double tsc_gain_row(const struct repro_data *data, const char *point, double paper, struct repro_report *report)
{
    const double gain = tsc_gain_of(data, repro_speedup, point);
    repro_row(report, paper, gain, "%", "GM %s", point);
    return gain;
}

/* The mean gain in percent of a point with the variants, as a row below the point's. */
static void variant_row(const struct repro_data *data, const char *point, double paper, struct repro_report *report)
{
    const double gain = 100 * (mean_over(data, repro_speedup, point, tsc_find_variant) - 1);
    repro_row(report, paper, gain, "%", "GM %s, inputs of the paper's class", point);
}

void tsc_cells(const struct repro_data *data, tsc_metric *of, const char *what, const char *const points[], size_t n,
               struct repro_report *report)
{
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label);
        for (size_t k = 0; k < n && b < data->n; k++)
            repro_cell(report, NAN, 100 * (of(data, b, repro_point(data, points[k])) - 1), "%", tsc_papers[i].label,
                       "%s%s", what, points[k]);
    }
}

void tsc_note(const struct repro_data *data, struct repro_report *report)
{
    for (size_t i = 0; i < TSC_BENCHMARKS; i++)
        if (tsc_find(data, tsc_papers[i].label) == data->n)
            repro_deviation(report, "not measured here: %s", tsc_papers[i].label);
    repro_deviation(report, "the paper's run GPGPU-Sim 3.2.2 on Rodinia 3.0 and Parboil with their inputs, ours our "
                            "own kernels and inputs; quick mode the first "
                            "60,000 cycles of a launch each");
}

static bool tsc_all_hold(const struct repro_data *data, const char *const labels[], size_t n, tsc_metric *of,
                         const char *a, const char *b, bool above)
{
    for (size_t i = 0; i < n; i++) {
        const size_t k = tsc_find(data, labels[i]);
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
    const double lines = tsc_gain_row(data, "32B", NAN, report), lines_64 = tsc_gain_row(data, "64B", NAN, report);
    const double tsc = tsc_gain_row(data, "TSC", 15.6, report), plus = tsc_gain_row(data, "TSC+", 17.2, report);
    variant_row(data, "TSC", 15.6, report);
    variant_row(data, "TSC+", 17.2, report);
    tsc_cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    size_t lose = 0, beats = 0, n = 0;
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label);
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
    repro_check(report, tsc_all_hold(data, losers, COUNT_OF(losers), repro_speedup, "TSC", NULL, false),
                "TSC loses on srad_v1 and histo");
    repro_deviation(report, "in quick mode the sampler sets of SM 0 see a few hundred misses: how much falls on which "
                            "set differs by more than the modes do, so that TSC+ "
                            "takes coarse mode on several benchmarks that lose by it (stencil: TSC with all sets in "
                            "coarse mode loses 1 %%)");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_10a = {"tsc-10a",
                                          "The tag-split cache beside caches of small lines",
                                          "TSC Fig. 10(a)",
                                          MEAN_GEOMETRIC,
                                          "tsc/schemes.yaml",
                                          report_10a,
                                          NULL};

static void report_10b(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"MRPB", "LAMAR", "DSC-2", "DSC-4", "TSC", "TSC+", "TSC matching"},
                             *const kmeans[] = {"bfs", "kmeans"};
    (void)study;
    const double mrpb = tsc_gain_row(data, "MRPB", 7.0, report), lamar = tsc_gain_row(data, "LAMAR", 7.4, report);
    const double dsc2 = tsc_gain_row(data, "DSC-2", 10.4, report), dsc4 = tsc_gain_row(data, "DSC-4", 11.7, report);
    const double tsc = tsc_gain_row(data, "TSC", 15.6, report), plus = tsc_gain_row(data, "TSC+", 17.2, report);
    tsc_gain_row(data, "TSC matching", NAN, report);
    static const struct {
        const char *point;
        double paper;
    } again[] = {{"MRPB", 7.0}, {"LAMAR", 7.4}, {"DSC-2", 10.4}, {"DSC-4", 11.7}, {"TSC", 15.6}, {"TSC+", 17.2}};
    for (size_t k = 0; k < COUNT_OF(again); k++) variant_row(data, again[k].point, again[k].paper, report);
    tsc_cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, tsc > lamar && plus > lamar, "the tag-split cache gains more than LAMAR");
    repro_check(report, tsc > dsc2 && tsc > dsc4, "it gains more than decoupled sectors");
    repro_check(report, tsc > mrpb, "it gains more than MRPB");
    repro_check(report, dsc4 > dsc2 && dsc2 > lamar, "more tags gain more: DSC-4, DSC-2, LAMAR");
    repro_check(report, mrpb > 0 && lamar > 0, "MRPB and LAMAR gain");
    repro_check(report, tsc_all_hold(data, kmeans, 2, repro_speedup, "TSC", "DSC-4", true),
                "TSC is faster than DSC-4 on bfs and kmeans");
    repro_deviation(report, "'TSC matching' takes chunks of matching groups first, whatever their NRU bit: the other "
                            "reading of where room comes from");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_10b = {
    "tsc-10b", "The tag-split cache and its rivals", "TSC Fig. 10(b)", MEAN_GEOMETRIC, "tsc/schemes.yaml", report_10b,
    NULL};

/* ---- Figs. 11 and 12 ---- */

static void report_11(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"LAMAR", "DSC-2", "DSC-4", "TSC", "TSC+"},
                             *const more[] = {"b+tree", "cfd", "srad1", "srad2", "histo"},
                             *const kmeans[] = {"bfs", "kmeans"};
    (void)study;
    for (size_t k = 0; k < COUNT_OF(shown); k++)
        repro_row(report, NAN, tsc_gain_of(data, mpki, shown[k]), "%", "GM misses an instruction, %s", shown[k]);
    tsc_cells(data, mpki, "misses, ", shown, COUNT_OF(shown), report);
    size_t fewer = 0;
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label);
        if (b < data->n) fewer += mpki(data, b, repro_point(data, "LAMAR")) < 0.995;
    }
    repro_check(report, fewer == 0, "LAMAR has as many misses as the baseline, or more");
    repro_check(report, tsc_all_hold(data, more, COUNT_OF(more), mpki, "TSC", NULL, true),
                "TSC has more misses than the baseline on b+tree, cfd, srad_v1, srad_v2 and histo");
    repro_check(report, tsc_all_hold(data, kmeans, 2, mpki, "DSC-4", "TSC", false),
                "DSC-4 has fewer misses than TSC on bfs and kmeans");
    repro_deviation(
        report,
        "misses are accesses that sent a request for something new, a partial miss included; merged ones are not");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_11 = {"tsc-11",
                                         "L1 misses an instruction over those of whole lines",
                                         "TSC Fig. 11",
                                         MEAN_GEOMETRIC,
                                         "tsc/schemes.yaml",
                                         report_11,
                                         NULL};

static void report_12(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"LAMAR", "TSC"};
    (void)study;
    for (size_t k = 0; k < 2; k++) {
        repro_row(report, NAN, tsc_gain_of(data, tsc_down, shown[k]), "%", "GM flits L1 to L2, %s", shown[k]);
        repro_row(report, NAN, tsc_gain_of(data, up, shown[k]), "%", "GM flits L2 to L1, %s", shown[k]);
    }
    const size_t kmeans = tsc_find(data, "kmeans"), lamar = repro_point(data, "LAMAR"), tsc = repro_point(data, "TSC");
    if (kmeans < data->n) {
        repro_row(report, 45.4, 100 * (1 - tsc_down(data, kmeans, tsc) / tsc_down(data, kmeans, lamar)), "%",
                  "kmeans, L1 to L2 below LAMAR");
        repro_row(report, 71.8, 100 * (1 - up(data, kmeans, tsc) / up(data, kmeans, lamar)), "%",
                  "kmeans, L2 to L1 below LAMAR");
    }
    tsc_cells(data, tsc_down, "L1 to L2, ", shown, 2, report);
    tsc_cells(data, up, "L2 to L1, ", shown, 2, report);
    repro_check(report, tsc_mean_of(data, tsc_down, "TSC") < tsc_mean_of(data, tsc_down, "LAMAR"),
                "TSC sends fewer requests than LAMAR");
    repro_check(report,
                tsc_mean_of(data, up, "TSC") < tsc_mean_of(data, up, "LAMAR") && tsc_mean_of(data, up, "LAMAR") < 1,
                "L2 sends less back under LAMAR than to the baseline, and less still under TSC");
    repro_check(report, tsc_mean_of(data, tsc_down, "LAMAR") > 1, "LAMAR sends more requests than the baseline");
    repro_deviation(report, "flits an instruction, instruction fetches and stores included, over those of the baseline "
                            "in the same direction");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_12 = {"tsc-12",
                                         "Traffic between L1 and L2 under LAMAR and the tag-split cache",
                                         "TSC Fig. 12",
                                         MEAN_GEOMETRIC,
                                         "tsc/schemes.yaml",
                                         report_12,
                                         NULL};

/* ---- Tab. 3 ---- */

/* FIFOs, one a warp, of entries of `bits` bits, with a head and a count. Bytes. */
static double fifos(double warps, double depth, double bits) { return warps * (depth * bits + 2 * log2(depth)) / 8; }

/* A line number has 25 bits: 32-bit addresses, lines of 128 bytes. Ours names sectors (4) and load (9) too, and its
 * heads and counts have six bits. */
static void mrpb_storage(const struct repro_data *data, struct repro_report *report)
{
    const double warps = repro_param(data, repro_point(data, "MRPB"), "core", "max_warps");
    const double papers = fifos(warps, 8, 25) / 1024, ours = warps * (32 * (25 + 4 + 9) + 2 * 6) / 8 / 1024;
    repro_row(report, 1.21, papers, "KB", "storage an L1, MRPB, FIFOs of 8 line numbers");
    repro_row(report, NAN, ours, "KB", "storage an L1, MRPB as it is simulated");
    repro_check(report, fabs(papers - 1.21) < 0.005, "48 FIFOs of eight line numbers are what MRPB is said to need");
}

static void report_tab_3(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *point;
        double kilobytes, bytes, gain;
    } rows[] = {{"LAMAR", 0.063, 64, 7.4},
                {"DSC-2", 0.45, 464, 10.4},
                {"DSC-4", 1.33, 1360, 11.7},
                {"TSC", 0.58, 592, 15.6},
                {"TSC 5 bits", 0.44, 448, 13.6}};
    enum { TAG_BITS = 20 }; /* of 32-bit addresses, 128-byte lines and 32 sets [TSC §5.1] */
    bool same = true;
    (void)study;
    mrpb_storage(data, report);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double bytes = (double)gpu_l1_extra_bits(data->params[repro_point(data, rows[i].point)], TAG_BITS) / 8;
        repro_row(report, rows[i].kilobytes, bytes / 1024, "KB", "storage an L1, %s", rows[i].point);
        same &= bytes == rows[i].bytes;
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) tsc_gain_row(data, rows[i].point, rows[i].gain, report);
    tsc_gain_row(data, "MRPB", 7.0, report);
    repro_check(report, same, "each needs the bits that the paper's table says");
    repro_check(report, tsc_gain_of(data, repro_speedup, "TSC 5 bits") > tsc_gain_of(data, repro_speedup, "DSC-2"),
                "with private tags of five bits TSC is smaller than DSC-2 and gains more");
    repro_deviation(report, "TSC+ has four 16-bit counters a GPU besides; area, time and energy of CACTI (0.002 mm2, "
                            "0.02 ns, 0.0008 nJ) are not worked out here");
    repro_deviation(report, "how MRPB's 1.21 KB come about the paper does not say: a FIFO of eight line numbers of 25 "
                            "bits for each of 48 warps, with a head and a count of three bits, fills them; ours "
                            "(sim/mech/mrpb.c) has 32 entries, which name sectors and load as well");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_tab_3 = {"tsc-tab-3",
                                            "What each scheme stores, and gains",
                                            "TSC Tab. 3, §5.6",
                                            MEAN_GEOMETRIC,
                                            "tsc/schemes.yaml",
                                            report_tab_3,
                                            NULL};

static void report_5bit(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"DSC-2", "TSC 5 bits", "TSC"};
    (void)study;
    repro_row(report, 0.44, (double)gpu_l1_extra_bits(data->params[repro_point(data, "TSC 5 bits")], 20) / 8 / 1024,
              "KB", "storage an L1, TSC 5 bits");
    repro_row(report, 0.45, (double)gpu_l1_extra_bits(data->params[repro_point(data, "DSC-2")], 20) / 8 / 1024, "KB",
              "storage an L1, DSC-2");
    const double dsc = tsc_gain_row(data, "DSC-2", 10.4, report), five = tsc_gain_row(data, "TSC 5 bits", 13.6, report),
                 eight = tsc_gain_row(data, "TSC", 15.6, report);
    tsc_cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, five > dsc, "it gains more than DSC-2, which is larger");
    repro_check(report, five < eight, "it gains less than with eight bits");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_5bit = {"tsc-5bit",
                                           "Private tags of five bits: smaller than DSC-2",
                                           "TSC §5.6",
                                           MEAN_GEOMETRIC,
                                           "tsc/schemes.yaml",
                                           report_5bit,
                                           NULL};

static void report_plus_mrpb(const struct repro_study *study, const struct repro_data *data,
                             struct repro_report *report)
{
    static const char *const shown[] = {"MRPB", "TSC", "TSC MRPB"};
    (void)study;
    const double mrpb = tsc_gain_row(data, "MRPB", 7.0, report), tsc = tsc_gain_row(data, "TSC", 15.6, report),
                 both = tsc_gain_row(data, "TSC MRPB", NAN, report);
    tsc_cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, both > tsc && both > mrpb, "both together gain more than each alone");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_plus_mrpb = {"tsc-plus-mrpb",
                                                "The tag-split cache with MRPB",
                                                "TSC §5.2, left there as future work",
                                                MEAN_GEOMETRIC,
                                                "tsc/schemes.yaml",
                                                report_plus_mrpb,
                                                NULL};

/* ---- Figs. 9 and 13, §5.5 ---- */

static void report_9(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *point;
        double gain;
    } told[] = {{"5 bits", 13.6}, {"8 bits", 15.6}};
    enum { TAG_BITS = 20 };
    double gains[REPRO_POINTS_MAX] = {0};
    bool rises = true;
    (void)study;
    for (size_t p = 1; p < data->n_points; p++) {
        double paper = NAN;
        for (size_t i = 0; i < COUNT_OF(told); i++)
            if (strcmp(told[i].point, data->points[p]) == 0) paper = told[i].gain;
        gains[p] = tsc_gain_row(data, data->points[p], paper, report);
        rises &= p == 1 || gains[p] > gains[p - 1] - 1;
        repro_row(report, strcmp(data->points[p], "8 bits") == 0 ? 0.58 : NAN,
                  (double)gpu_l1_extra_bits(data->params[p], TAG_BITS) / 8 / 1024, "KB", "storage, %s",
                  data->points[p]);
    }
    const size_t sc = tsc_find(data, "streamcluster");
    if (sc < data->n)
        repro_row(report, NAN,
                  100 * (repro_speedup(data, sc, repro_point(data, "7 bits")) /
                             repro_speedup(data, sc, repro_point(data, "6 bits")) -
                         1),
                  "%", "streamcluster, 7 bits over 6");
    repro_check(report, tsc_gain_of(data, repro_speedup, "8 bits") > tsc_gain_of(data, repro_speedup, "0 bits"),
                "a private tag of 8 bits gains more than none");
    repro_check(report, rises, "longer private tags do not lose (by more than a point)");
    repro_check(report,
                tsc_gain_of(data, repro_speedup, "20 bits") - tsc_gain_of(data, repro_speedup, "8 bits") <
                    tsc_gain_of(data, repro_speedup, "8 bits") - tsc_gain_of(data, repro_speedup, "0 bits"),
                "beyond 8 bits less is gained than up to them");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_9 = {
    "tsc-9", "Private tags of 0 to 20 bits", "TSC Fig. 9", MEAN_GEOMETRIC, "tsc/private.yaml", report_9, NULL};

static void report_13(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *point;
        double gain;
    } told[] = {{"8 bytes", 15.7}, {"16 bytes", 18.1}, {"32 bytes", 15.6}, {"64 bytes", 11.7}};
    static const char *const shown[] = {"8 bytes", "16 bytes", "32 bytes", "64 bytes"};
    double gains[COUNT_OF(told)];
    (void)study;
    for (size_t i = 0; i < COUNT_OF(told); i++) gains[i] = tsc_gain_row(data, told[i].point, told[i].gain, report);
    tsc_cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, gains[2] > gains[3], "chunks of 32 bytes gain more than those of 64");
    repro_check(report, gains[1] > gains[0] && gains[1] > gains[2], "chunks of 16 bytes gain most");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_13 = {
    "tsc-13", "Chunks of 8 to 64 bytes", "TSC Fig. 13", MEAN_GEOMETRIC, "tsc/chunks.yaml", report_13, NULL};

static void report_latency(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *plain, *tsc;
        double gain;
    } bases[] = {
        {"plain 1", "tag-split 1", 15.6}, {"plain 20", "tag-split 20", 15.6}, {"plain 90", "tag-split 90", 15.4}};
    double worst = 0;
    (void)study;
    tsc_gain_row(data, "extra 1", 15.6, report);
    tsc_gain_row(data, "extra 2", NAN, report);
    tsc_gain_row(data, "extra 3", NAN, report);
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label);
        if (b < data->n)
            worst = fmax(worst, 100 * (1 - repro_speedup(data, b, repro_point(data, "extra 3")) /
                                               repro_speedup(data, b, repro_point(data, "extra 1"))));
    }
    repro_row(report, 1, worst, "%", "most that a benchmark loses by 3 cycles in place of 1 (paper: less than 1)");
    double gains[COUNT_OF(bases)];
    for (size_t i = 0; i < COUNT_OF(bases); i++) {
        gains[i] =
            100 *
            (tsc_mean_of(data, repro_speedup, bases[i].tsc) / tsc_mean_of(data, repro_speedup, bases[i].plain) - 1);
        repro_row(report, bases[i].gain, gains[i], "%", "GM %s over %s", bases[i].tsc, bases[i].plain);
    }
    repro_check(report, worst < 1, "no benchmark loses a percent by two cycles more");
    repro_check(report, fabs(gains[2] - gains[0]) < 3, "an L1 of 90 cycles leaves the gain within three points");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_latency = {
    "tsc-latency", "More cycles to hit, and slower L1s", "TSC §5.5", MEAN_GEOMETRIC, "tsc/latency.yaml", report_latency,
    NULL};
