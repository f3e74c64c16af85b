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
    for (uint32_t u = 0; u < N_UNITS; u++) c->units[u].n = (uint8_t)(units[u] / n);
    c->n_collectors = (uint8_t)(core->collectors / n);
    c->n_banks = (uint8_t)(core->register_banks / n);
    c->n_steps = (uint8_t)core->read_steps;
    c->write_cycles = (uint8_t)core->write_cycles;
    c->is_even = !(c->n_banks & (c->n_banks - 1)) && !(c->n_steps & (c->n_steps - 1));
    c->step_shift = (uint8_t)__builtin_ctz(c->n_steps);
}

static step_t later(step_t a, step_t b) { return a > b ? a : b; }

/* The collector that is free first is so again in step `at`. Where there are none, one is always free. */
static inline void take_collector(struct sub_core *c, step_t at)
{
    uint32_t i = 0;
    if (!c->n_collectors) return;
    for (; i + 1 < c->n_collectors && c->collector_free[i + 1] < at; i++)
        c->collector_free[i] = c->collector_free[i + 1];
    c->collector_free[i] = at;
}

/* The same of a unit of several, in cycle `at`. */
static APART void take_unit(struct sub_unit *unit, cycle_t at)
{
    uint32_t i = 0;
    for (; i + 1 < unit->n && unit->free[i + 1] < at; i++) unit->free[i] = unit->free[i + 1];
    unit->free[i] = at;
}

/* `even`, here and below: c->is_even, known to the compiler. */
static ALWAYS_INLINE cycle_t cycle_of(const struct sub_core *c, step_t step, bool even)
{
    return (cycle_t)(even ? step >> c->step_shift : step / c->n_steps);
}

static ALWAYS_INLINE uint32_t bank_of(const struct sub_core *c, uint32_t reg, uint32_t warp, bool even)
{
    return even ? (reg + warp) & (c->n_banks - 1u) : (reg + warp) % c->n_banks;
}

/* A result is written in cycle `at`; what lies further ahead than 64 cycles is not noted. */
static void note_write(struct sub_bank *b, cycle_t at, cycle_t now)
{
    const cycle_t passed = now - b->writes_from;
    const uint64_t writes = passed < 64 ? b->writes >> passed : 0;
    b->writes_from = now;
    b->writes = at - now < 64 ? writes | 1ull << (at - now) : writes;
}

static bool is_written(const struct sub_bank *b, cycle_t at)
{
    const cycle_t ahead = at - b->writes_from;
    return ahead < 64 && b->writes >> ahead & 1;
}

/* The step in which the bank gives a register, from `from` on: the first of a cycle is not there if a result is
 * written. */
static ALWAYS_INLINE step_t read_bank(const struct sub_core *c, struct sub_bank *b, step_t from, bool even)
{
    step_t at = later(from, b->free);
    while ((even ? at & (c->n_steps - 1u) : at % c->n_steps) == 0 && is_written(b, cycle_of(c, at, even))) at++;
    b->free = at + 1;
    return at;
}

/* The step in which the last source has been read; a register that stands twice is read once. */
static ALWAYS_INLINE step_t read_sources(struct sub_core *c, const struct plan_inst *inst, uint32_t warp,
                                         step_t collected, bool even)
{
    step_t last = collected;
    const uint16_t *sources = inst->regs + inst->n_dst;
    for (uint32_t left = inst->sources; left; left &= left - 1) {
        const uint32_t bank = bank_of(c, sources[__builtin_ctz(left)], warp, even);
        last = later(last, read_bank(c, &c->banks[bank], collected + 1, even));
    }
    return last;
}

/* Few instructions have more than one result. */
static APART void note_more_writes(struct sub_core *c, const struct plan_inst *inst, uint32_t warp, cycle_t at,
                                   cycle_t now)
{
    for (uint32_t i = 1; i < inst->n_dst; i++) note_write(&c->banks[bank_of(c, inst->regs[i], warp, false)], at, now);
}

/* What has a collector from step `collected` on gives it up for the register of its unit, which takes it in the cycle
 * before the one that is returned. */
