#include "runner/warm_pool.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Runs of one trace stand together in a batch, so few are wanted at a time; a snapshot is some MB. */
enum { ENTRIES = 16 };
struct warm_up {
    struct hash trace;
    const struct gpu_params *params;
    uint64_t cycles;
    omp_lock_t lock;         /* held while it is simulated */
    struct snapshot *end;    /* NULL until then, or if that failed */
    const struct plan *plan; /* kept open, for the snapshot points into it */
    struct plan_use use;
    size_t users;
    uint64_t used_at; /* 0: the place is free */
    bool ticks;       /* every unit in every cycle, as the runs that begin from it */
    bool is_tried, has_plan;
};
struct warm_pool {
    struct plan_pool *plans;
    omp_lock_t lock; /* guards all but what a warm-up's own lock does */
    struct warm_up entries[ENTRIES];
    uint64_t clock, made;
};

int warm_pool_new(struct warm_pool **out, struct plan_pool *plans, struct error *err)
{
    if (!(*out = calloc(1, sizeof **out))) return error_set(err, ERR_MEMORY, "out of memory for warm-ups");
    (*out)->plans = plans;
    omp_init_lock(&(*out)->lock);
    for (size_t i = 0; i < ENTRIES; i++) omp_init_lock(&(*out)->entries[i].lock);
    return 0;
}

static void forget(struct warm_pool *pool, struct warm_up *w)
{
    snapshot_free(w->end);
    if (w->has_plan) plan_pool_give(pool->plans, &w->use);
    w->end = NULL;
    w->used_at = 0;
    w->is_tried = w->has_plan = false;
}

void warm_pool_clear(struct warm_pool *pool)
{
    for (size_t i = 0; i < ENTRIES; i++) forget(pool, &pool->entries[i]);
}

void warm_pool_free(struct warm_pool *pool)
{
    if (!pool) return;
    warm_pool_clear(pool);
    for (size_t i = 0; i < ENTRIES; i++) omp_destroy_lock(&pool->entries[i].lock);
    omp_destroy_lock(&pool->lock);
    free(pool);
}

uint64_t warm_pool_made(const struct warm_pool *pool) { return pool->made; }

/* The entry of this warm-up; else the place of the one that nobody has used for longest; NULL if all are in use. */
static struct warm_up *place(struct warm_pool *pool, const struct launch *launch, const struct gpu_params *params,
                             const struct gpu_limits *limits)
{
    const uint64_t cycles = limits->warmup_cycles;
    struct warm_up *oldest = NULL;
    for (size_t i = 0; i < ENTRIES; i++) {
        struct warm_up *w = &pool->entries[i];
        const bool is_same = w->params == params && w->cycles == cycles && w->ticks == limits->no_skip;
        if (w->used_at && is_same && memcmp(&w->trace, &launch->hash, sizeof w->trace) == 0) return w;
        if (!w->users && (!oldest || w->used_at < oldest->used_at)) oldest = w;
    }
    if (!oldest) return NULL;
    forget(pool, oldest);
    oldest->trace = launch->hash;
    oldest->params = params;
    oldest->cycles = cycles;
    oldest->ticks = limits->no_skip;
    return oldest;
}

/* Failures are the run's to tell: it meets them when it warms up by itself. */
static void simulate(struct warm_pool *pool, struct warm_up *w, const struct launch *launch)
{
    struct simulation *s = NULL;
    struct error ignored;
    const struct gpu_limits limits = {.no_skip = w->ticks};
    w->is_tried = true;
    if (plan_pool_reserve(pool->plans, launch, 1, &ignored) < 0 ||
        plan_pool_take(pool->plans, launch, w->params, &w->use, &w->plan, &ignored) < 0)
        return;
    w->has_plan = true;
    if (simulation_new(&s, w->plan, w->params, NULL, 0, &limits, NULL, &ignored) == 0 &&
        simulation_run(s, w->cycles, &ignored) >= 0 && simulation_snapshot(s, &w->end, &ignored) < 0) {
        snapshot_free(w->end);
        w->end = NULL;
    }
    simulation_free(s);
#pragma omp atomic
    pool->made++;
}

const struct snapshot *warm_pool_take(struct warm_pool *pool, const struct launch *launch,
                                      const struct gpu_params *params, const struct plan *plan,
                                      const struct gpu_limits *limits, struct warm_use *use)
{
    omp_set_lock(&pool->lock);
    struct warm_up *w = place(pool, launch, params, limits);
    if (w) {
        w->users++;
        w->used_at = ++pool->clock;
    }
    omp_unset_lock(&pool->lock);
    use->entry = w ? (size_t)(w - pool->entries) : ENTRIES;
    if (!w) return NULL;
    omp_set_lock(&w->lock);
    if (!w->is_tried) simulate(pool, w, launch);
    const struct snapshot *end = w->plan == plan ? w->end : NULL;
    omp_unset_lock(&w->lock);
    return end;
}

void warm_pool_give(struct warm_pool *pool, const struct warm_use *use)
{
    if (use->entry == ENTRIES) return;
    omp_set_lock(&pool->lock);
    pool->entries[use->entry].users--;
    omp_unset_lock(&pool->lock);
}
