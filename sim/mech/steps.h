/* SMs that run warp tuples in steps, all of them at the same times: a step begins, warms up, and is sampled from one
 * cycle to another. What policies share that compare tuples on groups of SMs. */
#ifndef MECH_STEPS_H
#define MECH_STEPS_H
#include "poise/sys/admission.h"
#include "current_tuple.h"

struct step_unit { /* one an SM */
    struct tuple now;
    uint32_t group; /* of the step: which tuple it runs */
    uint64_t since; /* of the current tuple */
    struct admission admission;
    struct feature_counters begin, window; /* at the window's first cycle; what the window added to them */
};

static inline void steps_init(struct step_unit *units, const struct mech_env *env, struct tuple now, enum admit admit)
{
    for (uint32_t i = 0; i < env->sms; i++) {
        units[i] = (struct step_unit){.now = now, .since = env->now};
        admission_init(&units[i].admission, admit, env->W);
    }
}

/* Takes the SM's counters at the ends of the window; returns the cycle at which it is to be asked again. */
static inline uint64_t step_window(struct step_unit *u, const struct feature_counters *counters, uint64_t sample,
                                   uint64_t close, uint64_t now)
{
    if (now == close) {
#define C(field, doc) u->window.field = counters->field - u->begin.field;
        FEATURE_COUNTERS(C)
#undef C
        return now + 1;
    }
    if (now >= sample) {
        u->begin = *counters;
        return close;
    }
    return sample;
}

/* The windows of a group's SMs, summed. An SM that issued nothing had no work, and says nothing. */
static inline void step_sum(const struct step_unit *units, uint32_t n, uint32_t group, struct feature_counters *sum)
{
    *sum = (struct feature_counters){0};
    for (uint32_t i = 0; i < n; i++) {
        if (units[i].group != group || units[i].window.insts == 0) continue;
#define C(field, doc) sum->field += units[i].window.field;
        FEATURE_COUNTERS(C)
#undef C
    }
}

/* Instructions a cycle of an SM. */
static inline double step_rate(const struct feature_counters *sum)
{
    return sum->cycles ? (double)sum->insts / (double)sum->cycles : 0;
}
static inline uint64_t step_may_issue(struct step_unit *units, const struct warp_set *set)
{
    return admission_mask(&units[set->sm].admission, set, units[set->sm].now.N, false);
}
static inline uint64_t step_may_pollute(const struct step_unit *units, const struct warp_set *set)
{
    return warp_rank_mask(set, units[set->sm].now.p, false);
}
#endif
