/* Looking after stores: queries, merging, removing what is not needed, checking. */
#include "store/store_internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "store/store_tidy.h"

static json_t *value_json(sqlite3_stmt *statement, int i)
{
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(statement, i));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(statement, i));
    case SQLITE_NULL: return json_null();
    default: return json_string((const char *)sqlite3_column_text(statement, i));
    }
}

static json_t *row_json(sqlite3_stmt *statement)
{
    json_t *row = json_object();
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        json_object_set_new(row, sqlite3_column_name(statement, i), value_json(statement, i));
    return row;
}

static void row_csv(sqlite3_stmt *statement, FILE *out)
{
    char number[40];
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        if (i) fputc(',', out);
        if (sqlite3_column_type(statement, i) == SQLITE_FLOAT)
            fputs(number_text(sqlite3_column_double(statement, i), number, sizeof number), out);
        else if (sqlite3_column_type(statement, i) != SQLITE_NULL)
            csv_print(out, (const char *)sqlite3_column_text(statement, i));
    }
    fputc('\n', out);
}

int store_query(struct store *store, const char *sql, FILE *out, struct json_t *rows, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    if (store_flush(store, err) < 0 || (strstr(sql, "runs_tidy") && tidy_view(store, err) < 0)) return -1;
    const int prepared = sqlite3_prepare_v2(store->db, sql, -1, &statement, &rest);
    if (prepared != SQLITE_OK || !statement) {
        if (prepared == SQLITE_OK) error_set(err, ERR_INPUT, "an empty query: one SELECT is needed");
        else error_set(err, ERR_INPUT, "%s: %s", sql, sqlite3_errmsg(store->db));
        return error_at(
            err, NULL, 0, -1,
            "tables: runs, traces, configs, plans, experiments, provenance; "
            "views: runs_tidy (a row a run, explained in runs_tidy_columns), parameters, statistics, sound_runs");
    }
    int result = 0, step = SQLITE_DONE;
    /* ATTACH, BEGIN and the like write nothing either, and give nothing */
    if (!sqlite3_stmt_readonly(statement) || sqlite3_column_count(statement) == 0 ||
        rest[strspn(rest, " \t\r\n;")] != '\0')
        result = error_set(err, ERR_INPUT, "a query is one SELECT: nothing is written through it");
    for (int i = 0; result == 0 && !rows && i < sqlite3_column_count(statement); i++) {
        if (i) fputc(',', out);
        csv_print(out, sqlite3_column_name(statement, i));
    }
    if (result == 0 && !rows) fputc('\n', out);
    while (result == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (rows) json_array_append_new(rows, row_json(statement));
        else row_csv(statement, out);
    }
    if (result == 0 && step != SQLITE_DONE) result = store_fail(store, err, "querying");
    sqlite3_finalize(statement);
    return result;
}

#define SOUND_RUNS(schema) "(SELECT * FROM " schema ".runs WHERE " IS_SOUND(RUN_COLUMNS) ")"
#define IS_PROFILE(row) "instr(" row ".stats, '\"" STORE_PROFILE_ONLY "\"')"
/* Refused rows take no part, and one of ours gives way to a sound one. */
#define MERGE_TABLE(table, key, columns) \
    "DELETE FROM main." table \
    " WHERE NOT " IS_SOUND(columns) " AND (" key ") IN (SELECT " key " FROM other." table \
                                    " WHERE " IS_SOUND(columns) ");" \
                                                                "INSERT OR IGNORE INTO main." table \
                                                                " SELECT * FROM other." table \
                                                                " WHERE " IS_SOUND(columns) ";"
/* A run that went well here or there wins over one that failed, a simulated one over one from a table of profiles; of
 * two equal keys ours stays. Refused runs of ours stay until a sound one comes. */
#define OTHERS SOUND_RUNS("other")
static const char *const merge_sql[] = {
    MERGE_TABLE("traces", "hash", TRACE_COLUMNS),
    MERGE_TABLE("configs", "hash", CONFIG_COLUMNS),
    MERGE_TABLE("plans", "trace, config", PLAN_COLUMNS),
    MERGE_TABLE("provenance", "name", PROVENANCE_COLUMNS),
    MERGE_TABLE("experiments", "name, hash", EXPERIMENT_COLUMNS),
    "DELETE FROM main.runs WHERE NOT " IS_SOUND(RUN_COLUMNS) " AND key IN (SELECT key FROM " OTHERS ")",
    "DELETE FROM main.runs WHERE code != 0 AND key IN (SELECT key FROM " OTHERS " WHERE code = 0)",
    "DELETE FROM main.runs WHERE " IS_PROFILE("runs") " AND key IN (SELECT key FROM " OTHERS " AS o"
                                                      " WHERE code = 0 AND NOT " IS_PROFILE("o") ")",
    "INSERT OR IGNORE INTO main.runs SELECT * FROM " OTHERS,
};

