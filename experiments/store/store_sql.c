/* SQL for all files of the store, and what SQLite's errors ask for. */
#include <unistd.h>
#include "store/store_internal.h"

int store_fail(struct store *store, struct error *err, const char *what)
{
    const int code = sqlite3_errcode(store->db) & 0xff;
    if (code == SQLITE_INTERRUPT || (code == SQLITE_BUSY && store->stop && *store->stop))
        return error_set(err, ERR_INTERRUPTED, "%s: %s: interrupted", store->path, what);
    const char *hint =
        code == SQLITE_FULL       ? "free some disk space and run the same command again: committed runs are kept"
        : code == SQLITE_READONLY ? "the file or its folder is read-only: choose another with --out or --store"
        : code == SQLITE_CANTOPEN ? "check that the folder exists and can be written"
        : code == SQLITE_IOERR
            ? "the disk may be full or a file at its size limit (df, ulimit -f): committed runs are kept, run again"
        : code == SQLITE_BUSY ? "another process holds the store: wait for it or use another store"
        : code == SQLITE_CORRUPT || code == SQLITE_NOTADB
            ? "the file is damaged or no store: move it away and run again, runs are simulated again"
            : NULL;
    error_set(err, code == SQLITE_NOTADB ? ERR_INPUT : ERR_IO, "%s: %s: %s", store->path, what,
              sqlite3_errmsg(store->db));
    return error_at(err, store->path, 0, -1, hint);
}

int store_prepare(struct store *store, sqlite3_stmt **out, const char *sql, struct error *err)
{
    return sqlite3_prepare_v2(store->db, sql, -1, out, NULL) == SQLITE_OK ? 0
                                                                          : store_fail(store, err, "reading the store");
}

int store_execute(struct store *store, const char *sql, struct error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                       : store_fail(store, err, "writing the store");
}

enum { OPCODES_A_LOOK = 20000, WAIT_US = 10000, WAITS_MOST = 2000 };

static int is_stopped(void *store)
{
    const struct store *s = store;
    return *s->stop != 0;
}

/* As long as sqlite3_busy_timeout() would wait. */
static int wait_again(void *store, int n)
{
    if (is_stopped(store) || n >= WAITS_MOST) return 0;
    usleep(WAIT_US);
    return 1;
}

void store_stop_at(struct store *store, const volatile sig_atomic_t *stop)
{
    if (!stop) return;
    store->stop = stop;
    sqlite3_progress_handler(store->db, OPCODES_A_LOOK, is_stopped, store);
    sqlite3_busy_handler(store->db, wait_again, store);
}

int store_statement(struct store *store, sqlite3_stmt **out, enum store_statement which, struct error *err)
{
    static const char *const sql[STORE_STATEMENTS] = {
        [STORE_GET] = "SELECT key, trace, config, mechs, limits, stats, complete, code, message, seconds, EXISTS "
                      "(SELECT 1 FROM sound_runs WHERE key = ?1)"
                      " FROM runs WHERE key = ?1",
        [STORE_PUT] = "INSERT OR REPLACE INTO runs "
                      "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,row_checksum(?1,?2,?3,?4,?5,?6,?7,?8,?9))",
        [STORE_GET_PLAN] = "SELECT warps_per_scheduler, warp_insts, line_requests, EXISTS (SELECT 1 FROM sound_plans"
                           " WHERE trace = ?1 AND config = ?2) FROM plans WHERE trace = ?1 AND config = ?2",
        [STORE_PUT_PLAN] = "INSERT OR REPLACE INTO plans VALUES(?1,?2,?3,?4,?5,row_checksum(?1,?2,?3,?4,?5))",
        [STORE_PUT_TRACE] =
            "INSERT OR REPLACE INTO traces SELECT ?1,?2,?3,?4,?5,?6,?7,row_checksum(?1,?2,?3,?4,?5,?6,?7)"
            " WHERE NOT EXISTS (SELECT 1 FROM sound_traces WHERE hash = ?1)",
        [STORE_HAS_TRACE] = "SELECT 1 FROM sound_traces WHERE hash = ?1",
        [STORE_HAS_CONFIG] = "SELECT 1 FROM sound_configs WHERE hash = ?1",
        [STORE_HISTORY] = "SELECT total(seconds), total(warp_insts) FROM"
                          " (SELECT seconds, warp_insts FROM runs JOIN traces ON traces.hash = runs.trace WHERE "
                          "runs.trace = ? AND complete AND code = 0 LIMIT 100)",
        [STORE_CLAIM] = "INSERT OR REPLACE INTO claims VALUES(?1,?2,?3,row_checksum(?1,?2))",
        [STORE_RELEASE] = "DELETE FROM claims WHERE key = ?1 AND owner = ?2",
        [STORE_CLAIMED] = "SELECT owner, beat FROM sound_claims WHERE key = ?1",
    };
    if (!store->statements[which] && sqlite3_prepare_v3(store->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                                                        &store->statements[which], NULL) != SQLITE_OK) {
        store_fail(store, err, "reading the store");
        return -1;
    }
    *out = store->statements[which];
    return 0;
}

int store_step_done(struct store *store, sqlite3_stmt *statement, struct error *err)
{
    const int step = sqlite3_step(statement),
              result = step == SQLITE_DONE ? 0 : store_fail(store, err, "writing the store");
    sqlite3_reset(statement);
    return result;
}

int store_begin(struct store *store, struct error *err) { return store_execute(store, "BEGIN IMMEDIATE", err); }

int store_end(struct store *store, int result, struct error *err)
{
    if (result == 0 && store_execute(store, "COMMIT", err) == 0) return 0;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}
