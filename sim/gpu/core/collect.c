/* Operand collection where not everything is near: once in some tens of cycles, when bits of the past are forgotten;
 * for results that take long; and for numbers of banks that are no power of two. */
#include "core/collect.h"

#include <string.h>

void collection_init(struct collection *c, const struct core_params *core)
{
    const uint32_t n = core->register_banks;
    c->n_banks = (uint8_t)n;
    c->n_ports = (uint8_t)core->result_ports;
    c->n_collectors = (uint8_t)core->sp_collectors;
    c->bank_mask = (n - 1) * 0x01010101u;
    c->any = n & (n - 1) ? 1ull << 63 : 0;
    memset(c->free_at + c->n_collectors, NO_COLLECTOR, sizeof c->free_at - c->n_collectors);
    for (uint32_t i = c->n_ports; i <= MAX_PORTS && c->n_ports; i++) c->ports[i] = ~0ull;
}

/* Bits begin with `now`. */
static void forget_past(struct collection *c, cycle_t now)
{
    const cycle_t passed = now - c->since;
    const uint32_t shift = passed < PORT_CYCLES ? (uint32_t)passed : 0;
    const uint64_t keep = passed < PORT_CYCLES ? ~0ull : 0;
    c->since = now;
    c->any = c->n_banks & (c->n_banks - 1) ? 1ull << 63 : 0;
    for (uint32_t i = 0; i < c->n_banks; i++) c->any |= c->banks[i] = c->banks[i] >> shift & keep;
    for (uint32_t i = 0; i < c->n_ports; i++) c->any |= c->ports[i] = c->ports[i] >> shift & keep;
    for (uint32_t i = 0; i < c->n_collectors; i++)
        c->free_at[i] = (uint8_t)(c->free_at[i] > passed ? c->free_at[i] - passed : 0);
    c->banks[MAX_BANKS + PLAN_USUAL_BANKS - 1] = 0;
}

/* The first cycle from `from` on that is free, both from `since` on. What lies further ahead than PORT_CYCLES counts
 * as free and is not noted: what stands there may still be to come. */
static uint32_t first_free(uint64_t in_use, uint32_t from)
{
    if (from >= PORT_CYCLES) return from;
    const uint64_t is_free = ~in_use & ~0ull << from;
    return is_free ? (uint32_t)__builtin_ctzll(is_free) : PORT_CYCLES;
}

static uint32_t take_bank(struct collection *c, uint32_t number, uint32_t from)
{
    uint64_t *bank = &c->banks[number % c->n_banks];
    const uint32_t at = first_free(*bank, from);
    if (at < PORT_CYCLES) c->any |= take_cycle(bank, (1ull << at) - 1);
    return at;
}

void take_more_ports(struct collection *c, uint64_t at)
{
    for (uint32_t i = 2; i < c->n_ports; i++) c->ports[i] |= c->ports[i + 1] & at;
}

static uint32_t take_port(struct collection *c, uint32_t from)
{
    const uint32_t at = first_free(c->ports[0], from);
    if (!c->n_ports || at >= PORT_CYCLES) return at;
    const uint64_t bit = 1ull << at;
    for (uint32_t i = 0; i < c->n_ports; i++) c->ports[i] |= c->ports[i + 1] & bit;
    c->any |= bit;
    return at;
}

cycle_t write_back_far(struct collection *c, const struct plan_inst *inst, uint32_t warp, cycle_t written, cycle_t now)
{
    if (c->since != now) forget_past(c, now);
    const uint32_t at = take_port(c, (uint32_t)(written - now));
    for (uint32_t i = 0; i < inst->n_dst; i++) take_bank(c, inst->regs[i] + warp, at - 1);
    return now + at;
}

struct collected collect_far(struct collection *c, const struct plan_inst *inst, uint32_t warp, uint32_t latency,
                             bool takes_collector, cycle_t now)
{
    uint32_t start = collection_start(c, takes_collector, now);
    if (!is_near(c, start)) {
        forget_past(c, now);
        start = collection_start(c, takes_collector, now);
    }
    if (is_near(c, start)) return collect_near(c, inst, warp, latency, takes_collector, start, now, true);
    uint32_t last = start + 1;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        const uint32_t at = take_bank(c, inst->regs[i] + warp, start + 1);
        if (at > last) last = at;
    }
    if (takes_collector) return_collector(c, (uint8_t)(last + 1));
    return (struct collected){.issued = now + start,
                              .written = write_back_far(c, inst, warp, now + last + latency - 2, now)};
}
