/* Learning judged on families that it never saw: whether the development set can tell policies apart, and what a
 * learned policy, with the engine in the loop, keeps of Static-Best's gain beside every constant, the ladder, PCAL-SWL
 * and the published weights.
 *
 *   part of a policy     (HM - 1) / (HM of Static-Best - 1), HM the harmonic mean of speedups over GTO
 *   intervals            95 %, percentiles of a bootstrap over families: benchmarks of a family are drawn together */
#include "studies/repro/repro_ch5.h"

#include <stdlib.h>
#include <string.h>
#include "poise/points.h"
#include "studies/repro/repro_regret.h"
#include "studies/repro/repro_own.h"

enum { LEVELS = RESPONSE_LEVELS_MAX, TUPLES = RESPONSE_POINTS_MAX };

/* What is known of each benchmark: one launch each at size eval. */
struct launches_of {
    size_t n;
    const char *name[CH5_MAX], *family[CH5_MAX];
    double best[CH5_MAX], diagonal[CH5_MAX], at[CH5_MAX][TUPLES];
    unsigned best_N[CH5_MAX], best_p[CH5_MAX];
};

static const json_t *first_launch(const struct ch5 *c, size_t b)
{
    return json_array_get(json_object_get(json_array_get(c->benchmarks, b), "profiled"), 0);
}

static const char *family_of(const struct ch5 *c, size_t b)
{
    const char *family = json_string_value(json_object_get(json_array_get(c->benchmarks, b), "family"));
    return family ? family : "";
}

/* Speedups of a launch at the lattice's tuples, each clamped to W, and its best ones. */
static void take_launch(struct launches_of *l, const json_t *launch)
{
    const size_t b = l->n;
    const uint32_t W = (uint32_t)ch5_number(launch, "W");
    size_t i;
    const json_t *point;
    for (size_t t = 0; t < TUPLES; t++) l->at[b][t] = NAN;
    l->best[b] = l->diagonal[b] = 0;
    json_array_foreach(json_object_get(launch, "points_of_profile"), i, point) {
        const unsigned N = (unsigned)json_integer_value(json_array_get(point, 0)),
                       p = (unsigned)json_integer_value(json_array_get(point, 1));
        const double speedup = json_number_value(json_array_get(point, 2));
        if (speedup > l->best[b]) l->best[b] = speedup, l->best_N[b] = N, l->best_p[b] = p;
        if (N == p && speedup > l->diagonal[b]) l->diagonal[b] = speedup;
        for (size_t t = 0; t < TUPLES; t++) {
            const struct response_tuple at = response_clamp(response_point(response_levels, t), W);
            if (at.N == N && at.p == p) l->at[b][t] = speedup;
        }
    }
}

static void take_launches(struct launches_of *l, const struct ch5 *c)
{
    for (size_t b = 0; b < c->n; b++) {
        l->name[l->n] = ch5_name(c, b);
        l->family[l->n] = family_of(c, b);
        take_launch(l, first_launch(c, b));
        l->n++;
    }
}

static size_t families_in(const struct launches_of *l)
{
    size_t n = 0;
    for (size_t b = 0; b < l->n; b++) {
        size_t before = 0;
        while (before < b && strcmp(l->family[before], l->family[b]) != 0) before++;
        n += before == b;
    }
    return n;
}

static double part_of(const double *speedups, const double *best, size_t n)
{
    return (repro_mean(MEAN_HARMONIC, speedups, n) - 1) / (repro_mean(MEAN_HARMONIC, best, n) - 1);
}

/* ---- learned-gate ---- */

/* Every constant's part; the largest, and which it is. */
static double largest_constant(const struct launches_of *l, size_t *which)
{
    double most = -INFINITY;
    for (size_t t = 0; t < TUPLES; t++) {
        double speedups[CH5_MAX];
        for (size_t b = 0; b < l->n; b++) speedups[b] = l->at[b][t];
        const double part = part_of(speedups, l->best, l->n);
        if (part > most) most = part, *which = t;
    }
    return most;
}

static const char *bin_of(const struct launches_of *l, size_t b)
{
    if (l->best[b] < 1.05) return "gains under 5 %";
    if (l->best_p[b] == l->best_N[b])
        return l->best_N[b] <= 2 ? "N = p up to 2" : l->best_N[b] <= 8 ? "N = p from 3 to 8" : "N = p above 8";
    return l->best_p[b] == 1 ? "p = 1 below N" : "1 < p < N";
}

