/* One direction of the crossbar. A packet of f flits holds its input port and its output port for f cycles (f /
 * speedup inside a switch that is faster than its links; packets then wait in a bounded buffer for the output link);
 * each output arbitrates on its own, round robin among the inputs whose head packet wants it. Buffers are the queues
 * at both ends: a packet leaves its input queue when it is granted, and needs room at its output.  [THESIS §2.2,
 * Tab. 3.1]
 *
 * Ports are bits: a cycle looks only at outputs that are free, have room, and are wanted by an input that is free.
 *
 * SMs of a cluster share one port (xbar.cluster_sms): each keeps a queue and a bit of its own, and a packet of one of
 * them holds the ports of all. Port p is of cluster p modulo the number of clusters, so that CTAs, which go to SMs in
 * turn, go to clusters in turn as well. */
#ifndef GPU_XBAR_H
#define GPU_XBAR_H
#include "net/agenda.h"
#include "poise/arena.h"

enum { XBAR_WORDS = AGENDA_WORDS, XBAR_PORTS = 64 * XBAR_WORDS, XBAR_NONE = XBAR_PORTS };
struct xbar_output {
    cycle_t link_busy; /* output link, until; in link cycles. Kept for a switch that is faster than its links */
    uint32_t first;    /* input whose turn it is */
};
struct xbar_input {
    cycle_t link_busy; /* flits of granted packets have come over the input's link by then; in link cycles */
    uint32_t target;   /* if its head packet waits: the output that it wants */
};
enum xbar_side { XBAR_IN, XBAR_OUT, XBAR_SIDES };
/* When the ports of a word become free: a wheel of bit sets, one a switch cycle. What is further away stands in the
 * last slot, and is `late`. */
struct xbar_wheel {
    uint64_t busy;             /* slots that hold anything */
    cycle_t from;              /* the first cycle not yet taken, */
    uint64_t soon[XBAR_SIDES]; /* and what becomes free in it without standing in a slot */
    uint64_t late[XBAR_SIDES];
    struct {
        uint64_t ports[XBAR_SIDES];
    } slots[64];
};
struct xbar {
    struct xbar_output *outputs;
    struct xbar_input *inputs;
    uint64_t *wanted;             /* of each output, in_words each: the inputs whose head packet wants it */
    cycle_t *free_at[XBAR_SIDES]; /* of each port: may be granted again; in switch cycles, link cycles times speedup */
    struct bits free_in, free_out;
    struct bits waiting;                              /* inputs whose head packet wants an output */
    struct bits room;                                 /* outputs whose queue can take a packet */
    uint64_t ready[XBAR_WORDS];                       /* outputs that a free input wants */
    uint32_t n_in, n_out, in_words, out_words, words; /* words of the bit sets above that are in use; of either */
    uint32_t n_waiting, speedup, output_buffer;
    uint32_t clusters, clustered; /* 0, or the clusters of SMs and their SMs: the first so many ports of a side, */
    enum xbar_side cluster_side;  /* this one */
    bool is_simple;               /* no clusters, and a switch that is as fast as its links */
    cycle_t link_now;             /* the link cycle */
    struct xbar_wheel *wheels;
};
void xbar_init(struct xbar *x, uint32_t n_in, uint32_t n_out, uint32_t speedup, uint32_t output_buffer,
               struct arena *arena);
/* The first n ports of a side are those of SMs, of which `size` at a time share a link. Before any packet. */
void xbar_cluster(struct xbar *x, enum xbar_side side, uint32_t n, uint32_t size);
static inline uint64_t *xbar_wanted_of(const struct xbar *x, uint32_t out)
{
    return x->wanted + (size_t)out * x->in_words;
}
/* The head packet of `in` (after a push into an empty queue, or after a grant) wants `out`. */
static inline void xbar_want(struct xbar *x, uint32_t in, uint32_t out)
{
    xbar_wanted_of(x, out)[in / 64] |= 1ull << in % 64;
    bits_set(&x->waiting, in);
    x->inputs[in].target = out;
    x->n_waiting++;
    x->ready[out / 64] |= (uint64_t)bits_has(&x->free_in, in) << out % 64;
}
static inline bool xbar_wants(const struct xbar *x, uint32_t in) { return bits_has(&x->waiting, in); }
static inline void xbar_set_room(struct xbar *x, uint32_t out, bool has_room)
{
    uint64_t *word = &x->room.word[out / 64];
    *word = (*word & ~(1ull << out % 64)) | (uint64_t)has_room << out % 64;
}
static inline bool xbar_has_room(const struct xbar *x, uint32_t out) { return bits_has(&x->room, out); }
static inline bool xbar_wanted(const struct xbar *x) { return x->n_waiting != 0; }

