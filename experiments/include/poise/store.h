/* The run store: SQLite (WAL, STRICT tables). A run's key is the hash of everything that decides its result, so a key
 * is simulated once and its row is as good as the run. Each row carries a checksum of what decides and what resulted; a
 * row that does not match it counts as not there and enters no export, merge or report. [DESIGN §3.6]
 *
 * Counters are stored as a JSON object by row name: counters that a later build adds read as 0 from older rows.
 * A store is used by one thread at a time; several processes may share the file. */
#ifndef POISE_STORE_H
#define POISE_STORE_H
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/hash.h"

#define STORE_SCHEMA 4
#define STORE_APPLICATION_ID 1349478771 /* "Pois" in the header of the file; stores of schemas 1 to 3 have 0 */
/* In the counters of a run that came from a table of profiles: it has no others than those beside it. */
#define STORE_PROFILE_ONLY "profile_only"
struct json_t;

struct store;
struct store_run {
    char key[HASH_TEXT_SIZE], trace[HASH_TEXT_SIZE], config[HASH_TEXT_SIZE];
    char *mechs;  /* JSON list of {name, params, stats} */
    char *stats;  /* JSON object: counters by row name */
    char *limits; /* JSON object */
    bool complete;
    enum error_code code;       /* ERR_NONE, or why the run failed */
    char *message;              /* the failure's text; "" */
    double seconds;             /* host time: for estimates, never exported, outside the checksum */
    bool is_damaged;            /* of a row that store_get refused */
    char claim[HASH_TEXT_SIZE]; /* of a row that is put: the claim that ends with it; "" */
};
void store_run_fini(struct store_run *run);

struct store_trace {
    char hash[HASH_TEXT_SIZE], workload[64], kernel[128], size[16];
    int32_t input; /* -1 where the workload has none */
    uint32_t launch;
    uint64_t warp_insts;
};
/* What a plan says of a trace under a configuration, so that nobody opens the trace to know it. */
struct store_plan {
    uint32_t warps_per_scheduler;
    uint64_t warp_insts, line_requests;
};

/* Creates the file and its folder where needed. A store of a later schema is refused. */
int store_open(struct store **out, const char *path, struct error *err);
/* Reads an existing store and writes nothing, also from a read-only folder. */
int store_open_read(struct store **out, const char *path, struct error *err);
/* Commits what is pending. Accepts NULL. */
int store_close(struct store *store, struct error *err);

/* 1: found, *out is the caller's; 0: not there, or there and refused: then out->is_damaged says so and nothing else is
 * set; -1: error. */
int store_get(struct store *store, const char *key, struct store_run *out, struct error *err);
/* Copies the row. Rows become durable in batches, at the latest with the first that is put a fifth of a second later
 * or with store_flush. */
int store_put(struct store *store, const struct store_run *run, struct error *err);
int store_flush(struct store *store, struct error *err);
int store_count(struct store *store, uint64_t *out, struct error *err);
int store_count_failed(struct store *store, uint64_t *failed, uint64_t *crashed, struct error *err);

/* What is put between the two is written at once, or not at all where `result` is negative. Returns result, or -1. */
int store_begin(struct store *store, struct error *err);
int store_end(struct store *store, int result, struct error *err);
int store_put_config(struct store *store, const char *hash, const char *json, struct error *err);
int store_put_trace(struct store *store, const struct store_trace *trace, struct error *err);
int store_put_provenance(struct store *store, const char *name, const char *value, struct error *err);
/* Sound rows, which need not be put again. */
int store_has_config(struct store *store, const char *hash, struct error *err);
int store_has_trace(struct store *store, const char *hash, struct error *err);
/* 1: found; 0: not there; STORE_REFUSED: there, but not as it was written. */
enum { STORE_REFUSED = 2 };
int store_get_plan(struct store *store, const char *trace, const char *config, struct store_plan *out,
                   struct error *err);
int store_put_plan(struct store *store, const char *trace, const char *config, const struct store_plan *plan,
                   struct error *err);
/* Mean host seconds per warp instruction of the stored runs of a trace (trace NULL: of all runs); 0 where none is
 * stored. */
int store_history(struct store *store, const char *trace, double *seconds_per_inst, struct error *err);

/* ---- claims: the processes of one host share the runs of a store ----
 * A session is a process at work on a batch: its host, boot, process number and when that began. What it has claimed
 * nobody else simulates. A claim is left over where its process died; whoever takes it then is told, for the run may be
 * what killed it. Nothing of this is ever exported. */
/* An error where a process of another host is at work: SQLite's WAL is for one host. */
int store_session_begin(struct store *store, struct error *err);
/* Its claims go with it. Nothing where no session began. */
int store_session_end(struct store *store, struct error *err);
enum store_claim {
    STORE_CLAIM_MINE,
    STORE_CLAIM_LEFT_OVER, /* mine now; a process that had it died */
    STORE_CLAIM_TAKEN      /* in hand by another process, which lives */
};
/* Claims what is free of `n` keys, in one transaction, which writes pending rows as well. */
int store_claim(struct store *store, const char (*keys)[HASH_TEXT_SIZE], size_t n, enum store_claim *out,
                struct error *err);
/* 1: in hand by another process, which lives; *pid is its number. */
int store_is_taken(struct store *store, const char *key, long *pid, struct error *err);
bool store_process_is_stopped(long pid); /* by Ctrl-Z or a debugger: it lives, and does not go on by itself */

const char *store_path(const struct store *store);
/* From here on statements, and waits for other processes, end with ERR_INTERRUPTED once *stop is set. For commands that
 * look after a store: what a sweep has pending is still written after an interrupt. */
void store_stop_at(struct store *store, const volatile sig_atomic_t *stop);

/* One row a run, sorted by key; no times, so that equal stores export equal bytes. An error that names the first row
 * that is refused. */
int store_export_csv(struct store *store, FILE *out, struct error *err);
/* The same rows as one JSON list; parameters and statistics stay objects. */
int store_export_json(struct store *store, FILE *out, struct error *err);
/* The same table as the CSV's and the view runs_tidy's, an object a line. */
int store_export_lines(struct store *store, FILE *out, struct error *err);
/* The columns of all of them: column,unit,meaning. */
int store_export_units(struct store *store, FILE *out, struct error *err);
/* Complete runs in libsvm's format: the label is the counter `target`, features are the other numbers of the table, and
 * for each word that not all runs have in common one of 1 ("mechanism=ccws"), numbered as `names` (may be NULL) lists
 * them, one a line. */
int store_export_libsvm(struct store *store, const char *target, FILE *out, FILE *names, struct error *err);
/* One SELECT as CSV to `out`, or as objects appended to `rows` where that is not NULL. */
int store_query(struct store *store, const char *sql, FILE *out, struct json_t *rows, struct error *err);
/* Takes over what the store at `path` has and this one has not, but no row that is refused; one of ours that is gives
 * way. Refuses stores that contradict each other. */
int store_merge(struct store *store, const char *path, uint64_t *added, struct error *err);
/* Removes failed runs that would be tried again, rows that are refused and rows that no run refers to, and gives the
 * space back. */
int store_gc(struct store *store, uint64_t *removed, struct error *err);
int store_check_file(struct store *store, struct error *err); /* SQLite's own integrity check */
int store_put_experiment(struct store *store, const char *name, const char *spec, struct error *err);
/* Every stored row matches its checksum and parses, and every row's trace and configuration are there; counts what was
 * checked. */
int store_verify(struct store *store, uint64_t *checked, struct error *err);
#endif
