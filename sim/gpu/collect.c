/* Operand collection: an instruction takes a collector of its unit, which reads every register as soon as its bank is free, and then
 * goes to the unit; results are written through the same banks, and first. A bank serves one register a cycle.
 *
 *   issue register --> collector (reads) --> unit --> write-back (one bank for a cycle)
 *
 * Loads and stores read and write registers outside of this, and units other than the single-precision ones never lack a collector. */
#include "sm.h"

/* The first cycle from `from` on in which a bank or port is free. What lies more than 63 cycles ahead is not noted. */
static cycle_t free_from(const struct register_bank *b, cycle_t from)
{
    if (from < b->since) from = b->since;
    const uint64_t taken = from - b->since < 64 ? b->taken >> (from - b->since) : 0;
    return from + (taken == UINT64_MAX ? 64 : (cycle_t)__builtin_ctzll(~taken));
}

static cycle_t take(struct register_bank *b, cycle_t from)
{
    const cycle_t at = free_from(b, from);
    if (at - b->since < 64) b->taken |= 1ull << (at - b->since);
    return at;
}

/* Forgets what lies before `now`. */
static void pass_time(struct register_bank *b, cycle_t now)
{
    if (now <= b->since) return;
    b->taken = now - b->since < 64 ? b->taken >> (now - b->since) : 0;
    b->since = now;
}

cycle_t collect_operands(struct sm *sm, const struct plan_inst *inst, uint32_t warp, cycle_t *issue_register, cycle_t now)
{
    const struct core_params *core = &sm->params->core;
    uint32_t first = 0;
    cycle_t start = now + 1, last;
    for (uint32_t i = 0; i < core->register_banks; i++) pass_time(&sm->register_banks[i], now);
    if (issue_register && core->sp_collectors) {
        for (uint32_t i = 1; i < core->sp_collectors; i++)
            if (sm->collectors[i] < sm->collectors[first]) first = i;
        if (sm->collectors[first] > start) start = sm->collectors[first];
        if (start > *issue_register) *issue_register = start;
    }
    last = start + 1;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        const cycle_t at = take(&sm->register_banks[(inst->regs[i] + warp) % core->register_banks], start + 1);
        if (at > last) last = at;
    }
    if (issue_register && core->sp_collectors) sm->collectors[first] = last + 1;
    cycle_t lost = last - (now + 2), written = now + sm->timing[inst->cls].latency + lost;
    uint32_t port = 0; /* the write-back port that is free first */
    for (uint32_t i = 0; i < core->result_ports; i++) pass_time(&sm->result_ports[i], now);
    for (uint32_t i = 1; i < core->result_ports; i++)
        if (free_from(&sm->result_ports[i], written) < free_from(&sm->result_ports[port], written)) port = i;
    if (core->result_ports) {
        const cycle_t at = take(&sm->result_ports[port], written);
        lost += at - written;
        written = at;
    }
    for (uint32_t i = 0; i < inst->n_dst; i++) take(&sm->register_banks[(inst->regs[i] + warp) % core->register_banks], written - 1);
    return lost;
}
