/* BUCL together with warp throttling and with Poise: what adds up and what does not, as one matrix. Ours; BUCL §V.C and §VI say that it is
 * orthogonal to both. --config chooses the machine. */
#include <math.h>
#include <string.h>
#include "repro_bucl.h"

struct row { const char *title, *alone, *together; bool is_best; };
static const struct row matrix[] = {
    {"GTO", "base", "BUCL", false},
    {"CCWS", "CCWS", "CCWS+BUCL", false},
    {"SWL-Best", "SWL", "SWBU", true},
    {"PCAL", "PCAL", "PCAL+BUCL", false},
    {"Poise", "Poise", "Poise+BUCL", false},
    {"Poise trained under BUCL", "Poise-B", "Poise-B+BUCL", false},
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
    size_t n = 0;
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        if (bucl_benchmarks[i].is_uncoalesced == is_uncoalesced && b < data->n) values[n++] = speedup_of(data, b, row, with_bucl);
    }
    return repro_mean(MEAN_GEOMETRIC, values, n);
}

static void report_combinations(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const groups[2] = {"coherent", "un-coalesced"};
    double mean[2][ROWS][2];
    (void)study;
    for (int u = 1; u >= 0; u--)
        for (size_t r = 0; r < ROWS; r++) {
            for (int with = 0; with < 2; with++) {
                mean[u][r][with] = mean_of(data, u, &matrix[r], with);
                repro_row(report, NAN, mean[u][r][with], "x", "%s, %s%s", groups[u], matrix[r].title, with ? " and BUCL" : "");
            }
            /* 1: the two speedups multiply; less: they do in part the same. */
            if (r != GTO) repro_row(report, NAN, mean[u][r][1] / (mean[u][r][0] * mean[u][GTO][1]), "1", "%s, %s and BUCL over the product", groups[u], matrix[r].title);
        }
    for (size_t i = 0; i < BUCL_BENCHMARKS; i++) {
        const size_t b = bucl_find(data, bucl_benchmarks[i].name);
        for (size_t r = 0; r < ROWS && b < data->n; r++)
            for (int with = 0; with < 2; with++)
                repro_row(report, NAN, speedup_of(data, b, &matrix[r], with), "x", "%s, %s%s", bucl_benchmarks[i].label, matrix[r].title, with ? " and BUCL" : "");
    }
    for (size_t r = CCWS; r < ROWS; r++) {
        BUCL_CHECK(report, mean[1][r][1], mean[1][r][1] > mean[1][r][0], "BUCL adds to %s on un-coalesced benchmarks", matrix[r].title);
        BUCL_CHECK(report, mean[1][r][1], mean[1][r][1] > mean[1][GTO][1], "%s adds to BUCL there", matrix[r].title);
    }
    BUCL_CHECK(report, mean[1][POISE_B][1], mean[1][POISE_B][1] > mean[1][POISE][1], "under BUCL, weights trained under it do better than weights trained without");
    repro_deviation(report, "weights are trained on fermi15-hash (specs/bucl/train*.yaml) and used as they are on other machines; PCAL starts from CCWS's point");
    bucl_note(data, report);
}
const struct repro_study repro_bucl_combinations = {"bucl-combinations", "BUCL with CCWS, SWL, PCAL and Poise, as one matrix", "ours, on BUCL V.C, VI", MEAN_GEOMETRIC,
                                                    "bucl/combinations.yaml", report_combinations};
