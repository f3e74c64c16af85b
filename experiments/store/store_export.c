/* The store as text: the rows of runs_tidy, sorted by key, no times. Equal stores export equal bytes. */
#include "store/store_internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "store/store_tidy.h"

int store_export_csv(struct store *store, FILE *out, struct error *err)
{
    struct tidy_table t = {0};
    char number[40];
    int result = -1, step = SQLITE_DONE;
    if (store_flush(store, err) < 0 || store_check_rows(store, false, err) < 0 || tidy_begin(&t, store, err) < 0)
        goto done;
    for (size_t i = 0; i < t.n; i++) {
        if (i) fputc(',', out);
        csv_print(out, t.columns[i].name);
    }
    fputc('\n', out);
    while ((step = sqlite3_step(t.statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < t.n; i++) {
            if (i) fputc(',', out);
            const int type = sqlite3_column_type(t.statement, (int)i);
            if (type == SQLITE_FLOAT)
                fputs(number_text(sqlite3_column_double(t.statement, (int)i), number, sizeof number), out);
            else if (type != SQLITE_NULL) csv_print(out, (const char *)sqlite3_column_text(t.statement, (int)i));
        }
        fputc('\n', out);
    }
    result = step == SQLITE_DONE ? 0 : store_fail(store, err, "exporting");
    if (result == 0 && ferror(out)) result = error_set(err, ERR_IO, "writing the export failed");
done:
    tidy_end(&t, store);
    return result;
}

int store_export_units(struct store *store, FILE *out, struct error *err)
{
    struct tidy_table t = {0};
    const int result = store_flush(store, err) < 0 ? -1 : tidy_begin(&t, store, err);
    if (result == 0) fputs("column,unit,meaning\n", out);
    for (size_t i = 0; i < t.n && result == 0; i++) {
        csv_print(out, t.columns[i].name);
        csv_next(out, t.columns[i].unit);
        csv_next(out, t.columns[i].meaning);
        fputc('\n', out);
    }
    tidy_end(&t, store);
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
            json_t *json = json_loads((const char *)sqlite3_column_text(statement, i), 0, NULL);
            if (!json)
                result = error_set(err, ERR_INPUT, "%s: run %s: column %d is no JSON", store->path,
                                   (const char *)sqlite3_column_text(statement, 0), i);
            json_decref(json);
        }
        if (result == 0 && (!sqlite3_column_int(statement, 4) || !sqlite3_column_int(statement, 5)))
            result = error_set(err, ERR_INPUT, "%s: run %s: its trace or configuration has no row", store->path,
                               (const char *)sqlite3_column_text(statement, 0));
        ++*checked;
    }
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "verifying");
    sqlite3_finalize(statement);
    return result == 0 ? tidy_check(store, err) : result;
}
