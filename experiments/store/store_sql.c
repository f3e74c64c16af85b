/* SQL for all files of the store, and what SQLite's errors ask for. */
#include "store/store_internal.h"

int store_fail(struct store *store, struct error *err, const char *what)
{
    const int code = sqlite3_errcode(store->db) & 0xff;
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
