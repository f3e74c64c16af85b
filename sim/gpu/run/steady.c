#include "run/steady.h"

#include <math.h>
#include <string.h>

void steady_begin(struct steady *s)
{
    memset(s, 0, sizeof *s);
    s->batch_cycles = STEADY_FIRST_CYCLES;
}

void steady_add(struct steady *s, uint64_t insts)
{
    if (s->n == STEADY_BATCHES) {
        /* The batch that is over began as half of a longer one. */
        for (uint32_t i = 0; i < STEADY_BATCHES / 2; i++) s->batch[i] = s->batch[2 * i] + s->batch[2 * i + 1];
        s->n = STEADY_BATCHES / 2;
        s->batch_cycles *= 2;
    }
    s->batch[s->n++] = (double)(insts - s->insts);
    s->insts = insts;
}

/* First batch of what is steady. */
static uint32_t warmup_end(const struct steady *s)
{
    struct warm_up found = {.least = INFINITY, .n = s->n, .end = 0};
    for (uint32_t i = s->n; i-- > 0;) warm_up_tell(&found, i, s->batch[i]);
    return found.end;
}

struct interval {
    double mean, half;
};

/* Mean of a batch and half of its 95 % interval from `groups` means; half: infinite where they are not independent. */
static struct interval batch_means(const double *batch, uint32_t n, uint32_t groups)
{
    const double t = groups == 20 ? 2.093 : 2.262; /* Student's, 19 and 9 degrees of freedom */
    double means[20], mean = 0, squares = 0, products = 0;
    const uint32_t size = n / groups;
    batch += n - groups * size;
    for (uint32_t g = 0; g < groups; g++) {
        means[g] = 0;
        for (uint32_t i = 0; i < size; i++) means[g] += batch[g * size + i] / size;
        mean += means[g] / groups;
    }
    for (uint32_t g = 0; g < groups; g++) {
        squares += (means[g] - mean) * (means[g] - mean);
        if (g) products += (means[g] - mean) * (means[g - 1] - mean);
    }
    const bool is_independent = products <= 1.645 / sqrt(groups) * squares; /* lag 1, one-sided 5 % */
    return (struct interval){mean, is_independent ? t * sqrt(squares / (groups - 1) / groups) : INFINITY};
}

struct gpu_estimate steady_estimate(const struct steady *s, uint64_t total, double eps)
{
    const struct gpu_estimate none = {0};
    if (s->n < STEADY_LEAST || s->insts >= total) return none;
    const uint32_t from = warmup_end(s), n = s->n - from;
    const double left = (double)(total - s->insts);
    double steady = 0;
    for (uint32_t i = from; i < s->n; i++) steady += s->batch[i];
    if (left > steady || left < 0.1 * (double)total) return none;
    for (uint32_t groups = 20; groups >= 10; groups -= 10) {
        const struct interval batch = batch_means(s->batch + from, n, groups);
        if (!(batch.mean > 0)) continue;
        const double rest = left / batch.mean * (double)s->batch_cycles, cycles = s->n * (double)s->batch_cycles + rest;
        /* The rest is as noisy as what was seen: of what is predicted, the interval is wider than that of the mean. */
        const double error = rest * (batch.half / batch.mean) * sqrt(1 + steady / left) / cycles;
        if (error <= eps) return (struct gpu_estimate){cycles, error};
    }
    return none;
}

/* The same with the end of the launch: `e` is of cycle `now`, before which `left` instructions are not done. Without
 * an estimate where it is not known within `eps`. */
static struct gpu_estimate steady_with_end(const struct gpu_estimate *e, const struct simulation_work *work, double now,
                                           double left, double eps)
{
    const double a_warp = left / (e->cycles - now) / fmax(1, work->warps); /* instructions of one in a cycle */
    const double latest = work->to_come ? e->cycles + (double)work->to_come / a_warp
                                        : fmax(e->cycles, now + (double)work->resident / a_warp);
    const double cycles = (e->cycles + latest) / 2, error = (e->error * e->cycles + latest - cycles) / cycles;
    return error <= eps ? (struct gpu_estimate){cycles, error} : (struct gpu_estimate){0};
}

int steady_run(struct simulation *simulation, uint64_t total, double eps, struct gpu_estimate *out, struct error *err)
{
    struct steady s;
    int result = 0;
    const uint64_t begin = simulation_now(simulation);
    *out = (struct gpu_estimate){0};
    steady_begin(&s);
    s.insts = simulation_insts(simulation);
    for (uint64_t until = begin;;) {
        /* A series that is full goes on in batches of twice the length. */
        const uint64_t length = s.n == STEADY_BATCHES ? 2 * s.batch_cycles : s.batch_cycles;
        result = simulation_run(simulation, until += length, err);
        if (result != 0 || simulation_now(simulation) < until) return result;
        steady_add(&s, simulation_insts(simulation));
        *out = steady_estimate(&s, total, eps);
        if (!(out->cycles > 0)) continue;
        const struct simulation_work work = simulation_work(simulation);
        *out = steady_with_end(out, &work, s.n * (double)s.batch_cycles, (double)(total - s.insts), eps);
        if (out->cycles > 0) break;
    }
    out->cycles = round(out->cycles + (double)begin); /* no more figures than a store keeps */
    out->error = ceil(1e6 * out->error) / 1e6;
    return 0;
}
