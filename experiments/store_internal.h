/* Shared by the files of the store. */
#ifndef POISE_STORE_INTERNAL_H
#define POISE_STORE_INTERNAL_H
#include <sqlite3.h>
#include "poise/store.h"

#define STORE_BATCH_MAX 64
#define STORE_COMMIT_S 0.2 /* what a kill may cost */
/* Statements that a sweep repeats, each prepared once. */
enum store_statement { STORE_GET, STORE_PUT, STORE_GET_PLAN, STORE_PUT_PLAN, STORE_PUT_TRACE, STORE_HISTORY, STORE_STATEMENTS };
struct store {
    sqlite3 *db;
    sqlite3_stmt *statements[STORE_STATEMENTS];
    char *path;
    bool is_read_only;
    struct store_run pending[STORE_BATCH_MAX];
    size_t n_pending;
    double last_commit; /* seconds, monotonic */
};
/* An error that carries SQLite's text and what to do about it. Returns -1. */
int store_fail(struct store *store, struct error *err, const char *what);
int store_execute(struct store *store, const char *sql, struct error *err);
int store_migrate(struct store *store, struct error *err); /* brings the schema up to date */
/* One of the repeated statements, ready to be bound; reset it when it has been stepped, or it holds the file. */
int store_statement(struct store *store, sqlite3_stmt **out, enum store_statement which, struct error *err);
int store_prepare(struct store *store, sqlite3_stmt **out, const char *sql, struct error *err);
#endif
