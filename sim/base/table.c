#include "poise/table.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void store_number(const struct param_row *row, void *params, double v)
{
    void *at = (char *)params + row->offset;
    switch (row->type) {
    case VALUE_U32:
    case VALUE_ENUM: *(uint32_t *)at = (uint32_t)v; break;
    case VALUE_U64: *(uint64_t *)at = (uint64_t)v; break;
    case VALUE_F64: *(double *)at = v; break;
    case VALUE_FLAG: *(bool *)at = v != 0.0; break;
    case VALUE_TEXT: memset(at, 0, sizeof(struct param_text)); break;
    }
}

void params_defaults(const struct param_table *table, void *params)
{
    memset(params, 0, table->size);
    for (size_t i = 0; i < table->n_rows; i++) store_number(&table->rows[i], params, table->rows[i].def);
}

const struct param_row *params_find(const struct param_table *table, const char *name)
{
    for (size_t i = 0; i < table->n_rows; i++)
        if (strcmp(table->rows[i].name, name) == 0) return &table->rows[i];
    return NULL;
}

/* Letters put in, left out, changed, or two beside each other exchanged: what fingers do. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][64];
    const size_t n = strlen(b);
    if (n >= COUNT_OF(rows[0])) return SIZE_MAX;
    for (size_t j = 0; j <= n; j++) rows[0][j] = j;
    size_t i = 1;
    for (; a[i - 1]; i++) {
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[(i + 2) % 3][n];
}

/* One slip, and one more for each four letters: a word that is farther was not meant. */
const char *nearest_name(const char *name, const void *first, size_t n, size_t stride)
{
    const char *best = NULL;
    size_t best_distance = strlen(name) / 4 + 2;
    for (size_t i = 0; i < n; i++) {
        const char *known = *(const char *const *)(const void *)((const char *)first + i * stride);
        const size_t d = edit_distance(name, known);
        if (d < best_distance) best_distance = d, best = known;
    }
    return best;
}

struct near_text did_you_mean(const char *name, const void *first, size_t n, size_t stride)
{
    struct near_text out = {""};
    const char *near = nearest_name(name, first, n, stride);
    if (near) snprintf(out.text, sizeof out.text, "; did you mean '%s'?", near);
    return out;
}

/* The choice's index in "a|b|c" and what comes behind, or -1. */
static int choice_index(const struct param_row *row, const char *text)
{
    const size_t length = strlen(text);
    const char *choices = row->unit;
    int index = 0;
    for (;; index++) {
        const size_t n = strcspn(choices, "|");
        if (n == length && strncmp(choices, text, n) == 0) return index;
        if (choices[n] == '\0') break;
        choices += n + 1;
    }
    for (uint32_t i = 0; row->more && row->more(i); i++)
        if (strcmp(row->more(i), text) == 0) return index + 1 + (int)i;
    return -1;
}

const char *params_unit(const struct param_row *row, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", row->unit);
    for (uint32_t i = 0; row->more && row->more(i) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "|%s", row->more(i));
    return text;
}

static int set_enum(const struct param_table *t, const struct param_row *row, void *params, const char *text,
                    struct error *err)
{
    const int index = choice_index(row, text);
    char choices[PARAM_TEXT_MAX];
    if (index < 0)
        return error_set(err, ERR_INPUT, "%s: %s = %s: choose one of %s", t->owner, row->name, text,
                         params_unit(row, choices, sizeof choices));
    store_number(row, params, index);
    return 0;
}

/* Their names, as many as there is room for. */
static const char *param_names(const struct param_table *t, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (size_t i = 0; i < t->n_rows && used < size; i++) {
        const size_t left = size - used, need = strlen(t->rows[i].name) + sizeof ", ..";
        if (need > left) {
            snprintf(text + used - (used > 0), left, " ..");
            break;
        }
        used += (size_t)snprintf(text + used, left, "%s%s", t->rows[i].name, i + 1 < t->n_rows ? ", " : "");
    }
    return text;
}

int params_set(const struct param_table *table, void *params, const char *name, const char *text, struct error *err)
{
    const struct param_row *row = params_find(table, name);
    if (!row) {
        const char *near =
            table->n_rows ? nearest_name(name, &table->rows[0].name, table->n_rows, sizeof *table->rows) : NULL;
        char all[160];
        return error_set(err, ERR_INPUT, "%s: no parameter '%s'; %s%s%s", table->owner, name,
                         near ? "did you mean '" : "its parameters: ",
                         near ? near : param_names(table, all, sizeof all), near ? "'?" : "");
    }
    if (row->type == VALUE_ENUM) return set_enum(table, row, params, text, err);
    if (row->type == VALUE_TEXT) {
        if (strlen(text) >= PARAM_TEXT_MAX)
            return error_set(err, ERR_INPUT, "%s: %s: longer than %d bytes", table->owner, name, PARAM_TEXT_MAX - 1);
        struct param_text *at = (void *)((char *)params + row->offset);
        memset(at, 0, sizeof *at);
        memcpy(at->s, text, strlen(text));
        return 0;
    }
    char *end;
    double v = strtod(text, &end);
    if (row->type == VALUE_FLAG && (!strcasecmp(text, "true") || !strcasecmp(text, "yes") || !strcasecmp(text, "on")))
        v = 1, end = (char *)(uintptr_t) "";
    if (row->type == VALUE_FLAG && (!strcasecmp(text, "false") || !strcasecmp(text, "no") || !strcasecmp(text, "off")))
        v = 0, end = (char *)(uintptr_t) "";
    if ((end == text && *end) || *end != '\0' || *text == '\0')
        return error_set(err, ERR_INPUT, "%s: %s = '%s' is not a number", table->owner, name, text);
    if (!(v >= row->min && v <= row->max))
        return error_set(err, ERR_INPUT, "%s: %s = %g %s: allowed %g .. %g (%s)", table->owner, name, v, row->unit,
                         row->min, row->max, row->source);
    if (row->type != VALUE_F64 && v != floor(v))
        return error_set(err, ERR_INPUT, "%s: %s = %s: a whole number is needed", table->owner, name, text);
    store_number(row, params, v);
    return 0;
}

