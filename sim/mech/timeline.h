/* What a run tells of itself while it goes on: states and tuples of mechanisms, IPC and hit rate an interval, per
 * SM. Recording changes nothing of a run. Each function accepts NULL, when nobody records. */
#ifndef MECH_TIMELINE_H
#define MECH_TIMELINE_H
#include "poise/features.h"
#include "poise/gpu.h"

/* From `now` on, SM `sm` is in a state (a string that stays) at the tuple (N, p). */
void timeline_state(struct gpu_timeline *t, uint32_t sm, uint64_t now, const char *state, uint32_t N, uint32_t p);
/* From `now` on, `loadable` warps of the SM may issue loads. */
void timeline_loadable(struct gpu_timeline *t, uint32_t sm, uint64_t now, uint32_t loadable);
void timeline_begin(struct gpu_timeline *t, uint32_t sms);
/* The cycle in which samples are wanted next; UINT64_MAX if nobody records. */
uint64_t timeline_next(const struct gpu_timeline *t);
void timeline_sample(struct gpu_timeline *t, uint32_t sm, const struct feature_counters *counters);
void timeline_sampled(struct gpu_timeline *t); /* all SMs have been */
void timeline_end(struct gpu_timeline *t, uint64_t now);
#endif
