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
    const int code = sqlite3_create_function_v2(store->db, "row_checksum", 9, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                                row_checksum, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : store_fail(store, err, "opening the store");
}

/* Rows of an older schema, which is only read, have no checksum yet. */
int store_add_sound_runs(struct store *store, struct error *err)
{
    static const char with[] = "CREATE TEMP VIEW sound_runs AS SELECT * FROM main.runs AS r WHERE " ROW_IS_SOUND("r");
    static const char without[] =
        "CREATE TEMP VIEW sound_runs AS SELECT *, 0 AS checksum FROM main.runs AS r WHERE " ROW_HAS_STATS("r");
    return store_execute(store, store->schema < STORE_SCHEMA ? without : with, err);
}

int store_check_rows(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement,
                      "SELECT count(*), min(key), (SELECT count(*) FROM runs) FROM runs WHERE key NOT IN (SELECT key "
                      "FROM sound_runs)",
                      err) < 0)
        return -1;
    int result = 0;
    if (sqlite3_step(statement) != SQLITE_ROW) {
        result = store_fail(store, err, "checking rows");
    } else if (sqlite3_column_int64(statement, 0)) {
        error_set(err, ERR_INPUT, "%s: %lld of %lld runs do not match their checksums, the first is %s", store->path,
                  (long long)sqlite3_column_int64(statement, 0), (long long)sqlite3_column_int64(statement, 2),
                  (const char *)sqlite3_column_text(statement, 1));
        result = error_at(err, store->path, 0, -1,
                          "the command that made them simulates them again; 'poise store gc' removes them");
    }
    sqlite3_finalize(statement);
    return result;
}
