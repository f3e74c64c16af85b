/* Shared by the files of the runner, those of runner_mpi.h included. */
#ifndef POISE_RUNNER_INTERNAL_H
#define POISE_RUNNER_INTERNAL_H
#include "runner/plan_pool.h"
#include "poise/runner.h"
#include "runner/progress.h"
#include "runner/runner_notes.h"
#include "runner/warm_pool.h"

struct runner {
    struct store *store;
    struct runner_options options;
    unsigned threads_asked; /* 0: nobody did */
    struct runner_totals totals;
    struct plan_pool *pool;
    struct warm_pool *warm;
    struct run_notes notes;
    char build[HASH_TEXT_SIZE]; /* of the program; "" until it is asked for */
};
/* Jobs that belong together: keys, what the store had, and what is missing. */
struct batch {
    struct runner *runner;
    struct run_job *jobs;
    size_t n;
    size_t *same_as; /* index of the first job with this key */
    size_t *missing; /* jobs to simulate, longest first */
    size_t n_missing;
    double cost; /* of what is missing: seconds, estimated */
    /* What of `missing`, by position, is whose: runner_share.c. */
    size_t looked;                  /* those before have been claimed, or seen in hand elsewhere */
    size_t *ready, n_ready;         /* ours to simulate, the next one last */
    size_t *elsewhere, n_elsewhere; /* in hand by other processes */
    size_t n_done;
    double *seen; /* by job: host seconds of the failed row that the store had when the batch began */
    double last_look, waits_since;
    bool has_told;
    size_t n_crashed; /* earlier, in this build */
    struct progress progress;
    struct error fatal; /* the store failed */
    bool has_failed;
    const struct gpu_params *hashed; /* the configuration that was hashed last, and its hash */
    char hashed_text[HASH_TEXT_SIZE];
};
/* Fills the job's result from any thread; `carry`: what L2 held when the launch before ended, or NULL for cold
 * caches. */
void runner_simulate(struct runner *runner, struct run_job *job, struct gpu_carry *carry);
/* Of a run that stopped at its bound: the whole run's key and the bound. */
struct hash bounded_key(const struct run_job *job);
/* The next of `missing` that is this process's to simulate. Other processes may have the rest in hand: then come again
 * in a moment, for their results or for what a dead one left over. From any thread. */
enum turn { TURN_RUN, TURN_WAIT, TURN_OVER };
enum turn batch_next(struct batch *b, size_t *k);
/* Takes job i's result from the store, if it has one that is final, or one of a run that failed since the batch
 * began. */
int batch_ask_store(struct batch *b, size_t i, bool is_first, struct error *err);
/* A job's result came from another process. */
void batch_take(struct batch *b, size_t i);
const char *runner_build(struct runner *runner);
/* A job of `missing` has its result: totals, store, progress. From any thread. */
void batch_finish(struct batch *b, size_t job, double seconds);
/* An interrupt or a store that fails: nothing more is started. */
bool batch_is_stopped(const struct batch *b);

/* runner_beside.c: the plans of a job whose run has two launches. */
struct beside_plans {
    struct plan_use uses[2];
    const struct plan *plans[2];
};
int beside_plans_take(struct beside_plans *out, struct plan_pool *pool, const struct run_job *job, struct error *err);
void beside_plans_give(struct beside_plans *plans, struct plan_pool *pool);
/* What each launch did, as one more element of `mechs`: {name, launches[]}. */
struct json_t *beside_json(const struct gpu_result *from);
/* Fills the job's result from a child process under the limits of `options`. From any thread. */
void run_isolated(struct run_job *job, const struct plan *plan, const struct gpu_limits *limits,
                  const struct runner_options *options);

/* Results as bytes, for a reader of the same build. */
struct bytes {
    char *data;
    size_t n, capacity;
};
int bytes_reserve(struct bytes *b, size_t more); /* -1: out of memory */
void result_take(struct run_result *out, struct gpu_result *from);
int result_pack(struct bytes *out, const struct run_result *r);
void result_unpack(struct run_result *out, const char *data, size_t size);
#endif
