/* What tuning a stack at once gains over tuning each of its mechanisms alone: each part (a mechanism, or the machine)
 * is tuned without the others, with its share of the budget, and what was found is put together. A mechanism that may
 * be left out is left out unless it gains alone. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

enum { THE_MACHINE = -1 };

/* Parameters of a part that are searched. */
static size_t axes_of(const struct tune *t, int part)
{
    size_t n = 0;
    for (size_t a = 0; a < t->axes.n; a++) n += t->target[a] == part && !tune_is_optional(t, a);
    return n;
}

/* Conditions on parameters that have gone ask nothing. */
static size_t keep_conditions(struct condition *conditions, size_t *axis_of, size_t n, const int *now_at)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct condition c = conditions[i];
        if ((c.left >= 0 && now_at[c.left] < 0) || (c.right >= 0 && now_at[c.right] < 0)) continue;
        if (axis_of && now_at[axis_of[i]] < 0) continue;
        if (c.left >= 0) c.left = now_at[c.left];
        if (c.right >= 0) c.right = now_at[c.right];
        if (axis_of) axis_of[kept] = (size_t)now_at[axis_of[i]];
        conditions[kept++] = c;
    }
    return kept;
}

/* The tuning of one part alone: its mechanism by itself, its parameters, its share of the budget. */
static void keep_part(struct tune *t, int part)
{
    int now_at[AXES_MAX];
    const size_t all = t->axes.n;
    struct axes kept = t->axes;
    kept.n = 0;
    for (size_t a = 0; a < all; a++) {
        now_at[a] = t->target[a] == part && !tune_is_optional(t, a) ? (int)kept.n : -1;
        if (now_at[a] < 0) {
            free(t->axes.items[a].values);
            continue;
        }
        t->key[kept.n] = t->key[a];
        t->target[kept.n] = part == THE_MACHINE ? THE_MACHINE : 0;
        kept.items[kept.n++] = t->axes.items[a];
    }
    t->axes = kept;
    t->n_conditions = keep_conditions(t->conditions, NULL, t->n_conditions, now_at);
    t->n_whens = keep_conditions(t->whens, t->when_axis, t->n_whens, now_at);
    t->n_seeds = 0;
    for (int k = 0; k < (int)t->n_stack; k++)
        if (k != part) mech_free(&t->stack[k]);
    if (part > 0) {
        t->stack[0] = t->stack[part];
        memcpy(t->swl_key[0], t->swl_key[part], sizeof t->swl_key[0]);
    }
    t->n_stack = part == THE_MACHINE ? 0 : 1;
    for (size_t k = 0; k < MECH_STACK_MAX; k++) t->presence[k] = -1;
    const uint64_t share = (t->budget * kept.n + all / 2) / all;
    t->budget = share > 2 ? share : 2;
    if (t->initial > t->budget) t->initial = t->budget;
}

int tune_take_launches(struct tune *to, const struct tune *from, struct error *err)
{
    for (size_t i = 0; i < from->train.launches.n; i++)
        if (launches_add(&to->train.launches, &from->train.launches.items[i], err) < 0) return -1;
    return 0;
}

/* Whether the part's best is better than the baseline on its machine. */
static int gains(struct tune *own, bool *out, struct error *err)
{
    const struct trial *best = tune_best(own);
    struct tune_figures f = TUNE_NO_FIGURES;
    if (tune_figures(own, &own->train, &(struct tune_place){.point = &best->point}, true, &f, err) < 0) return -1;
    *out = own->objectives[0].is_min ? f.metric.value < f.machine_alone.value : f.metric.value > f.machine_alone.value;
    return 0;
}

/* A mechanism that may be left out is in the stack if it gains alone. */
static void choose_presence(const struct tune *whole, int part, bool is_in, json_t *found)
{
    const int a = part == THE_MACHINE ? -1 : whole->presence[part];
    for (size_t i = 0; a >= 0 && i < whole->axes.items[a].n; i++)
        if (tune_is_on(whole->axes.items[a].values[i]) == is_in)
            json_object_set_new(found, whole->axes.items[a].name, json_string(whole->axes.items[a].values[i]));
}

static int tune_part(struct tune *whole, int part, const char *path, const char *configs_dir, struct runner *runner,
                     json_t *list, json_t *found, struct error *err)
{
    struct tune *own;
    json_t *report = NULL;
    const char *name = part == THE_MACHINE ? "the machine" : mech_name(whole->stack[part].type);
    if (tune_load_again(&own, whole, path, configs_dir, err) < 0) return -1;
    keep_part(own, part);
    int result = tune_take_launches(own, whole, err);
    bool is_gain = true;
    if (result == 0) result = tune_run(own, runner, &report, err);
    if (result == 0) result = gains(own, &is_gain, err);
    if (result < 0) {
        error_while(err, "%s alone", name);
    } else {
        json_t *best = json_object_get(json_object_get(report, "best"), "params");
        json_object_update(found, best);
        choose_presence(whole, part, is_gain, found);
        json_array_append_new(list, json_pack("{s:s,s:{s:O},s:O,s:O,s:b}", "name", name, "best", "params", best,
                                              "metric", json_object_get(report, "train_metric"), "points",
                                              json_object_get(report, "points"), "gains", is_gain));
    }
    json_decref(report);
    tune_free(own);
    return result;
}

static int judge(struct tune *t, size_t point, json_t *out, struct error *err)
{
    double metrics[TUNE_OBJECTIVES_MAX];
    if (tune_score(t, &t->train, &point, 1, 0, false, NULL, metrics, err) < 0) return -1;
    json_object_set_new(out, "params", tune_params_json(t, point));
    json_object_set_new(out, "train", json_or_null(metrics[0]));
    metrics[0] = NAN;
    if (t->test.launches.n && tune_score(t, &t->test, &point, 1, 0, false, NULL, metrics, err) < 0) return -1;
    json_object_set_new(out, "heldout", json_or_null(metrics[0]));
    return 0;
}

int tune_apart(struct tune *t, const char *path, const char *configs_dir, struct runner *runner, json_t *report,
               struct error *err)
{
    json_t *parts = json_array(), *found = json_object(), *together = json_object(), *joint = json_object();
    const struct trial *best = tune_best(t);
    const size_t runs = t->runs;
    size_t point, n = 0;
    char why[200] = "";
    int result = 0;
    for (int part = THE_MACHINE; part < (int)t->n_stack; part++) n += axes_of(t, part) > 0;
    if (n < 2) result = error_set(err, ERR_INPUT, "%s: --apart needs parameters of two mechanisms at least", t->name);
    for (int part = 0; part < (int)t->n_stack; part++) choose_presence(t, part, true, found); /* without parameters */
    for (int part = THE_MACHINE; part < (int)t->n_stack && result == 0; part++)
        if (axes_of(t, part)) result = tune_part(t, part, path, configs_dir, runner, parts, found, err);
    if (result == 0 && best) result = judge(t, best->point, joint, err);
    if (result == 0 && tune_point_of(t, tune_value_of_json, found, &point, why, sizeof why) == 0)
        result = judge(t, point, together, err);
    else if (result == 0) json_object_set_new(together, "why", json_string(why));
    t->runs = runs; /* no cost of the method */
    json_object_set_new(report, "apart",
                        json_pack("{s:o,s:o,s:o}", "parts", parts, "together", together, "joint", joint));
    json_decref(found);
    return result;
}
