/* A bounded queue within a unit; with who is at its ends it is one between units (net/queue.h). */
#ifndef GPU_FIFO_H
#define GPU_FIFO_H
#include <assert.h>
#include "net/msg.h"
#include "poise/arena.h"

/* MEMBERS: what it has besides; PUSHED(f), WRITTEN(f), POPPED(f): what happens when an element has its
 * place, when it has been pushed as a whole, and when one has gone. */
#define FIFO_OF(fifo_name, element, MEMBERS, PUSHED, WRITTEN, POPPED) \
    struct fifo_name { \
        struct { \
            cycle_t at; \
            element item; \
        } * slots; \
        cycle_t ready_at; /* of the first element; NEVER: empty */ \
        uint32_t head;    /* elements that have gone, modulo 2^32: the first stands at its low bits */ \
        uint32_t count, capacity, mask; \
        MEMBERS \
    }; \
    static inline void fifo_name##_init(struct fifo_name *f, struct arena *arena, uint32_t capacity) \
    { \
        uint32_t size = 1; \
        while (size < capacity) size *= 2; \
        *f = (struct fifo_name){.ready_at = NEVER, .capacity = capacity, .mask = size - 1}; \
        f->slots = arena_take(arena, size, sizeof *f->slots, 64); \
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
        PUSHED(f) \
        return &f->slots[i].item; \
    } \
    static inline void fifo_name##_push(struct fifo_name *f, element item, cycle_t at) \
    { \
        *fifo_name##_add(f, at) = item; \
        WRITTEN(f) \
    } \
    static inline cycle_t fifo_name##_ready_at(const struct fifo_name *f) { return f->ready_at; } \
    static inline element *fifo_name##_peek(const struct fifo_name *f) { return &f->slots[f->head & f->mask].item; } \
    static inline element *fifo_name##_last(const struct fifo_name *f) \
    { \
        return &f->slots[(f->head + f->count - 1) & f->mask].item; \
    } \
    /* The first element goes: it has been copied, as a whole, to where it goes. */ \
    static inline void fifo_name##_drop(struct fifo_name *f) \
    { \
        assert(f->count > 0); \
        const cycle_t next = f->slots[++f->head & f->mask].at; /* read in any case: no branch */ \
        f->ready_at = --f->count ? next : NEVER; \
        POPPED(f) \
    } \
    static inline element fifo_name##_pop(struct fifo_name *f) \
    { \
        const element item = *fifo_name##_peek(f); \
        fifo_name##_drop(f); \
        return item; \
    } \
    /* The last element goes: nobody has seen it. */ \
    static inline void fifo_name##_drop_last(struct fifo_name *f) \
    { \
        assert(f->count > 0); \
        if (!--f->count) f->ready_at = NEVER; \
        POPPED(f) \
    }
#define FIFO_ALONE(f)
#define FIFO(fifo_name, element) FIFO_OF(fifo_name, element, , FIFO_ALONE, FIFO_ALONE, FIFO_ALONE)
#endif
