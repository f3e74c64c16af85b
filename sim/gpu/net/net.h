/* A network: what carries requests from SMs and CPU cores to the banks of L2, and replies back. A row each
 * (machine/network.c); `xbar.kind` names the one of a machine, which is asked for it once a run.
 *
 * Every network meets its neighbours at ports (net/ports.h), one set for each direction, which they see directly. What
 * is behind the ports is a file of the network's own. Most are a rule of what a grant costs: a function
 *
 *     cycle_t NAME_grant(struct ports *p, uint32_t in, uint32_t out, uint32_t flits, cycle_t now, cycle_t next);
 *
 * which lets the head packet of `in` go to `out` in switch cycle `now` (ports_leave), says from when on both ports may
 * be granted again, and returns the link cycle in which the packet's last flit has left the network; the packet behind
 * it comes to the port in cycle `next` (0: it is there, or is not known yet). Such a network is a row of
 * net/net_list.def, and its `tick` is made there. One that keeps packets between its ports has a `tick` of its own. */
#ifndef GPU_NET_H
#define GPU_NET_H
#include "config/params.h"
#include "net/ports.h"

struct gpu;
struct net_type {
    const char *name; /* as xbar.kind says it */
    /* One direction, whose ports are there and at their defaults: the first ports of side `sms` are those of SMs. */
    void (*init)(struct ports *ports, const struct gpu_params *params, enum port_side sms, struct arena *arena);
    /* Runs a cycle of the network's clock; returns the next in which anything can be granted, or NEVER. */
    cycle_t (*tick)(struct gpu *gpu, cycle_t now);
    bool holds_ports; /* as long as a packet's flits take; else no number of them makes its ports busy */
};
#endif
