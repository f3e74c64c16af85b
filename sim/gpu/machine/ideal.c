/* Idealised memories [THESIS §3.3]. */
#include "machine/skip.h"

/* Requests leave an SM at once and are answered after a latency, whatever else goes on. */
void ideal_answer(struct gpu *g, struct sm *s, cycle_t now)
{
    const struct ideal_params *ideal = &g->params->ideal;
    while (!request_fifo_empty(&s->l1.to_xbar) && reply_fifo_has_room(&s->replies)) {
        struct request r = request_fifo_pop(&s->l1.to_xbar);
        s->in_flight++;
        const struct place place = address_l2(&g->map, r.line);
        r.set = (uint16_t)place.set;
        const bool is_hit = l2_access_at_once(&g->banks[place.bank], &r);
        const cycle_t latency = ideal->memory == IDEAL_FIXED ? ideal->latency_cycles
                                                             : g->l2_alone_cycles + (is_hit ? 0 : g->dram_alone_cycles);
        const struct reply reply = {.token = r.token,
                                    .requester = r.requester,
                                    .flags = is_hit ? REPLY_L2_HIT : 0,
                                    .kind = reply_kind(r.kind, r.wants_data),
                                    .sectors = r.sectors};
        reply_fifo_push_by_time(&s->replies, reply, now + latency);
        g->xbar_stats.request_packets++;
        g->xbar_stats.reply_packets++;
    }
    if (!request_fifo_empty(&s->l1.to_xbar)) sleeper_wake(&s->unit, now + 1);
}

/* DRAM of infinite bandwidth: everything that waits is taken at once and is back after the uncongested latency. */
void ideal_drain(struct gpu *g, struct dram *d)
{
    for (uint32_t i = 0; i < g->banks_a_channel; i++) {
        struct l2 *bank = &g->banks[d->channel * g->banks_a_channel + i];
        while (!request_fifo_empty(&bank->to_dram)) {
            const struct request r = request_fifo_pop(&bank->to_dram);
            dram_count(d, r.kind == REQUEST_READ, dram_bursts(d, r.sectors));
            if (r.kind != REQUEST_READ) continue;
            const cycle_t at = clocks_arrival(&g->clocks, DOMAIN_L2, DOMAIN_CORE, g->dram_alone_cycles);
            request_fifo_push(&bank->from_dram, r, at);
        }
    }
    d->offered_at = NEVER;
}
