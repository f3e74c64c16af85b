/* Points that somebody names: seeds of a tuning, in its spec or in a file, and points that come with values. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/table_csv.h"
#include "studies/tune/tune_internal.h"

/* The level of an axis that is this text, or this number. */
static bool find_level(const struct axis *axis, const char *text, size_t *level)
{
    for (*level = 0; *level < axis->n; ++*level)
        if (axes_same_value(axis->values[*level], text)) return true;
    return false;
}

int tune_point_of(const struct tune *t, tune_value_of *value_of, void *context, size_t *point, char *why, size_t size)
{
    bool lacks[AXES_MAX] = {false};
    *point = 0;
    for (size_t a = 0; a < t->axes.n; a++) {
        const struct axis *axis = &t->axes.items[a];
        char text[64];
        size_t level = 0;
        lacks[a] = !value_of(context, axis->name, text, sizeof text);
        if (!lacks[a] && !find_level(axis, text, &level)) {
            snprintf(why, size, "%s: %.40s is none of its %zu levels, %s to %s", axis->name, text, axis->n,
                     axis->values[0], axis->values[axis->n - 1]);
            return -1;
        }
        *point = *point * axis->n + level;
    }
    for (size_t a = 0; a < t->axes.n; a++)
        if (lacks[a] && tune_exists(t, *point, a)) {
            snprintf(why, size, "no value of %s: a point names every parameter of the spec", t->axes.items[a].name);
            return -1;
        }
    *point = tune_canonical(t, *point);
    if (tune_allows(t, *point)) return 0;
    snprintf(why, size, "the spec's conditions (where) do not allow this point");
    return -1;
}

bool tune_value_of_json(void *object, const char *name, char *text, size_t size)
{
    const json_t *value = json_object_get(object, name);
    int n = -1;
    if (json_is_string(value)) n = snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value)) n = snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value)) n = snprintf(text, size, "%.17g", json_real_value(value));
    else if (json_is_boolean(value)) n = snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
    return n >= 0 && n < (int)size;
}

static int add_seed(struct tune *t, size_t point, struct error *err)
{
    for (size_t i = 0; i < t->n_seeds; i++)
        if (t->seeds[i] == point) return 0;
    size_t *seeds = realloc(t->seeds, (t->n_seeds + 1) * sizeof *seeds);
    if (!seeds) return error_set(err, ERR_MEMORY, "out of memory for a point");
    t->seeds = seeds;
    seeds[t->n_seeds++] = point;
    return 0;
}

/* ---- in a spec ---- */

static bool value_of_map(void *context, const char *name, char *text, size_t size)
{
    const struct yaml_node *value = yaml_get(context, name);
    return value && value->kind == YAML_SCALAR && snprintf(text, size, "%s", value->text) < (int)size;
}

static bool has_axis(const struct tune *t, const char *name)
{
    for (size_t a = 0; a < t->axes.n; a++)
        if (strcmp(t->axes.items[a].name, name) == 0) return true;
    return false;
}

static int read_seed(struct tune *t, const struct yaml_file *file, const struct yaml_node *node, struct error *err)
{
    size_t point, missing = 0;
    char why[200];
    if (node->kind == YAML_SCALAR && strcmp(node->text, "default") == 0)
        return tune_own_point(t, &point, &missing)
                   ? add_seed(t, point, err)
                   : yaml_error(file, node, err, "the stack's own values are no point here: give %s its own level",
                                t->axes.items[missing].name);
    if (node->kind != YAML_MAP)
        return yaml_error(file, node, err, "a seed is a map such as {N: 4, p: 2}, or the word default");
    for (size_t i = 0; i < node->n; i++)
        if (!has_axis(t, node->keys[i]))
            return yaml_error(file, node->items[i], err, "%s is no parameter of this tuning", node->keys[i]);
    if (tune_point_of(t, value_of_map, (void *)(uintptr_t)node, &point, why, sizeof why) < 0)
        return yaml_error(file, node, err, "%s", why);
    return add_seed(t, point, err);
}

int tune_read_seeds(struct tune *t, const struct yaml_file *file, const struct yaml_node *list, struct error *err)
{
    if (!list) return 0;
    if (list->kind != YAML_LIST)
        return yaml_error(file, list, err, "seed_points: a list of maps is needed, as [{N: 4, p: 2}, default]");
    for (size_t i = 0; i < list->n; i++)
        if (read_seed(t, file, list->items[i], err) < 0) return -1;
    return 0;
}

/* ---- in a file ---- */

struct row {
    const struct table_csv *table;
    size_t i;
};
static bool value_of_row(void *context, const char *name, char *text, size_t size)
{
    const struct row *row = context;
    const struct table_column *column = table_csv_find(row->table, name);
    return column && !table_is_missing(column->texts[row->i]) &&
           snprintf(text, size, "%s", column->texts[row->i]) < (int)size;
}

int tune_seed_table(struct tune *t, const char *name, const char *text, size_t size, struct error *err)
{
    struct table_csv table;
    char why[200];
    if (table_csv_parse(&table, name, text, size, err) < 0) return -1;
    int result = 0;
    if (table.n_rows == 0) {
        error_set(err, ERR_INPUT, "%s: no points below the header", name);
        result = error_at(err, name, 2, -1, "each line is a point that is tried first");
    }
    for (size_t i = 0; i < table.n_rows && result == 0; i++) {
        struct row row = {&table, i};
        size_t point;
        if (tune_point_of(t, value_of_row, &row, &point, why, sizeof why) == 0) {
            result = add_seed(t, point, err);
            continue;
        }
        error_set(err, ERR_INPUT, "%s:%ld: %s", name, table.lines[i], why);
        result =
            error_at(err, name, table.lines[i], -1, "columns are the spec's parameters, each cell one of its levels");
    }
    table_csv_fini(&table);
    return result;
}

int tune_seed_file(struct tune *t, const char *path, struct error *err)
{
    char *text;
    size_t size;
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = tune_seed_table(t, path, text, size, err);
    free(text);
    return result;
}
