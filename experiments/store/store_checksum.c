/* Checksums of rows: what the file system or a person changed in a row since a run wrote it is seen, and the run is
 * simulated again. A checksum is an SQL function over the row, so that a statement can write it, migrate to it and ask
 * for it. */
#include "store/store_internal.h"

/* Texts with their ends, so that nothing can move from one column into the next; numbers as their decimals. */
static void row_checksum(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct hasher *hasher = hasher_new();
    if (!hasher) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (int i = 0; i < n; i++) {
        const unsigned char *text = sqlite3_value_text(values[i]);
        hasher_add(hasher, text ? (const void *)text : "", (text ? (size_t)sqlite3_value_bytes(values[i]) : 0) + 1);
    }
    const struct hash hash = hasher_finish(hasher);
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) sum = sum << 8 | hash.bytes[i];
    sqlite3_result_int64(context, (sqlite3_int64)sum);
}

int store_add_checksum(struct store *store, struct error *err)
{
    const int code = sqlite3_create_function_v2(store->db, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                                row_checksum, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : store_fail(store, err, "opening the store");
}

const struct store_table store_tables[] = {
    {"runs", "key", RUN_COLUMNS, true},
    {"traces", "hash", TRACE_COLUMNS, true},
    {"configs", "hash", CONFIG_COLUMNS, true},
    {"plans", "trace || ' ' || config", PLAN_COLUMNS, false},
    {"experiments", "name || ' ' || hash", EXPERIMENT_COLUMNS, false},
    {"provenance", "name", PROVENANCE_COLUMNS, false},
    {"claims", "key", CLAIM_COLUMNS, false},
};
const size_t n_store_tables = sizeof store_tables / sizeof *store_tables;

/* Rows of an older schema, which is only read, have no checksums yet: those of runs came with schema 3, the others with
 * schema 4. */
int store_add_sound_views(struct store *store, struct error *err)
{
    for (size_t i = 0; i < n_store_tables; i++) {
        const struct store_table *t = &store_tables[i];
        const bool is_runs = i == 0, has_checksum = store->schema >= (is_runs ? 3 : 4);
        char sql[600];
        if (has_checksum)
            snprintf(sql, sizeof sql,
                     "CREATE TEMP VIEW sound_%s AS SELECT * FROM main.%s WHERE checksum = "
                     "row_checksum(%s)",
                     t->name, t->name, t->columns);
        else
            snprintf(sql, sizeof sql, "CREATE TEMP VIEW sound_%s AS SELECT *, 0 AS checksum FROM main.%s%s", t->name,
                     t->name, is_runs ? " WHERE " RUN_HAS_STATS : "");
        if (store_execute(store, sql, err) < 0) return -1;
    }
    return 0;
}

static int check_table(struct store *store, const struct store_table *t, struct error *err)
{
    sqlite3_stmt *statement;
    char sql[900];
    snprintf(sql, sizeof sql,
             "SELECT count(*), min(%s), (SELECT count(*) FROM %s) FROM %s WHERE (%s) NOT IN (SELECT %s "
             "FROM sound_%s)",
             t->key, t->name, t->name, t->key, t->key, t->name);
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    int result = 0;
    if (sqlite3_step(statement) != SQLITE_ROW) {
        result = store_fail(store, err, "checking rows");
    } else if (sqlite3_column_int64(statement, 0)) {
        const bool is_runs = t == store_tables;
        error_set(err, ERR_INPUT, "%s: %lld of %lld %s%s do not match their checksums, the first is %s", store->path,
                  (long long)sqlite3_column_int64(statement, 0), (long long)sqlite3_column_int64(statement, 2),
                  is_runs ? "" : "rows of ", t->name, (const char *)sqlite3_column_text(statement, 1));
        result = error_at(err, store->path, 0, -1,
                          is_runs ? "the command that made them simulates them again; 'poise store gc' removes them"
                                  : "the command that made them writes them again; 'poise store gc' removes them");
    }
    sqlite3_finalize(statement);
    return result;
}

int store_check_rows(struct store *store, bool all_tables, struct error *err)
{
    for (size_t i = 0; i < n_store_tables; i++) {
        const bool is_wanted = store->schema >= 4 ? all_tables || store_tables[i].has_results : i == 0;
        if (is_wanted && check_table(store, &store_tables[i], err) < 0) return -1;
    }
    return 0;
}
