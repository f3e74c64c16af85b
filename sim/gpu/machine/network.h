/* What the network sees of the queues of SMs and CPU cores: their heads, once their ticks are over. What it takes, and
 * where that goes: network.c. */
#ifndef GPU_NETWORK_H
#define GPU_NETWORK_H
#include "machine/machine.h"

/* The network that `params` names: its ports, and what it keeps behind them. */
void network_init(struct gpu *g, const struct gpu_params *params, struct arena *arena);

/* Where a packet that is first in its queue goes; its set will be searched soon. `before`: the packet that has just
 * left, or NULL; sectors of a line that are asked for one by one have one place. */
static inline uint32_t network_place(struct gpu *g, struct request *head, const struct request *before)
{
    if (before && head->line == before->line) {
        head->bank = before->bank;
        head->set = before->set;
        return head->bank;
    }
    const struct place place = address_l2(&g->map, head->line);
    head->bank = (uint16_t)place.bank;
    head->set = (uint16_t)place.set;
    tags_prefetch(&g->banks[place.bank].tags, place.set);
    return place.bank;
}

/* The network sees what stands first in a port's queue since before cycle `end`: an SM may have run ahead. */
static inline void network_see(struct gpu *g, uint32_t port, struct request_fifo *f, cycle_t end)
{
    if (request_fifo_ready_at(f) >= end || ports_wants(&g->requests, port)) return;
    ports_offer(&g->requests, port, network_place(g, request_fifo_peek(f), NULL));
}

/* The same of a CPU core, behind the SMs' ports: at the banks' own ports for them, where there are such. */
static inline void network_see_cpu(struct gpu *g, uint32_t port, struct request_fifo *f)
{
    if (request_fifo_empty(f) || ports_wants(&g->requests, port)) return;
    ports_offer(&g->requests, port, g->cpu_ports + network_place(g, request_fifo_peek(f), NULL));
}

/* The switch cycle that first sees what is there in L2 cycle `at`. */
static inline cycle_t network_switch_cycle(const struct gpu *g, cycle_t at)
{
    return clocks_convert(&g->clocks, DOMAIN_XBAR, DOMAIN_L2, at) * g->replies.speedup;
}
#endif
