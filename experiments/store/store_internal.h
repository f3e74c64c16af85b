/* Shared by the files of the store. */
#ifndef POISE_STORE_INTERNAL_H
#define POISE_STORE_INTERNAL_H
#include <signal.h>
#include <sqlite3.h>
#include "poise/store.h"

#define STORE_BATCH_MAX 64
#define STORE_COMMIT_S 0.2 /* what a kill may cost */
/* Statements that a sweep repeats, each prepared once. */
enum store_statement {
    STORE_GET,
    STORE_PUT,
    STORE_GET_PLAN,
    STORE_PUT_PLAN,
    STORE_PUT_TRACE,
    STORE_HISTORY,
    STORE_STATEMENTS
};
struct store {
    sqlite3 *db;
    sqlite3_stmt *statements[STORE_STATEMENTS];
    char *path;
    int schema; /* below STORE_SCHEMA in an older store that is only read */
    bool is_read_only;
    struct store_run pending[STORE_BATCH_MAX];
    size_t n_pending;
    double last_commit;                /* seconds, monotonic */
    const volatile sig_atomic_t *stop; /* NULL: nothing interrupts a statement */
};
/* SQL: what a row of `runs` under the name `r` has as its checksum; nothing in it is host time. store_checksum.c */
#define ROW_CHECKSUM(r) \
    "row_checksum(" r ".key, " r ".trace, " r ".config, " r ".mechs, " r ".limits, " r ".stats, " r ".complete, " r \
    ".code, " r ".message)"
/* SQL, for rows that were written before there were checksums: a run that went well has counters. */
#define ROW_HAS_STATS(r) \
    "(" r ".code != 0 OR CASE WHEN json_valid(" r ".stats) THEN json_type(" r \
    ".stats, '$.core_cycles') END IS NOT NULL)"
#define ROW_IS_SOUND(r) "(" r ".checksum = " ROW_CHECKSUM(r) ")"
/* Every connection of ours has the function row_checksum and the view sound_runs: the runs whose rows are what was
 * written. */
int store_add_checksum(struct store *store, struct error *err);
int store_add_sound_runs(struct store *store, struct error *err); /* once the schema is known */
/* An error if any row is refused: how many there are, and the first. */
int store_check_rows(struct store *store, struct error *err);
/* An error that carries SQLite's text and what to do about it. Returns -1. */
int store_fail(struct store *store, struct error *err, const char *what);
int store_execute(struct store *store, const char *sql, struct error *err);
int store_migrate(struct store *store, struct error *err); /* brings the schema up to date */
int store_prepare(struct store *store, sqlite3_stmt **out, const char *sql, struct error *err);
#endif
