/* Bounded queues, the only place where units meet. An element may be taken from cycle `at` on, in the taker's clock
 * domain: that is how a link's latency is expressed. A full queue is the only back-pressure. */
#ifndef GPU_FIFO_H
#define GPU_FIFO_H
#include <assert.h>
#include "net/msg.h"
#include "poise/arena.h"

#define FIFO(fifo_name, element) \
    struct fifo_name { \
        struct { \
            cycle_t at; \
            element item; \
        } * slots; \
        cycle_t ready_at; /* of the first element; NEVER: empty */ \
        uint32_t head, count, capacity, mask; \
    }; \
    static inline void fifo_name##_init(struct fifo_name *f, struct arena *arena, uint32_t capacity) \
    { \
        uint32_t size = 1; \
        while (size < capacity) size *= 2; \
        f->slots = arena_take(arena, size, sizeof *f->slots, 64); \
        f->ready_at = NEVER; \
        f->head = f->count = 0; \
        f->capacity = capacity; \
        f->mask = size - 1; \
    } \
    static inline bool fifo_name##_has_room(const struct fifo_name *f) { return f->count < f->capacity; } \
    static inline bool fifo_name##_empty(const struct fifo_name *f) { return f->count == 0; } \
    /* The place of a new last element, for the caller to write all of. */ \
    static inline element *fifo_name##_add(struct fifo_name *f, cycle_t at) \
    { \
        assert(f->count <= f->mask); \
        if (!f->count) f->ready_at = at; \
        const uint32_t i = (f->head + f->count++) & f->mask; \
        f->slots[i].at = at; \
        return &f->slots[i].item; \
    } \
    static inline void fifo_name##_push(struct fifo_name *f, element item, cycle_t at) \
    { \
        *fifo_name##_add(f, at) = item; \
    } \
    static inline cycle_t fifo_name##_ready_at(const struct fifo_name *f) { return f->ready_at; } \
    static inline element *fifo_name##_peek(const struct fifo_name *f) { return &f->slots[f->head].item; } \
    static inline element *fifo_name##_last(const struct fifo_name *f) \
    { \
        return &f->slots[(f->head + f->count - 1) & f->mask].item; \
    } \
    /* The first element goes: it has been copied, as a whole, to where it goes. */ \
    static inline void fifo_name##_drop(struct fifo_name *f) \
    { \
        assert(f->count > 0); \
        f->head = (f->head + 1) & f->mask; \
        const cycle_t next = f->slots[f->head].at; /* read in any case: no branch */ \
        f->ready_at = --f->count ? next : NEVER; \
    } \
    static inline element fifo_name##_pop(struct fifo_name *f) \
    { \
        const element item = f->slots[f->head].item; \
        fifo_name##_drop(f); \
        return item; \
    } \
    static inline element fifo_name##_take_last(struct fifo_name *f) \
    { \
        assert(f->count > 0); \
        const element item = f->slots[(f->head + --f->count) & f->mask].item; \
        if (!f->count) f->ready_at = NEVER; \
        return item; \
    }

FIFO(request_fifo, struct request)
FIFO(reply_fifo, struct reply)
#endif
