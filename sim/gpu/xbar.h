/* One direction of the crossbar. A packet of f flits holds its input port and its output port for f cycles (f / speedup inside a
 * switch that is faster than its links; packets then wait in a bounded buffer for the output link); each output
 * arbitrates on its own, round robin among the inputs whose head packet wants it. Buffers are the queues at both ends: a
 * packet leaves its input queue when it is granted, and needs room at its output.  [THESIS §2.2, Tab. 3.1] */
#ifndef GPU_XBAR_H
#define GPU_XBAR_H
#include "msg.h"
#include "poise/arena.h"

enum { XBAR_WORDS = 2, XBAR_PORTS = 64 * XBAR_WORDS, XBAR_NONE = UINT32_MAX };
struct xbar_output {
    uint64_t wanted[XBAR_WORDS]; /* inputs whose head packet wants this output */
    cycle_t busy;                /* switch port, until; in switch cycles: link cycles times speedup */
    cycle_t link_busy;           /* output link, until; in link cycles */
    uint32_t last;               /* input granted last */
};
struct xbar {
    struct xbar_output *outputs;
    cycle_t *input_busy; /* switch port of an input, until; in switch cycles */
    cycle_t *input_link; /* flits of granted packets have come over the input's link by then; in link cycles */
    uint64_t active[XBAR_WORDS]; /* outputs that somebody wants */
    uint32_t n_in, n_out, speedup, output_buffer;
};
void xbar_init(struct xbar *x, uint32_t n_in, uint32_t n_out, uint32_t speedup, uint32_t output_buffer, struct arena *arena);
/* The head packet of `in` (after a push into an empty queue, or after a grant) wants `out`. */
void xbar_want(struct xbar *x, uint32_t in, uint32_t out);
/* The input to grant at `out` in switch cycle `now`, or XBAR_NONE. Changes nothing. */
uint32_t xbar_pick(const struct xbar *x, uint32_t out, cycle_t now);
/* Grants it. Returns the link cycles from now until the packet's last flit has left the output link. */
uint32_t xbar_grant(struct xbar *x, uint32_t in, uint32_t out, uint32_t flits, cycle_t now);
static inline bool xbar_wanted(const struct xbar *x) { return (x->active[0] | x->active[1]) != 0; }
#endif
