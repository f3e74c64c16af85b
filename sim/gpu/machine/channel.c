/* A channel of DRAM and the banks of L2 at it: pulls a request from them, issues a command, and sends data back up. */
#include "machine/skip.h"

/* DRAM of infinite bandwidth: everything that waits is taken at once and is back after the uncongested latency. */
static void drain_at_once(struct gpu *g, struct dram *d)
{
    const uint32_t n = g->banks_a_channel;
    const cycle_t l2_next = clocks_after(&g->clocks, DOMAIN_L2);
    for (uint32_t i = 0; i < n; i++) {
        struct l2 *bank = &g->banks[d->channel * n + i];
        while (!request_fifo_empty(&bank->to_dram)) {
            const struct request r = request_fifo_pop(&bank->to_dram);
            dram_count(d, r.kind == REQUEST_READ, dram_bursts(d, r.sectors));
            if (r.kind == REQUEST_READ) {
                const cycle_t at = clocks_arrival(&g->clocks, DOMAIN_L2, DOMAIN_CORE, g->dram_alone_cycles);
                request_fifo_push(&bank->from_dram, r, at);
            }
            gpu_wake_bank(g, bank, l2_next);
        }
        d->offers[i] = NEVER;
    }
    d->offered_at = NEVER;
}

/* One request a cycle, round robin over the banks of the partition. */
static void pull_request(struct gpu *g, struct dram *d, cycle_t now)
{
    const uint32_t n = g->banks_a_channel;
    uint32_t source = d->next_source;
    while (d->offers[source] > now) source = source + 1 < n ? source + 1 : 0;
    struct l2 *bank = &g->banks[d->channel * n + source];
    const struct request r = request_fifo_pop(&bank->to_dram);
    dram_push(d, &r, now, now + g->dram_added_cycles);
    d->next_source = source + 1 < n ? source + 1 : 0;
    if (l2_waits_for_dram(bank)) gpu_wake_bank(g, bank, clocks_after(&g->clocks, DOMAIN_L2));
    d->offers[source] = request_fifo_ready_at(&bank->to_dram);
    cycle_t first = NEVER;
    for (uint32_t i = 0; i < n; i++) first = d->offers[i] < first ? d->offers[i] : first;
    d->offered_at = first;
}

static void dram_send_back(struct gpu *g, const struct dram_done *done)
{
    const struct dram_ticket *t = &done->ticket;
    const struct request fill = {.token = t->token, .kind = t->kind, .sectors = t->sectors, .bank = t->l2_bank};
    struct l2 *bank = &g->banks[t->l2_bank];
    const uint64_t ticks = done->at * g->clocks.period[DOMAIN_DRAM] + g->dram_delay_ticks;
    const cycle_t at = clocks_cycle_from(&g->clocks, DOMAIN_L2, ticks);
    request_fifo_push(&bank->from_dram, fill, at);
    mshrs_prefetch_frame(&bank->mshrs, &bank->tags, t->token);
    gpu_wake_bank(g, bank, at);
}

void gpu_tick_channel(struct gpu *g, struct dram *d, cycle_t now)
{
    struct dram_done done;
    if (d->offered_at <= now && dram_has_room(d, now)) {
        if (g->params->ideal.memory == IDEAL_DRAM) drain_at_once(g, d);
        else pull_request(g, d, now);
    }
    if (dram_tick(d, now, &done) && done.is_read) dram_send_back(g, &done);
    cycle_t at = d->offered_at > d->room_at ? d->offered_at : d->room_at;
    at = at > now ? at : now + 1;
    if (at < d->wake && dram_has_room(d, at)) d->wake = at;
}