/* The port, a bit of word w, may be granted again from `at` on. */
static inline void xbar_free_at(struct xbar *x, enum xbar_side side, uint32_t w, uint64_t bit, cycle_t at)
{
    struct xbar_wheel *wheel = &x->wheels[w];
    uint64_t slot = at;
    if (at == wheel->from) {
        wheel->soon[side] |= bit;
        return;
    }
    if (at - wheel->from >= 64) {
        x->free_at[side][64 * w + (uint32_t)__builtin_ctzll(bit)] = at;
        wheel->late[side] |= bit;
        slot = wheel->from + 63;
    }
    wheel->busy |= 1ull << slot % 64;
    wheel->slots[slot % 64].ports[side] |= bit;
}
/* Of ports that were due by the wheel at `now`, those that really are; the others are put into it again. */
uint64_t xbar_late(struct xbar *x, enum xbar_side side, uint32_t w, uint64_t due, cycle_t now);
/* The ports of a word that become free up to `now`: takes those of a slot. */
static inline void xbar_take_slot(struct xbar_wheel *wheel, uint32_t slot, uint64_t *in, uint64_t *out)
{
    *in |= wheel->slots[slot].ports[XBAR_IN];
    *out |= wheel->slots[slot].ports[XBAR_OUT];
    wheel->slots[slot].ports[XBAR_IN] = wheel->slots[slot].ports[XBAR_OUT] = 0;
    wheel->busy &= ~(1ull << slot);
}
/* Begins switch cycle `now` of link cycle `link_now`: ports become free. May be left out while nobody waits. */
static inline void xbar_begin(struct xbar *x, cycle_t now, cycle_t link_now)
{
    x->link_now = link_now;
    for (uint32_t w = 0; w < x->words; w++) {
        struct xbar_wheel *wheel = &x->wheels[w];
        uint64_t in = wheel->soon[XBAR_IN], out = wheel->soon[XBAR_OUT];
        uint64_t due = wheel->from == now ? wheel->busy & 1ull << now % 64 : wheel_due(wheel->busy, wheel->from, now);
        for (; due; due &= due - 1) xbar_take_slot(wheel, (uint32_t)__builtin_ctzll(due), &in, &out);
        wheel->soon[XBAR_IN] = wheel->soon[XBAR_OUT] = 0;
        wheel->from = now + 1;
        if (in & wheel->late[XBAR_IN]) in = xbar_late(x, XBAR_IN, w, in, now);
        if (out & wheel->late[XBAR_OUT]) out = xbar_late(x, XBAR_OUT, w, out, now);
        x->free_out.word[w] |= out;
        x->free_in.word[w] |= in;
        for (in &= x->waiting.word[w]; in; in &= in - 1) {
            const uint32_t target = x->inputs[64 * w + (uint32_t)__builtin_ctzll(in)].target;
            x->ready[target / 64] |= 1ull << target % 64;
        }
    }
}
/* The head packet of input `in` comes at the end of its queue only in switch cycle `at`. */
static inline void xbar_hold(struct xbar *x, uint32_t in, cycle_t at)
{
    const uint64_t bit = 1ull << in % 64;
    cycle_t *free_at = &x->free_at[XBAR_IN][in];
    uint64_t *late = &x->wheels[in / 64].late[XBAR_IN];
    if (x->free_in.word[in / 64] & bit) {
        x->free_in.word[in / 64] &= ~bit;
        xbar_free_at(x, XBAR_IN, in / 64, bit, at);
    } else { /* looked at again when its last packet has left */
        if (!(*late & bit) || *free_at < at) *free_at = at;
        *late |= bit;
    }
}
/* The first switch cycle from `next` on in which anything can be granted, for all that is known; NEVER: nobody
 * waits. */
