/* Shared by the files of the store. */
#ifndef POISE_STORE_INTERNAL_H
#define POISE_STORE_INTERNAL_H
#include <signal.h>
#include <sqlite3.h>
#include "poise/store.h"

#define STORE_BATCH_MAX 64
#define STORE_OWNER_SIZE 400
#define STORE_COMMIT_S 0.2 /* what a kill may cost */
/* Statements that a sweep repeats, each prepared once. */
enum store_statement {
    STORE_GET,
    STORE_PUT,
    STORE_GET_PLAN,
    STORE_PUT_PLAN,
    STORE_PUT_TRACE,
    STORE_HAS_TRACE,
    STORE_HAS_CONFIG,
    STORE_HISTORY,
    STORE_CLAIM,
    STORE_RELEASE,
    STORE_CLAIMED,
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
    char owner[STORE_OWNER_SIZE];      /* of our claims: this process, and a number of the session's own; "" */
    struct tidy *tidy;                 /* columns of runs_tidy, once they are known; store_tidy.c */
    struct store_session *session;     /* NULL where this process claims nothing; store_claims.c */
};
/* The tables of a store, by the column or expression that names a row, and what a row's checksum covers: all but host
 * times. Tables that hold results come first. store_checksum.c */
struct store_table {
    const char *name, *key, *columns;
    bool has_results;
};
extern const struct store_table store_tables[];
extern const size_t n_store_tables;
/* What a schema wrote as views, by name, and how each is written. */
enum { STORE_VIEWS = 2 };
extern const char *const store_views[STORE_VIEWS][2];
#define RUN_COLUMNS "key, trace, config, mechs, limits, stats, complete, code, message"
#define TRACE_COLUMNS "hash, workload, kernel, size, input, launch, warp_insts"
#define CONFIG_COLUMNS "hash, json"
#define PLAN_COLUMNS "trace, config, warps_per_scheduler, warp_insts, line_requests"
#define PROVENANCE_COLUMNS "name, value"
#define EXPERIMENT_COLUMNS "name, hash, spec"
#define CLAIM_COLUMNS "key, owner"
/* SQL, for rows that were written before there were checksums: a run that went well has counters. */
#define RUN_HAS_STATS \
    "(code != 0 OR CASE WHEN json_valid(stats) THEN json_type(stats, '$.core_cycles') END IS NOT NULL)"
#define IS_SOUND(columns) "(checksum = row_checksum(" columns "))"
/* Every connection of ours has the function row_checksum and for each table T a view sound_T: the rows that are what
 * was written. */
int store_add_checksum(struct store *store, struct error *err);
int store_add_sound_views(struct store *store, struct error *err); /* once the schema is known */
/* An error if any row is refused, of any table or of those that exports read: how many there are, and the first. */
int store_check_rows(struct store *store, bool all_tables, struct error *err);
/* An error that carries SQLite's text and what to do about it. Returns -1. */
int store_fail(struct store *store, struct error *err, const char *what);
int store_execute(struct store *store, const char *sql, struct error *err);
int store_check_host(struct store *store, struct error *err); /* an error where another host is at work */
int store_identify(struct store *store, struct error *err);   /* refuses a file of another program, before any write */
int store_migrate(struct store *store, struct error *err);    /* brings the schema up to date */
/* One of the repeated statements, ready to be bound; reset it when it has been stepped, or it holds the file. */
int store_statement(struct store *store, sqlite3_stmt **out, enum store_statement which, struct error *err);
int store_step_done(struct store *store, sqlite3_stmt *statement, struct error *err); /* one that gives no rows */
int store_prepare(struct store *store, sqlite3_stmt **out, const char *sql, struct error *err);
/* Claims what is free, inside of a transaction. */
int store_claim_keys(struct store *store, const char (*keys)[HASH_TEXT_SIZE], size_t n, enum store_claim *out,
                     struct error *err);
#endif