static void tell_gate(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const char *const bins[] = {"gains under 5 %", "N = p up to 2", "N = p from 3 to 8",
                                       "N = p above 8",   "p = 1 below N", "1 < p < N"};
    const struct ch5 c = ch5_of(summary);
    struct launches_of *l = calloc(1, sizeof *l);
    size_t which = 0, worth = 0;
    (void)study;
    if (!l) {
        report->out_of_memory = true;
        return;
    }
    take_launches(l, &c);
    for (size_t b = 0; b < l->n; b++) worth += l->best[b] >= 1.05 * l->diagonal[b];
    const size_t count = families_in(l);
    const double most = largest_constant(l, &which), share = l->n ? (double)worth / (double)l->n : NAN;
    const struct response_tuple constant = response_point(response_levels, which);
    repro_row(report, NAN, (double)count, "1", "families");
    repro_row(report, NAN, (double)l->n, "1", "benchmarks");
    repro_row(report, NAN, most, "1", "largest part of a constant");
    repro_row(report, NAN, constant.N, "warps", "N of that constant");
    repro_row(report, NAN, constant.p, "warps", "p of that constant");
    repro_row(report, NAN, share, "1", "share of benchmarks where p gains 5 %%");
    repro_row(report, NAN, repro_mean(MEAN_HARMONIC, l->best, l->n), "x", "Static-Best, harmonic mean");
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        size_t n = 0;
        for (size_t b = 0; b < l->n; b++) n += strcmp(bin_of(l, b), bins[i]) == 0;
        repro_row(report, NAN, (double)n, "benchmarks", "optimum: %s", bins[i]);
    }
    for (size_t b = 0; b < l->n; b++) {
        repro_cell(report, NAN, l->best_N[b], "warps", l->name[b], "N");
        repro_cell(report, NAN, l->best_p[b], "warps", l->name[b], "p");
        repro_cell(report, NAN, l->best[b], "x", l->name[b], "Static-Best");
        repro_cell(report, NAN, l->diagonal[b], "x", l->name[b], "best with p = N");
        repro_cell(report, NAN, l->at[b][which], "x", l->name[b], "the constant");
    }
    repro_check(report, count >= 12 && l->n >= 30, "at least 30 benchmarks of at least 12 families (%zu of %zu)", l->n,
                count);
    repro_check(report, most <= 0.6, "no constant has more than 60 %% of Static-Best's gain (%.2f at (%u,%u))", most,
                constant.N, constant.p);
    repro_check(report, share >= 1.0 / 3, "p gains at least 5 %% over p = N on a third of the benchmarks (%zu of %zu)",
                worth, l->n);
    repro_deviation(report, "no paper has this set; constants and bests are points of the lattice, and bests those "
                            "around its best besides");
    free(l);
}

const struct repro_study repro_learned_gate = {.id = "learned-gate",
                                               .title = "can the development set tell policies apart",
                                               .source = "this project",
                                               .mean = MEAN_HARMONIC,
                                               .spec = "learned/learned.yaml",
                                               .tell = tell_gate};

/* ---- learned-1 ---- */

struct drawn {
    const double *speedups, *rival, *best;
};

static double drawn_part(const size_t *rows, size_t n, void *context)
{
    const struct drawn *d = context;
    double speedups = 0, best = 0, rival = 0;
    for (size_t i = 0; i < n; i++) {
        speedups += 1 / d->speedups[rows[i]];
        best += 1 / d->best[rows[i]];
        rival += d->rival ? 1 / d->rival[rows[i]] : 0;
    }
    const double gain = (double)n / best - 1, part = ((double)n / speedups - 1) / gain;
    return d->rival ? part - ((double)n / rival - 1) / gain : part;
}

static double drawn_least(const size_t *rows, size_t n, void *context)
{
    const struct drawn *d = context;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) least = fmin(least, d->speedups[rows[i]]);
    return least;
}

struct rival {
    const char *policy, *label;
};
/* "best constant" is the best of these three, by its own part. */
static const struct rival constants[] = {{"constant_1", "constant (1,1)"},
                                         {"constant_2", "constant (2,2)"},
                                         {"constant_train", "constant best on training"}};
static const struct rival rivals[] = {
    {"ladder", "ladder"}, {"pcal_swl", "pcal-swl"}, {"poise_thesis", "published weights"}, {"poise", "nb2"}};
/* What a policy is told before the launch: rows of their own, never mixed with those of policies that are told nothing.
 * PCAL-SWL and Static-Best are told more, from timing. Where the spec runs them. */
static const struct rival told[] = {{"hint", "hint of this launch"},
                                    {"hint_other", "hint of another input"},
                                    {"hint_tenth", "hint of the first tenth"},
                                    {"hint_remembered", "hint remembered"},
                                    {"nb2_penalty", "nb2 with a penalty"}};

static void speedups_of(const struct ch5 *c, const char *policy, double *out)
{
    for (size_t b = 0; b < c->n; b++) out[b] = ch5_speedup(c, b, policy);
}

static void part_row(const struct ch5 *c, const struct groups *groups, const char *policy, const double *best,
                     struct repro_report *report, const char *label)
{
    double speedups[CH5_MAX], ci[2];
    struct drawn d = {speedups, NULL, best};
    speedups_of(c, policy, speedups);
    repro_bootstrap(groups, drawn_part, &d, ci);
    repro_row(report, NAN, part_of(speedups, best, c->n), "1", "%s", label);
    repro_interval(report, ci);
}

