/* The schema, as steps from one version to the next: a store of any earlier version is brought up to date when it is
 * opened for writing, in one transaction. A released step is never edited; a change is a further step. */
#include "store/store_internal.h"

static const char *const steps[STORE_SCHEMA] = {
    "CREATE TABLE runs(key TEXT PRIMARY KEY, trace TEXT NOT NULL, config TEXT NOT NULL, mechs TEXT NOT NULL,"
    " limits TEXT NOT NULL, stats TEXT NOT NULL, complete INTEGER NOT NULL, code INTEGER NOT NULL, message TEXT NOT "
    "NULL,"
    " seconds REAL NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE traces(hash TEXT PRIMARY KEY, workload TEXT NOT NULL, kernel TEXT NOT NULL, size TEXT NOT NULL,"
    " input INTEGER NOT NULL, launch INTEGER NOT NULL, warp_insts INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE configs(hash TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE plans(trace TEXT NOT NULL, config TEXT NOT NULL, warps_per_scheduler INTEGER NOT NULL,"
    " warp_insts INTEGER NOT NULL, line_requests INTEGER NOT NULL, PRIMARY KEY(trace, config)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE provenance(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX runs_trace ON runs(trace);",
    /* Version 2: what was asked for, and runs taken apart for queries. */
    "CREATE TABLE experiments(name TEXT NOT NULL, hash TEXT NOT NULL, spec TEXT NOT NULL, PRIMARY KEY(name, hash)) "
    "STRICT, WITHOUT ROWID;"
    "CREATE VIEW parameters AS SELECT runs.key AS key, json_extract(m.value, '$.name') AS mech, p.key AS name, p.value "
    "AS value"
    " FROM runs, json_each(runs.mechs) AS m, json_each(m.value, '$.params') AS p;"
    "CREATE VIEW statistics AS SELECT runs.key AS key, s.key AS name, s.value AS value FROM runs, "
    "json_each(runs.stats) AS s;",
    /* Version 3: a checksum a row. Rows whose statistics were emptied before get none that holds. */
    "ALTER TABLE runs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;"
    "UPDATE runs SET checksum = " ROW_CHECKSUM("runs") " WHERE " ROW_HAS_STATS("runs") ";",
};

static int user_version(struct store *store, int *out, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, "PRAGMA user_version", err) < 0) return -1;
    const int step = sqlite3_step(statement);
    *out = step == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    const int result = step == SQLITE_ROW ? 0 : store_fail(store, err, "reading the schema version");
    sqlite3_finalize(statement);
    return result;
}

static int step_up(struct store *store, int version, struct error *err)
{
    char pragma[48];
    for (; version < STORE_SCHEMA; version++)
        if (store_execute(store, steps[version], err) < 0) return -1;
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", STORE_SCHEMA);
    return store_execute(store, pragma, err);
}

/* Two processes may create or migrate the same store at once: the second waits for the lock and finds the work done. */
int store_migrate(struct store *store, struct error *err)
{
    int version = 0;
    if (user_version(store, &version, err) < 0) return -1;
    if (version < STORE_SCHEMA && !store->is_read_only) {
        if (store_execute(store, "BEGIN IMMEDIATE", err) < 0) return -1;
        int result = user_version(store, &version, err);
        if (result == 0 && version < STORE_SCHEMA) result = step_up(store, version, err);
        if (result == 0) result = store_execute(store, "COMMIT", err);
        if (result < 0) {
            sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
            return -1;
        }
    }
    if (version == 0 && store->is_read_only) {
        error_set(err, ERR_INPUT, "%s: this database is no store of runs", store->path);
        return error_at(err, store->path, 0, -1, "'poise sweep SPEC --out DIR' makes DIR/store.sqlite");
    }
    if (version > STORE_SCHEMA) {
        error_set(err, ERR_INPUT, "%s: store schema %d, this build reads up to %d", store->path, version, STORE_SCHEMA);
        return error_at(err, store->path, 0, -1, "use the newer program that wrote it, or another store");
    }
    store->schema = version < STORE_SCHEMA && !store->is_read_only ? STORE_SCHEMA : version;
    return 0;
}
