/* The L2 that a launch finds when those before it were not simulated: their line requests are replayed, without
 * time. */
#include <stdlib.h>
#include "poise/clock.h"
#include "sampling/sample_internal.h"

static int replay(struct program_sample *s, struct gpu_carry *carry, size_t i, uint64_t skip, struct error *err)
{
    const struct launch *launch = &s->launches[i];
    const struct plan *plan;
    struct plan_use use;
    if (plan_pool_reserve(s->runner->pool, launch, 1, err) < 0 ||
        plan_pool_take_from(s->runner->pool, launch, s->params, s->first_line, &use, &plan, err) < 0)
        return error_while(err, "%s", launch->label);
    const int result = gpu_carry_replay(carry, plan, s->params, skip, err);
    plan_pool_give(s->runner->pool, &use);
#pragma omp atomic
    s->work.replayed += s->counts[s->unit_of[i]].requests - skip;
    return result;
}

static struct gpu_carry *new_carry(const struct program_sample *s, struct error *err)
{
    struct gpu_carry *carry = gpu_carry_new(s->params);
    if (carry) gpu_carry_count_from(carry, s->first_line);
    else error_set(err, ERR_MEMORY, "out of memory for the L2 that launches carry over");
    return carry;
}

/* The last `warm` requests before launch i. */
static int warm_last(struct program_sample *s, struct gpu_carry **out, size_t i, struct error *err)
{
    const uint64_t warm = (uint64_t)s->options.warm;
    uint64_t seen = 0;
    size_t from = i;
    if (!(*out = new_carry(s, err))) return -1;
    while (from && seen < warm) seen += s->counts[s->unit_of[--from]].requests;
    for (size_t j = from; j < i; j++)
        if (replay(s, *out, j, j == from && seen > warm ? seen - warm : 0, err) < 0) return -1;
    return 0;
}

/* All requests, once: each launch that is wanted gets a copy. */
static int warm_all(struct program_sample *s, const bool *wanted, struct gpu_carry **carries, struct error *err)
{
    const double before = thread_cpu_s();
    const volatile sig_atomic_t *stop = s->runner->options.stop;
    struct gpu_carry *carry = new_carry(s, err);
    size_t last = 0;
    int result = carry ? 0 : -1;
    for (size_t i = 0; i < s->n; i++)
        if (wanted[i]) last = i;
    for (size_t i = 0; i <= last && i < s->n && result == 0; i++) {
        if (stop && *stop) result = error_set(err, ERR_INTERRUPTED, "interrupted");
        if (wanted[i] && result == 0 && !(carries[i] = gpu_carry_copy(carry)))
            result = error_set(err, ERR_MEMORY, "out of memory for the L2 that launches carry over");
        if (result == 0 && i < last) result = replay(s, carry, i, 0, err);
    }
    gpu_carry_free(carry);
    s->work.warm_s += thread_cpu_s() - before;
    return result;
}

int sample_warm(struct program_sample *s, const bool *wanted, struct gpu_carry **carries, struct error *err)
{
    if (s->options.warm == SAMPLE_WARM_ALL) return warm_all(s, wanted, carries, err);
    int result = 0;
    double cpu = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->runner->options.threads) reduction(+ : cpu)
    for (size_t i = 0; i < s->n; i++) {
        struct error mine;
        if (!wanted[i]) continue;
        const double before = thread_cpu_s();
        if (warm_last(s, &carries[i], i, &mine) < 0) {
#pragma omp critical(sample_state)
            if (result == 0) *err = mine, result = -1;
        }
        cpu += thread_cpu_s() - before;
    }
    s->work.warm_s += cpu;
    return result;
}
