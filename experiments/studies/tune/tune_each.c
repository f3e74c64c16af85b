/* What a point for all benchmarks costs each of them: every benchmark is tuned on its own, with the same method and
 * budget. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

static int take_launches(struct tune *to, const struct tune_set *from, const struct workload *w, struct error *err)
{
    for (size_t i = 0; i < from->launches.n; i++)
        if (from->launches.items[i].workload == w &&
            launches_add(&to->train.launches, &from->launches.items[i], err) < 0)
            return -1;
    return 0;
}

/* The benchmark's own best and what the shared point does on it; sums of inverses for the harmonic means. */
static int tune_one(struct tune *t, size_t shared, bool is_heldout, struct runner *runner, json_t *list,
                    double inverse[2], struct error *err)
{
    const char *name = t->train.launches.items[0].workload->name;
    json_t *own = NULL, *row;
    double metrics[TUNE_OBJECTIVES_MAX] = {NAN};
    if (tune_run(t, runner, &own, err) < 0) return error_while(err, "%s", name);
    const int result = tune_score(t, &t->train, &shared, 1, 0, false, NULL, metrics, err);
    if (result == 0) {
        const double best = json_number_value(json_object_get(own, "train_metric"));
        row = json_pack("{s:s,s:b,s:O,s:o,s:o,s:O}", "name", name, "heldout", is_heldout, "best",
                        json_object_get(own, "best"), "metric", json_or_null(best), "shared_metric",
                        json_or_null(metrics[0]), "runs", json_object_get(own, "runs"));
        json_array_append_new(list, row);
        inverse[0] += 1 / best;
        inverse[1] += 1 / metrics[0];
    }
    json_decref(own);
    return result;
}

int tune_each(struct tune *tune, const char *path, const char *configs_dir, struct runner *runner, json_t *report,
              struct error *err)
{
    const struct trial *best = tune_best(tune);
    const size_t shared = best->point;
    json_t *list = json_array();
    double inverse[2] = {0}, n = 0;
    int result = 0;
    for (int is_heldout = 0; is_heldout < 2 && result == 0; is_heldout++) {
        const struct tune_set *set = is_heldout ? &tune->test : &tune->train;
        for (size_t i = 0; i < set->launches.n && result == 0; i++) {
            const struct workload *w = set->launches.items[i].workload;
            bool is_first = true;
            struct tune *own;
            for (size_t k = 0; k < i; k++) is_first &= set->launches.items[k].workload != w;
            if (!is_first) continue;
            if ((result = tune_load_again(&own, tune, path, configs_dir, err)) < 0) break;
            result = take_launches(own, set, w, err);
            if (result == 0) result = tune_one(own, shared, is_heldout, runner, list, inverse, err);
            tune_free(own);
            n++;
        }
    }
    json_object_set_new(report, "each",
                        json_pack("{s:o,s:o,s:o}", "benchmarks", list, "mean", json_or_null(n / inverse[0]),
                                  "shared_mean", json_or_null(n / inverse[1])));
    return result;
}
