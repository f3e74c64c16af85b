/* One direction of the crossbar. A packet of f flits holds its input port and its output port for f cycles (f /
 * speedup inside a switch that is faster than its links; packets then wait in a bounded buffer for the output link);
 * each output arbitrates on its own.  [THESIS §2.2, Tab. 3.1]
 *
 * SMs of a cluster share one port (xbar.cluster_sms): each keeps a queue and a bit of its own, and a packet of one of
 * them holds the ports of all. Port p is of cluster p modulo the number of clusters, so that CTAs, which go to SMs in
 * turn, go to clusters in turn as well. */
#ifndef GPU_XBAR_H
#define GPU_XBAR_H
#include "net/net.h"

/* What a switch that is faster than its links, or has clusters, keeps of them. */
struct xbar_links {
    cycle_t *in_busy;       /* of each input: flits of granted packets have come over its link by then; link cycles */
    cycle_t *out_busy;      /* of each output: its link is busy until */
    uint32_t output_buffer; /* flits */
    uint32_t clusters, clustered; /* 0, or the clusters of SMs and their SMs: the first so many ports of a side, */
    enum port_side cluster_side;  /* this one */
};
void xbar_init(struct ports *p, const struct gpu_params *params, enum port_side sms, struct arena *arena);
/* Both ports of a packet that is granted by such a switch are free again in `*in_free` and `*out_free`, or later: then
 * they are set. Returns what xbar_grant does. */
cycle_t xbar_hold_links(struct ports *p, uint32_t in, uint32_t out, uint32_t flits, cycle_t *in_free,
                        cycle_t *out_free);
static inline cycle_t xbar_grant(struct ports *p, uint32_t in, uint32_t out, uint32_t flits, cycle_t now, cycle_t next)
{
    cycle_t in_free = now + flits, out_free = in_free;
    bits_clear(&p->free_in, in);
    bits_clear(&p->free_out, out);
    ports_leave(p, in, out);
    const cycle_t left_at = p->own ? xbar_hold_links(p, in, out, flits, &in_free, &out_free) : now + flits;
    ports_free_at(p, PORT_IN, in / 64, 1ull << in % 64, in_free > next ? in_free : next);
    ports_free_at(p, PORT_OUT, out / 64, 1ull << out % 64, out_free);
    return left_at;
}
#endif
