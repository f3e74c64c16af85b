/* What a tuning found: the best point, its regret against the grid, sensitivity, and what of it holds on the
 * held-out set. */
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_statistics_double.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "poise/lab.h"
#include "poise/numerics.h"
#include "studies/tune/tune_internal.h"

enum { GRID_FREE_MAX = 4096, INTEGRATION_POINTS = 256, PROFILE_POINTS = 16 };

/* The share of the variance over the whole space that each parameter explains alone: first-order Sobol indices of the
 * surrogate that is fitted to all full trials. No further runs. */
static int sensitivity(const struct tune *t, json_t *out, struct error *err)
{
    const size_t d = t->axes.n;
    double *x = calloc(t->n_trials * d + 1, sizeof *x), *y = calloc(t->n_trials + 1, sizeof *y),
           base[INTEGRATION_POINTS][AXES_MAX], values[INTEGRATION_POINTS], v;
    numerics_set_up();
    gsl_qrng *sobol = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)d);
    struct gp *gp = NULL;
    size_t n = 0;
    int result = x && y && sobol ? 0 : error_set(err, ERR_MEMORY, "out of memory for the sensitivity");
    for (size_t i = 0; i < t->n_trials && result == 0; i++)
        if (t->trials[i].rung == 0 && !isnan(t->trials[i].score)) {
            point_coordinates(&t->axes, t->trials[i].point, x + n * d);
            y[n++] = t->trials[i].metrics[0];
        }
    if (result == 0 && n >= 2) result = gp_fit(&gp, x, y, n, d, GP_EXACT, err);
    if (gp) {
        for (size_t i = 0; i < INTEGRATION_POINTS; i++) {
            gsl_qrng_get(sobol, base[i]);
            gp_predict(gp, base[i], &values[i], &v);
        }
        const double total = gsl_stats_variance(values, 1, INTEGRATION_POINTS);
        for (size_t a = 0; a < d; a++) {
            double profile[PROFILE_POINTS], z[AXES_MAX], m;
            for (size_t k = 0; k < PROFILE_POINTS; k++) {
                profile[k] = 0;
                for (size_t i = 0; i < INTEGRATION_POINTS; i += 4) {
                    for (size_t c = 0; c < d; c++) z[c] = c == a ? ((double)k + 0.5) / PROFILE_POINTS : base[i][c];
                    gp_predict(gp, z, &m, &v);
                    profile[k] += m / (INTEGRATION_POINTS / 4);
                }
            }
            const double share = total > 0 ? gsl_stats_variance(profile, 1, PROFILE_POINTS) / total : 0;
            json_object_set_new(out, t->axes.items[a].name, json_or_null(share < 1 ? share : 1));
        }
    }
    gp_free(gp);
    if (sobol) gsl_qrng_free(sobol);
    free(x);
    free(y);
    return result;
}

/* (best of the grid - best found) / best of the grid. Where the store has the whole grid it costs nothing. */
static int regret(struct tune *t, const struct trial *best, double *out, struct error *err)
{
    const double grid = tune_grid_size(t);
    *out = NAN;
    if (t->is_sampled) return 0; /* the grid's best is not known exactly */
    if (t->asker) return 0;      /* whoever evaluates is not asked for the whole grid */
    if (grid > (t->wants_regret ? COMBINATIONS_MAX : GRID_FREE_MAX)) return 0;
    size_t *points = calloc((size_t)grid + 1, sizeof *points), n = 0;
    double *metrics = calloc((size_t)grid * t->n_objectives + 1, sizeof *metrics), most = best->score;
    int result = points && metrics ? 0 : error_set(err, ERR_MEMORY, "out of memory for the grid");
    bool is_known = true;
    const size_t runs = t->runs; /* what the grid takes is no cost of the method */
    for (size_t p = 0; p < (size_t)grid && result == 0; p++)
        if (tune_allows(t, p)) points[n++] = p;
    if (result == 0) result = tune_score(t, &t->train, points, n, 0, !t->wants_regret, &is_known, metrics, err);
    t->runs = runs;
    for (size_t i = 0; i < n && result == 0 && is_known; i++)
        if (isfinite(metrics[i * t->n_objectives]))
            most = fmax(most, (t->objectives[0].is_min ? -1 : 1) * metrics[i * t->n_objectives]);
    if (result == 0 && is_known) *out = fabs(most) > 0 ? (most - best->score) / fabs(most) : 0;
    free(points);
    free(metrics);
    return result;
}

/* The best trials, best first. */
static size_t best_few(const struct tune *t, const struct trial *out[TUNE_TOP])
{
    size_t n = 0;
    for (; n < TUNE_TOP; n++) {
        const struct trial *next = NULL;
        for (size_t i = 0; i < t->n_trials; i++) {
            bool is_taken = t->trials[i].rung != 0 || isnan(t->trials[i].score);
            for (size_t k = 0; k < n; k++) is_taken |= out[k] == &t->trials[i];
            if (!is_taken && (!next || t->trials[i].score > next->score)) next = &t->trials[i];
        }
        if (!next) break;
        out[n] = next;
    }
    return n;
}

static int judge(struct tune *t, const size_t *points, size_t n, struct tune_value *out, struct error *err)
{
    double all[TUNE_TOP * TUNE_OBJECTIVES_MAX];
    for (size_t i = 0; i < n; i++) out[i] = TUNE_NO_VALUE;
    if (t->asker || !t->test.launches.n) return 0;
    if (t->is_sampled) return tune_estimate(t, &t->test, points, n, out, err);
    if (tune_score(t, &t->test, points, n, 0, false, NULL, all, err) < 0) return -1;
    for (size_t i = 0; i < n; i++) out[i].value = all[i * t->n_objectives];
    return 0;
}

