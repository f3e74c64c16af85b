/* Points that have a name: the default, which is the stack's own values on the spec's machine, and the published one,
 * which has the values that rows of parameters say papers give. Both are tried before the method chooses. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

const char *const tune_named_words[N_TUNE_NAMED] = {[TUNE_DEFAULT] = "default", [TUNE_PUBLISHED] = "published"};

/* The row of a parameter, and the values that it stands among; NULL for a mechanism that is put in or left out. */
static const struct param_row *row_of(const struct tune *t, size_t axis, const void **values)
{
    if (tune_is_optional(t, axis)) return NULL;
    if (t->target[axis] >= 0) {
        *values = t->stack[t->target[axis]].params;
        return params_find(mech_params(t->stack[t->target[axis]].type), t->key[axis]);
    }
    return gpu_params_find(t->params, t->key[axis], values);
}

static void find(const struct tune *t, enum tune_named_point which, struct named_point *out)
{
    bool differs = false;
    size_t missing;
    *out = (struct named_point){0};
    for (size_t a = 0; a < t->axes.n && which == TUNE_PUBLISHED; a++) {
        const void *values;
        const struct param_row *row = row_of(t, a, &values);
        if (!row || !row->published) continue;
        out->values[a] = row->published;
        out->has_values = true;
        differs |= !tune_is_same(t, a, row->published, NULL);
    }
    out->is_there = which == TUNE_DEFAULT || differs;
    out->is_on_grid = tune_point_with(t, out->values, &out->point, &missing);
}

void tune_find_named(struct tune *t)
{
    for (int k = 0; k < N_TUNE_NAMED; k++) find(t, (enum tune_named_point)k, &t->named[k]);
}

const char *tune_name_of(const struct tune *t, size_t point)
{
    for (int k = 0; k < N_TUNE_NAMED; k++)
        if (t->named[k].is_there && t->named[k].is_on_grid && t->named[k].point == point) return tune_named_words[k];
    return NULL;
}

/* ---- for the report ---- */

/* "TUCD 5, period 1000 of BUCL Tab. II; TUCD_min 2 of BUCL V": the parameters that have a published value. */
static json_t *published_words(const struct tune *t)
{
    char *text = NULL;
    size_t size, n = 0;
    const void *values;
    bool is_told[AXES_MAX] = {false};
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    for (size_t a = 0; a < t->axes.n; a++) {
        const struct param_row *row = row_of(t, a, &values), *other;
        const char *place = row ? param_published_in(row) : NULL;
        if (!place || is_told[a]) continue;
        fprintf(out, "%s%s %s", n++ ? "; " : "", t->axes.items[a].name, row->published);
        for (size_t b = a + 1; b < t->axes.n; b++) {
            other = row_of(t, b, &values);
            if (!other || !other->published || strcmp(param_published_in(other), place) != 0) continue;
            fprintf(out, ", %s %s", t->axes.items[b].name, other->published);
            is_told[b] = true;
        }
        fprintf(out, " of %s", place);
    }
    fclose(out);
    json_t *words = n ? json_string(text) : NULL;
    free(text);
    return words;
}

/* The default is the row's own, and so has the row's source. */
static bool is_default_of_row(const struct param_row *row, const char *value)
{
    struct param_text room; /* for any value */
    char own[PARAM_TEXT_MAX];
    struct param_row alone = *row;
    alone.offset = 0;
    const struct param_table table = {.owner = "", .rows = &alone, .n_rows = 1, .size = sizeof room};
    params_defaults(&table, &room);
    return strcmp(params_text(&alone, &room, own, sizeof own), value) == 0;
}

/* Which axes exist at a named point. Its values need not be on the grid: it is looked at as the one point of a grid of
 * its own. An axis that does not exist has its first value there, as everywhere (tune_canonical). */
static void find_existing(const struct tune *t, const struct named_point *named, bool exists[AXES_MAX])
{
    char values[AXES_MAX][1][64], text[PARAM_TEXT_MAX];
    struct tune alone = *t;
    for (size_t a = 0; a < t->axes.n; a++) {
        const void *own;
        const struct param_row *row = row_of(t, a, &own);
        const char *value = named->values[a] ? named->values[a] : row ? params_text(row, own, text, sizeof text) : "on";
        snprintf(values[a][0], sizeof values[a][0], "%.63s", value);
        alone.axes.items[a].values = values[a];
        alone.axes.items[a].n = 1;
    }
    for (size_t round = 0; round <= t->axes.n; round++)
        for (size_t a = 0; a < t->axes.n; a++)
            if (!(exists[a] = tune_exists(&alone, 0, a))) memcpy(values[a][0], t->axes.items[a].values[0], 64);
}

/* What the axes are at a named point, and where each value comes from. */
static void add_values(const struct tune *t, const struct named_point *named, json_t *params, json_t *sources)
{
    char text[PARAM_TEXT_MAX];
    bool exists[AXES_MAX];
    find_existing(t, named, exists);
    for (size_t a = 0; a < t->axes.n; a++) {
        const void *values;
        const char *name = t->axes.items[a].name;
        const struct param_row *row = row_of(t, a, &values);
        if (!exists[a]) continue;
        if (tune_is_optional(t, a)) json_object_set_new(params, name, json_string("on"));
        if (!row) continue;
        const char *value = named->values[a] ? named->values[a] : params_text(row, values, text, sizeof text);
        json_object_set_new(params, name, tune_value_json(value));
        json_object_set_new(sources, name,
                            json_string(named->values[a]                ? param_published_in(row)
                                        : is_default_of_row(row, value) ? row->source
                                        : t->target[a] < 0              ? "the spec's machine"
                                                                        : "the spec's stack"));
    }
}

void tune_add_named(const struct tune *t, json_t *report)
{
    for (int k = 0; k < N_TUNE_NAMED; k++) {
        const struct named_point *named = &t->named[k];
        json_t *out = json_object(), *params = json_object(), *sources = json_object();
        add_values(t, named, params, sources);
        json_object_set_new(out, "params", params);
        json_object_set_new(out, "sources", sources);
        json_object_set_new(out, "is_trial", json_boolean(named->is_on_grid));
        if (k == TUNE_PUBLISHED) {
            json_object_set_new(out, "words", published_words(t));
            json_object_set_new(out, "is_default", json_boolean(!named->is_there));
        }
        json_object_set_new(report, tune_named_words[k], out);
        if (k == TUNE_PUBLISHED && !named->has_values) json_object_set_new(report, tune_named_words[k], json_null());
    }
}
