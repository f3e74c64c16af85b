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
static int compare_on(struct tune *t, struct tune_set *set, const struct tune_place *at, json_t *out, const char *name,
                      struct error *err)
{
    struct tune_figures f = {NAN, NAN, NAN};
    if (set->launches.n == 0) return 0;
    if (tune_figures(t, set, at, &f, err) < 0) return -1;
    json_object_set_new(out, name,
                        json_pack("{s:o,s:o,s:o}", "metric", json_or_null(f.metric), "same_machine_without",
                                  json_or_null(f.machine_alone), "over_same_machine",
                                  json_or_null(f.over_same_machine)));
    return 0;
}

static int compare_on_both(struct tune *t, const struct tune_place *at, json_t *out, struct error *err)
{
    return compare_on(t, &t->train, at, out, "train", err) < 0 ? -1 : compare_on(t, &t->test, at, out, "heldout", err);
}

int tune_compare(struct tune *t, struct runner *runner, json_t *report, struct error *err)
{
    const struct trial *best = tune_best(t);
    json_t *compared = json_object();
    const size_t point = best ? best->point : 0, runs = t->runs;
    t->runner = runner;
    json_object_set_new(compared, "machine_is_tuned", json_boolean(has_machine_axes(t)));
    json_object_set_new(report, "compared", compared);
    int result = compare_on_both(t, &(struct tune_place){.point = &point}, compared, err);
    for (int k = 0; k < N_TUNE_NAMED && result == 0; k++) {
        if (k == TUNE_PUBLISHED && !t->named[k].has_values) continue;
        result = compare_on_both(t, &(struct tune_place){.values = t->named[k].values},
                                 json_object_get(report, tune_named_words[k]), err);
    }
    t->runs = runs; /* no cost of the method */
    return result < 0 ? error_while(err, "comparing the best point") : 0;
}
