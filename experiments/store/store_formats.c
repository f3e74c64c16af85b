/* The store as JSON and in libsvm's format. Rows by key, no times: equal stores export equal bytes. */
#include "store/store_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "store/run_columns.h"

static const char rows_sql[] =
    "SELECT key, trace, workload, kernel, size, input, launch, mechs, limits, stats, complete, code, message, config"
    " FROM runs LEFT JOIN traces ON traces.hash = runs.trace ORDER BY key";
static const char *text_of(sqlite3_stmt *statement, int i)
{
    const unsigned char *text = sqlite3_column_text(statement, i);
    return text ? (const char *)text : "";
}

/* The name of a run's error; of one without an error, nothing. */
static const char *error_text(int code) { return code ? error_name((enum error_code)code) : ""; }

enum { CONFIG = 13 }; /* the last column, which exports name by its machine */

static int print_object(struct store *store, const struct run_columns *of, sqlite3_stmt *statement, bool is_first,
                        FILE *out, struct error *err)
{
    json_t *row = json_object();
    for (int i = 0; i < CONFIG; i++) {
        const char *name = sqlite3_column_name(statement, i);
        json_t *value = i >= 7 && i <= 9   ? json_loads(text_of(statement, i), 0, NULL)
                        : i == 10          ? json_boolean(sqlite3_column_int(statement, i))
                        : i == 11          ? json_string(error_text(sqlite3_column_int(statement, i)))
                        : i == 5 || i == 6 ? json_integer(sqlite3_column_int64(statement, i))
                                           : json_string(text_of(statement, i));
        if (!value || json_object_set_new(row, i == 11 ? "error" : name, value) < 0) {
            json_decref(row);
            return error_set(err, ERR_INPUT, "%s: run %s: its %s cannot be read", store->path, text_of(statement, 0),
                             name);
        }
    }
    run_columns_object(of, text_of(statement, CONFIG), text_of(statement, 2), json_object_get(row, "mechs"), row);
    char *text = json_dumps(row, JSON_COMPACT);
    json_decref(row);
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for the export");
    fprintf(out, "%s\n%s", is_first ? "" : ",", text);
    free(text);
    return 0;
}

int store_export_json(struct store *store, FILE *out, struct error *err)
{
    sqlite3_stmt *statement;
    struct run_columns *of = NULL;
    int result = 0, step = SQLITE_DONE;
    if (store_flush(store, err) < 0 || store_check_rows(store, false, err) < 0 ||
        store_run_columns(store, &of, err) < 0 || store_prepare(store, &statement, rows_sql, err) < 0) {
        run_columns_free(of);
        return -1;
    }
    fputc('[', out);
    for (bool is_first = true; result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW; is_first = false)
        result = print_object(store, of, statement, is_first, out, err);
    fputs("\n]\n", out);
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "exporting");
    if (result == 0 && ferror(out)) result = error_set(err, ERR_IO, "writing the export failed");
    sqlite3_finalize(statement);
    run_columns_free(of);
    return result;
}

/* Numbers of a run by name: "swl.N", counters, and last what tells machines apart. */
static json_t *features_of(const struct run_columns *of, sqlite3_stmt *statement)
{
    json_t *features = json_object(), *mechs = json_loads(text_of(statement, 7), 0, NULL),
           *stats = json_loads(text_of(statement, 9), 0, NULL), *mech, *value;
    const char *name;
    size_t i;
    json_array_foreach(mechs, i, mech) {
        json_object_foreach(json_object_get(mech, "params"), name, value) {
            char full[160];
            snprintf(full, sizeof full, "%s.%s", json_string_value(json_object_get(mech, "name")), name);
            if (json_is_number(value)) json_object_set(features, full, value);
            else if (json_is_boolean(value)) json_object_set_new(features, full, json_integer(json_is_true(value)));
        }
    }
    json_object_foreach(stats, name, value)
        if (json_is_number(value)) json_object_set(features, name, value);
    run_columns_features(of, text_of(statement, CONFIG), features);
    json_decref(mechs);
    json_decref(stats);
    return features;
}

/* Counters as whole numbers, the rest as the shortest text that reads back. */
static const char *value_text(const json_t *value, char *text, size_t size)
{
    if (!json_is_integer(value)) return number_text(json_number_value(value), text, size);
    snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return text;
}

static bool is_sound(sqlite3_stmt *statement)
{
    return sqlite3_column_int(statement, 10) && sqlite3_column_int(statement, 11) == 0;
}

static int gather(struct store *store, const struct run_columns *of, json_t *index, const char *target, FILE *names,
                  struct error *err)
{
    sqlite3_stmt *statement;
    int step;
    bool has_target = false;
    if (store_prepare(store, &statement, rows_sql, err) < 0) return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        json_t *features = is_sound(statement) ? features_of(of, statement) : NULL, *value;
        const char *name;
        json_object_foreach(features, name, value) {
            if (strcmp(name, target) == 0) has_target = true;
            else if (!json_object_get(index, name)) {
                json_object_set_new(index, name, json_integer((json_int_t)json_object_size(index) + 1));
                if (names) fprintf(names, "%zu %s\n", json_object_size(index), name);
            }
        }
        json_decref(features);
    }
    const int result = step == SQLITE_DONE ? 0 : store_fail(store, err, "exporting");
    sqlite3_finalize(statement);
    if (result == 0 && !has_target)
        return error_set(err, ERR_INPUT, "%s: no complete run has a counter '%s'", store->path, target);
    return result;
}

int store_export_libsvm(struct store *store, const char *target, FILE *out, FILE *names, struct error *err)
{
    sqlite3_stmt *statement;
    int step;
    json_t *index = json_object();
    struct run_columns *of = NULL;
    if (store_flush(store, err) < 0 || store_check_rows(store, false, err) < 0 ||
        store_run_columns(store, &of, err) < 0 || gather(store, of, index, target, names, err) < 0 ||
        store_prepare(store, &statement, rows_sql, err) < 0) {
        json_decref(index);
        run_columns_free(of);
        return -1;
    }
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!is_sound(statement)) continue;
        json_t *features = features_of(of, statement), *at;
        const char *name;
        char number[40];
        fputs(value_text(json_object_get(features, target), number, sizeof number), out);
        json_object_foreach(index, name, at) { /* zeros are left out, as the format has it */
            const json_t *value = json_object_get(features, name);
            if (value && fpclassify(json_number_value(value)) != FP_ZERO)
                fprintf(out, " %" JSON_INTEGER_FORMAT ":%s", json_integer_value(at),
                        value_text(value, number, sizeof number));
        }
        fputc('\n', out);
        json_decref(features);
    }
    int result = step == SQLITE_DONE ? 0 : store_fail(store, err, "exporting");
    if (result == 0 && ferror(out)) result = error_set(err, ERR_IO, "writing the export failed");
    sqlite3_finalize(statement);
    json_decref(index);
    run_columns_free(of);
    return result;
}
