/* Open traces and their plans, shared by the threads of a batch. Internal to poise_lab.
 *
 * An entry belongs to one trace (by hash). plan_pool_reserve announces a use; plan_pool_take opens what is not open
 * yet; plan_pool_give ends the use. When nobody has announced a further use and the pool holds more than its limit,
 * the entry is closed; otherwise it stays open for a later batch. */
#ifndef POISE_PLAN_POOL_H
#define POISE_PLAN_POOL_H
#include "poise/gpu.h"
#include "poise/workload.h"

struct plan_pool;
struct plan_use {
    size_t entry;
    bool was_there; /* the plan, before it was taken */
};
int plan_pool_new(struct plan_pool **out, const char *decoded_dir, size_t bytes_max, struct error *err);
void plan_pool_free(struct plan_pool *pool);
/* From any thread, also while plans are in use. */
int plan_pool_reserve(struct plan_pool *pool, const struct launch *launches, size_t n, struct error *err);
/* From any thread. The plan is const and lives until plan_pool_give. */
int plan_pool_take(struct plan_pool *pool, const struct launch *launch, const struct gpu_params *params,
                   struct plan_use *use, const struct plan **plan, struct error *err);
/* The same, with lines counted from first_line (plan_new_from). */
int plan_pool_take_from(struct plan_pool *pool, const struct launch *launch, const struct gpu_params *params,
                        uint64_t first_line, struct plan_use *use, const struct plan **plan, struct error *err);
void plan_pool_give(struct plan_pool *pool, struct plan_use *use);
/* The same; a plan that was made for this use, and that nobody else has or has announced, is closed. Its memory is the
 * next one's: pages new from the system cost more than the plan. */
void plan_pool_give_up(struct plan_pool *pool, struct plan_use *use);
/* Between batches: forgets announced uses that never came and closes what exceeds the limit. */
void plan_pool_trim(struct plan_pool *pool);
#endif
