#include "core/lsu.h"

#include <string.h>

void unit_counts(const struct core_params *core, uint32_t lsu, uint32_t n[N_UNITS])
{
    const uint32_t counts[N_UNITS] = {
        [UNIT_SP] = core->sp_units,           [UNIT_SFU] = core->sfu_units,       [UNIT_LSU] = lsu,
        [UNIT_INT] = core->int_units,         [UNIT_DP] = core->dp_units,         [UNIT_BRANCH] = core->branch_units,
        [UNIT_TEXTURE] = core->texture_units, [UNIT_TENSOR] = core->tensor_units, [UNIT_UDP] = core->uniform_units};
    memcpy(n, counts, sizeof counts);
}

void sub_core_init(struct sub_core *c, const struct core_params *core)
{
    const uint32_t n = core->schedulers;
    uint32_t units[N_UNITS];
    unit_counts(core, n, units);
    memset(c, 0, sizeof *c);
    for (uint32_t u = 0; u < N_UNITS; u++) c->n_units[u] = (uint8_t)(units[u] / n);
    c->n_collectors = (uint8_t)(core->collectors / n);
    c->n_banks = (uint8_t)(core->register_banks / n);
    c->n_steps = (uint8_t)core->read_steps;
}

static step_t later(step_t a, step_t b) { return a > b ? a : b; }

/* The collector that is free first. */
static uint32_t first_collector(const struct sub_core *c)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < c->n_collectors; i++)
        if (c->collector_free[i] < c->collector_free[first]) first = i;
    return first;
}

/* A result is written in cycle `at`; what lies further ahead than 64 cycles is not noted. */
static void note_write(struct sub_core *c, uint32_t bank, cycle_t at, cycle_t now)
{
    const cycle_t passed = now - c->writes_from[bank];
    c->writes[bank] = passed < 64 ? c->writes[bank] >> passed : 0;
    c->writes_from[bank] = now;
    if (at - now < 64) c->writes[bank] |= 1ull << (at - now);
}

static bool is_written(const struct sub_core *c, uint32_t bank, cycle_t at)
{
    const cycle_t ahead = at - c->writes_from[bank];
    return ahead < 64 && c->writes[bank] >> ahead & 1;
}

/* The step in which the bank gives a register, from `from` on: the first of a cycle is not there if a result is
 * written. */
static step_t read_bank(struct sub_core *c, uint32_t bank, step_t from)
{
    step_t at = later(from, c->bank_free[bank]);
    while (at % c->n_steps == 0 && is_written(c, bank, (cycle_t)(at / c->n_steps))) at++;
    c->bank_free[bank] = at + 1;
    return at;
}

/* The step in which the last source has been read; a register that stands twice is read once. */
static step_t read_sources(struct sub_core *c, const struct plan_inst *inst, uint32_t warp, step_t collected)
{
    step_t last = collected;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        uint32_t k = inst->n_dst;
        while (inst->regs[k] != inst->regs[i]) k++;
        if (k == i) last = later(last, read_bank(c, (inst->regs[i] + warp) % c->n_banks, collected + 1));
    }
    return last;
}

/* What has a collector from step `collected` on: when its unit (of an access: the load-store unit) has it, and its
 * result can be read. */
struct sub_way {
    cycle_t started, written;
};
static struct sub_way go_on(struct sub_core *c, const struct sub_waiting *w, uint32_t unit, struct class_timing timing,
                            step_t collected, cycle_t now)
{
    const uint32_t steps = c->n_steps, collector = first_collector(c);
    const struct plan_inst *inst = w->inst;
    const step_t read = read_sources(c, inst, w->warp, collected),
                 left = later(read + 1, (step_t)c->register_free[unit] * steps);
    if (c->n_collectors) c->collector_free[collector] = left;
    const cycle_t reached = (cycle_t)(left / steps) + 1;
    if (unit == UNIT_LSU) {
        c->register_free[unit] = reached - 1; /* the load-store unit's queue stands for what waits behind */
        return (struct sub_way){reached, 0};
    }
    uint32_t u = 0;
    for (uint32_t i = 1; i < c->n_units[unit]; i++)
        if (c->unit_free[unit][i] < c->unit_free[unit][u]) u = i;
    const cycle_t start = c->unit_free[unit][u] > reached ? c->unit_free[unit][u] : reached;
    c->register_free[unit] = start;
    c->unit_free[unit][u] = start + timing.interval;
    const struct sub_way way = {start, start + timing.latency + 2};
    for (uint32_t i = 0; i < inst->n_dst; i++) note_write(c, (inst->regs[i] + w->warp) % c->n_banks, way.written, now);
    return way;
}