static inline cycle_t xbar_next(const struct xbar *x, cycle_t next)
{
    cycle_t first = NEVER;
    uint64_t ready = 0;
    if (!x->n_waiting) return NEVER;
    for (uint32_t w = 0; w < x->out_words; w++) ready |= x->ready[w];
    if (ready) return next;
    for (uint32_t w = 0; w < x->in_words; w++) {
        const struct xbar_wheel *wheel = &x->wheels[w];
        if (wheel->soon[XBAR_IN]) return next;
        const cycle_t at = wheel->busy ? wheel_next(wheel->busy, wheel->from) : NEVER;
        if (at < first) first = at;
    }
    return first;
}
/* Word w of the outputs that can be granted in this cycle. */
static inline uint64_t xbar_grantable(const struct xbar *x, uint32_t w)
{
    return x->ready[w] & x->free_out.word[w] & x->room.word[w];
}
/* Inputs of a machine with several words of them, around from `first` on to where it began. */
static inline uint32_t xbar_pick_around(const struct xbar *x, const struct xbar_output *o, const uint64_t *wanted,
                                        uint32_t first)
{
    const uint64_t ahead = wanted[first] & x->free_in.word[first] & ~0ull << o->first % 64;
    if (ahead) return 64 * first + (uint32_t)__builtin_ctzll(ahead);
    for (uint32_t k = 1; k <= x->in_words; k++) {
        const uint32_t w = first + k < x->in_words ? first + k : first + k - x->in_words;
        const uint64_t left = wanted[w] & x->free_in.word[w];
        if (left) return 64 * w + (uint32_t)__builtin_ctzll(left);
    }
    return XBAR_NONE;
}
/* The input whose turn it is at a grantable output. */
static inline uint32_t xbar_pick(const struct xbar *x, uint32_t out)
{
    const struct xbar_output *o = &x->outputs[out];
    const uint64_t *wanted = xbar_wanted_of(x, out);
    if (x->in_words > 1) return xbar_pick_around(x, o, wanted, o->first / 64);
    const uint64_t left = wanted[0] & x->free_in.word[0], ahead = left & ~0ull << o->first;
    return (uint32_t)__builtin_ctzll(ahead ? ahead : left);
}
/* The port whose link this one shares: the first of its cluster. */
static inline uint32_t xbar_link_of(const struct xbar *x, enum xbar_side side, uint32_t port)
{
    return x->clusters && x->cluster_side == side && port < x->clustered ? port % x->clusters : port;
}
/* The ports of the same cluster as `port`, which is granted, are taken too, until `at`. */
void xbar_hold_cluster(struct xbar *x, uint32_t port, cycle_t at);
/* A switch that is faster than its links, or has clusters: when both ports are free again. Returns what xbar_grant
 * does. The input's link brings one flit a cycle too; what came while the switch was busy waits in a buffer as large
 * as the output's. */
static inline cycle_t xbar_hold_links(struct xbar *x, uint32_t in, uint32_t out, uint32_t flits, cycle_t *in_free,
                                      cycle_t *out_free)
{
    const cycle_t link_now = x->link_now, earliest = link_now > x->output_buffer ? link_now - x->output_buffer : 0;
    struct xbar_output *o = &x->outputs[xbar_link_of(x, XBAR_OUT, out)];
    struct xbar_input *i = &x->inputs[xbar_link_of(x, XBAR_IN, in)];
    i->link_busy = (i->link_busy > earliest ? i->link_busy : earliest) + flits;
    o->link_busy = (o->link_busy > link_now ? o->link_busy : link_now) + flits;
    const cycle_t link_in = i->link_busy * x->speedup;
    const cycle_t link_out = o->link_busy > x->output_buffer ? (o->link_busy - x->output_buffer) * x->speedup : 0;
    if (link_in > *in_free) *in_free = link_in;
    if (link_out > *out_free) *out_free = link_out;
    if (x->clusters) xbar_hold_cluster(x, x->cluster_side ? out : in, x->cluster_side ? *out_free : *in_free);
    return o->link_busy;
}
/* Grants it in switch cycle `now`; the packet behind it comes in cycle `next` (0: it is there, or is not known yet).
 * Returns the link cycle in which its last flit has left the output link. */
static inline cycle_t xbar_grant(struct xbar *x, uint32_t in, uint32_t out, uint32_t flits, cycle_t now, cycle_t next)
{
    struct xbar_output *o = &x->outputs[out];
    uint64_t *wanted = xbar_wanted_of(x, out);
    const uint32_t in_word = in / 64, out_word = out / 64;
    const uint64_t in_bit = 1ull << in % 64, out_bit = 1ull << out % 64;
    cycle_t in_free = now + flits, out_free = in_free;
    wanted[in_word] &= ~in_bit;
    x->free_in.word[in_word] &= ~in_bit;
    x->free_out.word[out_word] &= ~out_bit;
    uint64_t others = wanted[0] & x->free_in.word[0];
    for (uint32_t w = 1; w < x->in_words; w++) others |= wanted[w] & x->free_in.word[w];
    x->ready[out_word] &= ~(others ? 0 : out_bit);
    x->n_waiting--;
    x->waiting.word[in_word] &= ~in_bit;
    o->first = in + 1 < x->n_in ? in + 1 : 0;
    const cycle_t left_at = x->is_simple ? now + flits : xbar_hold_links(x, in, out, flits, &in_free, &out_free);
    xbar_free_at(x, XBAR_IN, in_word, in_bit, in_free > next ? in_free : next);
    xbar_free_at(x, XBAR_OUT, out_word, out_bit, out_free);
    return left_at;
}
#endif
