/* Shared by store.c and store_export.c. */
#ifndef POISE_STORE_INTERNAL_H
#define POISE_STORE_INTERNAL_H
#include <sqlite3.h>
#include "poise/store.h"

#define STORE_BATCH_MAX 64
struct store {
    sqlite3 *db;
    char *path;
    struct store_run pending[STORE_BATCH_MAX];
    size_t n_pending;
    double last_commit; /* seconds, monotonic */
};
/* An error that carries SQLite's text and what to do about it. Returns -1. */
int store_fail(struct store *store, struct error *err, const char *what);
int store_prepare(struct store *store, sqlite3_stmt **out, const char *sql, struct error *err);
#endif
