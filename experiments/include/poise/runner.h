/* The batch runner: many runs over OpenMP threads, the store asked first, one plan per trace shared by its runs.
 * Results do not depend on the number of threads. */
#ifndef POISE_RUNNER_H
#define POISE_RUNNER_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/energy.h"
#include "poise/policy.h"
#include "poise/store.h"
#include "poise/workload.h"

struct ranks;
struct runner_options {
    unsigned threads;                  /* 0: as many as there are processors */
    const volatile sig_atomic_t *stop; /* set: start nothing more (NULL: never) */
    FILE *progress;                    /* NULL: say nothing */
    FILE *notes;                       /* where runner_free tells what runs were too short for; NULL: nowhere */
    bool is_terminal;                  /* a bar that redraws itself, instead of a line now and then */
    size_t plan_bytes_max;             /* plans are kept for later batches up to here; 0: 1 GiB */
    const char *decoded_dir;           /* cache of decoded traces; may be NULL */
    double timeout_s;                  /* of one run; with one of these two limits every run has a process of its own */
    uint64_t memory_mib;               /* that one run may allocate; 0: no limit */
    struct ranks *ranks;               /* other processes of an MPI job that simulate for this one; NULL: threads of
                                        * this one do */
};
struct run_result {
    bool is_done;    /* false: not started (interrupted) */
    bool is_reused;  /* from the store */
    bool complete;   /* false: a limit was reached */
    bool is_bounded; /* the limit was the job's bound_cycles: core_cycles of the whole run are more than these */
    struct gpu_estimate estimate; /* cycles above 0: it ended early, and its counters are those up to there */
    struct gpu_stats *stats;
    struct json_t *mechs; /* list of {name, params, stats} */
    struct error err;     /* code ERR_NONE unless the run failed */
};
struct run_job {
    const struct launch *launch;
    const struct gpu_params *params;
    struct mech_spec stack[MECH_STACK_MAX]; /* owned by the job */
    unsigned n_stack;
    struct gpu_limits limits;
    const struct launch *beside; /* that of limits.beside, whose plan the runner makes; NULL: there is none */
    uint64_t bound_cycles; /* a run that needs more core cycles has lost and stops there; 0: it has not. A run that
                            * stops has a key of its own, one that completes the key of an unbounded run */
    struct hash key;
    bool is_isolated; /* for the runner: a process that had this run in hand died, so it gets one of its own */
    bool is_profile;  /* the counters of a profile are enough: a run that came from a table (poise/profile_csv.h) will
                      * do */
    size_t index;     /* for the caller: the runner leaves it alone */
    double cost;      /* estimate, for longest first; 0: derived from the trace and the store's history */
    struct run_result result;
};
void run_result_fini(struct run_result *result);
/* Of a launch that was simulated in part: {name, params{warp_insts}, stats{}} as in struct gpu_result, one more element
 * of `mechs`; NULL of any other. Borrowed. */
const struct json_t *run_result_sampled(const struct run_result *result);
/* What its energy is worked out of; `result` may be of several jobs of that stack, summed. */
static inline struct energy_run run_energy(const struct run_job *job)
{
    return (struct energy_run){job->params, job->stack, job->n_stack, job->result.mechs};
}
/* Of a run whose policy changed: what struct gpu_result calls `phases`, one more element of `mechs`; NULL of any other.
 * Borrowed. */
const struct json_t *run_result_phases(const struct run_result *result);
void run_job_fini(struct run_job *job);
/* Of a run with two launches side by side: what the first (0) or the second (1) did, {cycles, sms, complete, stats{},
 * mech[]}; NULL of any other run. Borrowed. */
const struct json_t *run_result_launch(const struct run_result *result, size_t which);
/* Whether two launches are of one run of a program, as their traces tell: then an address is the same memory. */
int launches_are_of_one_program(bool *out, const struct launch *a, const struct launch *b, struct error *err);
/* Its stack is the static warp tuple (N, p) alone. */
int run_job_tuple(struct run_job *job, uint32_t N, uint32_t p, struct error *err);
/* A stack as `mechs` of a result has it, before it ran: no statistics. The caller's. */
struct json_t *run_stack_json(const struct mech_spec *stack, unsigned n);
/* "2/4": keeps every fourth job from the second on, so that each shard has its share of every kernel. NULL keeps
 * all. */
