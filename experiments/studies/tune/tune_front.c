/* Several objectives at once: what no point beats, and how much of the space that is. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

enum { FRONT_MAX = 64 };
#define PAREGO_RHO 0.05 /* [Knowles 2006] */

json_t *tune_metrics_json(const struct tune *t, const double *metrics)
{
    json_t *list = json_array();
    for (size_t k = 0; k < t->n_objectives; k++) json_array_append_new(list, json_or_null(metrics[k]));
    return list;
}

void tune_costs(const struct tune *t, const struct trial *trial, double out[TUNE_OBJECTIVES_MAX])
{
    for (size_t k = 0; k < t->n_objectives; k++)
        out[k] = t->objectives[k].is_min ? trial->metrics[k] : -trial->metrics[k];
}

static bool is_whole(const struct tune *t, const struct trial *trial)
{
    bool is = trial->rung == 0;
    for (size_t k = 0; k < t->n_objectives; k++) is &= isfinite(trial->metrics[k]) != 0;
    return is;
}

/* No worse in anything, and better in something; of equals the first. */
static bool beats(const struct tune *t, const struct trial *a, const struct trial *b)
{
    double x[TUNE_OBJECTIVES_MAX], y[TUNE_OBJECTIVES_MAX];
    bool is_better = false;
    tune_costs(t, a, x);
    tune_costs(t, b, y);
    for (size_t k = 0; k < t->n_objectives; k++) {
        if (x[k] > y[k]) return false;
        is_better |= x[k] < y[k];
    }
    return is_better || a < b;
}

size_t tune_front(const struct tune *t, const struct trial **out, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_trials && n < max; i++) {
        bool is_beaten = !is_whole(t, &t->trials[i]);
        for (size_t k = 0; k < t->n_trials && !is_beaten; k++)
            is_beaten = k != i && is_whole(t, &t->trials[k]) && beats(t, &t->trials[k], &t->trials[i]);
        if (is_beaten) continue;
        size_t at = n++; /* by the first objective, the best first */
        for (; at > 0 && out[at - 1]->score < t->trials[i].score; at--) out[at] = out[at - 1];
        out[at] = &t->trials[i];
    }
    return n;
}

/* The least and the most of each cost over the trials. */
static void box_of(const struct tune *t, double *lows, double *highs)
{
    for (size_t k = 0; k < t->n_objectives; k++) lows[k] = INFINITY, highs[k] = -INFINITY;
    for (size_t i = 0; i < t->n_trials; i++) {
        double costs[TUNE_OBJECTIVES_MAX];
        if (!is_whole(t, &t->trials[i])) continue;
        tune_costs(t, &t->trials[i], costs);
        for (size_t k = 0; k < t->n_objectives; k++)
            lows[k] = fmin(lows[k], costs[k]), highs[k] = fmax(highs[k], costs[k]);
    }
}

void tune_scalarise(const struct tune *t, const double *weights, double *scores)
{
    double lows[TUNE_OBJECTIVES_MAX], highs[TUNE_OBJECTIVES_MAX];
    box_of(t, lows, highs);
    for (size_t i = 0; i < t->n_trials; i++) {
        double costs[TUNE_OBJECTIVES_MAX], most = 0, sum = 0;
        scores[i] = NAN;
        if (!is_whole(t, &t->trials[i])) continue;
        tune_costs(t, &t->trials[i], costs);
        for (size_t k = 0; k < t->n_objectives; k++) {
            const double share = highs[k] > lows[k] ? weights[k] * (costs[k] - lows[k]) / (highs[k] - lows[k]) : 0;
            most = fmax(most, share);
            sum += share;
        }
        scores[i] = -(most + PAREGO_RHO * sum);
    }
}

/* ---- hypervolume: slices along the last objective, each of which is a volume of one dimension less ---- */

static int by_last(const void *a, const void *b, void *d)
{
    const double x = ((const double *)a)[*(const size_t *)d - 1], y = ((const double *)b)[*(const size_t *)d - 1];
    return (x > y) - (x < y);
}

/* Points lie in the unit cube, smaller is better, the corner (1, .., 1) is the worst. Sorts them. */
static double volume(double (*points)[TUNE_OBJECTIVES_MAX], size_t n, size_t d)
{
    double sum = 0;
    if (n == 0) return 0;
    if (d == 1) {
        double least = 1;
        for (size_t i = 0; i < n; i++) least = fmin(least, points[i][0]);
        return 1 - least;
    }
    double(*copy)[TUNE_OBJECTIVES_MAX] = malloc(n * sizeof *copy);
    if (!copy) return NAN;
    qsort_r(points, n, sizeof *points, by_last, &d);
    for (size_t i = 0; i < n; i++) {
        const double top = i + 1 < n ? points[i + 1][d - 1] : 1, thick = fmin(top, 1) - fmin(points[i][d - 1], 1);
        if (thick <= 0) continue;
        memcpy(copy, points, (i + 1) * sizeof *copy);
        sum += thick * volume(copy, i + 1, d - 1);
    }
    free(copy);
    return sum;
}

double tune_hypervolume(const double (*points)[TUNE_OBJECTIVES_MAX], size_t n, size_t d, const double *lows,
                        const double *highs)
{
    double(*unit)[TUNE_OBJECTIVES_MAX] = calloc(n + 1, sizeof *unit);
    if (!unit) return NAN;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            unit[i][k] = highs[k] > lows[k] ? fmin(1, fmax(0, (points[i][k] - lows[k]) / (highs[k] - lows[k]))) : 0;
    const double result = volume(unit, n, d);
    free(unit);
    return result;
}

static double hypervolume_of(const struct tune *t, const struct trial *const *front, size_t n)
{
    double lows[TUNE_OBJECTIVES_MAX], highs[TUNE_OBJECTIVES_MAX], costs[FRONT_MAX][TUNE_OBJECTIVES_MAX];
    box_of(t, lows, highs);
    for (size_t i = 0; i < n; i++) tune_costs(t, front[i], costs[i]);
    return tune_hypervolume((const double(*)[TUNE_OBJECTIVES_MAX])costs, n, t->n_objectives, lows, highs);
}

/* ---- the report ---- */

int tune_add_front(struct tune *t, json_t *report, struct error *err)
{
    const struct trial *front[FRONT_MAX];
    size_t points[FRONT_MAX];
    double test[FRONT_MAX * TUNE_OBJECTIVES_MAX];
    const size_t n = tune_front(t, front, FRONT_MAX);
    const bool is_judged = !t->asker && t->test.launches.n > 0;
    json_t *objectives = json_array(), *list = json_array();
    json_object_set_new(report, "objectives", objectives);
    json_object_set_new(report, "front", list);
    for (size_t k = 0; k < t->n_objectives; k++)
        json_array_append_new(objectives, json_pack("{s:s,s:s}", "metric", t->objectives[k].text, "goal",
                                                    t->objectives[k].is_min ? "min" : "max"));
    json_object_set_new(report, "hypervolume", json_or_null(hypervolume_of(t, front, n)));
    for (size_t i = 0; i < n; i++) points[i] = front[i]->point;
    if (is_judged && tune_score(t, &t->test, points, n, 0, false, NULL, test, err) < 0) return -1;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:o,s:o,s:o}", "params", tune_params_json(t, points[i]), "metrics",
                                        tune_metrics_json(t, front[i]->metrics), "heldout",
                                        is_judged ? tune_metrics_json(t, test + i * t->n_objectives) : json_null()));
    return 0;
}
