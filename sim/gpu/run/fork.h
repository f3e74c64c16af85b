/* Runs that fork a launch for the oracle (sim/mech/oracle.c). */
#ifndef GPU_FORK_H
#define GPU_FORK_H
#include "poise/simulation.h"

/* One window and the tuple that won it. */
struct decision {
    uint64_t from, cycles, insts, baseline_insts;
    uint32_t N, p;
};
struct decisions {
    struct decision *items;
    size_t n;
    uint64_t forks, forked_insts, short_launches;
};
/* Where the oracle stands on the stack, or -1. */
int fork_wanted(const struct mech_spec *stack, unsigned n_stack);
/* Takes a simulation whose mechanism `at` is the oracle to its end, on limits.threads threads: the same bytes on any
 * number of them. */
int fork_run(struct simulation *simulation, unsigned at, const struct gpu_limits *limits, struct decisions *out,
             struct error *err);
/* Goes the way of these decisions on a simulation that stands where theirs began: for recording. */
int fork_replay(struct simulation *simulation, unsigned at, const struct decisions *decisions, struct error *err);
struct json_t *decisions_json(const struct decisions *decisions);
void decisions_free(struct decisions *decisions);
#endif
