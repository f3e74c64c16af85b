/* Operand collection: an instruction takes a collector of its unit, which reads every register as soon as its bank is free, and then
 * goes to the unit; results are written through the same banks, and first. A bank serves one register a cycle.
 *
 *   issue register --> collector (reads) --> unit --> write-back (one bank for a cycle)
 *
 * Loads and stores read and write registers outside of this, and units other than the single-precision ones never lack a collector. */
#include "sm.h"

/* Where in cycles from `now` on, `ahead` or later, a bank or port is free; 64 if not within the next 63. What lies further ahead is not noted. */
static uint32_t free_ahead(uint64_t taken, uint32_t ahead)
{
    const uint64_t later = ahead < 64 ? taken >> ahead : 0;
    return ahead + (later == UINT64_MAX ? 64 : (uint32_t)__builtin_ctzll(~later));
}

/* What is taken from `now` on: nobody looks back. */
static uint64_t taken_from(const struct register_bank *b, cycle_t now)
{
    return now - b->since < 64 ? b->taken >> (now - b->since) : 0;
}

/* Takes a bank or port in the first free cycle from `from` on. */
static cycle_t take(struct register_bank *b, cycle_t from, cycle_t now)
{
    const uint64_t taken = taken_from(b, now);
    const uint32_t at = free_ahead(taken, (uint32_t)(from - now));
    *b = (struct register_bank){now, at < 64 ? taken | 1ull << at : taken};
    return now + at;
}

static struct register_bank *bank_of(struct sm *sm, uint32_t reg, uint32_t warp)
{
    const uint32_t n = sm->params->core.register_banks;
    return &sm->register_banks[n & (n - 1) ? (reg + warp) % n : (reg + warp) & (n - 1)];
}

/* One that is free at `start`, else the one that is free first. */
static cycle_t *find_collector(struct sm *sm, cycle_t start)
{
    cycle_t *first = &sm->collectors[0];
    for (uint32_t i = 0; i < sm->params->core.sp_collectors; i++) {
        if (sm->collectors[i] <= start) return &sm->collectors[i];
        if (sm->collectors[i] < *first) first = &sm->collectors[i];
    }
    return first;
}

/* The write-back port that is free first. */
static struct register_bank *find_port(struct sm *sm, cycle_t written, cycle_t now)
{
    const uint32_t n = sm->params->core.result_ports, ahead = (uint32_t)(written - now);
    struct register_bank *best = &sm->result_ports[0];
    uint32_t best_at = free_ahead(taken_from(best, now), ahead);
    for (uint32_t i = 1; i < n && best_at != ahead; i++) {
        const uint32_t at = free_ahead(taken_from(&sm->result_ports[i], now), ahead);
        if (at < best_at) best_at = at, best = &sm->result_ports[i];
    }
    return best;
}

cycle_t collect_operands(struct sm *sm, const struct plan_inst *inst, uint32_t warp, cycle_t *issue_register, cycle_t now)
{
    const struct core_params *core = &sm->params->core;
    cycle_t start = now + 1, last, *collector = NULL;
    if (issue_register && core->sp_collectors) {
        collector = find_collector(sm, start);
        if (*collector > start) start = *collector;
        if (start > *issue_register) *issue_register = start;
    }
    last = start + 1;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        const cycle_t at = take(bank_of(sm, inst->regs[i], warp), start + 1, now);
        if (at > last) last = at;
    }
    if (collector) *collector = last + 1;
    cycle_t lost = last - (now + 2), written = now + sm->timing[inst->cls].latency + lost;
    if (core->result_ports) {
        const cycle_t at = take(find_port(sm, written, now), written, now);
        lost += at - written;
        written = at;
    }
    for (uint32_t i = 0; i < inst->n_dst; i++) take(bank_of(sm, inst->regs[i], warp), written - 1, now);
    return lost;
}
