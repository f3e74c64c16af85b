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
            ? "the file is damaged or no store: move it away and run again, runs are simulated anew"
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
