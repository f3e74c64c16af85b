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
        if (g->params->ideal.memory == IDEAL_DRAM) ideal_drain(g, d);
        else pull_request(g, d, now);
    }
    if (dram_tick(d, now, &done) && done.is_read) dram_send_back(g, &done);
    cycle_t at = d->offered_at > d->room_at ? d->offered_at : d->room_at;
    at = at > now ? at : now + 1;
    if (at < d->wake && dram_has_room(d, at)) d->wake = at;
}
