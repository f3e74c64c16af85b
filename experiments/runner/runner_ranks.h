/* The processes of one MPI job: rank 0 runs the command and owns the store; the others simulate what it gives out.
 * Internal to the program and poise_lab. The files of runner_mpi.h implement this, or runner_no_mpi.c where the
 * build has no MPI. */
#ifndef POISE_RUNNER_RANKS_H
#define POISE_RUNNER_RANKS_H
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/error.h"

struct batch;
struct ranks;
struct ranks_load {    /* of rank 0 */
    uint64_t messages; /* received and sent */
    uint64_t runs;
    double busy_s; /* processor time spent on them, the store's commits included */
    unsigned ranks, lost;
};

/* Processes that mpirun or srun --mpi=pmix started together, by their environment: a plain run never starts MPI. */
static inline unsigned ranks_launched(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (!size && getenv("PMIX_RANK")) size = getenv("SLURM_STEP_NUM_TASKS");
    return size ? (unsigned)strtoul(size, NULL, 10) : 1;
}

/* This process's number among them; 0 in a plain run. */
static inline unsigned ranks_number(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = getenv("PMIX_RANK");
    return rank ? (unsigned)strtoul(rank, NULL, 10) : 0;
}

/* Tasks of an srun that started no MPI: plain processes, which share the runs through their store. */
static inline unsigned ranks_plain_tasks(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    return tasks && ranks_launched() <= 1 ? (unsigned)strtoul(tasks, NULL, 10) : 1;
}

/* *out is NULL in a plain run. Collective. */
int ranks_begin(struct ranks **out, struct error *err);
/* Accepts NULL. Rank 0: sends the others home, and waits for the answers of those that are not lost. */
void ranks_end(struct ranks *ranks);
bool ranks_is_first(const struct ranks *ranks); /* true for NULL */
/* The other ranks: simulates until rank 0 sends home. Rank 0 gives a sign of life every 2 seconds, whatever it does (a
 * thread of its own does it); a silence of POISE_RANK_TIMEOUT seconds (60) is its end. Then on_lost(context, err) is
 * called while runs may still be in hand, which nothing stops: it ends the process. NULL, or where it returns: -1 once
 * they are done. */
typedef void ranks_lost_fn(void *context, const struct error *err);
int ranks_serve(struct ranks *ranks, const volatile sig_atomic_t *stop, ranks_lost_fn *on_lost, void *context,
                struct error *err);
/* Rank 0: gives out what the batch misses, and again what a lost rank had. */
int ranks_execute(struct ranks *ranks, struct batch *batch, struct error *err);
/* Runs at a time over all ranks, with at most `most` a rank (0: as many as it has processors). */
unsigned ranks_threads(const struct ranks *ranks, unsigned most);
const struct ranks_load *ranks_load(const struct ranks *ranks); /* NULL for NULL */
#endif
