/* What the network sees of the queues of SMs, banks of L2 and CPU cores: their heads, once their ticks are over. What it
 * takes, and where that goes: network.c. */
#ifndef GPU_NETWORK_H
#define GPU_NETWORK_H
#include "machine/machine.h"

/* The network that `params` names: its ports, and what it keeps behind them. */
void network_init(struct gpu *g, const struct gpu_params *params, struct arena *arena);

/* A miss waits that is not in arbitration, and was there before core cycle `end`: its SM may have run ahead. */
static inline bool network_has_request(const struct gpu *g, uint32_t sm, cycle_t end)
{
    return request_fifo_ready_at(&g->sms[sm].l1.to_xbar) < end && !ports_wants(&g->requests, sm);
}
/* Puts the head of a port's queue, whose place is known, into arbitration. */
static inline void network_offer_placed(struct gpu *g, uint32_t port, const struct request *head)
{
    ports_want(&g->requests, port, head->bank);
    clocks_poke_next(&g->clocks, DOMAIN_XBAR);
}
static inline void network_offer(struct gpu *g, uint32_t port, struct request *head)
{
    const struct place place = address_l2(&g->map, head->line);
    head->bank = (uint16_t)place.bank;
    head->set = (uint16_t)place.set;
    network_offer_placed(g, port, head);
}
/* The network sees the queue of an SM, */
static inline void network_see_request(struct gpu *g, uint32_t sm, cycle_t now)
{
    if (network_has_request(g, sm, now + 1)) network_offer(g, sm, request_fifo_peek(&g->sms[sm].l1.to_xbar));
}
/* and after a packet has left it what stands behind `before`: sectors of a line that are asked for one by one have one
 * place. */
static inline void network_see_next(struct gpu *g, uint32_t sm, const struct request *before, cycle_t end)
{
    if (!network_has_request(g, sm, end)) return;
    struct request *head = request_fifo_peek(&g->sms[sm].l1.to_xbar);
    if (head->line != before->line) {
        network_offer(g, sm, head);
        return;
    }
    head->bank = before->bank;
    head->set = before->set;
    network_offer_placed(g, sm, head);
}

/* The switch cycle that first sees what is there in L2 cycle `at`. */
static inline cycle_t network_switch_cycle(const struct gpu *g, cycle_t at)
{
    return clocks_convert(&g->clocks, DOMAIN_XBAR, DOMAIN_L2, at) * g->replies.speedup;
}

/* The network sees the queue of a bank: its first response is in arbitration from the cycle on in which it is ready. */
static inline void network_see_response(struct gpu *g, uint32_t bank)
{
    const struct reply_fifo *queue = &g->banks[bank].to_xbar;
    const cycle_t at = reply_fifo_ready_at(queue);
    if (at == NEVER || ports_wants(&g->replies, bank)) return;
    ports_hold(&g->replies, bank, network_switch_cycle(g, at));
    ports_want(&g->replies, bank, requester_index(reply_fifo_peek(queue)->requester));
    clocks_poke(&g->clocks, DOMAIN_XBAR, clocks_convert(&g->clocks, DOMAIN_XBAR, DOMAIN_L2, at));
}
#endif
