/* The quick model: how long a launch takes under a warp tuple, in a hundredth of the time that the cycle-level
 * simulator needs, and about right. Warps of a few SMs issue in order; L1 has its lines and MSHRs; the links, L2 and
 * DRAM are servers with a rate and a latency, as large as what the modelled SMs' share of them is. Every number comes
 * from the machine's configuration; none is fitted. It has no clock: a scheduler goes from one issue to the next. */
#ifndef POISE_QUICK_H
#define POISE_QUICK_H
#include <stdint.h>
#include "poise/error.h"

struct plan;
struct gpu_params;
struct quick;

struct quick_options {
    uint32_t sms;      /* modelled, of those that have CTAs; 0: QUICK_SMS */
    uint64_t max_work; /* a run ends after as many warp instructions of an SM as make so much work, an instruction being
                        * one and each line that it asks for one; 0: it does not end before the launch */
};
enum { QUICK_SMS = 4 };

/* Of the modelled SMs. A run that max_work ended has done as many instructions as any other such run, so that
 * insts / cycles compares tuples; also with one that quick_limit.cycles ended, which has done fewer. */
struct quick_run {
    uint64_t cycles, insts;                                                       /* core cycles; warp instructions */
    uint64_t l1_accesses, l1_hits, l2_accesses, l2_hits, dram_reads, dram_writes; /* lines of L1, and of L2 */
    uint64_t reply_bytes;                                                         /* that L1s received */
    uint32_t complete;                                                            /* 1: every CTA has ended */
};

/* The plan is borrowed. ERR_USAGE for machines that it does not know: an L1 of chunks (tsc, dsc, elastic). */
int quick_new(struct quick **out, const struct plan *plan, const struct gpu_params *params,
              const struct quick_options *options, struct error *err);
/* The N oldest warps of a scheduler may issue, the p oldest of these reserve lines of L1. 0 < p <= N. In gangs: the
 * next N enter together when the last N have ended (poise/sys/admission.h). */
struct quick_limit {
    uint32_t N, p;
    uint32_t in_gangs; /* 0 or 1 */
    uint64_t cycles;   /* the run ends then: another tuple did the same work in less; 0: it does not */
};
/* From cold caches. The same result each time. */
void quick_run(struct quick *quick, struct quick_limit limit, struct quick_run *out);
void quick_free(struct quick *quick); /* accepts NULL */

/* What is known of a launch before it runs. */
struct quick_shape {
    uint32_t grid[3], block[3]; /* CTAs, threads; a block of 0 threads: as the other launch's */
    uint64_t work;              /* of an SM, as quick_options has it: at least so much is made */
};
/* A plan for a launch of this shape that has not run yet, made of another input's launch of the same kernel. It is
 * another launch and no forecast of one: addresses, lengths of loops and branches are the other input's. A launch with
 * less work in all than an SM is to follow is taken for one of a small input (like.c). `warps`: of the whole grid,
 * of which the plan has the first part where that is enough. ERR_USAGE: no such grid. plan_free() ends it. */
int quick_like(struct plan **out, uint64_t *warps, const struct plan *other, const struct quick_shape *shape,
               const struct gpu_params *params, struct error *err);
#endif
