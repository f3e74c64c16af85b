/* A network that bounds what an interconnect can give: a packet takes as long as through an empty crossbar, its flits
 * and the wires, and holds no port. Any number of packets leave a queue and enter another in one cycle; only a queue
 * that is full at the other end makes them wait. */
#ifndef GPU_IDEAL_H
#define GPU_IDEAL_H
#include "net/net.h"

static inline void ideal_init(struct ports *p, const struct gpu_params *params, enum port_side sms, struct arena *arena)
{
    (void)p, (void)params, (void)sms, (void)arena; /* ports are all there is */
}
static inline cycle_t ideal_grant(struct ports *p, uint32_t in, uint32_t out, uint32_t flits, cycle_t now, cycle_t next)
{
    if (next > now) { /* the packet behind it is still to come */
        bits_clear(&p->free_in, in);
        ports_free_at(p, PORT_IN, in / 64, 1ull << in % 64, next);
    }
    ports_leave(p, in, out);
    return now + flits;
}
#endif
