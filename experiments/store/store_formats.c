/* The store as JSON, as JSON lines and in libsvm's format. Rows by key, no times: equal stores export equal bytes. */
#include "store/store_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/table.h"
#include "store/store_tidy.h"

static const char *text_of(sqlite3_stmt *statement, int i)
{
    const unsigned char *text = sqlite3_column_text(statement, i);
    return text ? (const char *)text : "";
}

/* A cell: truth is a text in SQL, which has no other. */
static json_t *cell(const struct tidy_table *t, size_t i)
{
    const int at = (int)i;
    switch (sqlite3_column_type(t->statement, at)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(t->statement, at));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(t->statement, at));
    case SQLITE_NULL: return json_null();
    default: break;
    }
    const char *text = text_of(t->statement, at);
    const bool may_be_truth = t->columns[i].kind == TIDY_AXIS || t->columns[i].kind == TIDY_PARAMETER;
    return may_be_truth && strcmp(text, "true") == 0    ? json_true()
           : may_be_truth && strcmp(text, "false") == 0 ? json_false()
                                                        : json_string(text);
}

/* ---- rows as objects ---- */

static bool is_named(const struct tidy_column *c, const char *name)
{
    return c->kind == TIDY_RUN && strcmp(c->name, name) == 0;
}

/* Stacks, limits and counters are objects of their own. */
static json_t *nested(const struct tidy_table *t)
{
    json_t *row = json_object(), *parameters = json_object(), *stats = json_object();
    for (size_t i = 0; i < t->n; i++) {
        const struct tidy_column *c = &t->columns[i];
        json_t *value = is_named(c, "mechs") || is_named(c, "limits")
                            ? json_loads(text_of(t->statement, (int)i), 0, NULL)
                        : is_named(c, "complete") ? json_boolean(sqlite3_column_int(t->statement, (int)i))
                                                  : cell(t, i);
        const bool is_there = value && !json_is_null(value);
        if (is_named(c, "complete")) json_object_set(row, "stats", stats);
        if (c->kind == TIDY_RUN || c->kind == TIDY_NAME)
            json_object_set(row, c->name, is_there ? value : json_string(""));
        else if (is_there)
            json_object_set(c->kind == TIDY_COUNTER || c->kind == TIDY_FIGURE ? stats : parameters, c->name, value);
        json_decref(value);
    }
    json_object_set_new(row, "parameters", parameters);
    json_decref(stats);
    return row;
}

static json_t *flat(const struct tidy_table *t)
{
    json_t *row = json_object();
    for (size_t i = 0; i < t->n; i++) json_object_set_new(row, t->columns[i].name, cell(t, i));
    return row;
}

struct object_form {
    const char *begin, *before_first, *before, *after, *end;
    json_t *(*row)(const struct tidy_table *t);
};
static const struct object_form form_json = {"[", "\n", ",\n", "", "\n]\n", nested},
                                form_lines = {"", "", "", "\n", "", flat};

static int export_objects(struct store *store, const struct object_form *form, FILE *out, struct error *err)
{
    struct tidy_table t = {0};
    int result =
            store_flush(store, err) < 0 || store_check_rows(store, false, err) < 0 || tidy_begin(&t, store, err) < 0
                ? -1
                : 0,
        step = SQLITE_DONE;
    if (result == 0) fputs(form->begin, out);
    for (bool is_first = true; result == 0 && (step = sqlite3_step(t.statement)) == SQLITE_ROW; is_first = false) {
        json_t *row = form->row(&t);
        char *text = json_dumps(row, JSON_COMPACT);
        if (text) fprintf(out, "%s%s%s", is_first ? form->before_first : form->before, text, form->after);
        else result = error_set(err, ERR_MEMORY, "out of memory for the export");
        free(text);
        json_decref(row);
    }
    if (result == 0) fputs(form->end, out);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "exporting");
    if (result == 0 && ferror(out)) result = error_set(err, ERR_IO, "writing the export failed");
    tidy_end(&t, store);
    return result;
}

int store_export_json(struct store *store, FILE *out, struct error *err)
{
    return export_objects(store, &form_json, out, err);
}

int store_export_lines(struct store *store, FILE *out, struct error *err)
{
    return export_objects(store, &form_lines, out, err);
}

/* ---- libsvm ---- */

/* Numbers of complete runs, parameters first; of words that differ from run to run one feature each, 1 where a run has
 * it: "machine=volta80". */
struct features {
    struct tidy_table table;
    json_t *index;   /* name -> number, from 1 */
    bool *is_spread; /* of each column: a word that differs */
};

static bool is_sound(const struct tidy_table *t)
{
    bool is_complete = true;
    for (size_t i = 0; i < t->n; i++) {
        if (is_named(&t->columns[i], "complete")) is_complete &= sqlite3_column_int(t->statement, (int)i) != 0;
        if (is_named(&t->columns[i], "error")) is_complete &= !*text_of(t->statement, (int)i);
    }
    return is_complete;
}

static bool is_feature(const struct tidy_column *c) { return c->kind != TIDY_RUN && c->kind != TIDY_FIGURE; }

