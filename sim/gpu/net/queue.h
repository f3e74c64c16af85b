/* Bounded queues, the only places where units meet, and who stands at their ends. An element may be taken from
 * cycle `at` on, in the taker's clock domain: that is how a link's latency is expressed. A full queue is the only
 * back-pressure.
 *
 *   giver --push--> [ queue ] --pop--> taker
 *
 * A queue wakes its other end by itself: the taker, for the cycle in which the first element is there; the giver,
 * when a place becomes free and it waits for one (NAME_await). Where the network gives, its output has room as long
 * as the queue has; where it takes replies, their first is in arbitration. Requests of an SM, and of a bank to
 * DRAM, are seen once the giver's tick is over (machine/skip.h): an SM may run ahead, and a channel stay behind.
 * Who is at the ends of which queue is said once (gpu_join in machine/gpu.c); no unit wakes another. */
#ifndef GPU_QUEUE_H
#define GPU_QUEUE_H
#include "net/clock.h"
#include "net/fifo.h"
#include "net/ports.h"

/* A unit, as its neighbours know it. */
struct sleeper {
    cycle_t *wake; /* the first cycle in which a tick could change anything: the unit's own */
    struct clocks *clocks;
    struct wheel *agenda; /* where those of its kind stand by their cycle, as a bit; NULL: nowhere */
    uint64_t bit;
    enum domain domain;
};
/* queue.c: what is told while units tick side by side. */
struct queue_ends;
APART void queue_offer_guarded(const struct queue_ends *ends, const struct reply *r, cycle_t at);
/* It has something to do from cycle `at` on. */
static inline void sleeper_wake(const struct sleeper *s, cycle_t at)
{
    if (at >= *s->wake) return; /* it is in the agenda by then */
    *s->wake = at;
    const bool is_shared =
        __builtin_expect(s->clocks->is_shared, false); /* no call: many functions that push need none */
    if (is_shared) clocks_hold(s->clocks);
    if (s->agenda) wheel_put(s->agenda, s->bit, at);
    clocks_poke(s->clocks, s->domain, at);
    if (is_shared) clocks_release(s->clocks);
}
/* In its first cycle after what happens now. */
static inline void sleeper_wake_next(const struct sleeper *s) { sleeper_wake(s, clocks_after(s->clocks, s->domain)); }

/* Who is at the ends of a queue; members are NULL where nobody is, as of a unit alone, or the network. */
struct queue_ends {
    const struct sleeper *taker, *giver;
    uint64_t *room, output; /* the network gives: its outputs that have room, and which of them this is */
    uint32_t *awaited;      /* the taker's count of queues whose givers wait for a place */
    struct ports *ports;    /* the network takes replies: their first is in arbitration at this input */
    uint32_t input;
};
/* The queue has become full, or is so no longer. Takers that tick side by side may say that of neighbouring outputs. */
static inline void queue_set_room(const struct queue_ends *ends, bool has_room)
{
    if (ends->room && has_room) __atomic_fetch_or(ends->room, ends->output, __ATOMIC_RELAXED);
    else if (ends->room) *ends->room &= ~ends->output;
}
static inline void queue_wake_taker(const struct queue_ends *ends, cycle_t at)
{
    if (ends->taker) sleeper_wake(ends->taker, at);
}
static inline void queue_wake_giver(const struct queue_ends *ends)
{
    if (ends->giver) sleeper_wake_next(ends->giver);
}
static inline void queue_count_awaited(const struct queue_ends *ends, uint32_t change)
{
    if (ends->awaited) *ends->awaited += change;
}

/* A reply has come into an empty queue. */
static inline void queue_offer(const struct queue_ends *ends, const struct reply *r, cycle_t at)
{
    if (!ends->ports) return;
    if (__builtin_expect(ends->ports->clocks->is_shared, false)) queue_offer_guarded(ends, r, at);
    else ports_offer_from(ends->ports, ends->input, requester_index(r->requester), ends->giver->domain, at);
}

#define QUEUE_MEMBERS \
    bool is_awaited;        /* its giver waits for a place */ \
    struct queue_ends ends; /* set once, when the machine is laid out */
#define QUEUE_PUSHED(f) \
    if ((f)->count == 1) queue_wake_taker(&(f)->ends, (f)->ready_at); /* behind others it is seen in its turn */ \
    if ((f)->count == (f)->capacity) queue_set_room(&(f)->ends, false);
#define QUEUE_POPPED(f) \
    if ((f)->count + 1 == (f)->capacity) queue_set_room(&(f)->ends, true); \
    if ((f)->is_awaited) queue_wake_giver(&(f)->ends);
#define REPLY_WRITTEN(f) \
    if ((f)->count == 1) queue_offer(&(f)->ends, &item, at);
/* WRITTEN(f): an element `item` that is there in cycle `at` has been pushed. */
#define QUEUE(queue_name, element, WRITTEN) \
    FIFO_OF(queue_name, element, QUEUE_MEMBERS, QUEUE_PUSHED, WRITTEN, QUEUE_POPPED) \
    /* Whether the giver waits for a place: it does so until it says otherwise, and is woken by every pop. */ \
    static inline void queue_name##_await(struct queue_name *f, bool waits) \
    { \
        if (f->is_awaited == waits) return; \
        f->is_awaited = waits; \
        queue_count_awaited(&f->ends, waits ? 1 : UINT32_MAX); \
    } \
    /* How many elements have been taken, modulo 2^32: the progress of those who wait for a place, and what the \
     * watchdog sees of a run that goes on. */ \
    static inline uint32_t queue_name##_taken(const struct queue_name *f) { return f->head; } \
    /* An element that is there in cycle `at`, before those that come later. */ \
    static inline void queue_name##_push_by_time(struct queue_name *f, element item, cycle_t at) \
    { \
        queue_name##_push(f, item, at); \
        for (uint32_t i = f->count - 1; i > 0; i--) { \
            const uint32_t a = (f->head + i - 1) & f->mask, b = (f->head + i) & f->mask; \
            if (f->slots[a].at <= f->slots[b].at) break; \
            const cycle_t later = f->slots[a].at; \
            const element moved = f->slots[a].item; \
            f->slots[a] = f->slots[b]; \
            f->slots[b].at = later; \
            f->slots[b].item = moved; \
        } \
        f->ready_at = f->slots[f->head & f->mask].at; \
        if (f->ready_at == at) queue_wake_taker(&f->ends, at); \
    }

QUEUE(request_fifo, struct request, FIFO_ALONE)
QUEUE(reply_fifo, struct reply, REPLY_WRITTEN)
#endif
