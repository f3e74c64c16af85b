/* Further groups of training rows, judged by groups that are left out. */
#include "poise/surface_additions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CHANGE = 0.001; /* of a group's regret that counts as one */

/* What predicts a group: a fitted family, or the network distilled from it. */
struct judge {
    struct surface_predictor *predictor;
    struct surface_rule rule;
    struct surface_distilled net;
    bool has_net;
};

static int judge_init(struct judge *judge, const struct surface_data *part, const struct surface_cv_options *options,
                      struct error *err)
{
    struct family_settings settings;
    *judge = (struct judge){.has_net = options->distil != NULL};
    int result = surface_tune(&settings, &judge->rule, part, options, err);
    if (result == 0) result = surface_fit(&judge->predictor, options->family, part, &settings, err);
    if (result < 0 || !judge->has_net) return result;
    struct surface_distil_options distil = *options->distil;
    distil.rule = judge->rule;
    return surface_distil(&judge->net, judge->predictor, part, &distil, err);
}

static size_t judge_choose(const struct judge *judge, const struct surface_data *data, size_t row)
{
    double mean[SURFACE_POINTS_MAX], spread[SURFACE_POINTS_MAX];
    const double *x = data->x + row * data->k;
    const uint32_t W = data->W ? data->W[row] : 0;
    if (judge->has_net) return surface_distilled_choose(&judge->net.net, data->tuples, x, W);
    surface_predict(judge->predictor, x, mean, spread);
    return surface_choose(data->tuples, data->m, mean, spread, &judge->rule, W);
}

/* The weighted mean regret of a group's rows. */
static double regret_of(const struct judge *judge, const struct surface_data *data, size_t group)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < data->n; i++) {
        if (data->group[i] != group) continue;
        const double w = data->w ? data->w[i] : 1;
        sum += w * surface_regret(data->z + i * data->m, data->m, judge_choose(judge, data, i));
        weight += w;
    }
    return weight > 0 ? sum / weight : NAN;
}

/* Under a learner of the rows of `train` but those of group `without` (SIZE_MAX: none is left out), the regrets of this
 * group, or else of all judged groups that it was not trained on. */
static int judge_without(double *by_group, const struct surface_data *data, const bool *train, const bool *judged,
                         size_t without, const struct surface_cv_options *options, struct error *err)
{
    struct surface_subset part;
    struct judge judge;
    size_t *keep = calloc(data->n + 1, sizeof *keep), n = 0;
    if (!keep) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", data->n);
    for (size_t i = 0; i < data->n; i++)
        if (train[data->group[i]] && data->group[i] != without) keep[n++] = i;
    int result = surface_subset_init(&part, data, keep, n, err);
    free(keep);
    if (result < 0) return -1;
    result = judge_init(&judge, &part.data, options, err);
    for (size_t g = 0; g < data->n_groups && result == 0; g++)
        if (without == SIZE_MAX ? judged[g] && !train[g] : g == without) by_group[g] = regret_of(&judge, data, g);
    surface_predictor_free(judge.predictor);
    surface_subset_fini(&part);
    return result;
}

int surface_held_out(double *by_group, double *mean, const struct surface_data *data, const bool *train,
                     const bool *judged, const struct surface_cv_options *options, struct error *err)
{
    int result = 0;
    double sum = 0;
    size_t n = 0;
    bool are_outside = false; /* judged groups that are in no training anyway: one learner serves them all */
    for (size_t g = 0; g < data->n_groups; g++) {
        by_group[g] = NAN;
        are_outside |= judged[g] && !train[g];
    }
    if (are_outside && judge_without(by_group, data, train, judged, SIZE_MAX, options, err) < 0) return -1;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t g = 0; g < data->n_groups; g++) {
        struct error mine;
        if (!judged[g] || !train[g] || judge_without(by_group, data, train, judged, g, options, &mine) == 0) continue;
#pragma omp critical(surface_held_out)
        if (result == 0) *err = mine, result = -1;
    }
    for (size_t g = 0; g < data->n_groups; g++)
        if (judged[g] && isfinite(by_group[g])) sum += by_group[g], n++;
    *mean = n ? sum / (double)n : NAN;
    return result;
}

struct trial {
    const struct surface_data *data;
    const bool *judged;
    const struct surface_cv_options *options;
    bool *train;
    double *before, *after; /* regrets by group */
};

static int try_single(struct trial *t, size_t group, struct surface_addition *single, struct error *err)
{
    double mean;
    t->train[group] = true;
    const int result = surface_held_out(t->after, &mean, t->data, t->train, t->judged, t->options, err);
    t->train[group] = false;
    *single = (struct surface_addition){.is_candidate = true, .mean = mean};
    for (size_t g = 0; g < t->data->n_groups && result == 0; g++) {
        single->better += t->judged[g] && t->after[g] < t->before[g] - CHANGE;
        single->worse += t->judged[g] && t->after[g] > t->before[g] + CHANGE;
    }
    return result;
}

