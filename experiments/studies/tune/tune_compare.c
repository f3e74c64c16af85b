/* What the best point is compared with: the same machine without the mechanism, the machine that the tuning began with,
 * and the stack's own values, which the papers published or we assumed. */
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

/* A value as JSON: a number where it is one. */
static json_t *value_json(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return *end || end == text               ? json_string(text)
           : v == floor(v) && fabs(v) < 1e15 ? json_integer((json_int_t)v)
                                             : json_real(v);
}

/* The value that an axis has by itself, and where it comes from. */
static void add_own_value(const struct tune *t, size_t axis, json_t *params, json_t *sources)
{
    const struct param_row *row = NULL;
    const void *values = NULL;
    char text[PARAM_TEXT_MAX];
    size_t n_groups;
    if (tune_is_optional(t, axis)) {
        json_object_set_new(params, t->axes.items[axis].name, json_string("on"));
        return;
    }
    const char *dot = strchr(t->key[axis], '.');
    const struct gpu_param_group *groups = gpu_param_groups(&n_groups);
    if (t->target[axis] >= 0) {
        row = params_find(mech_params(t->stack[t->target[axis]].type), t->key[axis]);
        values = t->stack[t->target[axis]].params;
    }
    for (size_t g = 0; t->target[axis] < 0 && dot && g < n_groups; g++)
        if (strlen(groups[g].table.owner) == (size_t)(dot - t->key[axis]) &&
            strncmp(groups[g].table.owner, t->key[axis], (size_t)(dot - t->key[axis])) == 0) {
            row = params_find(&groups[g].table, dot + 1);
            values = (const char *)t->params + groups[g].offset;
        }
    if (!row) return;
    json_object_set_new(params, t->axes.items[axis].name, value_json(params_text(row, values, text, sizeof text)));
    json_object_set_new(sources, t->axes.items[axis].name, json_string(row->source));
}

/* On one set: the metric, what the machine alone gives, and the speedup over that machine. */
static int compare_on(struct tune *t, struct tune_set *set, const size_t *point, json_t *out, const char *name,
                      struct error *err)
{
    struct tune_figures f = {NAN, NAN, NAN};
    if (set->launches.n == 0) return 0;
    if (tune_figures(t, set, point, &f, err) < 0) return -1;
    json_object_set_new(out, name,
                        json_pack("{s:o,s:o,s:o}", "metric", json_or_null(f.metric), "same_machine_without",
                                  json_or_null(f.machine_alone), "over_same_machine",
                                  json_or_null(f.over_same_machine)));
    return 0;
}

int tune_compare(struct tune *t, struct runner *runner, json_t *report, struct error *err)
{
    const struct trial *best = tune_best(t);
    json_t *compared = json_object(), *own = json_object(), *params = json_object(), *sources = json_object();
    const size_t point = best ? best->point : 0, runs = t->runs;
    t->runner = runner;
    for (size_t a = 0; a < t->axes.n; a++) add_own_value(t, a, params, sources);
    json_object_set_new(own, "params", params);
    json_object_set_new(own, "sources", sources);
    json_object_set_new(compared, "machine_is_tuned", json_boolean(has_machine_axes(t)));
    int result = compare_on(t, &t->train, &point, compared, "train", err);
    if (result == 0) result = compare_on(t, &t->test, &point, compared, "heldout", err);
    if (result == 0) result = compare_on(t, &t->train, NULL, own, "train", err);
    if (result == 0) result = compare_on(t, &t->test, NULL, own, "heldout", err);
    t->runs = runs; /* no cost of the method */
    json_object_set_new(report, "compared", compared);
    json_object_set_new(report, "default", own);
    return result < 0 ? error_while(err, "comparing the best point") : 0;
}
