/* Whether a choice carries over: the tuning is done again without each benchmark in turn, and judged on that one. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

bool tune_has_folds(const struct tune *tune) { return tune->has_folds; }

/* What is left out as one. */
static const char *group_of(const struct tune *t, const struct launch *l)
{
    return t->folds_are_families ? workload_family(l->workload) : l->workload->benchmark;
}

static bool is_first_of_group(const struct tune *t, size_t i)
{
    const struct launch *all = t->train.launches.items;
    for (size_t k = 0; k < i; k++)
        if (strcmp(group_of(t, &all[k]), group_of(t, &all[i])) == 0) return false;
    return true;
}

static int split(struct tune *to, const struct tune_set *from, const char *group, struct error *err)
{
    for (size_t i = 0; i < from->launches.n; i++) {
        struct tune_set *set = strcmp(group_of(to, &from->launches.items[i]), group) == 0 ? &to->test : &to->train;
        if (launches_add(&set->launches, &from->launches.items[i], err) < 0) return -1;
    }
    return 0;
}

/* A mean over groups that is the mean over their members: harmonic over benchmarks for speedups, else arithmetic
 * over launches. */
struct mean {
    bool is_harmonic;
    double sum, n;
};
static void mean_add(struct mean *m, double value, double n)
{
    m->sum += m->is_harmonic ? n / value : n * value;
    m->n += n;
}
static json_t *mean_json(const struct mean *m) { return json_or_null(m->is_harmonic ? m->n / m->sum : m->sum / m->n); }

/* What the tuning found and what it is compared with, on the set that it has not seen. */
static int tune_without(struct tune *t, const char *group, struct runner *runner, json_t *list, struct mean *chosen,
                        struct mean *own, struct error *err)
{
    json_t *report = NULL;
    struct tune_figures heldout = TUNE_NO_FIGURES, f = TUNE_NO_FIGURES;
    if (tune_run(t, runner, &report, err) < 0) return error_while(err, "without %s", group);
    const struct trial *best = tune_best(t);
    const struct tune_place found = {.point = &best->point}, at = {.values = t->named[TUNE_DEFAULT].values};
    int result = tune_figures(t, &t->test, &found, false, &heldout, err);
    if (result == 0) result = tune_figures(t, &t->test, &at, false, &f, err);
    const double n = (double)(chosen->is_harmonic ? tune_benchmarks(&t->test) : t->test.launches.n);
    const struct tune_value train = tune_trial_value(best);
    json_t *row = json_pack("{s:s,s:I,s:I,s:O}", "name", group, "benchmarks", (json_int_t)tune_benchmarks(&t->test),
                            "launches", (json_int_t)t->test.launches.n, "best", json_object_get(report, "best"));
    mean_add(chosen, heldout.metric.value, n);
    mean_add(own, f.metric.value, n);
    tune_set_value(row, "train_metric", &train);
    tune_set_value(row, "heldout_metric", &heldout.metric);
    tune_set_value(row, "own_metric", &f.metric);
    json_array_append_new(list, row);
    json_decref(report);
    return result;
}

int tune_folds(struct tune *tune, const char *path, const char *configs_dir, struct runner *runner, json_t *report,
               struct error *err)
{
    const struct tune_set *set = &tune->train;
    struct mean chosen = {.is_harmonic = tune->objectives[0].is_speedup}, own = chosen;
    json_t *list = json_array();
    size_t n = 0;
    int result = 0;
    for (size_t i = 0; i < set->launches.n; i++) n += is_first_of_group(tune, i);
    if (n < 2)
        result = error_set(err, ERR_INPUT, "%s: folds need kernels of two %s at least", tune->name,
                           tune->folds_are_families ? "families" : "benchmarks");
    for (size_t i = 0; i < set->launches.n && result == 0; i++) {
        struct tune *fold;
        if (!is_first_of_group(tune, i)) continue;
        const char *group = group_of(tune, &set->launches.items[i]);
        if ((result = tune_load_again(&fold, tune, path, configs_dir, err)) < 0) break;
        result = split(fold, set, group, err);
        if (result == 0) result = tune_without(fold, group, runner, list, &chosen, &own, err);
        tune_free(fold);
    }
    json_object_set_new(report, "folds",
                        json_pack("{s:b,s:o,s:o,s:o}", "is_estimate", tune->is_sampled, "groups", list,
                                  "heldout_metric", mean_json(&chosen), "own_metric", mean_json(&own)));
    return result;
}
