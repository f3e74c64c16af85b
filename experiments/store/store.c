#include "store/store_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/clock.h"
#include "poise/file.h"

void store_run_fini(struct store_run *run)
{
    free(run->mechs);
    free(run->stats);
    free(run->limits);
    free(run->message);
    memset(run, 0, sizeof *run);
}

/* One of the repeated statements, ready to be bound; reset it when it has been stepped, or it holds the file. */
static int take_statement(struct store *store, sqlite3_stmt **out, enum store_statement which, struct error *err)
{
    static const char *const sql[STORE_STATEMENTS] = {
        [STORE_GET] = "SELECT key, trace, config, mechs, limits, stats, complete, code, message, seconds, EXISTS "
                      "(SELECT 1 FROM sound_runs WHERE key = ?1)"
                      " FROM runs WHERE key = ?1",
        [STORE_PUT] = "INSERT OR REPLACE INTO runs "
                      "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,row_checksum(?1,?2,?3,?4,?5,?6,?7,?8,?9))",
        [STORE_GET_PLAN] =
            "SELECT warps_per_scheduler, warp_insts, line_requests FROM plans WHERE trace = ? AND config = ?",
        [STORE_PUT_PLAN] = "INSERT OR IGNORE INTO plans VALUES(?,?,?,?,?)",
        [STORE_PUT_TRACE] = "INSERT OR IGNORE INTO traces VALUES(?,?,?,?,?,?,?)",
        [STORE_HISTORY] = ("SELECT total(seconds), total(warp_insts) FROM"
                           " (SELECT seconds, warp_insts FROM runs JOIN traces ON traces.hash = runs.trace WHERE "
                           "runs.trace = ? AND complete AND code = 0 LIMIT 100)"),
    };
    if (!store->statements[which] && sqlite3_prepare_v3(store->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                                                        &store->statements[which], NULL) != SQLITE_OK) {
        store_fail(store, err, "reading the store");
        return -1;
    }
    *out = store->statements[which];
    return 0;
}

/* Steps a statement that gives no rows. */
static int step_done(struct store *store, sqlite3_stmt *statement, struct error *err)
{
    const int step = sqlite3_step(statement),
              result = step == SQLITE_DONE ? 0 : store_fail(store, err, "writing the store");
    sqlite3_reset(statement);
    return result;
}

static int connect(struct store *store, bool is_read_only, struct error *err)
{
    if (!is_read_only)
        return sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK
                   ? 0
                   : store_fail(store, err, "opening the store");
    /* A WAL file is read through a shared-memory file beside it. Where none can be made, the folder is read-only, so
     * that nobody writes: the file is read as it lies. */
    const char *slash = strrchr(store->path, '/');
    char folder[4096], uri[4200];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - store->path) + 1 : 2, slash ? store->path : "./");
    const bool is_frozen = access(folder, W_OK) != 0 && !strpbrk(store->path, "?#%");
    snprintf(uri, sizeof uri, "file:%s?immutable=1", store->path);
    return sqlite3_open_v2(is_frozen ? uri : store->path, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) ==
                   SQLITE_OK
               ? 0
               : store_fail(store, err, "opening the store");
}

enum { BUSY_MS = 20000 };

/* The switch to WAL needs the file alone. Where several processes open a new store at once, each holds it for
 * reading and wants more; SQLite then answers 'busy' without waiting, since waiting would be a deadlock. So the
 * reader's lock goes, and again. */
static int enter_wal(struct store *store, struct error *err)
{
    const double deadline = clock_s() + 1e-3 * BUSY_MS;
    for (long us = 500;; us = us < 20000 ? 2 * us : 20000) {
        const int code = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
        if (code == SQLITE_OK) return 0;
        if ((code != SQLITE_BUSY && code != SQLITE_PROTOCOL) || clock_s() > deadline)
            return store_fail(store, err, "opening the store");
        usleep((useconds_t)(us + getpid() % 500)); /* not all of them in step */
    }
}

static int open_as(struct store **out, const char *path, bool is_read_only, struct error *err)
{
    *out = NULL;
    if (file_check_regular(path, err) < 0) return -1;
    struct store *store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path))) {
        free(store);
        return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    }
    const char *slash = strrchr(path, '/');
    int result = 0;
    store->is_read_only = is_read_only;
    if (slash && slash != path && !is_read_only) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        result = file_make_folders(folder, err);
    }
    if (result == 0) result = connect(store, is_read_only, err);
    if (result == 0) {
        sqlite3_busy_timeout(store->db, BUSY_MS);
        if (!is_read_only) result = enter_wal(store, err);
        /* NORMAL under WAL: a killed process loses nothing committed; a power cut may lose the last commits, no
         * more. */
        if (result == 0 && !is_read_only)
            result = store_execute(store, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;", err);
    }
    if (result == 0) result = store_add_checksum(store, err);
    if (result == 0) result = store_migrate(store, err);
    if (result == 0) result = store_add_sound_runs(store, err);
    if (result < 0) {
        sqlite3_close(store->db);
        free(store->path);
        free(store);
        return -1;
    }
    store->last_commit = clock_s();
    *out = store;
    return 0;
}

