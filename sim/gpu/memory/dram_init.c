/* A DRAM channel before its first request. */
#include "memory/dram_parts.h"

/* Pseudo-channels, and groups if some rule is of them alone. Refreshes of channels and of pseudo-channels are spread
 * over the time from one to the next. */
static void init_scopes(struct dram *d, struct arena *arena)
{
    const struct dram_params *p = d->params;
    const uint32_t n = p->pseudo_channels, interval = dram_refresh_interval(p), all = p->channels * n;
    d->gaps = dram_compile(p);
    d->pseudo = ARENA_TAKE(arena, struct dram_pseudo, n);
    d->groups = ARENA_TAKE(arena, struct dram_group, d->gaps.groups_wait ? n * p->bank_groups : 0);
    if (!d->gaps.groups_wait) d->groups = NULL;
    for (uint32_t i = 0; d->pseudo && i < n; i++) d->pseudo[i] = (struct dram_pseudo){0};
    for (uint32_t i = 0; d->groups && i < n * p->bank_groups; i++) d->groups[i] = (struct dram_group){0};
    for (uint32_t i = 0; d->pseudo && i < p->banks; i++) {
        d->pseudo[dram_pseudo_of(p, i)].banks |= 1ull << i;
        if (d->groups) d->groups[dram_group_of(p, i)].banks |= 1ull << i;
    }
    for (uint32_t i = 0; d->pseudo && i < n; i++) {
        const uint64_t place = (uint64_t)d->channel * n + i + 1;
        d->pseudo[i].due = interval ? (cycle_t)(interval * place / all) : NEVER;
        if (interval) sooner(&d->refresh_at, d->pseudo[i].due);
    }
    d->pseudo_mask = n - 1;
    d->is_plain = n == 1 && !d->groups;
}

static void init_banks(struct dram *d, struct arena *arena)
{
    const struct dram_params *p = d->params;
    d->banks = ARENA_TAKE(arena, struct dram_bank, p->banks);
    for (int writes = 0; writes < 2; writes++) {
        d->lists[writes] = ARENA_TAKE(arena, struct dram_list, !writes || p->write_queue ? p->banks : 0);
        for (uint32_t i = 0; d->lists[writes] && (!writes || p->write_queue) && i < p->banks; i++)
            d->lists[writes][i].first = DRAM_NONE;
    }
    for (uint32_t i = 0; d->banks && i < p->banks; i++) {
        d->banks[i] = (struct dram_bank){.row = DRAM_CLOSED, .group = (uint8_t)dram_group_of(p, i)};
        d->closed |= 1ull << i;
    }
}

void dram_init(struct dram *d, const struct gpu_params *params, uint32_t channel, struct arena *arena)
{
    const struct dram_params *p = &params->dram;
    const bool is_sectored = l2_is_sectored(params);
    struct dram measured, *at = arena->base ? d : &measured;
    *at = (struct dram){.params = p,
                        .map = address_map_of(params),
                        .channel = channel,
                        .wake = NEVER,
                        .assign_at = NEVER,
                        .command_at = NEVER,
                        .may_lag = true,
                        .visit = NEVER,
                        .offered_at = NEVER,
                        .refresh_at = NEVER,
                        .refreshes = p->tREFI > 0,
                        .capacity = p->queue,
                        .outstanding = p->outstanding,
                        .has_write_queue = p->write_queue > 0,
                        .last_bank = p->banks - 1,
                        .serves_in_turn = p->paired_commands || p->outstanding,
                        .meter = {.capacity = p->queue},
                        .burst_bytes = p->bus_bytes * p->burst,
                        .burst_cycles = p->tCCD};
    init_scopes(at, arena);
    init_banks(at, arena);
    at->queue = ARENA_TAKE(arena, struct dram_request, p->queue + p->write_queue);
    dram_fifo_init(&at->delayed, arena, p->outstanding > p->queue ? p->outstanding : p->queue);
    for (uint32_t i = 0; i < 16; i++)
        at->bursts[i] = (uint8_t)(((is_sectored ? 32 * sector_count(i) : l2_line_bytes(params)) + at->burst_bytes - 1) /
                                  at->burst_bytes);
    for (uint32_t i = 0; at->queue && i < p->queue + p->write_queue; i++) at->queue[i].next = (uint16_t)(i + 1);
}
