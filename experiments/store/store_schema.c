/* The schema, as steps from one version to the next: a store of any earlier version is brought up to date when it is
 * opened for writing, in one transaction. A released step is never edited; a change is a further step. */
#include "store/store_internal.h"

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

#define PARAMETERS_VIEW \
    "CREATE VIEW parameters AS SELECT runs.key AS key, json_extract(m.value, '$.name') AS mech, p.key AS name, " \
    "p.value AS value FROM runs, json_each(runs.mechs) AS m, json_each(m.value, '$.params') AS p"
#define STATISTICS_VIEW \
    "CREATE VIEW statistics AS SELECT runs.key AS key, s.key AS name, s.value AS value FROM runs, " \
    "json_each(runs.stats) AS s"
const char *const store_views[STORE_VIEWS][2] = {{"parameters", PARAMETERS_VIEW}, {"statistics", STATISTICS_VIEW}};

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
    "STRICT, WITHOUT ROWID;" PARAMETERS_VIEW ";" STATISTICS_VIEW ";",
    /* Version 3: a checksum a row. Rows whose statistics were emptied before get none that holds. */
    "ALTER TABLE runs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;"
    "UPDATE runs SET checksum = row_checksum(" RUN_COLUMNS ") WHERE " RUN_HAS_STATS ";",
    /* Version 4: which runs are in whose hands, whose file this is, and, by add_checksums, a checksum a row in every
     * table. */
    "CREATE TABLE IF NOT EXISTS claims(key TEXT PRIMARY KEY, owner TEXT NOT NULL, beat INTEGER NOT NULL,"
    " checksum INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "PRAGMA application_id = " TEXT_OF(STORE_APPLICATION_ID) ";",
};

/* One whole number that a statement gives. */
static int number_of(struct store *store, const char *sql, int *out, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    const int step = sqlite3_step(statement);
    *out = step == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    const int result = step == SQLITE_ROW ? 0 : store_fail(store, err, "reading the store's header");
    sqlite3_finalize(statement);
    return result;
}

static int user_version(struct store *store, int *out, struct error *err)
{
    return number_of(store, "PRAGMA user_version", out, err);
}

static int refuse_foreign(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    char names[200] = "no tables";
    if (store_prepare(
            store, &statement,
            "SELECT substr(group_concat(name, ', '), 1, 120) FROM (SELECT name FROM sqlite_master WHERE type IN "
            "('table', 'view') ORDER BY name)",
            err) < 0)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        snprintf(names, sizeof names, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    error_set(err, ERR_INPUT, "%s: a database of another program (%s), no store of runs", store->path, names);
    return error_at(err, store->path, 0, -1, "nothing was written to it: name another file");
}

struct header {
    int id, version, tables, ours, later, triggers;
};
enum { FIRST_TABLES = 5 }; /* of version 1 */

static int read_header(struct store *store, struct header *h, struct error *err)
{
    return number_of(store, "PRAGMA application_id", &h->id, err) < 0 || user_version(store, &h->version, err) < 0 ||
                   number_of(store, "SELECT count(*) FROM sqlite_master", &h->tables, err) < 0 ||
                   number_of(store,
                             "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN"
                             " ('runs', 'traces', 'configs', 'plans', 'provenance')",
                             &h->ours, err) < 0 ||
                   number_of(store,
                             "SELECT count(*) FROM sqlite_master, pragma_user_version WHERE type = 'table' AND"
                             " (name = 'experiments' AND user_version >= 2 OR name = 'claims' AND user_version >= 4)",
                             &h->later, err) < 0 ||
                   number_of(store, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'", &h->triggers, err) < 0
               ? -1
               : 0;
}

/* In one transaction: another process may just be making the store. */
int store_identify(struct store *store, struct error *err)
{
    struct header h;
    if (store_execute(store, "BEGIN", err) < 0) return -1;
    const int result = read_header(store, &h, err);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    if (result < 0) return -1;
    if (h.id == 0 && h.version == 0 && h.tables == 0) return 0; /* nobody's yet */
    if (h.id != STORE_APPLICATION_ID && (h.id != 0 || h.ours != FIRST_TABLES)) return refuse_foreign(store, err);
    const int needed = FIRST_TABLES + (h.version >= 2) + (h.version >= 4), found = h.ours + h.later;
    if (h.version >= 1 && found == needed && h.triggers == 0) return 0;
    if (h.version >= 1 && found == needed)
        error_set(err, ERR_INPUT, "%s: a trigger, which no build writes", store->path);
    else
        error_set(err, ERR_INPUT, "%s: store schema %d with %d of %d tables, which no build writes", store->path,
                  h.version, found, needed);
    return error_at(err, store->path, 0, -1,
                    "the file is damaged: move it away and run again, runs are simulated again");
}

/* To tables that came before checksums did. */
static int add_checksums(struct store *store, struct error *err)
{
    for (size_t i = 0; i < n_store_tables; i++) {
        const struct store_table *t = &store_tables[i];
        char sql[600];
        int has;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info('%s') WHERE name = 'checksum'", t->name);
        if (number_of(store, sql, &has, err) < 0) return -1;
        if (has) continue;
        snprintf(sql, sizeof sql,
                 "ALTER TABLE %s ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0; UPDATE %s SET checksum = "
                 "row_checksum(%s)",
                 t->name, t->name, t->columns);
        if (store_execute(store, sql, err) < 0) return -1;
    }
    return 0;
}

static int step_up(struct store *store, int version, struct error *err)
{
    char pragma[48];
    for (; version < STORE_SCHEMA; version++)
        if (store_execute(store, steps[version], err) < 0) return -1;
    if (add_checksums(store, err) < 0) return -1;
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
