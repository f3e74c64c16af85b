/* One direction of the crossbar. A packet of f flits holds its input port and its output port for f cycles (f / speedup inside a
 * switch that is faster than its links; packets then wait in a bounded buffer for the output link); each output
 * arbitrates on its own, round robin among the inputs whose head packet wants it. Buffers are the queues at both ends: a
 * packet leaves its input queue when it is granted, and needs room at its output.  [THESIS §2.2, Tab. 3.1]
 *
 * Ports are bits: a cycle looks only at outputs that are free, have room, and are wanted by an input that is free. */
#ifndef GPU_XBAR_H
#define GPU_XBAR_H
#include "agenda.h"
#include "poise/arena.h"

enum { XBAR_WORDS = AGENDA_WORDS, XBAR_PORTS = 64 * XBAR_WORDS, XBAR_NONE = 0xffff };
struct xbar_output {
    struct bits wanted; /* inputs whose head packet wants this output */
    cycle_t link_busy;  /* output link, until; in link cycles */
    cycle_t free_at;    /* may be granted again; in switch cycles: link cycles times speedup */
    uint32_t last;      /* input granted last */
};
struct xbar_input {
    cycle_t link_busy; /* flits of granted packets have come over the input's link by then; in link cycles */
    cycle_t free_at;
    uint16_t target;   /* the output its head packet wants, or XBAR_NONE */
};
struct xbar {
    struct xbar_output *outputs;
    struct xbar_input *inputs;
    struct bits free_in, free_out;
    struct bits room;  /* outputs whose queue can take a packet */
    struct bits ready; /* outputs that a free input wants */
    struct agenda in_busy[XBAR_WORDS], out_busy[XBAR_WORDS];
    uint32_t n_in, n_out, in_words, out_words; /* words of the bit sets above that are in use */
    uint32_t n_waiting, speedup, output_buffer;
};
void xbar_init(struct xbar *x, uint32_t n_in, uint32_t n_out, uint32_t speedup, uint32_t output_buffer, struct arena *arena);
/* The head packet of `in` (after a push into an empty queue, or after a grant) wants `out`. */
static inline void xbar_want(struct xbar *x, uint32_t in, uint32_t out)
{
    bits_set(&x->outputs[out].wanted, in);
    x->inputs[in].target = (uint16_t)out;
    x->n_waiting++;
    if (bits_has(&x->free_in, in)) bits_set(&x->ready, out);
}
static inline bool xbar_wants(const struct xbar *x, uint32_t in) { return x->inputs[in].target != XBAR_NONE; }
static inline void xbar_set_room(struct xbar *x, uint32_t out, bool has_room)
{
    uint64_t *word = &x->room.word[out / 64];
    *word = (*word & ~(1ull << out % 64)) | (uint64_t)has_room << out % 64;
}
/* Begins switch cycle `now`: ports become free. May be left out while nobody waits. */
void xbar_begin(struct xbar *x, cycle_t now);
/* Word w of the outputs that can be granted in this cycle. */
static inline uint64_t xbar_grantable(const struct xbar *x, uint32_t w) { return x->ready.word[w] & x->free_out.word[w] & x->room.word[w]; }
/* The input whose turn it is at a grantable output. */
uint32_t xbar_pick(const struct xbar *x, uint32_t out);
/* Grants it. Returns the link cycles from now until the packet's last flit has left the output link. */
uint32_t xbar_grant(struct xbar *x, uint32_t in, uint32_t out, uint32_t flits, cycle_t now);
static inline bool xbar_wanted(const struct xbar *x) { return x->n_waiting != 0; }
#endif
