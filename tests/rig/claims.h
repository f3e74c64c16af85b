/* What processes have claimed in a store, as SQLite sees it. */
#ifndef POISE_TESTS_CLAIMS_H
#define POISE_TESTS_CLAIMS_H

#include <sqlite3.h>
#include "rig.h"

/* Rows of the table of claims of the store at `path`; 0 where it has no such table yet. */
static inline int claims_in(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    int n = 0;
    assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
    sqlite3_busy_timeout(db, 10000);
    if (sqlite3_prepare_v2(db, "SELECT count(*) FROM claims", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        n = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return n;
}

/* Whether no process has a transaction open that writes to the store at `path`. */
static inline int nobody_writes(const char *path)
{
    sqlite3 *db;
    assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
    const int status = sqlite3_exec(db, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(db);
    return status == SQLITE_OK;
}

#endif
