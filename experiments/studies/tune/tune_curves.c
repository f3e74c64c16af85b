/* What the budget buys: the spec's method and its rivals over several seeds, the best value after each trial. Of
 * several metrics it is the share of the box between the worst and the best of all their trials that is dominated. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

/* One search: its trials in full, in order. */
struct search {
    struct trial *trials;
    size_t n;
};
struct curves {
    const struct tune *t;
    struct search *searches; /* methods x seeds */
    size_t n_methods, n_seeds;
    double lows[TUNE_OBJECTIVES_MAX], highs[TUNE_OBJECTIVES_MAX];
};

static int search_once(const struct curves *c, enum tune_method method, uint64_t seed, const char *path,
                       const char *configs_dir, struct runner *runner, struct search *out, struct error *err)
{
    struct tune *own;
    if (tune_load_again(&own, c->t, path, configs_dir, err) < 0) return -1;
    own->method = method;
    own->seed = seed;
    own->runner = runner;
    int result = tune_take_launches(own, c->t, err);
    if (result == 0) result = tune_search(own, err);
    for (size_t i = 0; i < own->n_trials && result == 0; i++)
        if (own->trials[i].rung == 0) own->trials[out->n++] = own->trials[i];
    if (result == 0) out->trials = own->trials, own->trials = NULL;
    tune_free(own);
    return result;
}

static void find_box(struct curves *c)
{
    for (size_t k = 0; k < c->t->n_objectives; k++) c->lows[k] = INFINITY, c->highs[k] = -INFINITY;
    for (size_t s = 0; s < c->n_methods * c->n_seeds; s++)
        for (size_t i = 0; i < c->searches[s].n; i++) {
            double costs[TUNE_OBJECTIVES_MAX];
            tune_costs(c->t, &c->searches[s].trials[i], costs);
            for (size_t k = 0; k < c->t->n_objectives; k++)
                if (isfinite(costs[k]))
                    c->lows[k] = fmin(c->lows[k], costs[k]), c->highs[k] = fmax(c->highs[k], costs[k]);
        }
}

/* After the first n trials; what a search has not reached is as it was at its end. */
static double value_after(const struct curves *c, const struct search *s, size_t n)
{
    double costs[TUNE_OBJECTIVES_MAX], best = NAN, value;
    double(*points)[TUNE_OBJECTIVES_MAX] = calloc(s->n + 1, sizeof *points);
    size_t n_points = 0;
    for (size_t i = 0; i < s->n && i < n && points; i++) {
        bool is_whole = true;
        if (s->trials[i].score > best || isnan(best)) best = s->trials[i].score;
        tune_costs(c->t, &s->trials[i], costs);
        for (size_t k = 0; k < c->t->n_objectives; k++) is_whole &= isfinite(costs[k]) != 0;
        if (is_whole) memcpy(points[n_points++], costs, sizeof costs);
    }
    if (c->t->n_objectives == 1) value = c->t->objectives[0].is_min ? -best : best;
    else
        value = tune_hypervolume((const double(*)[TUNE_OBJECTIVES_MAX])points, n_points, c->t->n_objectives, c->lows,
                                 c->highs);
    free(points);
    return value;
}

static json_t *curve_of(const struct curves *c, size_t method, const char *name)
{
    json_t *mean = json_array(), *low = json_array(), *high = json_array();
    for (size_t n = 1; n <= c->t->budget; n++) {
        double sum = 0, least = INFINITY, most = -INFINITY, used = 0;
        for (size_t s = 0; s < c->n_seeds; s++) {
            const double v = value_after(c, &c->searches[method * c->n_seeds + s], n);
            if (!isfinite(v)) continue;
            sum += v, used++;
            least = fmin(least, v), most = fmax(most, v);
        }
        json_array_append_new(mean, json_or_null(sum / used));
        json_array_append_new(low, json_or_null(least));
        json_array_append_new(high, json_or_null(most));
    }
    return json_pack("{s:s,s:o,s:o,s:o}", "method", name, "mean", mean, "least", low, "most", high);
}

static int methods_of(const struct tune *t, const char *const *against, size_t n_against, enum tune_method *out,
                      size_t *n, struct error *err)
{
    out[(*n)++] = t->method;
    for (size_t i = 0; i < n_against; i++) {
        const int method = tune_method_find(against[i]);
        if (method < 0)
            return error_set(err, ERR_USAGE, "--against %s: no such method; 'poise tune --help' lists them",
                             against[i]);
        if (method == TUNE_halving || t->method == TUNE_halving)
            return error_set(err, ERR_USAGE, "--against: halving spends its budget on prefixes, and has no such curve");
        if (tune_method_takes(t, (enum tune_method)method)) out[(*n)++] = (enum tune_method)method;
        else
            return error_set(err, ERR_USAGE, "--against %s: it follows one metric, and this spec has several",
                             against[i]);
    }
    return 0;
}

int tune_check_rivals(const struct tune *t, const struct tune_rivals *rivals, struct error *err)
{
    enum tune_method methods[N_TUNE_METHODS + TUNE_RIVALS_MAX];
    size_t n = 0;
    if (rivals->n > TUNE_RIVALS_MAX) return error_set(err, ERR_USAGE, "--against: at most %d methods", TUNE_RIVALS_MAX);
    return methods_of(t, rivals->names, rivals->n, methods, &n, err);
}

int tune_curves(struct tune *t, const struct tune_rivals *rivals, const char *path, const char *configs_dir,
                struct runner *runner, json_t *report, struct error *err)
{
    enum tune_method methods[N_TUNE_METHODS + TUNE_RIVALS_MAX];
    struct curves c = {.t = t, .n_seeds = rivals->seeds ? rivals->seeds : 5};
    json_t *list = json_array();
    int result = methods_of(t, rivals->names, rivals->n, methods, &c.n_methods, err);
    if (result == 0 && !(c.searches = calloc(c.n_methods * c.n_seeds, sizeof *c.searches)))
        result = error_set(err, ERR_MEMORY, "out of memory for curves");
    for (size_t m = 0; m < c.n_methods && result == 0; m++)
        for (size_t s = 0; s < c.n_seeds && result == 0; s++)
            result = search_once(&c, methods[m], t->seed + s, path, configs_dir, runner, &c.searches[m * c.n_seeds + s],
                                 err);
    if (result == 0) find_box(&c);
    for (size_t m = 0; m < c.n_methods && result == 0; m++)
        json_array_append_new(list, curve_of(&c, m, tune_method_name(methods[m])));
    for (size_t i = 0; c.searches && i < c.n_methods * c.n_seeds; i++) free(c.searches[i].trials);
    free(c.searches);
    json_object_set_new(report, "curves",
                        json_pack("{s:s,s:I,s:I,s:o}", "of",
                                  t->n_objectives > 1 ? "hypervolume" : t->objectives[0].text, "seeds",
                                  (json_int_t)c.n_seeds, "budget", (json_int_t)t->budget, "methods", list));
    return result;
}
