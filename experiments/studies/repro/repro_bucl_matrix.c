/* BUCL together with warp throttling and with Poise: what adds up and what does not, as one matrix; and on a newer
 * machine. Ours; BUCL §V.C and §VI say that it is orthogonal to both. --config chooses the machine of the matrix. */
#include <math.h>
#include <string.h>
#include "studies/repro/repro_bucl.h"

struct row {
    const char *title, *alone, *together;
    bool is_best;
};
static const struct row matrix[] = {
    {"GTO", "base", "BUCL", false},          {"CCWS", "CCWS", "CCWS+BUCL", false},
    {"SWL-Best", "SWL", "SWBU", true},       {"PCAL", "PCAL", "PCAL+BUCL", false},
    {"Poise", "Poise", "Poise+BUCL", false}, {"Poise trained under BUCL", "Poise-B", "Poise-B+BUCL", false},
};
enum { GTO, CCWS, SWL, PCAL, POISE, POISE_B, ROWS };

static double speedup_of(const struct repro_data *data, size_t b, const struct row *row, bool with_bucl)
{
    unsigned N = 0;
    const char *point = with_bucl ? row->together : row->alone;
    return repro_speedup(data, b, row->is_best ? bucl_best(data, b, point, &N) : repro_point(data, point));
}

static double mean_of(const struct repro_data *data, bool is_uncoalesced, const struct row *row, bool with_bucl)
{
    double values[BUCL_BENCHMARKS];
    size_t members[BUCL_BENCHMARKS];
    const size_t n = bucl_group(data, is_uncoalesced, members);
    for (size_t i = 0; i < n; i++) values[i] = speedup_of(data, members[i], row, with_bucl);
    return repro_mean(MEAN_GEOMETRIC, values, n);
}

static void report_combinations(const struct repro_study *study, const struct repro_data *data,
                                struct repro_report *report)
{
    static const char *const groups[2] = {"coherent", "un-coalesced"};
    double mean[2][ROWS][2];
    (void)study;
    for (int u = 1; u >= 0; u--)
        for (size_t r = 0; r < ROWS; r++) {
            for (int with = 0; with < 2; with++) {
                mean[u][r][with] = mean_of(data, u, &matrix[r], with);
                repro_row(report, NAN, mean[u][r][with], "x", "%s, %s%s", groups[u], matrix[r].title,
                          with ? " and BUCL" : "");
            }
            /* 1: the two speedups multiply; less: they do in part the same. */
            if (r != GTO)
                repro_row(report, NAN, mean[u][r][1] / (mean[u][r][0] * mean[u][GTO][1]), "1",
                          "%s, %s and BUCL over the product", groups[u], matrix[r].title);
        }
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        for (size_t r = 0; r < ROWS && b < data->n; r++)
            for (int with = 0; with < 2; with++)
                repro_row(report, NAN, speedup_of(data, b, &matrix[r], with), "x", "%s, %s%s", bucl_benchmarks[i].label,
                          matrix[r].title, with ? " and BUCL" : "");
    }
    for (size_t r = CCWS; r < ROWS; r++) {
        BUCL_CHECK(report, mean[1][r][1], mean[1][r][1] > mean[1][r][0], "BUCL adds to %s on un-coalesced benchmarks",
                   matrix[r].title);
        BUCL_CHECK(report, mean[1][r][1], mean[1][r][1] > mean[1][GTO][1], "%s adds to BUCL there", matrix[r].title);
    }
    BUCL_CHECK(report, mean[1][POISE_B][1], mean[1][POISE_B][1] > mean[1][POISE][1],
               "under BUCL, weights trained under it do better than weights trained without");
    repro_deviation(report, "weights are trained on fermi15-hash (specs/bucl/train*.yaml) and used as they are on "
                            "other machines; PCAL starts from CCWS's point");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_combinations = {"bucl-combinations",
                                                    "BUCL with CCWS, SWL, PCAL and Poise, as one matrix",
                                                    "ours, on BUCL V.C, VI",
                                                    MEAN_GEOMETRIC,
                                                    "bucl/combinations.yaml",
                                                    report_combinations,
                                                    NULL};

/* ---- an older and a newer machine ---- */

/* Instructions a cycle over those of the machine's own baseline. */
static double gain_on(const struct repro_data *data, size_t b, size_t base, size_t point)
{
    return repro_value(data, b, point, "ipc") / repro_value(data, b, base, "ipc");
}

static double machine_mean(const struct repro_data *data, bool is_uncoalesced, size_t base, size_t point)
{
    double values[BUCL_BENCHMARKS];
    size_t members[BUCL_BENCHMARKS];
    const size_t n = bucl_group(data, is_uncoalesced, members);
    for (size_t i = 0; i < n; i++) values[i] = gain_on(data, members[i], base, point);
    return 100 * (repro_mean(MEAN_GEOMETRIC, values, n) - 1);
}

static void report_machines(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const schemes[] = {"BUCL-Dyn",     "BUCL-Dyn lines", "instruction level",
                                          "access level", "MRPB",           NULL};
    enum { DYN, LINES, INSTRUCTION, ACCESS, MRPB, N };
    const size_t volta = repro_point(data, "volta80");
    double gain[2][2][N];
    (void)study;
    for (int u = 1; u >= 0; u--)
        for (size_t s = 0; s < N; s++)
            for (int is_new = 0; is_new < 2; is_new++) {
                char point[64];
                snprintf(point, sizeof point, "%s%s", is_new ? "volta80 " : "", schemes[s]);
                gain[u][is_new][s] = machine_mean(data, u, is_new ? volta : 0, repro_point(data, point));
                repro_row(report,
                          u && s == DYN && !is_new    ? 36
                          : u && s == MRPB && !is_new ? 22
                                                      : NAN,
                          gain[u][is_new][s], "%", "%s %s, %s", u ? "GMUC" : "GMCH", schemes[s],
                          is_new ? "volta80" : "fermi15-hash");
            }
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (b == data->n) continue;
        repro_cell(report, NAN, 100 * (gain_on(data, b, 0, repro_point(data, "BUCL-Dyn")) - 1), "%",
                   bucl_benchmarks[i].label, "BUCL-Dyn, fermi15-hash");
        repro_cell(report, NAN, 100 * (gain_on(data, b, volta, repro_point(data, "volta80 BUCL-Dyn")) - 1), "%",
                   bucl_benchmarks[i].label, "BUCL-Dyn, volta80");
    }
    BUCL_CHECK(report, gain[1][0][DYN], gain[1][0][DYN] > 0,
               "on fermi15-hash BUCL-Dyn gains on un-coalesced benchmarks");
    BUCL_CHECK(report, gain[1][1][DYN], gain[1][1][DYN] < gain[1][0][DYN],
               "on volta80 it gains less or loses: the older model overstates bypassing");
    BUCL_CHECK(report, gain[1][1][MRPB], gain[1][1][MRPB] < gain[1][0][MRPB], "MRPB gains less there too");
    repro_deviation(report, "volta80's L1 is larger, sectored and streams, so few requests stall there and a miss "
                            "brings no more than a bypass; its 80 SMs divide the same grids");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_machines = {"bucl-machines",
                                                "bypassing on fermi15-hash and on volta80",
                                                "ours, on BUCL Fig. 7",
                                                MEAN_GEOMETRIC,
                                                "bucl/machines.yaml",
                                                report_machines,
                                                NULL};