int run_jobs_shard(const char *shard, struct run_job *jobs, size_t *n, struct error *err);

struct runner_totals {
    uint64_t simulated, reused, failed;
    uint64_t warp_insts; /* of the runs simulated now */
    uint64_t warmups;    /* simulated once for several runs */
    double wall_s;
    double run_cpu_s; /* this process's CPU seconds in the runs simulated now, plans included: the rest of its own is
                       * scheduling and the store */
    double core_s;    /* where it is known: host time of the runs that a study rests on, whenever they were simulated */
};

struct runner;
/* `store` may be NULL: every run is simulated and none is kept. */
int runner_new(struct runner **out, struct store *store, const struct runner_options *options, struct error *err);
void runner_free(struct runner *runner); /* accepts NULL */
/* What each launch's plan says under `params`; from the store where it is known. */
int runner_survey(struct runner *runner, const struct launch *launches, size_t n, const struct gpu_params *params,
                  struct store_plan *out, struct error *err);
/* Fills every job's result. A failing run is in its own result and stops nothing; -1 means that the batch itself could
 * not go on (store, memory) or was interrupted (ERR_INTERRUPTED: finished runs are kept). `what` names the batch. */
int runner_run(struct runner *runner, const char *what, struct run_job *jobs, size_t n, struct error *err);
/* runner_run in steps. A new batch has its jobs' keys and the results that the store had; the store is asked once. */
struct batch;
int batch_new(struct batch **out, struct runner *runner, struct run_job *jobs, size_t n, struct error *err);
int batch_run(struct batch *batch, const char *what, struct error *err);
void batch_free(struct batch *batch); /* accepts NULL; the jobs keep their results */
struct runner_estimate {
    size_t runs, distinct, stored, missing;
    uint64_t warp_insts;  /* of what is missing */
    double cpu_s, wall_s; /* estimates */
    unsigned threads;
    size_t later;     /* of a pipeline: runs that follow when these are known, at most; their time is in the sums */
    bool is_measured; /* from the history of the store; otherwise from a typical rate */
};
/* What batch_run will have to do. */
int batch_estimate(const struct batch *batch, struct runner_estimate *out, struct error *err);
/* The launches of one program in order, one after another: L1 is flushed between them, L2 and DRAM keep what they hold.
 * Nothing is asked of the store or kept in it: such a run is no property of its launch alone. */
int runner_run_program(struct runner *runner, struct run_job *jobs, size_t n, struct error *err);
/* The same n launches on one machine under n_programs stacks, several at a time: jobs[i * n + k] is launch k under
 * stack i. */
int runner_run_programs(struct runner *runner, struct run_job *jobs, size_t n, size_t n_programs, struct error *err);
bool runner_has_store(const struct runner *runner);
const struct runner_totals *runner_totals(const struct runner *runner);
unsigned runner_threads(const struct runner *runner);
/* What runs were too short for, so far: a warm-up, or a window or period of a mechanism that lasts longer than a run,
 * so that what comes after it never happens there: {what, lasts, unit, runs, shorter, first, first_has, text}; and what
 * of a mechanism did nothing in a run: {what, counters, runs, idle, first, text}. A list, a new reference; the same as
 * `notes` in an object, absent where there is none. */
struct json_t *runner_notes(const struct runner *runner);
void runner_note_into(const struct runner *runner, struct json_t *info);
/* The hash under which the store knows a configuration. */
int config_hash(const struct gpu_params *params, char out[HASH_TEXT_SIZE], char **json, struct error *err);

/* Counters to and from the store's JSON. The result of stats_from_json is the caller's to free(). */
char *stats_to_json(const struct gpu_stats *stats);
struct gpu_stats *stats_from_json(const char *text);
/* Counters of the whole launch, as if what an early end left out had been like the rest, with the estimated cycles;
 * counters of any other run as they are. The caller's to free(). */
struct gpu_stats *stats_of_launch(const struct run_result *result, uint64_t warp_insts);
void measure_stats(struct measure *out, const struct gpu_stats *stats);
#endif