/* A word; of a machine its name alone, as numbers tell what was changed in it. */
static const char *word_of(const struct tidy_table *t, size_t i, char *word, size_t size)
{
    const char *text = text_of(t->statement, (int)i);
    const bool is_machine = t->columns[i].kind == TIDY_NAME && strcmp(t->columns[i].name, "machine") == 0;
    snprintf(word, size, "%.*s", (int)(is_machine ? strcspn(text, " ") : strlen(text)), text);
    return word;
}

/* In the order of features: parameters of mechanisms, counters, the machine's parameters, words. */
static void add_features(const struct features *f, json_t *out, bool is_for_words)
{
    static const enum tidy_kind order[] = {TIDY_PARAMETER, TIDY_COUNTER, TIDY_AXIS, TIDY_NAME};
    char name[300], word[200];
    for (size_t k = 0; k < COUNT_OF(order); k++)
        for (size_t i = 0; i < f->table.n; i++) {
            const struct tidy_column *c = &f->table.columns[i];
            if (c->kind != order[k]) continue;
            json_t *value = cell(&f->table, i);
            if (json_is_number(value) && !is_for_words) json_object_set(out, c->name, value);
            if (json_is_boolean(value) && !is_for_words)
                json_object_set_new(out, c->name, json_integer(json_is_true(value)));
            if (json_is_string(value) && is_for_words && f->is_spread[i]) {
                snprintf(name, sizeof name, "%s=%s", c->name, word_of(&f->table, i, word, sizeof word));
                json_object_set_new(out, name, json_integer(1));
            }
            json_decref(value);
        }
}

static json_t *features_of(const struct features *f)
{
    json_t *out = json_object();
    add_features(f, out, false);
    add_features(f, out, true);
    return out;
}

/* Words of which two sound runs have different ones. */
static int find_spread(struct features *f, struct store *store, struct error *err)
{
    int step;
    char word[200], **first = calloc(f->table.n + 1, sizeof *first);
    f->is_spread = calloc(f->table.n + 1, sizeof *f->is_spread);
    if (!first || !f->is_spread) {
        free(first);
        return error_set(err, ERR_MEMORY, "out of memory for features");
    }
    while ((step = sqlite3_step(f->table.statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < f->table.n && is_sound(&f->table); i++) {
            if (!is_feature(&f->table.columns[i]) || sqlite3_column_type(f->table.statement, (int)i) != SQLITE_TEXT)
                continue;
            word_of(&f->table, i, word, sizeof word);
            if (!first[i]) first[i] = strdup(word);
            else f->is_spread[i] |= strcmp(first[i], word) != 0;
        }
    }
    for (size_t i = 0; i < f->table.n; i++) free(first[i]);
    free(first);
    sqlite3_reset(f->table.statement);
    return step == SQLITE_DONE ? 0 : store_fail(store, err, "exporting");
}

static int number_features(struct features *f, struct store *store, const char *target, FILE *names, struct error *err)
{
    int step;
    bool has_target = false;
    while ((step = sqlite3_step(f->table.statement)) == SQLITE_ROW) {
        json_t *features = is_sound(&f->table) ? features_of(f) : NULL, *value;
        const char *name;
        json_object_foreach(features, name, value) {
            if (strcmp(name, target) == 0) has_target = true;
            else if (!json_object_get(f->index, name)) {
                json_object_set_new(f->index, name, json_integer((json_int_t)json_object_size(f->index) + 1));
                if (names) fprintf(names, "%zu %s\n", json_object_size(f->index), name);
            }
        }
        json_decref(features);
    }
    sqlite3_reset(f->table.statement);
    if (step != SQLITE_DONE) return store_fail(store, err, "exporting");
    return has_target ? 0
                      : error_set(err, ERR_INPUT, "%s: no complete run has a counter '%s'", store_path(store), target);
}

/* Counters as whole numbers, the rest as the shortest text that reads back. */
static const char *value_text(const json_t *value, char *text, size_t size)
{
    if (!json_is_integer(value)) return number_text(json_number_value(value), text, size);
    snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return text;
}

static void print_features(const struct features *f, const char *target, FILE *out)
{
    json_t *features = features_of(f), *at;
    const char *name;
    char number[40];
    fputs(value_text(json_object_get(features, target), number, sizeof number), out);
    json_object_foreach(f->index, name, at) { /* zeros are left out, as the format has it */
        const json_t *value = json_object_get(features, name);
        if (value && fpclassify(json_number_value(value)) != FP_ZERO)
            fprintf(out, " %" JSON_INTEGER_FORMAT ":%s", json_integer_value(at),
                    value_text(value, number, sizeof number));
    }
    fputc('\n', out);
    json_decref(features);
}

int store_export_libsvm(struct store *store, const char *target, FILE *out, FILE *names, struct error *err)
{
    struct features f = {.index = json_object()};
    int step = SQLITE_DONE;
    int result = store_flush(store, err) < 0 || store_check_rows(store, false, err) < 0 ||
                         tidy_begin(&f.table, store, err) < 0 || find_spread(&f, store, err) < 0 ||
                         number_features(&f, store, target, names, err) < 0
                     ? -1
                     : 0;
    while (result == 0 && (step = sqlite3_step(f.table.statement)) == SQLITE_ROW)
        if (is_sound(&f.table)) print_features(&f, target, out);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "exporting");
    if (result == 0 && ferror(out)) result = error_set(err, ERR_IO, "writing the export failed");
    tidy_end(&f.table, store);
    free(f.is_spread);
    json_decref(f.index);
    return result;
}
