/* Warm-ups that runs share: the machine after K cycles of a launch's baseline, simulated once and copied by every
 * run that begins there. Internal to poise_lab. From any threads. */
#ifndef POISE_WARM_POOL_H
#define POISE_WARM_POOL_H
#include "runner/plan_pool.h"
#include "poise/simulation.h"

struct warm_pool;
struct warm_use {
    size_t entry;
};
int warm_pool_new(struct warm_pool **out, struct plan_pool *plans, struct error *err);
void warm_pool_free(struct warm_pool *pool);
/* The end of limits->warmup_cycles of the baseline; runs with no_skip share warm-ups of their own, which tick every
 * unit in every cycle too. The snapshot lives until warm_pool_give. NULL if there is none to share: then the run warms
 * up by itself, with the same result. */
const struct snapshot *warm_pool_take(struct warm_pool *pool, const struct launch *launch,
                                      const struct gpu_params *params, const struct plan *plan,
                                      const struct gpu_limits *limits, struct warm_use *use);
void warm_pool_give(struct warm_pool *pool, const struct warm_use *use);
/* Between batches: configurations may go, and with them what was made of them. */
void warm_pool_clear(struct warm_pool *pool);
uint64_t warm_pool_made(const struct warm_pool *pool); /* warm-ups simulated so far */
#endif
