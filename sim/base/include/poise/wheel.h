/* A timer wheel: bits of up to 64 things, by the cycle in which they are due. It has 64 slots, one a cycle, so that a
 * cycle costs what it does and not what there is. An entry may be early: what lies further away than the wheel is
 * parked in its last slot, and the owner looks again. Who keeps slots of another shape uses its arithmetic alone. */
#ifndef POISE_WHEEL_H
#define POISE_WHEEL_H
#include <stdint.h>

enum { WHEEL_SLOTS = 64 };
#define WHEEL_NEVER UINT32_MAX

/* ---- slots as bits: `busy` says which hold anything, `from` is the first cycle not yet taken ---- */

static inline uint64_t wheel_rotate(uint64_t bits, uint64_t n) { return bits >> n % 64 | bits << (-n & 63); }
/* The first cycle from `from` on whose slot is busy; one is. */
static inline uint32_t wheel_next(uint64_t busy, uint32_t from)
{
    return from + (uint32_t)__builtin_ctzll(wheel_rotate(busy, from));
}
/* Of `busy`, the slots of cycles `from` to `now`. */
static inline uint64_t wheel_due(uint64_t busy, uint32_t from, uint32_t now)
{
    const uint64_t slots = now - from < 63 ? (2ull << (now - from)) - 1 : ~0ull; /* from `from` on */
    return busy & wheel_rotate(slots, -(uint64_t)from);
}

/* ---- the wheel ---- */

struct wheel {
    uint64_t busy; /* slots that hold anything */
    uint32_t from; /* the first cycle not yet taken */
    uint64_t slots[WHEEL_SLOTS];
};
static inline void wheel_put(struct wheel *w, uint64_t bits, uint32_t at)
{
    if (at < w->from) at = w->from;
    const uint32_t slot = (at - w->from < WHEEL_SLOTS ? at : w->from + WHEEL_SLOTS - 1) % WHEEL_SLOTS;
    w->slots[slot] |= bits;
    w->busy |= 1ull << slot;
}
/* The cycle of the first entry, or WHEEL_NEVER. */
static inline uint32_t wheel_first(const struct wheel *w)
{
    return w->busy ? wheel_next(w->busy, w->from) : WHEEL_NEVER;
}
/* Takes the entries of `now`, before which all has been taken. */
static inline uint64_t wheel_take_now(struct wheel *w, uint32_t now)
{
    const uint32_t slot = now % WHEEL_SLOTS;
    const uint64_t bits = w->slots[slot];
    w->slots[slot] = 0;
    w->busy &= ~(1ull << slot);
    w->from = now + 1;
    return bits;
}
/* The same for all up to `now`, which is not before what was taken last. */
static inline uint64_t wheel_take(struct wheel *w, uint32_t now)
{
    if (now == w->from) return wheel_take_now(w, now);
    uint64_t due = wheel_due(w->busy, w->from, now), bits = 0;
    w->busy &= ~due;
    w->from = now + 1;
    for (; due; due &= due - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(due);
        bits |= w->slots[slot];
        w->slots[slot] = 0;
    }
    return bits;
}
#endif
