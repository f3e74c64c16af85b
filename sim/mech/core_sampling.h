/* What TAP adds to a policy of a last-level cache that CPU cores and a GPU share.
 * [TECHNIQUES 5.1; Lee, Kim, HPCA 2012]
 *
 * Core sampling: lines of one SM are always inserted where they go first, those of another where they stay longest. If
 * the instructions that the two retire in a period differ by less than `significance`, caching does not help the GPU.
 * Lifetime normalisation: the ratio of the GPU's accesses in a period to those of the CPU program with most of them. */
#ifndef MECH_CORE_SAMPLING_H
#define MECH_CORE_SAMPLING_H
#include <string.h>
#include "poise/sys/hooks.h"

#define CORE_SAMPLING_PARAMS(P) \
    P(U32, period, 200000, 1000, 1000000000, "cycles", "assumed", "length of a sample") \
    P(F64, significance, 0.05, 0, 10, "1", "assumed", \
      "relative difference of the sampled SMs' instructions from which caching is effective") \
    P(FLAG, moves, 0, 0, 1, "flag", "assumed", \
      "after each period the next two SMs are sampled, so that none is held back for a whole launch")
enum { CPU_CLASSES = 8 };
struct core_sampling {
    uint32_t sms, from, until; /* SMs; the two that are sampled: lines inserted to go first, and to stay longest */
    bool moves;                /* the next two are sampled after each period */
    uint64_t insts[2], before[2], next[2]; /* `next`: instructions of the next two, at the end of this period */
    uint64_t gpu_accesses, cpu_accesses[CPU_CLASSES]; /* of this period */
    double ratio;      /* of accesses, GPU over CPU, in the last period; 0: no CPU program has accessed L2 */
    bool is_effective; /* caching helps the GPU */
    uint64_t began;    /* cycle */
};
enum sampled { SAMPLED_NOT, SAMPLED_OLDEST, SAMPLED_NEWEST };

static inline void core_sampling_init(struct core_sampling *c, const struct mech_env *env)
{
    *c = (struct core_sampling){
        .sms = env->sms, .from = 0, .until = env->sms > 1, .is_effective = true, .began = env->now};
}
/* How the requester's lines are inserted. One SM alone is not sampled. */
static inline enum sampled core_sampling_of(const struct core_sampling *c, const struct l2_request *r)
{
    if (r->from != L2_FROM_SM || c->sms < 2) return SAMPLED_NOT;
    return r->requester == c->from ? SAMPLED_OLDEST : r->requester == c->until ? SAMPLED_NEWEST : SAMPLED_NOT;
}
static inline void core_sampling_access(struct core_sampling *c, const struct l2_request *r)
{
    if (r->from == L2_FROM_CPU) c->cpu_accesses[r->requester % CPU_CLASSES]++;
    else c->gpu_accesses++;
}
/* Instructions of two SMs, now and before, and accesses of the GPU and a CPU core, of 32 bits each. */
static inline struct mech_cost core_sampling_cost(void)
{
    return (struct mech_cost){"counters of core sampling: two SMs, the GPU, a CPU core", 0, 6 * 32, STORAGE_REGISTER};
}
/* SMs that are asked at the end of a period. */
static inline bool core_sampling_asks(const struct core_sampling *c, uint32_t sm)
{
    return c->moves || sm == c->from || sm == c->until;
}
static inline uint32_t core_sampling_after(const struct core_sampling *c, uint32_t sm) { return (sm + 1) % c->sms; }
/* An SM's view at the end of a period. True once all that the decision needs is there: with the last of the two, or of
 * all where they move on. */
static inline bool core_sampling_view(struct core_sampling *c, const struct sm_view *sm)
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t sampled = i ? c->until : c->from;
        if (sm->sm == core_sampling_after(c, sampled)) c->next[i] = sm->counters.insts;
        if (sm->sm != sampled) continue;
        c->insts[i] = sm->counters.insts - c->before[i];
        c->before[i] = sm->counters.insts;
    }
    return sm->sm == (c->moves ? c->sms - 1 : c->until);
}
static inline void core_sampling_decide(struct core_sampling *c, double significance)
{
    const double a = (double)c->insts[0], b = (double)c->insts[1], less = a < b ? a : b, more = a < b ? b : a;
    uint64_t busiest = 0;
    for (uint32_t i = 0; i < CPU_CLASSES; i++) {
        if (c->cpu_accesses[i] > busiest) busiest = c->cpu_accesses[i];
        c->cpu_accesses[i] = 0;
    }
    if (more > 0) c->is_effective = c->sms < 2 || more - less > significance * less;
    c->ratio = busiest ? (double)c->gpu_accesses / (double)busiest : 0;
    c->gpu_accesses = 0;
    if (!c->moves) return;
    c->from = core_sampling_after(c, c->from);
    c->until = core_sampling_after(c, c->until);
    memcpy(c->before, c->next, sizeof c->before);
}
#endif
