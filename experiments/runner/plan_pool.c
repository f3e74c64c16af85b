#include "runner/plan_pool.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS_PER_TRACE = 64 };
struct entry {
    struct hash hash;
    omp_lock_t lock;                     /* guards what follows; held while the trace is opened and planned */
    struct trace *trace;                 /* NULL while closed */
    struct plan *plans[PLANS_PER_TRACE]; /* one for each kind of configuration that plans differently */
    size_t n_plans, bytes;
    size_t announced, in_use;
};
struct plan_pool {
    char *decoded_dir;
    size_t bytes_max;
    struct entry **entries;
    size_t n, capacity;
    omp_lock_t lock; /* guards entries and bytes; an entry's lock may be held while this one is taken, never the
                      * other way round */
    size_t bytes;
};

int plan_pool_new(struct plan_pool **out, const char *decoded_dir, size_t bytes_max, struct error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return error_set(err, ERR_MEMORY, "out of memory for a pool of plans");
    (*out)->bytes_max = bytes_max;
    (*out)->decoded_dir = decoded_dir ? strdup(decoded_dir) : NULL;
    omp_init_lock(&(*out)->lock);
    return 0;
}

static size_t count_bytes(struct plan_pool *pool, size_t add, size_t remove)
{
    omp_set_lock(&pool->lock);
    const size_t bytes = pool->bytes = pool->bytes + add - remove;
    omp_unset_lock(&pool->lock);
    return bytes;
}

static void entry_close(struct plan_pool *pool, struct entry *e)
{
    for (size_t i = 0; i < e->n_plans; i++) plan_free(e->plans[i]);
    trace_close(e->trace);
    count_bytes(pool, 0, e->bytes);
    e->trace = NULL;
    e->n_plans = e->bytes = 0;
}

void plan_pool_free(struct plan_pool *pool)
{
    if (!pool) return;
    for (size_t i = 0; i < pool->n; i++) {
        entry_close(pool, pool->entries[i]);
        omp_destroy_lock(&pool->entries[i]->lock);
        free(pool->entries[i]);
    }
    omp_destroy_lock(&pool->lock);
    free(pool->entries);
    free(pool->decoded_dir);
    free(pool);
}

static struct entry *entry_find(struct plan_pool *pool, const struct hash *hash, size_t *at)
{
    for (*at = 0; *at < pool->n; ++*at)
        if (memcmp(&pool->entries[*at]->hash, hash, sizeof *hash) == 0) return pool->entries[*at];
    return NULL;
}

static struct entry *entry_add(struct plan_pool *pool, const struct hash *hash)
{
    if (pool->n == pool->capacity) {
        const size_t capacity = pool->capacity ? 2 * pool->capacity : 32;
        struct entry **entries = realloc(pool->entries, capacity * sizeof *entries);
        if (!entries) return NULL;
        pool->entries = entries;
        pool->capacity = capacity;
    }
    struct entry *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->hash = *hash;
    omp_init_lock(&e->lock);
    return pool->entries[pool->n++] = e;
}

int plan_pool_reserve(struct plan_pool *pool, const struct launch *launches, size_t n, struct error *err)
{
    size_t at;
    for (size_t i = 0; i < n; i++) {
        omp_set_lock(&pool->lock);
        struct entry *e = entry_find(pool, &launches[i].hash, &at);
        if (!e) e = entry_add(pool, &launches[i].hash);
        omp_unset_lock(&pool->lock);
        if (!e) return error_set(err, ERR_MEMORY, "out of memory for plans");
        omp_set_lock(&e->lock);
        e->announced++;
        omp_unset_lock(&e->lock);
    }
    return 0;
}

static bool counts_from(const struct plan *plan, uint64_t first_line)
{
    const struct plan_lines lines = plan_lines(plan);
    return first_line ? lines.first == first_line : lines.is_own;
}

static int entry_plan(struct plan_pool *pool, struct entry *e, const struct launch *launch,
                      const struct gpu_params *params, uint64_t first_line, const struct plan **out, struct error *err)
{
    size_t bytes = 0;
    if (!e->trace) {
        if (trace_open(&e->trace, launch->path, pool->decoded_dir, err) < 0) return -1;
        if (memcmp(&e->trace->hash, &launch->hash, sizeof launch->hash) != 0) {
            trace_close(e->trace);
            e->trace = NULL;
            return error_set(err, ERR_RUN, "%s: this trace changed while it was in use; run again", launch->path);
        }
        bytes = e->trace->n_steps * sizeof(struct trace_step) +
                (e->trace->n_accesses + e->trace->n_guards) * sizeof(uint32_t);
    }
    *out = NULL;
    for (size_t i = 0; i < e->n_plans && !*out; i++)
        if (plan_fits(e->plans[i], params) && counts_from(e->plans[i], first_line)) *out = e->plans[i];
    int result = 0;
    if (!*out && e->n_plans == PLANS_PER_TRACE)
        result = error_set(err, ERR_LIMIT,
                           "%s: more than %d kinds of configuration need plans of their own; split the sweep",
                           launch->label, PLANS_PER_TRACE);
    if (!*out && result == 0) {
        result = plan_new_from(&e->plans[e->n_plans], e->trace, params, first_line, err);
        if (result == 0) {
            *out = e->plans[e->n_plans++];
            bytes += plan_bytes(*out);
        }
    }
    e->bytes += bytes;
    count_bytes(pool, bytes, 0);
    return result;
}

int plan_pool_take(struct plan_pool *pool, const struct launch *launch, const struct gpu_params *params,
                   struct plan_use *use, const struct plan **plan, struct error *err)
{
    return plan_pool_take_from(pool, launch, params, 0, use, plan, err);
}

int plan_pool_take_from(struct plan_pool *pool, const struct launch *launch, const struct gpu_params *params,
                        uint64_t first_line, struct plan_use *use, const struct plan **plan, struct error *err)
{
    omp_set_lock(&pool->lock);
    struct entry *e = entry_find(pool, &launch->hash, &use->entry);
    omp_unset_lock(&pool->lock);
    if (!e) return error_set(err, ERR_RUN, "%s: its plan was not announced to the pool", launch->label);
    omp_set_lock(&e->lock);
    const size_t had = e->n_plans;
    const int result = entry_plan(pool, e, launch, params, first_line, plan, err);
    if (result == 0) e->in_use++, use->was_there = had == e->n_plans;
    else if (e->announced) e->announced--;
    omp_unset_lock(&e->lock);
    return result < 0 ? error_while(err, "%s", launch->label) : 0;
}

static void give(struct plan_pool *pool, const struct plan_use *use, bool keeps)
{
    omp_set_lock(&pool->lock);
    struct entry *e = pool->entries[use->entry];
    omp_unset_lock(&pool->lock);
    omp_set_lock(&e->lock);
    e->in_use--;
    if (e->announced) e->announced--;
    if (e->in_use == 0 && e->announced == 0 && !(keeps && count_bytes(pool, 0, 0) <= pool->bytes_max))
        entry_close(pool, e);
    omp_unset_lock(&e->lock);
}

void plan_pool_give(struct plan_pool *pool, struct plan_use *use) { give(pool, use, true); }
void plan_pool_give_up(struct plan_pool *pool, struct plan_use *use) { give(pool, use, use->was_there); }

void plan_pool_trim(struct plan_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++) {
        pool->entries[i]->announced = 0;
        if (pool->bytes > pool->bytes_max) entry_close(pool, pool->entries[i]);
    }
}
