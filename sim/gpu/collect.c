/* Operand collection: an instruction takes a collector of its unit, which reads every register as soon as its bank is free, and then
 * goes to the unit; results are written through the same banks, and first. A bank serves one register a cycle.
 *
 *   issue register --> collector (reads) --> unit --> write-back (one bank for a cycle)
 *
 * Loads and stores read and write registers outside of this, and units other than the single-precision ones never lack a collector. */
#include "agenda.h"
#include "sm.h"

/* What was in use in the cycles that have passed no longer counts: their bits are those of cycles to come. */
static void forget_past(struct collection *c, cycle_t now)
{
    const cycle_t passed = now - c->since;
    const uint64_t keep = passed < PORT_CYCLES ? rotate_right(~0ull << passed, -c->since) : 0;
    for (uint32_t i = 0; i < c->n; i++) c->in_use[i] &= keep;
    c->since = now;
}

/* The first cycle from `from` on in which not all ports are in use. What lies further ahead than PORT_CYCLES counts as free and is not noted: what
 * stands there may still be to come. */
__attribute__((noinline)) static cycle_t first_free_far(struct collection *c, const uint64_t *all_in_use, cycle_t from, cycle_t now)
{
    if (from - now >= PORT_CYCLES) return from;
    forget_past(c, now);
    const uint64_t is_free = ~rotate_right(*all_in_use, now) & ~0ull << (from - now);
    return now + (is_free ? (cycle_t)__builtin_ctzll(is_free) : PORT_CYCLES);
}

/* One of n ports in the first cycle from `from` on in which one is free; in_use[i]: the cycles in which more than i of them are in use. That
 * cycle is nearly always so near that bits of cycles that have passed are not met. */
static inline cycle_t take(struct collection *c, uint64_t *in_use, uint32_t n, cycle_t from, cycle_t now)
{
    const uint64_t is_free = ~rotate_right(in_use[n - 1], from) | 1ull << (PORT_CYCLES - 1);
    cycle_t at = from + (cycle_t)__builtin_ctzll(is_free);
    if (at - now >= PORT_CYCLES - PORT_PAST && (at = first_free_far(c, &in_use[n - 1], from, now)) - now >= PORT_CYCLES) return at;
    const uint64_t bit = 1ull << at % PORT_CYCLES;
    for (uint32_t i = n - 1; i > 0; i--) in_use[i] |= in_use[i - 1] & bit;
    in_use[0] |= bit;
    return at;
}

static inline cycle_t take_bank(struct collection *c, uint32_t n_banks, uint32_t number, cycle_t from, cycle_t now)
{
    return take(c, &c->in_use[n_banks & (n_banks - 1) ? number % n_banks : number & (n_banks - 1)], 1, from, now);
}

/* When the first collector becomes free; it is taken out. */
static cycle_t first_collector(struct collection *c) { return c->collectors[c->first++ % MAX_COLLECTORS]; }

/* It is put back, among n that are in order of time. */
static void return_collector(struct collection *c, uint32_t n, cycle_t at)
{
    uint32_t i = c->first + n - 1;
    for (; i != c->first && c->collectors[(i - 1) % MAX_COLLECTORS] > at; i--) c->collectors[i % MAX_COLLECTORS] = c->collectors[(i - 1) % MAX_COLLECTORS];
    c->collectors[i % MAX_COLLECTORS] = (uint32_t)at;
}

cycle_t collect_operands(struct sm *sm, const struct plan_inst *inst, uint32_t warp, cycle_t *issue_register, cycle_t now)
{
    const struct core_params *core = &sm->params->core;
    struct collection *c = sm->collection;
    const bool takes_collector = issue_register && core->sp_collectors;
    cycle_t start = now + 1, last;
    if (now - c->since > PORT_PAST) forget_past(c, now);
    if (takes_collector) {
        const cycle_t free_at = first_collector(c);
        if (free_at > start) start = free_at;
        if (start > *issue_register) *issue_register = start;
    }
    last = start + 1;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        const cycle_t at = take_bank(c, core->register_banks, inst->regs[i] + warp, start + 1, now);
        if (at > last) last = at;
    }
    if (takes_collector) return_collector(c, core->sp_collectors, last + 1);
    cycle_t lost = last - (now + 2), written = now + sm->timing[inst->cls].latency + lost;
    if (core->result_ports) {
        const cycle_t at = take(c, c->in_use + core->register_banks, core->result_ports, written, now);
        lost += at - written;
        written = at;
    }
    for (uint32_t i = 0; i < inst->n_dst; i++) take_bank(c, core->register_banks, inst->regs[i] + warp, written - 1, now);
    return lost;
}
