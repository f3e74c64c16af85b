/* A run in pieces: stopped, copied, gone on with under other mechanisms.   [DESIGN §3.3]
 *
 *   simulation_new --> simulation_run(until) --> simulation_snapshot ---+--> simulation_restore
 *                          ^                                            |
 *                          +------------- simulation_switch <-----------+
 *
 *   simulation_drain --> simulation_follow, another machine --> simulation_run
 *
 * A snapshot is restored into this instance or another one. It is a copy of the run's memory (some MB): taking and
 * restoring one costs a memcpy. Instances of one launch and one configuration may share snapshots, from any threads.
 * What is recorded or watched, or carries caches over, cannot be forked. */
#ifndef POISE_SIMULATION_H
#define POISE_SIMULATION_H
#include "poise/gpu.h"

struct simulation;
struct snapshot;
/* Plan, parameters and stack must live as long as the simulation and its snapshots. `carry` may be NULL. */
int simulation_new(struct simulation **out, const struct plan *plan, const struct gpu_params *params,
                   const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits,
                   struct gpu_carry *carry, struct error *err);
/* Another instance of the same launch, machine, stack and limits, at its start: to restore snapshots into. */
int simulation_twin(struct simulation **out, const struct simulation *of, struct error *err);
void simulation_free(struct simulation *simulation); /* accepts NULL */
/* Runs every core cycle before `until` (0: all) that the limits allow. 1: the launch is done; 0: not yet. */
int simulation_run(struct simulation *simulation, uint64_t until, struct error *err);
uint64_t simulation_now(const struct simulation *simulation); /* core cycles run */
bool simulation_is_done(const struct simulation *simulation);
uint64_t simulation_insts(const struct simulation *simulation); /* warp instructions retired */
/* What is left of the launch, in its longest parts. */
struct simulation_work {
    uint32_t warps;    /* of a machine that holds as many CTAs as it can */
    uint64_t resident; /* instructions that the longest resident warp has left, */
    uint64_t to_come;  /* and the longest of the CTAs that have not begun; 0: all have */
};
struct simulation_work simulation_work(const struct simulation *simulation);
/* simulation_run(0) that also stops, with 0, at the end of the core cycle in which the launch has begun `ctas` CTAs. */
int simulation_run_to_cta(struct simulation *simulation, uint32_t ctas, struct error *err);
uint32_t simulation_ctas(const struct simulation *simulation); /* begun, those passed over included */
/* The next `n` CTAs never run: their line requests reach L2 without time. The result is incomplete then. */
int simulation_pass_over(struct simulation *simulation, uint32_t n, struct error *err);
/* Mechanisms decide about L2: what it holds cannot be told without time, and no CTA can be passed over. */
bool simulation_decides_l2(const struct simulation *simulation);
/* Statistics of the run up to now, which goes on as if nobody had asked. `room`: memory for this that later calls use
 * again, NULL at first, the caller's to snapshot_free. Refused where simulation_snapshot is. */
int simulation_stats(struct simulation *simulation, struct snapshot **room, struct gpu_stats *out, struct error *err);
/* Statistics of the whole run up to now; afterwards it can only be freed. */
int simulation_end(struct simulation *simulation, struct gpu_result *out, struct error *err);

/* Copies into *into, which is made if it is NULL. */
int simulation_snapshot(const struct simulation *simulation, struct snapshot **into, struct error *err);
/* The simulation is now where the snapshot was taken, with the mechanisms that were there; its limits are its own. */
int simulation_restore(struct simulation *simulation, const struct snapshot *snapshot, struct error *err);
uint64_t snapshot_cycle(const struct snapshot *snapshot);
void snapshot_free(struct snapshot *snapshot); /* accepts NULL */
/* From now on another stack of mechanisms decides. It begins as at the start of a launch and counts from now;
 * resident warps start for it now. An error if the present stack holds what would be lost: requests in its buffers,
 * loads that bypass L1. */
int simulation_switch(struct simulation *simulation, const struct mech_spec *stack, unsigned n_stack,
                      struct error *err);
/* No warp issues any more, until all that they have begun is done, and what L1 alone holds is in L2 if the machine
 * `next` has another L1. 1: the launch has ended so; 0: it has not, or a limit was reached before. */
int simulation_drain(struct simulation *simulation, const struct gpu_params *next, struct error *err);
/* A simulation that goes on from there on a machine of other parameters of l1 and lsu, under another stack, and counts
 * cycles and everything else from 0. It has the warps where they are, L2 and the open rows of DRAM, and L1 if `params`
 * have the same; mechanisms begin as at the start of a launch. `from` can only be ended. */
int simulation_follow(struct simulation **out, struct simulation *from, const struct plan *plan,
                      const struct gpu_params *params, const struct mech_spec *stack, unsigned n_stack,
                      const struct gpu_limits *limits, struct error *err);
/* The state of the stack's mechanism i. After a change to it: simulation_ask. */
void *simulation_mech(struct simulation *simulation, unsigned i);
void simulation_ask(struct simulation *simulation); /* what mechanisms allow is asked again now */
#endif
