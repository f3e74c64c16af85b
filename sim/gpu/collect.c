/* Operand collection: an instruction takes a collector of its unit, which reads every register as soon as its bank is free, and then
 * goes to the unit; results are written through the same banks, and first. A bank serves one register a cycle.
 *
 *   issue register --> collector (reads) --> unit --> write-back (one bank for a cycle)
 *
 * Loads and stores read and write registers outside of this, and units other than the single-precision ones never lack a collector. */
#include "sm.h"

/* What is in use in cycle `at`: where the cycles of other rounds stand, nothing is. */
static struct port_cycle *cycle_at(struct sm *sm, cycle_t at, cycle_t now)
{
    struct port_cycle *c = &sm->port_cycles[at % PORT_CYCLES];
    if (c->cycle != (uint32_t)at && at - now < PORT_CYCLES) *c = (struct port_cycle){.cycle = (uint32_t)at};
    return c;
}

/* A bank serves one register a cycle: the first one from `from` on that is free. What lies further ahead than the table counts as free and
 * is not noted: what stands there may still be to come. */
static cycle_t take_bank(struct sm *sm, uint32_t reg, uint32_t warp, cycle_t from, cycle_t now)
{
    const uint32_t n = sm->params->core.register_banks, bit = 1u << (n & (n - 1) ? (reg + warp) % n : (reg + warp) & (n - 1));
    for (; from - now < PORT_CYCLES; from++) {
        struct port_cycle *c = cycle_at(sm, from, now);
        if (c->banks & bit) continue;
        c->banks |= bit;
        break;
    }
    return from;
}

/* As many results are written a cycle as there are ports. */
static cycle_t take_port(struct sm *sm, cycle_t from, cycle_t now)
{
    for (; from - now < PORT_CYCLES; from++) {
        struct port_cycle *c = cycle_at(sm, from, now);
        if (c->results == sm->params->core.result_ports) continue;
        c->results++;
        break;
    }
    return from;
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
        const cycle_t at = take_bank(sm, inst->regs[i], warp, start + 1, now);
        if (at > last) last = at;
    }
    if (collector) *collector = last + 1;
    cycle_t lost = last - (now + 2), written = now + sm->timing[inst->cls].latency + lost;
    if (core->result_ports) {
        const cycle_t at = take_port(sm, written, now);
        lost += at - written;
        written = at;
    }
    for (uint32_t i = 0; i < inst->n_dst; i++) take_bank(sm, inst->regs[i], warp, written - 1, now);
    return lost;
}
