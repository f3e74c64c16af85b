/* What a plan shows of its launch without timing. A line's last touch is kept in a table of open addressing; distances
 * are counted in requests of the same warp, for between warps there is no order. */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include "config/params.h"

struct last_touch {
    uint32_t line_1;     /* line + 1; 0: a free slot */
    uint32_t warp_at[2]; /* the warp, and how many requests it had made */
};
struct touched {
    struct last_touch *slots;
    size_t mask, n;
};

static struct last_touch *slot_of(const struct touched *t, uint32_t line)
{
    size_t at = (line * 0x9e3779b1u) >> 7 & t->mask;
    while (t->slots[at].line_1 && t->slots[at].line_1 != line + 1) at = (at + 1) & t->mask;
    return &t->slots[at];
}

static int grow(struct touched *t, struct error *err)
{
    struct touched bigger = {.mask = 2 * t->mask + 1, .n = t->n};
    bigger.slots = calloc(bigger.mask + 1, sizeof *bigger.slots);
    if (!bigger.slots) return error_set(err, ERR_MEMORY, "out of memory for %zu lines", bigger.mask);
    for (size_t i = 0; i <= t->mask; i++)
        if (t->slots[i].line_1) *slot_of(&bigger, t->slots[i].line_1 - 1) = t->slots[i];
    free(t->slots);
    *t = bigger;
    return 0;
}

/* Request number `at` of a warp. */
static int touch(struct touched *t, struct launch_counts *c, uint32_t line, uint32_t warp, uint32_t at,
                 struct error *err)
{
    struct last_touch *last = slot_of(t, line);
    if (!last->line_1) {
        c->lines++;
        if (2 * ++t->n > t->mask) {
            if (grow(t, err) < 0) return -1;
            last = slot_of(t, line);
        }
    } else if (last->warp_at[0] != warp) {
        c->others++;
    } else if (at - last->warp_at[1] <= LAUNCH_NEAR) {
        c->near++;
    } else {
        c->far++;
    }
    *last = (struct last_touch){line + 1, {warp, at}};
    return 0;
}

static int count_warp(const struct plan *plan, uint32_t w, struct touched *t, struct launch_counts *c,
                      struct error *err)
{
    const struct plan_warp *warp = &plan->warps[w];
    const struct plan_step *step = plan->steps + warp->first_step;
    uint32_t at = 0;
    if (warp->n_steps > c->longest) c->longest = warp->n_steps;
    for (const struct plan_step *end = step + warp->n_steps; step < end; step++) {
        c->lanes += step->lanes;
        if (step->action == ACT_ALU || step->action == ACT_NOTHING) continue;
        c->barriers += step->action == ACT_BARRIER;
        c->shared += step->action == ACT_SHARED || step->action == ACT_COUNTED_SHARED;
        if (!plan_step_has_lines(plan, step)) continue;
        c->stores += step->action == ACT_STORE || step->action == ACT_COUNTED_STORE;
        c->atomics += step->action == ACT_ATOMIC || step->action == ACT_COUNTED_ATOMIC;
        c->loads += step->action == ACT_LOAD || step->action == ACT_CONST || step->action == ACT_TEXTURE;
        for (uint32_t i = 0; i < step->n; i++)
            if (touch(t, c, REQUEST_LINE(plan->requests[step->first + i]), w, at++, err) < 0) return -1;
    }
    return 0;
}

int plan_counts(struct launch_counts *out, const struct plan *plan, struct error *err)
{
    const struct trace_launch *l = &plan->launch;
    struct touched touched = {.slots = calloc(1024, sizeof *touched.slots), .mask = 1023};
    *out = (struct launch_counts){.kernel = plan->kernel,
                                  .ctas = l->n_ctas,
                                  .threads = l->block[0] * l->block[1] * l->block[2],
                                  .resident_ctas = plan->ctas_per_sm,
                                  .warps = plan->n_warps,
                                  .insts = plan->n_steps,
                                  .requests = plan->n_requests};
    int result = touched.slots ? 0 : error_set(err, ERR_MEMORY, "out of memory for a launch's lines");
    for (uint32_t w = 0; w < plan->n_warps && result == 0; w++) result = count_warp(plan, w, &touched, out, err);
    free(touched.slots);
    return result;
}

/* ---- some CTAs ---- */

enum { LOOK_WARPS = 512, LOOK_BLOCK = 4 }; /* warps that are looked at; CTAs side by side, which may share lines */

/* The warps of every so many CTAs, in blocks; `out` has room for all. Returns how many there are. */
static uint64_t some_warps(const struct trace *trace, struct trace_warp *out)
{
    const uint32_t each = trace->launch.warps_per_cta, blocks = LOOK_WARPS / (LOOK_BLOCK * each) + 1,
                   apart = trace->launch.n_ctas / blocks;
    uint64_t n = 0;
    for (uint32_t cta = 0; cta < trace->launch.n_ctas; cta++)
        if (apart <= LOOK_BLOCK || cta % apart < LOOK_BLOCK)
            for (uint32_t w = 0; w < each; w++) out[n++] = trace->warps[(uint64_t)cta * each + w];
    return n;
}

static void scale(struct launch_counts *c, const struct trace *trace, uint64_t looked)
{
    uint64_t *const counts[] = {&c->lanes, &c->barriers, &c->shared, &c->loads,  &c->stores, &c->atomics,
                                &c->lines, &c->near,     &c->far,    &c->others, &c->insts};
    const double factor = looked ? (double)trace->n_steps / (double)looked : 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = (uint64_t)llround(factor * (double)*counts[i]);
    c->requests = c->lines + c->near + c->far + c->others; /* which were rounded one by one */
    c->warps = trace->n_warps;
    for (uint64_t w = 0; w < trace->n_warps; w++)
        if (trace->warps[w].n_steps > c->longest) c->longest = trace->warps[w].n_steps;
}

int trace_counts(struct launch_counts *out, const struct trace *trace, const struct gpu_params *params,
                 struct error *err)
{
    struct trace part = *trace;
    struct trace_warp *warps = calloc(trace->n_warps + 1, sizeof *warps);
    struct plan *plan;
    if (!warps) return error_set(err, ERR_MEMORY, "out of memory for %llu warps", (unsigned long long)trace->n_warps);
    const bool looks_at_all = trace->n_waits || trace->n_warps <= LOOK_WARPS; /* waits belong to steps in order */
    part.warps = looks_at_all ? trace->warps : warps;
    if (!looks_at_all) part.n_warps = some_warps(trace, warps);
    int result = plan_new(&plan, &part, params, err);
    if (result == 0) {
        uint64_t looked = 0;
        result = plan_counts(out, plan, err);
        for (uint64_t w = 0; w < part.n_warps; w++) looked += part.warps[w].n_steps;
        if (part.n_warps < trace->n_warps) scale(out, trace, looked);
        plan_free(plan);
    }
    free(warps);
    return result;
}

struct launch_machine gpu_launch_machine(const struct gpu_params *p)
{
    const uint64_t l2 = (uint64_t)p->l2.banks * p->l2.sets * l2_own_ways(p) * l2_line_bytes(p);
    return (struct launch_machine){.sms = p->core.sms,
                                   .schedulers = p->core.schedulers,
                                   .l1_lines = (uint64_t)p->l1.sets * p->l1.ways,
                                   .l2_lines = l2 / p->l1.line_bytes};
}
