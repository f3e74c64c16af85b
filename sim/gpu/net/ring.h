/* Queues in a ring: each node has a bounded queue, and a link of its own to the next node's. [THESIS §4.4.2]
 *
 *   core --> [ queue i ] --link--> [ queue i + 1 ] --link--> ...            or the other way round
 *
 * A queue takes one packet a cycle, from the core at its side or from the link, and its head alone moves. A packet has
 * its place in the next queue when it leaves for it, and stands there in the order in which packets come: what the
 * core puts in while another is still on the link goes before it. What a cycle frees can be taken in the next one, so
 * the nodes of a ring may be worked through in any order. A core may put a packet in only where that leaves a place
 * free (ring_may_enter): then a ring never fills up, some head can always move, and no ring locks up by itself. A
 * packet of f flits holds its link for f cycles. It moves on when all of it has come (store-and-forward), or as soon
 * as its first flit has (cut-through); it has a place of its own in each queue either way. Whoever owns the ring says
 * which link leads where, and what heads do. */
#ifndef GPU_RING_H
#define GPU_RING_H
#include "poise/sys/hooks.h"
#include "net/agenda.h"

enum { RING_QUEUE_MAX = 32 };
struct ring_packet {
    struct miss miss;
    cycle_t born;  /* when its miss left L1, */
    cycle_t at;    /* and the first cycle in which it may do something where it is */
    uint16_t home; /* the node that waits for it */
    uint16_t hops; /* links passed */
    uint16_t flits;
    uint8_t errand, entry; /* what it is out for, and of what: its owner's part */
    bool is_home;          /* likewise: `at` is when it came home */
};
struct ring_queue {
    uint32_t head, count;
    cycle_t popped, pushed; /* one more than the cycle in which it last lost or took a packet */
    cycle_t link_free;      /* its link can take a packet from this cycle on */
    struct ring_packet slots[RING_QUEUE_MAX];
};
struct ring {
    uint32_t capacity, link_cycles;
    bool cuts_through;
    struct bits busy; /* nodes whose queue holds anything */
};

static inline struct ring_packet *ring_peek(struct ring_queue *q) { return &q->slots[q->head % RING_QUEUE_MAX]; }
/* The head has arrived. */
static inline bool ring_is_ready(const struct ring_queue *q, cycle_t now)
{
    return q->count && q->slots[q->head % RING_QUEUE_MAX].at <= now;
}
/* At least `places` were free when the cycle began and still are: the queue has not taken a packet in it. */
static inline bool ring_has_room(const struct ring *r, const struct ring_queue *q, uint32_t places, cycle_t now)
{
    return q->count + places + (q->popped == now + 1) <= r->capacity && q->pushed != now + 1;
}
/* The place of a new last packet, for the caller to write all of. */
static inline struct ring_packet *ring_add(struct ring *r, struct ring_queue *q, uint32_t node, cycle_t now)
{
    q->pushed = now + 1;
    bits_set(&r->busy, node);
    return &q->slots[(q->head + q->count++) % RING_QUEUE_MAX];
}
/* The same for one that the core puts in and that may do something from cycle `at` on. `goes_first`: also before what
 * comes over the link in that very cycle. */
static inline struct ring_packet *ring_enter(struct ring *r, struct ring_queue *q, uint32_t node, cycle_t at,
                                             bool goes_first, cycle_t now)
{
    ring_add(r, q, node, now);
    uint32_t i = q->head + q->count - 1;
    for (; i != q->head; i--) {
        const struct ring_packet *before = &q->slots[(i - 1) % RING_QUEUE_MAX];
        if (before->at < at + !goes_first) break;
        q->slots[i % RING_QUEUE_MAX] = *before;
    }
    return &q->slots[i % RING_QUEUE_MAX];
}
static inline void ring_pop(struct ring *r, struct ring_queue *q, uint32_t node, cycle_t now)
{
    q->head++;
    q->popped = now + 1;
    if (!--q->count) bits_clear(&r->busy, node);
}
/* The core at this node may put a packet in. */
static inline bool ring_may_enter(const struct ring *r, const struct ring_queue *q, cycle_t now)
{
    return ring_has_room(r, q, 2, now);
}
/* The head of `from` may take the link; what the place that it leads to says is the caller's part. */
static inline bool ring_link_is_free(const struct ring_queue *from, cycle_t now) { return from->link_free <= now; }
/* Sends the head over the link to `to`, a place in the next node's queue, or at home: there all of it has to come. */
static inline void ring_leave(struct ring *r, struct ring_queue *from, uint32_t node, struct ring_packet *to,
                              bool is_home, cycle_t now)
{
    *to = *ring_peek(from);
    to->hops++;
    from->link_free = now + to->flits;
    to->at = now + r->link_cycles + (r->cuts_through && !is_home ? 0 : to->flits - 1u);
    ring_pop(r, from, node, now);
}
/* The head moves to the next queue, if its link is free and there is room: false if not. */
static inline bool ring_forward(struct ring *r, struct ring_queue *from, uint32_t node, struct ring_queue *to,
                                uint32_t next, cycle_t now)
{
    if (!ring_link_is_free(from, now) || !ring_has_room(r, to, 1, now)) return false;
    ring_leave(r, from, node, ring_add(r, to, next, now), false, now);
    return true;
}
#endif