/* The i-th of an enumeration's choices: those of the row's unit, a|b|c, then those behind them. */
static const char *choice_text(const struct param_row *row, uint32_t i, char *text, size_t size)
{
    const char *choice = row->unit;
    for (; i > 0; i--) {
        const size_t n = strcspn(choice, "|");
        if (choice[n] == '\0') { /* the last of these */
            const char *more = row->more ? row->more(i - 1) : NULL;
            return snprintf(text, size, "%s", more ? more : ""), text;
        }
        choice += n + 1;
    }
    snprintf(text, size, "%.*s", (int)strcspn(choice, "|"), choice);
    return text;
}

const char *params_text(const struct param_row *row, const void *params, char *text, size_t size)
{
    const void *at = (const char *)params + row->offset;
    switch (row->type) {
    case VALUE_U32: snprintf(text, size, "%" PRIu32, *(const uint32_t *)at); break;
    case VALUE_U64: snprintf(text, size, "%" PRIu64, *(const uint64_t *)at); break;
    case VALUE_F64: snprintf(text, size, "%.17g", *(const double *)at); break;
    case VALUE_FLAG: snprintf(text, size, "%s", *(const bool *)at ? "true" : "false"); break;
    case VALUE_TEXT: snprintf(text, size, "%s", ((const struct param_text *)at)->s); break;
    case VALUE_ENUM: return choice_text(row, *(const uint32_t *)at, text, size);
    }
    return text;
}

json_t *params_json(const struct param_table *table, const void *params)
{
    json_t *object = json_object();
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct param_row *row = &table->rows[i];
        const void *at = (const char *)params + row->offset;
        char text[PARAM_TEXT_MAX];
        json_t *value = NULL;
        switch (row->type) {
        case VALUE_U32: value = json_integer(*(const uint32_t *)at); break;
        case VALUE_U64: value = json_integer((json_int_t) * (const uint64_t *)at); break;
        case VALUE_F64: value = json_real(*(const double *)at); break;
        case VALUE_FLAG: value = json_boolean(*(const bool *)at); break;
        case VALUE_ENUM:
        case VALUE_TEXT: value = json_string(params_text(row, params, text, sizeof text)); break;
        }
        json_object_set_new(object, row->name, value);
    }
    return object;
}

/* "[source]", with the published value where the default is another. */
static void print_source(const struct param_row *row, FILE *out)
{
    char *end;
    const char *value = row->published;
    fprintf(out, "[%s", row->source);
    if (value && (strtod(value, &end) != row->def || *end) && row->type != VALUE_ENUM)
        fprintf(out, "; published: %s, %s", value, param_published_in(row));
    fputs("]\n", out);
}

void params_help(const struct param_table *table, FILE *out)
{
    char text[PARAM_TEXT_MAX], unit[PARAM_TEXT_MAX];
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct param_row *row = &table->rows[i];
        if (row->type == VALUE_ENUM)
            fprintf(out, "  %-26s %-12s {%s}  %s ", row->name, choice_text(row, (uint32_t)row->def, text, sizeof text),
                    params_unit(row, unit, sizeof unit), row->doc);
        else if (row->type == VALUE_TEXT) fprintf(out, "  %-26s %-12s %s ", row->name, "TEXT", row->doc);
        else fprintf(out, "  %-26s %-12g %g..%g %s: %s ", row->name, row->def, row->min, row->max, row->unit, row->doc);
        print_source(row, out);
    }
}

void stats_merge(const struct stat_table *table, void *into, const void *from)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        uint64_t *a = (uint64_t *)(void *)((char *)into + table->rows[i].offset);
        const uint64_t b = stats_get(&table->rows[i], from);
        *a = table->rows[i].kind == STAT_SUM ? *a + b : (*a > b ? *a : b);
    }
}

void stats_since(const struct stat_table *table, void *stats, const void *before)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        uint64_t *a = (uint64_t *)(void *)((char *)stats + table->rows[i].offset);
        const uint64_t b = stats_get(&table->rows[i], before);
        if (table->rows[i].kind == STAT_SUM) *a = *a > b ? *a - b : 0; /* what a run's end counts may have fallen */
    }
}

uint64_t stats_get(const struct stat_row *row, const void *stats)
{
    return *(const uint64_t *)(const void *)((const char *)stats + row->offset);
}

json_t *stats_json(const struct stat_table *table, const void *stats)
{
    json_t *object = json_object();
    for (size_t i = 0; i < table->n_rows; i++)
        json_object_set_new(object, table->rows[i].name, json_integer((json_int_t)stats_get(&table->rows[i], stats)));
    return object;
}

double ratio_get(const struct ratio_row *row, const void *stats)
{
    const uint64_t num = *(const uint64_t *)(const void *)((const char *)stats + row->num);
    const uint64_t den = *(const uint64_t *)(const void *)((const char *)stats + row->den);
    return den ? (double)num / (double)den : 0.0;
}