/* Its registers can be read in cycle `at`, unless the warp is gone. */
static void finish(struct sm *sm, const struct sub_waiting *waiting, cycle_t at, cycle_t now)
{
    struct warp *w = &sm->warps[waiting->warp];
    if (!w->in_use || w->uid != waiting->uid) return;
    score_results(w->score, waiting->inst, SCORE(at, 0));
    if (w->ready_cycle == SCORE_CYCLE(SCORE_PENDING)) warp_loaded(&sm->schedulers[w->scheduler], w, now);
}

/* The instruction of this kind leaves its issue register for a collector. */
static void collect(struct sm *sm, uint32_t index, uint32_t unit, step_t step, cycle_t now)
{
    struct sub_core *c = &sm->sub_cores[index];
    struct scheduler *s = &sm->schedulers[index];
    const struct sub_waiting *w = &c->waiting[unit];
    const struct sub_way way = go_on(c, w, unit, sm->timing[w->inst->cls], step, now);
    c->kinds &= ~(1u << unit);
    *units_of(sm, s->pool, unit) = now;
    scheduler_stale(s);
    if (unit == UNIT_LSU) lsu_collected(sm, w->entry, way.started);
    else finish(sm, w, way.written, now);
}

/* The sub-core whose instruction of this kind has waited longest; NO_CORE if none waits. */
enum { NO_CORE = MAX_SCHEDULERS };
static uint32_t oldest_of(const struct sm *sm, uint32_t unit)
{
    const uint32_t n = sm->params->core.schedulers;
    uint32_t oldest = NO_CORE;
    for (uint32_t i = 0; i < n; i++) {
        const struct sub_core *c = &sm->sub_cores[i];
        if (!(c->kinds >> unit & 1)) continue;
        if (oldest == NO_CORE || (int32_t)(c->waiting[unit].order - sm->sub_cores[oldest].waiting[unit].order) < 0)
            oldest = i;
    }
    return oldest;
}

static step_t collector_at(const struct sub_core *c)
{
    return c->n_collectors ? c->collector_free[first_collector(c)] : 0;
}

static uint32_t kinds_that_wait(const struct sm *sm)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < sm->params->core.schedulers; i++) kinds |= sm->sub_cores[i].kinds;
    return kinds;
}

/* The oldest of each kind, in the order of kinds, takes a collector of its sub-core if one is free; again until none
 * does. Returns the first step in which one of those that are left can. */
static step_t collect_all(struct sm *sm, step_t step, cycle_t now)
{
    static const uint8_t order[] = {UNIT_SP,     UNIT_SFU,     UNIT_LSU,    UNIT_DP, UNIT_INT,
                                    UNIT_BRANCH, UNIT_TEXTURE, UNIT_TENSOR, UNIT_UDP};
    step_t next = UINT64_MAX;
    uint32_t kinds = kinds_that_wait(sm);
    for (bool any = kinds != 0; any; kinds = kinds_that_wait(sm)) {
        any = false;
        next = UINT64_MAX;
        for (uint32_t k = 0; k < COUNT_OF(order); k++) {
            const uint32_t i = kinds >> order[k] & 1 ? oldest_of(sm, order[k]) : NO_CORE;
            if (i == NO_CORE) continue;
            const step_t free = collector_at(&sm->sub_cores[i]);
            if (free <= step) {
                collect(sm, i, order[k], step, now);
                any = true;
            } else if (free < next) {
                next = free;
            }
        }
    }
    return next;
}

void sub_cores_tick(struct sm *sm, cycle_t now)
{
    const uint32_t steps = sm->params->core.read_steps;
    step_t next = UINT64_MAX;
    for (step_t step = (step_t)now * steps; step < (step_t)(now + 1) * steps; step++) next = collect_all(sm, step, now);
    const step_t at = next / steps;
    sm->collect_at = next == UINT64_MAX ? NEVER : at > now ? (cycle_t)at : now + 1;
}

void sub_core_issue(struct sm *sm, const struct warp *warp, const struct plan_inst *inst, uint32_t unit, uint32_t entry,
                    cycle_t now)
{
    struct sub_core *c = &sm->sub_cores[warp->scheduler];
    c->waiting[unit] = (struct sub_waiting){.inst = inst,
                                            .order = sm->n_issued++,
                                            .uid = warp->uid,
                                            .entry = (uint16_t)entry,
                                            .warp = (uint8_t)(warp - sm->warps)};
    c->kinds |= 1u << unit;
    *units_of(sm, sm->schedulers[warp->scheduler].pool, unit) = NEVER;
    if (sm->collect_at > now + 1) sm->collect_at = now + 1;
}
