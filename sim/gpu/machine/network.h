/* What SMs and banks of L2 offer to the network: the heads of their queues. What the network takes, and where it goes:
 * network.c. */
#ifndef GPU_NETWORK_H
#define GPU_NETWORK_H
#include "machine/wake.h"

/* The network that `params` names: its ports, and what it keeps behind them. */
void network_init(struct gpu *g, const struct gpu_params *params, struct arena *arena);

/* A miss waits that is not in arbitration, and was there before core cycle `end`: its SM may have run ahead. */
static inline bool network_has_request(const struct gpu *g, uint32_t sm, cycle_t end)
{
    return request_fifo_ready_at(&g->sms[sm].l1.to_xbar) < end && !ports_wants(&g->requests, sm);
}
/* Puts an SM's first miss, whose place is known, into arbitration. */
static inline void network_offer_placed(struct gpu *g, uint32_t sm, const struct request *head)
{
    ports_want(&g->requests, sm, head->bank);
    clocks_poke_next(&g->clocks, DOMAIN_XBAR);
}
static inline void network_offer_request(struct gpu *g, uint32_t sm)
{
    struct request *head = request_fifo_peek(&g->sms[sm].l1.to_xbar);
    const struct place place = address_l2(&g->map, head->line);
    head->bank = (uint16_t)place.bank;
    head->set = (uint16_t)place.set;
    network_offer_placed(g, sm, head);
}
/* The same behind `before`: sectors of a line that are asked for one by one have one place. */
static inline void network_offer_next(struct gpu *g, uint32_t sm, const struct request *before)
{
    struct request *head = request_fifo_peek(&g->sms[sm].l1.to_xbar);
    if (head->line != before->line) {
        network_offer_request(g, sm);
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

/* Puts a bank's first response into arbitration, from the cycle on in which it is ready. */
static inline void network_offer_response(struct gpu *g, uint32_t bank)
{
    const struct reply_fifo *queue = &g->banks[bank].to_xbar;
    const cycle_t at = reply_fifo_ready_at(queue);
    ports_hold(&g->replies, bank, network_switch_cycle(g, at));
    ports_want(&g->replies, bank, requester_index(reply_fifo_peek(queue)->requester));
    clocks_poke(&g->clocks, DOMAIN_XBAR, clocks_convert(&g->clocks, DOMAIN_XBAR, DOMAIN_L2, at));
}
#endif