static ALWAYS_INLINE cycle_t reach_unit(struct sub_core *c, const struct sub_unit *unit, step_t collected, bool even)
{
    const struct sub_waiting *w = &unit->waiting;
    const step_t read = read_sources(c, w->inst, w->warp, collected, even),
                 free = even ? (step_t)unit->register_free << c->step_shift : (step_t)unit->register_free * c->n_steps,
                 left = later(read + 1, free);
    take_collector(c, left);
    return cycle_of(c, left, even) + 1;
}

/* Arithmetic that reaches its unit's register in cycle `reached`: when its results can be read. */
static ALWAYS_INLINE cycle_t use_unit(struct sub_core *c, struct sub_unit *unit, struct class_timing timing,
                                      cycle_t reached, cycle_t now, bool even)
{
    const struct plan_inst *inst = unit->waiting.inst;
    const uint32_t warp = unit->waiting.warp;
    const cycle_t start = unit->free[0] > reached ? unit->free[0] : reached,
                  written = start + timing.latency + c->write_cycles;
    unit->register_free = start;
    if (unit->n > 1) take_unit(unit, start + timing.interval);
    else unit->free[0] = start + timing.interval;
    if (inst->n_dst) note_write(&c->banks[bank_of(c, inst->regs[0], warp, even)], written, now);
    if (inst->n_dst > 1) note_more_writes(c, inst, warp, written, now);
    return written;
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
static ALWAYS_INLINE void collect(struct sm *sm, uint32_t index, uint32_t unit, step_t step, cycle_t now, bool even)
{
    struct sub_core *c = &sm->sub_cores[index];
    struct sub_unit *u = &c->units[unit];
    struct scheduler *s = &sm->schedulers[index];
    const cycle_t reached = reach_unit(c, u, step, even);
    s->room_at[unit] = now;
    if (s->ready & s->wants[unit]) scheduler_stale(s);
    if (unit == UNIT_LSU) {
        u->register_free = reached - 1; /* the load-store unit's queue stands for what waits behind */
        lsu_collected(sm, u->waiting.entry, reached);
    } else {
        finish(sm, &u->waiting, use_unit(c, u, sm->timing[u->waiting.inst->cls], reached, now, even), now);
    }
}

/* The sub-core whose instruction of this kind has waited longest. */
static inline uint32_t oldest_of(const struct sub_order *o, uint32_t unit)
{
    return (uint32_t)(o->cores[unit] & ((1u << CORE_BITS) - 1));
}

static inline void leave_order(struct sub_order *o, uint32_t unit, uint32_t bit)
{
    o->cores[unit] >>= CORE_BITS;
    if (--o->n[unit] == 0) o->kinds &= ~bit;
}

/* The oldest of each kind, in the order of kinds, takes a collector of its sub-core if one is free; again until none
 * does. A kind whose oldest finds none waits for a later step, whatever else takes one. Returns the first step in
 * which one of those that are left can. */
static ALWAYS_INLINE step_t collect_all(struct sm *sm, step_t step, cycle_t now, bool even)
{
    struct sub_order *o = &sm->issued;
    step_t next = UINT64_MAX;
    uint32_t try = o->kinds, left = try; /* try: whose oldest may find one; left: of these, in this round */
    while (try) {
        const uint32_t bit = left & -left, unit = (uint32_t)__builtin_ctz(left), i = oldest_of(o, unit);
        const step_t at = sm->sub_cores[i].collector_free[0];
        left ^= bit;
        if (at > step) {
            next = at < next ? at : next;
            try ^= bit;
        } else {
            collect(sm, i, unit, step, now, even);
            leave_order(o, unit, bit);
            try &= o->kinds;
        }
        if (!left) left = try;
    }
    return next;
}

static ALWAYS_INLINE void tick(struct sm *sm, cycle_t now, bool even)
{
    const uint32_t steps = sm->sub_cores->n_steps;
    const step_t end = (step_t)(now + 1) * steps;
    step_t next = (step_t)now * steps;
    do next = collect_all(sm, next, now, even);
    while (next < end);
    sm->collect_at = next == UINT64_MAX ? NEVER : cycle_of(sm->sub_cores, next, even);
}

/* Out of line, like what divides by numbers that are no powers of two. */
APART static void tick_uneven(struct sm *sm, cycle_t now) { tick(sm, now, false); }

void sub_cores_tick(struct sm *sm, cycle_t now)
{
    if (sm->sub_cores->is_even) tick(sm, now, true);
    else tick_uneven(sm, now);
}