/* The best few points on the held-out set: a gap between the sets, or an order that does not carry over, is
 * overfitting. */
static int held_out(struct tune *t, json_t *report, struct error *err)
{
    const struct trial *few[TUNE_TOP];
    size_t points[TUNE_TOP];
    struct tune_value values[TUNE_TOP];
    double train[TUNE_TOP], test[TUNE_TOP], work[2 * TUNE_TOP];
    json_t *top = json_array(), *out = json_object();
    const size_t n = best_few(t, few);
    json_object_set_new(report, "overfitting", out);
    json_object_set_new(out, "top", top);
    for (size_t i = 0; i < n; i++) points[i] = few[i]->point;
    if (judge(t, points, n, values, err) < 0) return -1;
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_pack("{s:o}", "params", tune_params_json(t, points[i]));
        const struct tune_value own = tune_trial_value(few[i]);
        train[i] = own.value, test[i] = values[i].value;
        tune_set_value(row, "train", &own);
        tune_set_value(row, "heldout", &values[i]);
        json_array_append_new(top, row);
    }
    const bool is_there = n > 0 && isfinite(test[0]), is_exact = is_there && !t->is_sampled;
    json_object_set_new(report, "heldout_metric", is_exact ? json_or_null(test[0]) : json_null());
    if (t->is_sampled) tune_set_value(report, "heldout_estimate", n ? &values[0] : &TUNE_NO_VALUE);
    json_object_set_new(out, "gap", is_there ? json_or_null(train[0] - test[0]) : json_null());
    json_object_set_new(out, "rank_correlation",
                        is_there && n > 2 ? json_or_null(gsl_stats_spearman(train, 1, test, 1, n, work)) : json_null());
    return 0;
}

/* Why no point has a figure: runs failed, or the formula gives none. */
static int no_best(const struct tune *t, struct error *err)
{
    if (t->asker) return error_set(err, ERR_RUN, "%s: no trial has a value", t->name);
    if (t->has_failed)
        return error_set(err, ERR_RUN, "%s: no point could be simulated on every kernel%s%.400s", t->name,
                         t->failure.code != ERR_NONE ? "; the first failure: " : "",
                         t->failure.code != ERR_NONE ? t->failure.text : "");
    const struct yaml_node *metric = yaml_get(yaml_root(t->file), "metric"), *where;
    if (tune_n_full(t) == 0) {
        where = yaml_get(yaml_root(t->file), "where");
        return yaml_error(t->file, where ? where : yaml_get(yaml_root(t->file), "parameters"), err,
                          "no point is allowed: %s leave none of %.15g",
                          where ? "these conditions" : "what mechanisms and 'when' ask for", tune_grid_size(t));
    }
    return yaml_error(
        t->file, metric ? metric : yaml_root(t->file), err,
        "the metric '%.200s' is no finite number at any of %zu points: does it divide by a figure that is 0 "
        "in these runs?",
        t->objectives[0].text, tune_n_full(t));
}

int tune_report(struct tune *t, json_t **out, struct error *err)
{
    const struct trial *best = tune_best(t);
    if (!best) return no_best(t, err);
    const struct trial found = *best;
    json_t *report = json_object(), *trials = json_array(), *shares = json_object();
    double loss = NAN;
    int result = regret(t, &found, &loss, err);
    json_object_set_new(report, "name", json_string(t->name));
    json_object_set_new(report, "metric", json_string(t->objectives[0].text));
    json_object_set_new(report, "is_min", json_boolean(t->objectives[0].is_min));
    json_object_set_new(report, "best", json_pack("{s:o}", "params", tune_params_json(t, found.point)));
    json_object_set_new(report, "train_metric", t->is_sampled ? json_null() : json_or_null(found.metrics[0]));
    if (t->is_sampled)
        tune_set_value(report, "train_estimate", &(struct tune_value){found.metrics[0], found.low, found.high});
    json_object_set_new(report, "regret", json_or_null(loss));
    json_object_set_new(report, "runs", json_integer((json_int_t)t->runs));
    json_object_set_new(report, "points", json_integer((json_int_t)tune_n_full(t)));
    json_object_set_new(report, "grid", json_or_null(tune_space_size(t)));
    json_object_set_new(report, "sensitivity", shares);
    if (result == 0) result = sensitivity(t, shares, err);
    if (result == 0) result = held_out(t, report, err);
    if (result == 0 && t->n_objectives > 1) result = tune_add_front(t, report, err);
    for (size_t i = 0; i < t->n_trials; i++) {
        const struct trial *trial = &t->trials[i];
        const struct tune_value value = tune_trial_value(trial);
        json_t *row = json_pack("{s:o,s:i}", "params", tune_params_json(t, trial->point), "rung", (int)trial->rung);
        tune_set_value(row, "metric", &value);
        const char *named = tune_name_of(t, trial->point);
        if (named) json_object_set_new(row, "named", json_string(named));
        if (t->n_objectives > 1) json_object_set_new(row, "metrics", tune_metrics_json(t, trial->metrics));
        json_array_append_new(trials, row);
    }
    json_object_set_new(report, "trials", trials);
    tune_add_named(t, report);
    if (t->is_sampled) json_object_set_new(report, "sample", tune_sample_json(t));
    if (result < 0) json_decref(report);
    else *out = report;
    return result;
}

int tune_run(struct tune *t, struct runner *runner, json_t **report, struct error *err)
{
    t->runner = runner;
    *report = NULL;
    if (t->train.launches.n == 0) return error_set(err, ERR_INPUT, "%s: no launch to tune on", t->name);
    return tune_search(t, err) < 0 ? -1 : tune_report(t, report, err);
}
