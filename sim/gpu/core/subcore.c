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

/* Notes the collector that is free first; where there are none, one is always free. */
static void note_collector(struct sub_core *c)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < c->n_collectors; i++)
        if (c->collector_free[i] < c->collector_free[first]) first = i;
    c->collector = first;
    c->collector_at = c->collector_free[first];
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

/* What has a collector from step `collected` on: when its unit (of an access: the load-store unit) has it, and its
 * result can be read. */
struct sub_way {
    cycle_t started, written;
};
static ALWAYS_INLINE struct sub_way go_on(struct sub_core *c, struct sub_unit *unit, struct class_timing timing,
                                          bool is_access, step_t collected, cycle_t now, bool even)
{
    const struct sub_waiting *w = &unit->waiting;
    const struct plan_inst *inst = w->inst;
    const step_t read = read_sources(c, inst, w->warp, collected, even),
                 left = later(read + 1, (step_t)unit->register_free * c->n_steps);
    if (c->n_collectors) {
        c->collector_free[c->collector] = left;
        note_collector(c);
    }
    const cycle_t reached = cycle_of(c, left, even) + 1;
    if (is_access) {
        unit->register_free = reached - 1; /* the load-store unit's queue stands for what waits behind */
        return (struct sub_way){reached, 0};
    }
    cycle_t *first = unit->free;
    for (uint32_t i = 1; i < unit->n; i++)
        if (unit->free[i] < *first) first = &unit->free[i];
    const cycle_t start = *first > reached ? *first : reached;
    unit->register_free = start;
    *first = start + timing.interval;
    const struct sub_way way = {start, start + timing.latency + c->write_cycles};
    for (uint32_t i = 0; i < inst->n_dst; i++)
        note_write(&c->banks[bank_of(c, inst->regs[i], w->warp, even)], way.written, now);
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
static ALWAYS_INLINE void collect(struct sm *sm, uint32_t index, uint32_t unit, step_t step, cycle_t now, bool even)
{
    struct sub_core *c = &sm->sub_cores[index];
    struct scheduler *s = &sm->schedulers[index];
    const struct sub_waiting *w = &c->units[unit].waiting;
    const struct sub_way way = go_on(c, &c->units[unit], sm->timing[w->inst->cls], unit == UNIT_LSU, step, now, even);
    s->room_at[unit] = now;
    if (s->ready & s->wants[unit]) scheduler_stale(s);
    if (unit == UNIT_LSU) lsu_collected(sm, w->entry, way.started);
    else finish(sm, w, way.written, now);
}

/* Issue registers are emptied in another order than that of the units: arithmetic of doubles before that of integers.
 * The order of each kind, which is also the kind of each place in the order. */
static const uint8_t in_order[N_UNITS] = {UNIT_SP,     UNIT_SFU,     UNIT_LSU,    UNIT_DP, UNIT_INT,
                                          UNIT_BRANCH, UNIT_TEXTURE, UNIT_TENSOR, UNIT_UDP};

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

_Static_assert(CORE_BITS *MAX_SCHEDULERS <= 64 && MAX_SCHEDULERS <= 1 << CORE_BITS, "sub-cores fit in a word");
static inline void enter_order(struct sub_order *o, uint32_t unit, uint32_t core)
{
    o->cores[unit] |= (uint64_t)core << CORE_BITS * o->n[unit]++;
    o->kinds |= 1u << in_order[unit];
}

/* The oldest of each kind, in the order of kinds, takes a collector of its sub-core if one is free; again until none
 * does. A kind whose oldest finds none waits for a later step, whatever else takes one. Returns the first step in
 * which one of those that are left can. */
static ALWAYS_INLINE step_t collect_all(struct sm *sm, step_t step, cycle_t now, bool even)
{
    struct sub_order *o = &sm->issued;
    uint32_t try = o->kinds;
    while (try)
        for (uint32_t left = try; left; left &= left - 1) {
            const uint32_t bit = left & -left, unit = in_order[__builtin_ctz(left)], i = oldest_of(o, unit);
            if (sm->sub_cores[i].collector_at > step) {
                try &= ~bit;
                continue;
            }
            collect(sm, i, unit, step, now, even);
            leave_order(o, unit, bit);
            try &= o->kinds;
        }
    step_t next = UINT64_MAX;
    for (uint32_t left = o->kinds; left; left &= left - 1) {
        const step_t at = sm->sub_cores[oldest_of(o, in_order[__builtin_ctz(left)])].collector_at;
        if (at < next) next = at;
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

void sub_core_issue(struct sm *sm, const struct warp *warp, const struct plan_inst *inst, uint32_t unit, uint32_t entry,
                    cycle_t now)
{
    const uint32_t i = warp->scheduler;
    sm->sub_cores[i].units[unit].waiting = (struct sub_waiting){
        .inst = inst, .uid = warp->uid, .entry = (uint16_t)entry, .warp = (uint8_t)(warp - sm->warps)};
    enter_order(&sm->issued, unit, i);
    sm->schedulers[i].room_at[unit] = NEVER;
    if (sm->collect_at > now + 1) sm->collect_at = now + 1;
}
