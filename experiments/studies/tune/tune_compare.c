/* What the best point is compared with: the same machine without the mechanism, the machine that the tuning began with,
 * and the points that have a name. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

static bool has_machine_axes(const struct tune *t)
{
    for (size_t a = 0; a < t->axes.n; a++)
        if (t->target[a] < 0) return true;
    return false;
}

/* On one set: the metric, what the machine alone gives, and the speedup over that machine. */
static int compare_on(struct tune *t, struct tune_set *set, const struct tune_place *at, bool is_exact, json_t *out,
                      const char *name, struct error *err)
{
    struct tune_figures f = TUNE_NO_FIGURES;
    json_t *row = json_object();
    if (set->launches.n == 0) return json_decref(row), 0;
    json_object_set_new(out, name, row);
    if (tune_figures(t, set, at, is_exact, &f, err) < 0) return -1;
    tune_set_value(row, "metric", &f.metric);
    tune_set_value(row, "same_machine_without", &f.machine_alone);
    tune_set_value(row, "over_same_machine", &f.over_same_machine);
    return 0;
}

static int compare_on_both(struct tune *t, const struct tune_place *at, bool is_exact, json_t *out, struct error *err)
{
    return compare_on(t, &t->train, at, is_exact, out, "train", err) < 0
               ? -1
               : compare_on(t, &t->test, at, is_exact, out, "heldout", err);
}

/* What the exact runs of the best point say takes the place of what was estimated. */
static void keep_check(json_t *report, const json_t *compared)
{
    const json_t *train = json_object_get(json_object_get(compared, "train"), "metric"),
                 *heldout = json_object_get(json_object_get(compared, "heldout"), "metric");
    json_object_set(report, "train_metric", (json_t *)(uintptr_t)train);
    if (!json_is_number(heldout)) return;
    json_object_set(report, "heldout_metric", (json_t *)(uintptr_t)heldout);
    json_object_set_new(json_object_get(report, "overfitting"), "gap",
                        json_or_null(json_number_value(train) - json_number_value(heldout)));
}

int tune_compare(struct tune *t, struct runner *runner, json_t *report, struct error *err)
{
    const struct trial *best = tune_best(t);
    json_t *compared = json_object();
    const size_t point = best ? best->point : 0, runs = t->runs;
    t->runner = runner;
    json_object_set_new(compared, "machine_is_tuned", json_boolean(has_machine_axes(t)));
    json_object_set_new(report, "compared", compared);
    int result = compare_on_both(t, &(struct tune_place){.point = &point}, !t->is_unchecked, compared, err);
    if (result == 0 && t->is_sampled && !t->is_unchecked) keep_check(report, compared);
    for (int k = 0; k < N_TUNE_NAMED && result == 0; k++) {
        if (k == TUNE_PUBLISHED && !t->named[k].has_values) continue;
        result = compare_on_both(t, &(struct tune_place){.values = t->named[k].values}, false,
                                 json_object_get(report, tune_named_words[k]), err);
    }
    t->runs = runs; /* no cost of the method */
    return result < 0 ? error_while(err, "comparing the best point") : 0;
}