const char *store_path(const struct store *store) { return store->path; }
int store_open(struct store **out, const char *path, struct error *err) { return open_as(out, path, false, err); }
int store_open_read(struct store **out, const char *path, struct error *err) { return open_as(out, path, true, err); }

int store_close(struct store *store, struct error *err)
{
    if (!store) return 0;
    const int result = store_flush(store, err);
    for (size_t i = 0; i < store->n_pending; i++) store_run_fini(&store->pending[i]);
    for (size_t i = 0; i < STORE_STATEMENTS; i++) sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    free(store->path);
    free(store);
    return result;
}

static char *column_copy(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return strdup(text ? (const char *)text : "");
}

static void column_hash(sqlite3_stmt *statement, int column, char out[HASH_TEXT_SIZE])
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    snprintf(out, HASH_TEXT_SIZE, "%s", text ? (const char *)text : "");
}

static int run_copy(struct store_run *out, const struct store_run *from, struct error *err)
{
    *out = *from;
    out->mechs = strdup(from->mechs ? from->mechs : "[]");
    out->stats = strdup(from->stats ? from->stats : "{}");
    out->limits = strdup(from->limits ? from->limits : "{}");
    out->message = strdup(from->message ? from->message : "");
    if (out->mechs && out->stats && out->limits && out->message) return 0;
    store_run_fini(out);
    return error_set(err, ERR_MEMORY, "out of memory for a run's row");
}

int store_get(struct store *store, const char *key, struct store_run *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < store->n_pending; i++)
        if (strcmp(store->pending[i].key, key) == 0) return run_copy(out, &store->pending[i], err) < 0 ? -1 : 1;
    sqlite3_stmt *statement;
    if (take_statement(store, &statement, STORE_GET, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement);
    int result = 0;
    if (step == SQLITE_ROW && !sqlite3_column_int(statement, 10)) {
        out->is_damaged = true;
    } else if (step == SQLITE_ROW) {
        column_hash(statement, 0, out->key);
        column_hash(statement, 1, out->trace);
        column_hash(statement, 2, out->config);
        out->mechs = column_copy(statement, 3);
        out->limits = column_copy(statement, 4);
        out->stats = column_copy(statement, 5);
        out->complete = sqlite3_column_int(statement, 6) != 0;
        out->code = (enum error_code)sqlite3_column_int(statement, 7);
        out->message = column_copy(statement, 8);
        out->seconds = sqlite3_column_double(statement, 9);
        result = out->mechs && out->limits && out->stats && out->message
                     ? 1
                     : error_set(err, ERR_MEMORY, "out of memory for a run's row");
        if (result < 0) store_run_fini(out);
    } else if (step != SQLITE_DONE) {
        result = store_fail(store, err, "looking a run up");
    }
    sqlite3_reset(statement);
    return result;
}

static int write_pending(struct store *store, struct error *err)
{
    sqlite3_stmt *statement;
    if (take_statement(store, &statement, STORE_PUT, err) < 0) return -1;
    int result = 0;
    for (size_t i = 0; i < store->n_pending && result == 0; i++) {
        const struct store_run *run = &store->pending[i];
        const char *const texts[] = {run->key, run->trace, run->config, run->mechs, run->limits, run->stats};
        for (int c = 0; c < 6; c++) sqlite3_bind_text(statement, c + 1, texts[c], -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 7, run->complete);
        sqlite3_bind_int(statement, 8, (int)run->code);
        sqlite3_bind_text(statement, 9, run->message, -1, SQLITE_STATIC);
        sqlite3_bind_double(statement, 10, run->seconds);
        if (sqlite3_step(statement) != SQLITE_DONE) result = store_fail(store, err, "writing a run");
        sqlite3_reset(statement);
    }
    sqlite3_clear_bindings(statement); /* they point into rows that go */
    return result;
}

int store_begin(struct store *store, struct error *err) { return store_execute(store, "BEGIN IMMEDIATE", err); }

