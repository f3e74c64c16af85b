/* Our best policy beside the thesis's Poise, PCAL-SWL and Static-Best, over benchmarks whose speedup with a 64 times
 * larger L1 is at least 1.4, and itself without each of its parts.
 * [THESIS Fig. 5.9, §5.7.1, §5.7.3] */
#include "studies/repro/repro_ch5.h"
#include "studies/repro/repro_own.h"

#include <string.h>

static const struct {
    const char *name, *title;
    double paper;
} policies[] = {{"static_best", "Static-Best", 1.528},
                {"pcal_swl", "PCAL-SWL", 1.315},
                {"poise", "Poise", 1.466},
                {"ladder", "ladder", NAN}};
enum { STATIC_BEST, PCAL_SWL, POISE, LADDER, N_BEST = COUNT_OF(policies) };

static double mean_over(const struct ch5 *c, const char *policy)
{
    double values[CH5_MAX];
    size_t n = 0;
    for (size_t b = 0; b < c->n; b++)
        if (ch5_speedup(c, b, "l1_64x") >= 1.4) values[n++] = ch5_speedup(c, b, policy);
    return repro_mean(MEAN_HARMONIC, values, n);
}

/* Variants are the contenders that are neither policies nor machines: ladder with a parameter changed. */
static bool is_variant(const char *name)
{
    for (size_t i = 0; i < N_BEST; i++)
        if (strcmp(name, policies[i].name) == 0) return false;
    return strncmp(name, "without_", 8) == 0 || strncmp(name, "plain", 5) == 0;
}

static void tell_variants(const struct ch5 *c, double best, struct repro_report *report)
{
    const char *name;
    const json_t *policy;
    json_object_foreach(json_object_get(json_array_get(c->benchmarks, 0), "policies"), name, policy) {
        if (!is_variant(name)) continue;
        const double mean = mean_over(c, name);
        repro_row(report, NAN, mean, "x", "ladder, %s", name);
        repro_row(report, NAN, (mean - 1) / (best - 1), "1", "ladder, %s: part of Static-Best's gain", name);
    }
}

static void tell_best(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    double means[N_BEST];
    size_t sensitive = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++) sensitive += ch5_speedup(&c, b, "l1_64x") >= 1.4;
    for (size_t i = 0; i < N_BEST; i++) {
        means[i] = mean_over(&c, policies[i].name);
        repro_row(report, policies[i].paper, means[i], "x", "%s", policies[i].title);
    }
    const double gain = means[STATIC_BEST] - 1, ladder = means[LADDER], pcal = means[PCAL_SWL];
    repro_row(report, (1.466 - 1) / (1.528 - 1), (ladder - 1) / gain, "1", "part of Static-Best's gain (paper: Poise)");
    repro_row(report, (1.315 - 1) / (1.528 - 1), (pcal - 1) / gain, "1", "PCAL-SWL's part of it");
    repro_row(report, 1.466 - 1.315, ladder - pcal, "x", "above PCAL-SWL (paper: Poise)");
    repro_row(report, 1.466 / 1.315, ladder / pcal, "1", "over PCAL-SWL (paper: Poise)");
    tell_variants(&c, means[STATIC_BEST], report);
    for (size_t b = 0; b < c.n; b++) {
        repro_cell(report, NAN, ch5_speedup(&c, b, "l1_64x"), "x", ch5_name(&c, b), "P_best");
        for (size_t i = 0; i < N_BEST; i++)
            repro_cell(report, NAN, ch5_speedup(&c, b, policies[i].name), "x", ch5_name(&c, b), "%s",
                       policies[i].title);
    }
    repro_check(report, (ladder - 1) / gain >= 0.95, "ladder has at least 0.95 of Static-Best's gain");
    repro_check(report, ladder - pcal >= 1.466 - 1.315,
                "ladder is above PCAL-SWL by at least as much as the paper's Poise");
    repro_check(report, ladder / pcal >= 1.466 / 1.315, "ladder is over PCAL-SWL by at least the paper's ratio");
    repro_deviation(report,
                    "%zu of %zu benchmarks have P_best of at least 1.4; how ladder was chosen: models/ladder.md",
                    sensitive, c.n);
}

const struct repro_study repro_thesis_5_9_best = {.id = "thesis-5.9-best",
                                                  .title = "our best policy beside Poise and its rivals",
                                                  .source = "THESIS Fig. 5.9, §5.7.3",
                                                  .mean = MEAN_HARMONIC,
                                                  .spec = "thesis-ch5/best.yaml",
                                                  .tell = tell_best};
