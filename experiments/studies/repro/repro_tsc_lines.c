/* Lines of 32 to 256 bytes, and how much of them is used: Tab. 1, Figs. 1, 2, 4 and 5 of the tag-split cache's paper.
 * [TSC §2.2] */
#include <math.h>
#include <string.h>
#include "studies/repro/repro_tsc.h"

/* ---- Tab. 1, Figs. 2 and 5 ---- */

/* Speed of lines of 32 bytes over lines of 128. */
static double small_lines(const struct repro_data *data, size_t b, bool header_in_line)
{
    if (!header_in_line) return repro_speedup(data, b, repro_point(data, "32B"));
    return repro_speedup(data, b, repro_point(data, "32B and header in line")) /
           repro_speedup(data, b, repro_point(data, "header in line"));
}

static bool has_class(const struct repro_data *data, size_t b, size_t i, bool header_in_line)
{
    return (small_lines(data, b, header_in_line) > 1) == tsc_papers[i].is_cln;
}

static void class_cells(const struct repro_data *data, size_t b, size_t i, const char *label,
                        struct repro_report *report)
{
    const double small = small_lines(data, b, false);
    repro_cell(report, tsc_papers[i].is_cln, small > 1, "CLN", label, "prefers lines of 32 bytes");
    repro_cell(report, strcmp(label, "kmeans") == 0 ? 165 : NAN, 100 * (small - 1), "%", label,
               "gain of lines of 32 bytes");
    repro_cell(report, NAN, 100 * (small_lines(data, b, true) - 1), "%", label, "the same, header in line");
    repro_cell(report, NAN, 100 * (repro_speedup(data, b, repro_point(data, "perfect")) - 1), "%", label,
               "gain of a perfect L1");
}

static void note_what_decides(struct repro_report *report)
{
    repro_deviation(report, "srad_v2: the kernel decides. Of a round's two, srad2_update gains 30 %% by lines of 32 "
                            "bytes and srad2_coefficient loses 2 %%; the entry srad2 profiles the latter alone, "
                            "srad2-round both, as whole runs have");
    repro_deviation(report, "cfd: the mesh's numbering decides, in which cells are shuffled within windows of 64; "
                            "cfd-shuffled has windows of 256, with which lines of 32 bytes gain. With windows of 1024 "
                            "(its input 2) they gain 65 %%, with all cells shuffled (input 3) 149 %%");
    repro_deviation(report,
                    "gaussian: the length of a row decides. Rows of 1024 words, as of Rodinia's larger system, "
                    "lie in 3 of the 12 L2 banks, whose requests a cycle are the limit, not their bytes; with a "
                    "hashed bank index (l2.bank_index=hash) lines of 32 bytes gain 41 %% there too");
    repro_deviation(report,
                    "gaussian-1024 profiles the 11th of the 22 columns that the paper's 1 G thread instructions "
                    "reach");
    repro_deviation(report, "b+tree: no input decides (20 to 10,000 queries of 65,536 to a million records: -0.7 to "
                            "3.7 %%), but the header of a reply: in line, as GPGPU-Sim sends it, a reply of 32 bytes "
                            "has two flits and one of 128 five, and small lines lose");
    repro_deviation(report, "a perfect L1 hits on every load, compulsory misses included: above the paper's cache, by "
                            "which a benchmark is sensitive from 3 %% on");
}

static void report_tab_1(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    size_t agree = 0, near = 0, in_line = 0, n = 0;
    (void)study;
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label), v = tsc_find_variant(data, tsc_papers[i].label);
        if (b == data->n) continue;
        n++;
        agree += has_class(data, b, i, false);
        near += has_class(data, v, i, false);
        in_line += has_class(data, v, i, true);
        class_cells(data, b, i, tsc_papers[i].label, report);
        if (v != b) class_cells(data, v, i, tsc_papers[i].variant, report);
    }
    repro_row(report, 15, (double)agree, "of 15", "benchmarks of the paper's class");
    repro_row(report, 15, (double)near, "of 15", "with cfd-shuffled, gaussian-1024 and srad2-round");
    repro_row(report, 15, (double)in_line, "of 15", "with these, and the header of a reply in line");
    repro_check(report, 4 * agree >= 3 * n, "three quarters of the benchmarks or more are in the paper's class");
    repro_check(report, 4 * near >= 3 * n, "with the inputs named below three quarters are");
    note_what_decides(report);
    tsc_note(data, report);
}
const struct repro_study repro_tsc_tab_1 = {"tsc-tab-1",
                                            "Which benchmarks prefer small lines, and which large ones",
                                            "TSC Tab. 1",
                                            MEAN_GEOMETRIC,
                                            "tsc/lines.yaml",
                                            report_tab_1,
                                            NULL};

static double group_gain(const struct repro_data *data, bool is_cln, const char *point)
{
    double values[TSC_BENCHMARKS];
    size_t n = 0;
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label);
        if (b < data->n && tsc_papers[i].is_cln == is_cln)
            values[n++] = repro_speedup(data, b, repro_point(data, point));
    }
    return 100 * (repro_mean(MEAN_GEOMETRIC, values, n) - 1);
}