/* The learned policy's part less a rival's. */
static void beats_row(const struct ch5 *c, const struct groups *groups, const char *policy, const double *best,
                      struct repro_report *report, const char *label)
{
    double learned[CH5_MAX], speedups[CH5_MAX], ci[2];
    struct drawn d = {learned, speedups, best};
    speedups_of(c, "learned", learned);
    speedups_of(c, policy, speedups);
    repro_bootstrap(groups, drawn_part, &d, ci);
    const double by = part_of(learned, best, c->n) - part_of(speedups, best, c->n);
    repro_row(report, NAN, by, "1", "learned above %s", label);
    repro_interval(report, ci);
    repro_check(report, ci[0] > 0, "the learned policy is above %s, the interval without zero (%.2f, %.2f to %.2f)",
                label, by, ci[0], ci[1]);
}

static void tell_parts(const struct ch5 *c, const struct groups *groups, struct repro_report *report)
{
    double best[CH5_MAX], speedups[CH5_MAX], ci[2];
    size_t top = 0;
    double most = -INFINITY;
    speedups_of(c, "static_best", best);
    for (size_t i = 0; i < COUNT_OF(constants); i++) {
        speedups_of(c, constants[i].policy, speedups);
        if (part_of(speedups, best, c->n) > most) most = part_of(speedups, best, c->n), top = i;
    }
    part_row(c, groups, "learned", best, report, "learned");
    part_row(c, groups, constants[top].policy, best, report, "best constant");
    for (size_t i = 0; i < COUNT_OF(rivals); i++) part_row(c, groups, rivals[i].policy, best, report, rivals[i].label);
    for (size_t i = 0; i < COUNT_OF(told); i++)
        if (c->n && !isnan(ch5_speedup(c, 0, told[i].policy)))
            part_row(c, groups, told[i].policy, best, report, told[i].label);
    speedups_of(c, "learned", speedups);
    struct drawn d = {speedups, NULL, best};
    repro_bootstrap(groups, drawn_least, &d, ci);
    const size_t all = c->n;
    double least = INFINITY;
    for (size_t b = 0; b < all; b++) least = fmin(least, speedups[b]);
    repro_row(report, NAN, least, "x", "worst benchmark over gto");
    repro_interval(report, ci);
    repro_row(report, NAN, repro_mean(MEAN_HARMONIC, best, c->n), "x", "Static-Best, harmonic mean");
    repro_row(report, NAN, repro_mean(MEAN_HARMONIC, speedups, c->n), "x", "learned, harmonic mean");
    beats_row(c, groups, constants[top].policy, best, report, "the best constant");
    for (size_t i = 0; i < COUNT_OF(rivals); i++) beats_row(c, groups, rivals[i].policy, best, report, rivals[i].label);
    repro_check(report, part_of(speedups, best, c->n) >= 0.95,
                "the learned policy keeps 95 %% of Static-Best's gain (%.2f)", part_of(speedups, best, c->n));
    repro_check(report, least >= 0.98, "it costs no benchmark more than 2 %% of GTO's speed (least %.3f)", least);
}

static void tell_learned(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const char *const shown[] = {"static_best", "learned",      "constant_train", "ladder",
                                        "pcal_swl",    "poise_thesis", "poise"};
    const struct ch5 c = ch5_of(summary);
    const char *names[CH5_MAX];
    struct groups groups;
    struct error err;
    for (size_t b = 0; b < c.n; b++) names[b] = family_of(&c, b);
    if (groups_init(&groups, names, c.n, &err) < 0) {
        report->out_of_memory = true;
        return;
    }
    report->n_families = groups.n_groups;
    tell_parts(&c, &groups, report);
    for (size_t b = 0; b < c.n; b++)
        for (size_t i = 0; i < COUNT_OF(shown); i++)
            repro_cell(report, NAN, ch5_speedup(&c, b, shown[i]), "x", ch5_name(&c, b), "%s", shown[i]);
    groups_fini(&groups);
    if (!repro_opens_sealed(study))
        repro_deviation(
            report, "every benchmark is run with a model whose training left its family out; no paper has this set");
}

const struct repro_study repro_learned_1 = {.id = "learned-1",
                                            .title = "a learned policy on families that it never saw",
                                            .source = "this project",
                                            .mean = MEAN_HARMONIC,
                                            .spec = "learned/learned.yaml",
                                            .tell = tell_learned};

/* The same table of families that nobody has looked at, once for a learner that is finished. */
static void tell_sealed(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    tell_learned(study, summary, report);
    repro_deviation(report, "the model is the shipped one, models/poise-best.json: its training saw no sealed family");
}

const struct repro_study repro_learned_sealed = {.id = "learned-sealed",
                                                 .title = "the shipped model on families that nobody has looked at",
                                                 .source = "this project",
                                                 .mean = MEAN_HARMONIC,
                                                 .spec = "learned/sealed.yaml",
                                                 .tell = tell_sealed};
