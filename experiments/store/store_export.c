/* The store as text. Columns of the statistics are the union of the counters that its rows hold, in order of first
 * appearance by sorted key, so equal contents give equal bytes. */
#include "store/store_internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/gpu.h"
#include "store/run_columns.h"

struct columns {
    char **names;
    size_t n, capacity;
};

static int columns_add(struct columns *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->names[i], name) == 0) return 0;
    if (c->n == c->capacity) {
        const size_t capacity = c->capacity ? 2 * c->capacity : 64;
        char **names = realloc(c->names, capacity * sizeof *names);
        if (!names) return -1;
        c->names = names;
        c->capacity = capacity;
    }
    return (c->names[c->n] = strdup(name)) ? (int)(c->n++ & 0) : -1;
}

static void columns_fini(struct columns *c)
{
    for (size_t i = 0; i < c->n; i++) free(c->names[i]);
    free(c->names);
}

static const char *column(sqlite3_stmt *statement, int i)
{
    const unsigned char *text = sqlite3_column_text(statement, i);
    return text ? (const char *)text : "";
}

static int gather_machines(struct store *store, struct run_columns *c, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement,
                      "SELECT hash, json FROM sound_configs WHERE hash IN (SELECT config FROM runs) ORDER BY hash",
                      err) < 0)
        return -1;
    int result = 0, step = SQLITE_DONE;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct gpu_params *params = gpu_params_new();
        struct error unread; /* of a build that had other parameters: then the machine has no name here */
        const char *json = column(statement, 1);
        if (!params) result = error_set(err, ERR_MEMORY, "out of memory for a machine");
        else if (gpu_params_parse(params, column(statement, 0), json, strlen(json), ".", &unread) == 0)
            result = run_columns_machine(c, column(statement, 0), params, err);
        gpu_params_free(params);
    }
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "reading machines");
    sqlite3_finalize(statement);
    return result;
}

int store_run_columns(struct store *store, struct run_columns **out, struct error *err)
{
    sqlite3_stmt *statement;
    if (run_columns_new(out, err) < 0 || gather_machines(store, *out, err) < 0 ||
        store_prepare(store, &statement, "SELECT DISTINCT mechs FROM runs", err) < 0)
        return -1;
    int result = 0, step = SQLITE_DONE;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        json_t *stack = json_loads(column(statement, 0), 0, NULL);
        result = run_columns_stack(*out, stack, err);
        json_decref(stack);
    }
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "reading mechanisms");
    sqlite3_finalize(statement);
    return result == 0 ? run_columns_finish(*out, err) : -1;
}

static int gather_columns(struct store *store, struct columns *c, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, "SELECT key, stats FROM runs ORDER BY key", err) < 0) return -1;
    int result = 0, step;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        json_t *stats = json_loads(column(statement, 1), 0, NULL);
        const char *name;
        json_t *value;
        if (!json_is_object(stats))
            result = error_set(err, ERR_INPUT, "%s: run %s: its statistics are no JSON object", store->path,
                               column(statement, 0));
        else
            json_object_foreach(stats, name, value)
                if (columns_add(c, name) < 0)
                    result = error_set(err, ERR_MEMORY, "out of memory for %zu columns", c->n);
        json_decref(stats);
    }
    sqlite3_finalize(statement);
    return result;
}

static void print_row(sqlite3_stmt *statement, const struct columns *c, const struct run_columns *of, FILE *out)
{
    json_t *stats = json_loads(column(statement, 9), 0, NULL), *stack = json_loads(column(statement, 7), 0, NULL);
    for (int i = 0; i < 9; i++) {
        if (i) fputc(',', out);
        csv_print(out, column(statement, i));
    }
    fprintf(out, ",%s,%s,", sqlite3_column_int(statement, 10) ? "1" : "0",
            sqlite3_column_int(statement, 11) ? error_name((enum error_code)sqlite3_column_int(statement, 11)) : "");
    csv_print(out, column(statement, 12));
    fputc(',', out);
    run_columns_row(of, column(statement, 13), column(statement, 2), stack, out);
    json_decref(stack);
    for (size_t i = 0; i < c->n; i++) {
        const json_t *value = json_object_get(stats, c->names[i]);
        fputc(',', out);
        if (value) fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
    fputc('\n', out);
    json_decref(stats);
}

int store_export_csv(struct store *store, FILE *out, struct error *err)
{
    struct columns c = {0};
    struct run_columns *of = NULL;
    sqlite3_stmt *statement = NULL;
    int result = -1, step;
    if (store_flush(store, err) < 0 || store_check_rows(store, false, err) < 0 || gather_columns(store, &c, err) < 0 ||
        store_run_columns(store, &of, err) < 0)
        goto done;
    if (store_prepare(store, &statement,
                      "SELECT key, trace, workload, kernel, size, input, launch, mechs, limits, stats, complete, code, "
                      "message, config"
                      " FROM runs LEFT JOIN traces ON traces.hash = runs.trace ORDER BY key",
                      err) < 0)
        goto done;
    fprintf(out, "key,trace,workload,kernel,size,input,launch,mechs,limits,complete,error,message,");
    run_columns_head(of, out);
    for (size_t i = 0; i < c.n; i++) {
        fputc(',', out);
        csv_print(out, c.names[i]);
    }
    fputc('\n', out);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) print_row(statement, &c, of, out);
    result = step == SQLITE_DONE ? 0 : store_fail(store, err, "exporting");
    if (result == 0 && ferror(out)) result = error_set(err, ERR_IO, "writing the export failed");
done:
    sqlite3_finalize(statement);
    columns_fini(&c);
    run_columns_free(of);
    return result;
}

int store_verify(struct store *store, uint64_t *checked, struct error *err)
{
    *checked = 0;
    sqlite3_stmt *statement;
    if (store_flush(store, err) < 0 || store_check_rows(store, true, err) < 0 ||
        store_prepare(store, &statement,
                      "SELECT key, stats, mechs, limits, (SELECT count(*) FROM traces WHERE hash = trace),"
                      " (SELECT count(*) FROM configs WHERE hash = config) FROM runs ORDER BY key",
                      err) < 0)
        return -1;
    int result = 0, step = SQLITE_DONE;
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 1; i <= 3; i++) {
            json_t *json = json_loads(column(statement, i), 0, NULL);
            if (!json)
                result =
                    error_set(err, ERR_INPUT, "%s: run %s: column %d is no JSON", store->path, column(statement, 0), i);
            json_decref(json);
        }
        if (result == 0 && (!sqlite3_column_int(statement, 4) || !sqlite3_column_int(statement, 5)))
            result = error_set(err, ERR_INPUT, "%s: run %s: its trace or configuration has no row", store->path,
                               column(statement, 0));
        ++*checked;
    }
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "verifying");
    sqlite3_finalize(statement);
    return result;
}
