/* Fig. 5.9's comparison on benchmarks of neither set: memory-sensitive ones and others apart, as measured here.
 * [THESIS §5.7.1, §5.7.3] */
#include "studies/repro/repro_ch5.h"
#include "studies/repro/repro_own.h"

#include <string.h>

static const struct {
    const char *name, *title;
} policies[] = {{"swl", "SWL"},           {"ccws", "CCWS"},
                {"pcal_swl", "PCAL-SWL"}, {"static_best", "Static-Best"},
                {"poise", "Poise"},       {"poise_thesis", "Poise, published weights"},
                {"ladder", "ladder"},     {"ladder_by_hand", "ladder, by hand"}};
enum { SWL, CCWS, PCAL_SWL, STATIC_BEST, POISE, POISE_THESIS, LADDER, BY_HAND, N_FURTHER = COUNT_OF(policies) };

/* Harmonic mean of a policy's speedups over the benchmarks that are memory-sensitive, or over the others; the least
 * in *least. */
static double mean_over(const struct ch5 *c, const char *policy, bool sensitive, double *least)
{
    double values[CH5_MAX];
    size_t n = 0;
    *least = INFINITY;
    for (size_t b = 0; b < c->n; b++) {
        if ((ch5_speedup(c, b, "l1_64x") > 1.4) != sensitive) continue;
        values[n++] = ch5_speedup(c, b, policy);
        *least = fmin(*least, values[n - 1]);
    }
    return repro_mean(MEAN_HARMONIC, values, n);
}

static void tell_further(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    double means[2][N_FURTHER], least[2][N_FURTHER];
    size_t sensitive = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++) sensitive += ch5_speedup(&c, b, "l1_64x") > 1.4;
    for (int s = 1; s >= 0; s--)
        for (size_t i = 0; i < N_FURTHER; i++) {
            means[s][i] = mean_over(&c, policies[i].name, s, &least[s][i]);
            repro_row(report, NAN, means[s][i], "x", "%s, %s", policies[i].title, s ? "memory-sensitive" : "others");
        }
    for (size_t b = 0; b < c.n; b++) {
        repro_cell(report, NAN, ch5_speedup(&c, b, "l1_64x"), "x", ch5_name(&c, b), "P_best");
        for (size_t i = 0; i < N_FURTHER; i++)
            repro_cell(report, NAN, ch5_speedup(&c, b, policies[i].name), "x", ch5_name(&c, b), "%s",
                       policies[i].title);
    }
    const double gain = means[1][STATIC_BEST] - 1;
    repro_row(report, (1.466 - 1) / (1.528 - 1), (means[1][POISE] - 1) / gain, "1",
              "Poise's part of Static-Best's gain, memory-sensitive");
    repro_row(report, NAN, (means[1][LADDER] - 1) / gain, "1", "ladder's part of Static-Best's gain, memory-sensitive");
    repro_row(report, NAN, (means[1][BY_HAND] - 1) / gain, "1", "the same with parameters chosen by hand");
    repro_check(report, means[1][POISE] > 1, "Poise is faster than GTO on unseen memory-sensitive benchmarks");
    repro_check(report, means[1][POISE] > means[1][SWL], "Poise is faster than SWL on them");
    repro_check(report, means[1][POISE] > means[1][PCAL_SWL], "Poise is faster than PCAL-SWL on them");
    repro_check(report, means[1][STATIC_BEST] > means[1][POISE], "Static-Best is faster than Poise on them");
    repro_check(report, least[0][POISE] >= 0.95, "Poise costs no other benchmark more than 5 %% (least %.3f)",
                least[0][POISE]);
    repro_deviation(report, "%zu of %zu benchmarks are memory-sensitive (P_best above 1.4): no paper reports this set",
                    sensitive, c.n);
}

const struct repro_study repro_thesis_5_9_further = {.id = "thesis-5.9-further",
                                                     .title = "Poise and its rivals on a second unseen set",
                                                     .source = "THESIS §5.7.3, benchmarks of ours",
                                                     .mean = MEAN_HARMONIC,
                                                     .spec = "thesis-ch5/further.yaml",
                                                     .tell = tell_further};
