/* Operand collection: an instruction takes a collector of its unit, which reads every register as soon as its bank is free, and then
 * goes to the unit; results are written through the same banks, and first. A bank serves one register a cycle.
 *
 *   issue register --> collector (reads) --> unit --> write-back (one bank for a cycle)
 *
 * Loads and stores read and write registers outside of this, and units other than the single-precision ones never lack a collector. */
#include "sm.h"

/* The first cycle from `from` on in which a bank or port is free. */
static cycle_t free_from(const struct register_bank *b, cycle_t from)
{
    while (b->taken[from % BANK_CYCLES] == (uint32_t)from) from++;
    return from;
}

/* Takes it. What lies further ahead than the table is not noted: what stands there may still be to come. */
static cycle_t take(struct register_bank *b, cycle_t from, cycle_t now)
{
    const cycle_t at = free_from(b, from);
    if (at - now < BANK_CYCLES) b->taken[at % BANK_CYCLES] = (uint32_t)at;
    return at;
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
static struct register_bank *find_port(struct sm *sm, cycle_t written)
{
    struct register_bank *best = &sm->result_ports[0];
    cycle_t at = free_from(best, written);
    for (uint32_t i = 1; i < sm->params->core.result_ports && at != written; i++) {
        const cycle_t other = free_from(&sm->result_ports[i], written);
        if (other < at) at = other, best = &sm->result_ports[i];
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
        const cycle_t at = take(find_port(sm, written), written, now);
        lost += at - written;
        written = at;
    }
    for (uint32_t i = 0; i < inst->n_dst; i++) take(bank_of(sm, inst->regs[i], warp), written - 1, now);
    return lost;
}