/* The best of the candidates that are left; SIZE_MAX: none is. */
static int best_next(struct trial *t, const bool *candidates, size_t *best, double *best_mean, struct error *err)
{
    *best = SIZE_MAX;
    for (size_t g = 0; g < t->data->n_groups; g++) {
        struct surface_addition single;
        if (!candidates[g] || t->train[g]) continue;
        if (try_single(t, g, &single, err) < 0) return -1;
        if (*best == SIZE_MAX || single.mean < *best_mean) *best = g, *best_mean = single.mean;
    }
    return 0;
}

static int judge(struct surface_additions *out, struct trial *t, const bool *candidates, double least, size_t most,
                 struct error *err)
{
    const size_t n = t->data->n_groups;
    if (surface_held_out(t->before, &out->base, t->data, t->train, t->judged, t->options, err) < 0) return -1;
    double now = out->base, mean = NAN;
    size_t best = SIZE_MAX;
    for (size_t g = 0; g < n; g++) {
        if (!candidates[g] || t->train[g]) continue;
        if (try_single(t, g, &out->single[g], err) < 0) return -1;
        if (best == SIZE_MAX || out->single[g].mean < mean) best = g, mean = out->single[g].mean;
    }
    while (best != SIZE_MAX && now - mean > least && out->n_steps < most) {
        t->train[best] = true;
        out->steps[out->n_steps++] = (struct surface_addition_step){best, mean};
        now = mean;
        if (best_next(t, candidates, &best, &mean, err) < 0) return -1;
    }
    out->rejected = best;
    out->rejected_mean = mean;
    return 0;
}

int surface_additions_judge(struct surface_additions *out, const struct surface_data *data, const bool *base,
                            const bool *judged, const bool *candidates, double least, size_t most,
                            const struct surface_cv_options *options, struct error *err)
{
    const size_t n = data->n_groups;
    struct trial t = {data,
                      judged,
                      options,
                      calloc(n + 1, sizeof *t.train),
                      calloc(n + 1, sizeof *t.before),
                      calloc(n + 1, sizeof *t.after)};
    *out = (struct surface_additions){.single = calloc(n + 1, sizeof *out->single),
                                      .steps = calloc(n + 1, sizeof *out->steps)};
    int result = t.train && t.before && t.after && out->single && out->steps
                     ? 0
                     : error_set(err, ERR_MEMORY, "out of memory for %zu families", n);
    if (result == 0) {
        memcpy(t.train, base, n * sizeof *base);
        result = judge(out, &t, candidates, least, most, err);
    }
    free(t.train);
    free(t.before);
    free(t.after);
    if (result < 0) surface_additions_fini(out);
    return result;
}

/* Chooses without group g, then predicts it. */
static int validate_group(double *by_group, size_t *chosen, const struct surface_data *data, const bool *base,
                          const bool *judged, const bool *candidates, double least, size_t most, size_t g,
                          const struct surface_cv_options *options, struct error *err)
{
    struct surface_additions own;
    const size_t n = data->n_groups;
    bool *train = calloc(2 * n + 1, sizeof *train);
    if (!train) return error_set(err, ERR_MEMORY, "out of memory for %zu families", n);
    bool *others = train + n;
    memcpy(train, base, n * sizeof *train);
    memcpy(others, judged, n * sizeof *others);
    train[g] = others[g] = false;
    int result = surface_additions_judge(&own, data, train, others, candidates, least, most, options, err);
    if (result == 0) {
        for (size_t s = 0; s < own.n_steps; s++) {
            train[own.steps[s].group] = true;
            if (chosen) chosen[own.steps[s].group]++;
        }
        bool *only = others; /* the group alone, which is in no training now */
        memset(only, 0, n * sizeof *only);
        only[g] = true;
        result = judge_without(by_group, data, train, only, SIZE_MAX, options, err);
        surface_additions_fini(&own);
    }
    free(train);
    return result;
}

int surface_additions_validate(double *by_group, double *mean, size_t *chosen, const struct surface_data *data,
                               const bool *base, const bool *judged, const bool *candidates, double least, size_t most,
                               const struct surface_cv_options *options, struct error *err)
{
    double sum = 0;
    size_t n = 0;
    for (size_t g = 0; chosen && g < data->n_groups; g++) chosen[g] = 0;
    for (size_t g = 0; g < data->n_groups; g++) {
        by_group[g] = NAN;
        if (!judged[g]) continue;
        if (validate_group(by_group, chosen, data, base, judged, candidates, least, most, g, options, err) < 0)
            return -1;
        if (isfinite(by_group[g])) sum += by_group[g], n++;
    }
    *mean = n ? sum / (double)n : NAN;
    return 0;
}

void surface_additions_fini(struct surface_additions *a)
{
    free(a->single);
    free(a->steps);
    *a = (struct surface_additions){.base = NAN};
}