/* Statistics of one key that differ between stores: one of them was not made by this simulator, or was damaged. */
static int check_same(struct store *store, const char *path, struct error *err)
{
    sqlite3_stmt *statement;
    static const char sql[] =
        "SELECT a.key FROM main.runs AS a JOIN other.runs AS b ON a.key = b.key WHERE a.code = 0 AND b.code = 0"
        " AND (a.stats != b.stats OR a.complete != b.complete) AND (" IS_PROFILE("a") " > 0) = (" IS_PROFILE(
            "b") " > 0) AND a.key IN (SELECT key FROM " SOUND_RUNS("main") " WHERE key = a.key) AND b.key IN (SELECT "
                                                                           "key"
                                                                           " FROM " SOUND_RUNS(
                                                                               "other") " WHERE key = b.key) ORDER BY "
                                                                                        "a.key LIMIT 1";
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    const int step = sqlite3_step(statement);
    int result = 0;
    if (step == SQLITE_ROW) {
        error_set(err, ERR_INPUT, "%s: run %s has other statistics than in %s", path,
                  (const char *)sqlite3_column_text(statement, 0), store->path);
        error_at(err, path, 0, -1, "one of the stores is damaged or was made by another simulator: nothing was merged");
        result = -1;
    } else if (step != SQLITE_DONE) {
        result = store_fail(store, err, "comparing stores");
    }
    sqlite3_finalize(statement);
    return result;
}

int store_merge(struct store *store, const char *path, uint64_t *added, struct error *err)
{
    uint64_t before, after = 0;
    sqlite3_stmt *statement;
    struct store *other;
    /* Opening it for writing brings an older schema up to date, so that the columns agree. */
    if (store_open(&other, path, err) < 0 || store_close(other, err) < 0 || store_count(store, &before, err) < 0 ||
        store_prepare(store, &statement, "ATTACH DATABASE ? AS other", err) < 0)
        return -1;
    sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement);
    int result = step == SQLITE_DONE ? 0 : store_fail(store, err, "attaching the other store");
    sqlite3_finalize(statement);
    if (result < 0) return -1;
    result = store_execute(store, "BEGIN IMMEDIATE", err);
    if (result == 0) {
        result = check_same(store, path, err);
        for (size_t i = 0; i < sizeof merge_sql / sizeof *merge_sql && result == 0; i++)
            result = store_execute(store, merge_sql[i], err);
        if (result == 0) result = tidy_rewrite(store, err);
        if (result == 0) result = store_execute(store, "COMMIT", err);
        if (result < 0) sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_exec(store->db, "DETACH DATABASE other", NULL, NULL, NULL);
    if (result == 0) result = store_count(store, &after, err);
    *added = after > before ? after - before : 0;
    return result;
}

int store_gc(struct store *store, uint64_t *removed, struct error *err)
{
    if (store_flush(store, err) < 0 || store_execute(store, "BEGIN IMMEDIATE", err) < 0) return -1;
    const int before = sqlite3_total_changes(store->db);
    char failed[80];
    snprintf(failed, sizeof failed, "DELETE FROM runs WHERE code NOT IN (%d, %d);", (int)ERR_NONE, (int)ERR_DEADLOCK);
    int result = store_execute(store, failed, err);
    for (size_t i = 0; i < n_store_tables && result == 0; i++) {
        char refused[400];
        const struct store_table *t = &store_tables[i];
        snprintf(refused, sizeof refused, "DELETE FROM %s WHERE checksum != row_checksum(%s)", t->name, t->columns);
        result = store_execute(store, refused, err);
    }
    if (result == 0)
        result = store_execute(store,
                               "DELETE FROM configs WHERE hash NOT IN (SELECT config FROM runs);"
                               "DELETE FROM plans WHERE trace NOT IN (SELECT trace FROM runs);"
                               "DELETE FROM traces WHERE hash NOT IN (SELECT trace FROM runs);",
                               err);
    *removed = (uint64_t)(sqlite3_total_changes(store->db) - before);
    for (size_t i = 0; result == 0 && i < STORE_VIEWS; i++) {
        char drop[64];
        snprintf(drop, sizeof drop, "DROP VIEW IF EXISTS %s", store_views[i][0]);
        result = store_execute(store, drop, err);
        if (result == 0) result = store_execute(store, store_views[i][1], err);
    }
    if (result == 0) result = tidy_rewrite(store, err);
    if (result < 0 || store_execute(store, "COMMIT", err) < 0) {
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        return -1;
    }
    return store_execute(store, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);", err);
}

int store_check_file(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, "PRAGMA integrity_check(1)", err) < 0) return -1;
    int result = 0;
    if (sqlite3_step(statement) != SQLITE_ROW) {
        result = store_fail(store, err, "checking the file");
    } else if (strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0) {
        error_set(err, ERR_INPUT, "%s: damaged: %s", store->path, (const char *)sqlite3_column_text(statement, 0));
        result = error_at(err, store->path, 0, -1,
                          "move it away and run again; 'poise store merge NEW OLD' may save readable runs");
    }
    sqlite3_finalize(statement);
    return result;
}
