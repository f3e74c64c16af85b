/* A channel of DRAM and the banks of L2 at it: pulls a request from them, issues a command, and sends data back up. */
#include "machine/skip.h"

/* The miss queue of a bank of the partition. */
static inline struct request_fifo *queue_of(struct gpu *g, const struct dram *d, uint32_t bank)
{
    return &g->banks[d->channel * g->banks_a_channel + bank].to_dram;
}

/* The first cycle in which one of them has a request for the channel. */
static inline cycle_t first_offer(struct gpu *g, const struct dram *d)
{
    cycle_t first = NEVER;
    for (uint32_t i = 0; i < g->banks_a_channel; i++) {
        const cycle_t at = request_fifo_ready_at(queue_of(g, d, i));
        first = at < first ? at : first;
    }
    return first;
}

void channel_see(struct gpu *g, struct l2 *bank)
{
    struct dram *d = &g->channels[bank->channel];
    const cycle_t ready = request_fifo_ready_at(&bank->to_dram);
    if (ready < d->offered_at) {
        const cycle_t at = d->room_at > ready ? d->room_at : ready;
        d->offered_at = ready;
        skip_wake_channel(g, d, dram_has_room(d, at) ? at : d->wake);
    } else if (bank->to_dram.is_awaited) {
        skip_wake_channel(g, d, d->wake);
    }
}

/* DRAM of infinite bandwidth: everything that waits is taken at once and is back after the uncongested latency. */
static void drain_at_once(struct gpu *g, struct dram *d)
{
    for (uint32_t i = 0; i < g->banks_a_channel; i++) {
        struct request_fifo *f = queue_of(g, d, i);
        while (!request_fifo_empty(f)) {
            const struct request r = request_fifo_pop(f);
            dram_count(d, r.kind == REQUEST_READ, dram_bursts(d, r.sectors));
            if (r.kind != REQUEST_READ) continue;
            const cycle_t at = clocks_arrival(&g->clocks, DOMAIN_L2, DOMAIN_CORE, g->dram_alone_cycles);
            request_fifo_push(&g->banks[d->channel * g->banks_a_channel + i].from_dram, r, at);
        }
    }
    d->offered_at = NEVER;
}

/* One request a cycle, round robin over the banks of the partition. */
static void pull_request(struct gpu *g, struct dram *d, cycle_t now)
{
    const uint32_t n = g->banks_a_channel;
    uint32_t source = d->next_source;
    while (request_fifo_ready_at(queue_of(g, d, source)) > now) source = source + 1 < n ? source + 1 : 0;
    const struct request r = request_fifo_pop(queue_of(g, d, source));
    dram_push(d, &r, now, now + g->dram_added_cycles);
    d->next_source = source + 1 < n ? source + 1 : 0;
    d->offered_at = first_offer(g, d);
}

static void dram_send_back(struct gpu *g, const struct dram_done *done)
{
    const struct dram_ticket *t = &done->ticket;
    const struct request fill = {.token = t->token, .kind = t->kind, .sectors = t->sectors, .bank = t->l2_bank};
    struct l2 *bank = &g->banks[t->l2_bank];
    const uint64_t ticks = done->at * g->clocks.period[DOMAIN_DRAM] + g->dram_delay_ticks;
    request_fifo_push(&bank->from_dram, fill, clocks_cycle_from(&g->clocks, DOMAIN_L2, ticks));
    mshrs_prefetch_frame(&bank->mshrs, &bank->tags, t->token);
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