static void report_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"32B", "64B", "256B", "32B in 32 sets"};
    (void)study;
    for (int cln = 1; cln >= 0; cln--)
        for (size_t k = 0; k < COUNT_OF(shown); k++)
            repro_row(report, NAN, group_gain(data, cln, shown[k]), "%", "GM %s, %s", cln ? "CLN" : "CLP", shown[k]);
    tsc_cells(data, repro_speedup, "", shown, COUNT_OF(shown), report);
    repro_check(report, group_gain(data, true, "32B") > 0, "CLN benchmarks gain by lines of 32 bytes");
    repro_check(report, group_gain(data, false, "32B") < 0, "CLP benchmarks lose by them");
    repro_check(report, group_gain(data, true, "256B") < 0, "CLN benchmarks lose by lines of 256 bytes");
    repro_deviation(report, "16 KB in four ways; Fermi's hash is cut to 16 sets and extended to 64 and 128; '32B in 32 "
                            "sets' has 16 ways instead");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_2 = {
    "tsc-2", "Lines of 32 to 256 bytes", "TSC Fig. 2", MEAN_GEOMETRIC, "tsc/lines.yaml", report_2, NULL};

static void report_5(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"32B", "64B", "256B"};
    static const struct {
        const char *label;
        double percent;
    } told[] = {{"streamcluster", 170}, {"stencil", 103}};
    (void)study;
    for (size_t k = 0; k < COUNT_OF(shown); k++)
        repro_row(report, NAN, tsc_gain_of(data, tsc_down, shown[k]), "%", "GM flits L1 to L2, %s", shown[k]);
    for (size_t i = 0; i < COUNT_OF(told); i++) {
        const size_t b = tsc_find(data, told[i].label);
        if (b < data->n)
            repro_row(report, told[i].percent, 100 * (tsc_down(data, b, repro_point(data, "32B")) - 1), "%", "%s, 32B",
                      told[i].label);
    }
    tsc_cells(data, tsc_down, "", shown, COUNT_OF(shown), report);
    const double small = tsc_gain_of(data, tsc_down, "32B");
    repro_check(report, small > 0, "lines of 32 bytes send more to L2");
    repro_check(report, fabs(tsc_gain_of(data, tsc_down, "256B")) < small,
                "lines of 256 bytes send nearly as much as lines of 128");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_5 = {"tsc-5",
                                        "Traffic from L1 to L2 with lines of 32 to 256 bytes",
                                        "TSC Fig. 5",
                                        MEAN_GEOMETRIC,
                                        "tsc/lines.yaml",
                                        report_5,
                                        NULL};

/* ---- Figs. 1 and 4 ---- */

static double seen(const struct repro_data *data, size_t b, size_t p, const char *counter)
{
    return repro_mech_value(data, b, p, "utilisation", counter);
}

static void report_1(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const counters[] = {"lines_0", "lines_1", "lines_2", "lines_3", "lines_4"};
    size_t wide = 0;
    (void)study;
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label);
        double lines[5], all = 0;
        if (b == data->n) continue;
        for (size_t q = 0; q < 5; q++) all += lines[q] = seen(data, b, 0, counters[q]);
        if (!(all > 0)) continue;
        for (size_t q = 0; q < 5; q++)
            repro_cell(report, NAN, 100 * lines[q] / all, "%", tsc_papers[i].label, "%zu %% reused", 25 * q);
        const double reused = all - lines[0];
        repro_cell(report, strcmp(tsc_papers[i].label, "mummer") == 0 ? 90.3 : NAN,
                   reused > 0 ? 100 * lines[1] / reused : NAN, "%", tsc_papers[i].label, "a quarter, of the reused");
        wide += reused > 0 && strcmp(tsc_papers[i].label, "histo") != 0 && lines[3] + lines[4] > reused / 2;
    }
    repro_check(report, wide == 0,
                "of no benchmark but histo more than half of the reused lines are reused by more than half");
    repro_deviation(report, "a quarter is reused if an access after the one that brought the line finds it there or on "
                            "its way; lines that a store evicts are counted too");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_1 = {
    "tsc-1", "How much of a line is reused before it goes", "TSC Fig. 1", MEAN_GEOMETRIC, "tsc/observed.yaml", report_1,
    NULL};

static double load_miss_rate(const struct repro_data *data, size_t b, size_t p)
{
    return 100 * seen(data, b, p, "loads_missed") / seen(data, b, p, "loads");
}

static void report_4(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const shown[] = {"32B", "64B", "base", "256B"};
    size_t less = 0, n = 0;
    (void)study;
    for (size_t i = 0; i < TSC_BENCHMARKS; i++) {
        const size_t b = tsc_find(data, tsc_papers[i].label);
        if (b == data->n) continue;
        for (size_t k = 0; k < COUNT_OF(shown); k++) {
            const bool is_kmeans = strcmp(tsc_papers[i].label, "kmeans") == 0;
            const double paper = is_kmeans && k == 0 ? 20.5 : is_kmeans && k == 2 ? 95.5 : NAN;
            repro_cell(report, paper, load_miss_rate(data, b, repro_point(data, shown[k])), "%", tsc_papers[i].label,
                       "%s", k == 2 ? "128B" : shown[k]);
        }
        n++;
        less += load_miss_rate(data, b, repro_point(data, "32B")) <= load_miss_rate(data, b, 0) + 1;
    }
    repro_row(report, NAN, (double)less, "of 15", "loads miss as often with lines of 32 bytes as with 128, or less");
    repro_check(report, 2 * less > n, "of most benchmarks no more loads miss with lines of 32 bytes than with 128");
    repro_deviation(report, "loads with a miss over loads, so that lines of all sizes have the same whole; what finds "
                            "its data on its way is no miss");
    tsc_note(data, report);
}
const struct repro_study repro_tsc_4 = {"tsc-4",
                                        "Loads that miss, with lines of 32 to 256 bytes",
                                        "TSC Fig. 4",
                                        MEAN_GEOMETRIC,
                                        "tsc/observed.yaml",
                                        report_4,
                                        NULL};