int store_end(struct store *store, int result, struct error *err)
{
    if (result == 0 && store_execute(store, "COMMIT", err) == 0) return 0;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

int store_flush(struct store *store, struct error *err)
{
    if (store->n_pending == 0) return 0;
    if (store_begin(store, err) < 0 || store_end(store, write_pending(store, err), err) < 0) return -1;
    for (size_t i = 0; i < store->n_pending; i++) store_run_fini(&store->pending[i]);
    store->n_pending = 0;
    store->last_commit = clock_s();
    return 0;
}

int store_put(struct store *store, const struct store_run *run, struct error *err)
{
    if (store->n_pending == STORE_BATCH_MAX && store_flush(store, err) < 0) return -1;
    if (run_copy(&store->pending[store->n_pending], run, err) < 0) return -1;
    store->n_pending++;
    return store->n_pending == STORE_BATCH_MAX || clock_s() - store->last_commit > STORE_COMMIT_S
               ? store_flush(store, err)
               : 0;
}

int store_count(struct store *store, uint64_t *out, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_flush(store, err) < 0 || store_prepare(store, &statement, "SELECT count(*) FROM runs", err) < 0)
        return -1;
    const int step = sqlite3_step(statement);
    *out = step == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return step == SQLITE_ROW ? 0 : store_fail(store, err, "counting runs");
}

/* An equal row is left alone: a second invocation writes nothing and waits for nobody. */
static int put_pair(struct store *store, const char *sql, const char *a, const char *b, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, a, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, b, -1, SQLITE_STATIC);
    const int result = step_done(store, statement, err);
    sqlite3_finalize(statement);
    return result;
}

int store_put_config(struct store *store, const char *hash, const char *json, struct error *err)
{
    return put_pair(store, "INSERT OR IGNORE INTO configs VALUES(?,?)", hash, json, err);
}

int store_put_provenance(struct store *store, const char *name, const char *value, struct error *err)
{
    return put_pair(store, "INSERT OR REPLACE INTO provenance VALUES(?,?)", name, value, err);
}

int store_put_trace(struct store *store, const struct store_trace *trace, struct error *err)
{
    sqlite3_stmt *statement;
    if (take_statement(store, &statement, STORE_PUT_TRACE, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, trace->hash, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, trace->workload, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, trace->kernel, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, trace->size, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 5, trace->input);
    sqlite3_bind_int64(statement, 6, trace->launch);
    sqlite3_bind_int64(statement, 7, (sqlite3_int64)trace->warp_insts);
    return step_done(store, statement, err);
}

int store_get_plan(struct store *store, const char *trace, const char *config, struct store_plan *out,
                   struct error *err)
{
    sqlite3_stmt *statement;
    if (take_statement(store, &statement, STORE_GET_PLAN, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, trace, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, config, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement);
    if (step == SQLITE_ROW) {
        out->warps_per_scheduler = (uint32_t)sqlite3_column_int64(statement, 0);
        out->warp_insts = (uint64_t)sqlite3_column_int64(statement, 1);
        out->line_requests = (uint64_t)sqlite3_column_int64(statement, 2);
    }
    const int result = step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : store_fail(store, err, "looking a plan up");
    sqlite3_reset(statement);
    return result;
}

int store_put_plan(struct store *store, const char *trace, const char *config, const struct store_plan *plan,
                   struct error *err)
{
    sqlite3_stmt *statement;
    if (take_statement(store, &statement, STORE_PUT_PLAN, err) < 0) return -1;
    sqlite3_bind_text(statement, 1, trace, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, config, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, plan->warps_per_scheduler);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)plan->warp_insts);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)plan->line_requests);
    return step_done(store, statement, err);
}

/* Of the trace's runs a hundred are enough; of all runs, a thousand: a store may hold millions. */
int store_history(struct store *store, const char *trace, double *seconds_per_inst, struct error *err)
{
    sqlite3_stmt *statement;
    *seconds_per_inst = 0;
    if (trace ? take_statement(store, &statement, STORE_HISTORY, err) < 0
              : store_prepare(store, &statement,
                              "SELECT total(seconds), total(warp_insts) FROM"
                              " (SELECT seconds, warp_insts FROM runs JOIN traces ON traces.hash = runs.trace WHERE "
                              "complete AND code = 0 LIMIT 1000)",
                              err) < 0)
        return -1;
    if (trace) sqlite3_bind_text(statement, 1, trace, -1, SQLITE_STATIC);
    const int step = sqlite3_step(statement),
              result = step == SQLITE_ROW ? 0 : store_fail(store, err, "reading the history");
    if (step == SQLITE_ROW && sqlite3_column_double(statement, 1) > 0)
        *seconds_per_inst = sqlite3_column_double(statement, 0) / sqlite3_column_double(statement, 1);
    if (trace) sqlite3_reset(statement);
    else sqlite3_finalize(statement);
    return result;
}
