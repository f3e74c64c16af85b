/* A timer wheel: bits of up to 64 things, by the cycle in which they are due. It has 64 slots, one a cycle, so that a
 * cycle costs what it does and not what there is. An entry may be early: what lies further away than the wheel is
 * parked in its last slot, and the owner looks again. Who knows besides which cycle comes next needs the slots
 * alone. */
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

/* ---- slots ---- */

struct wheel_slots {
    uint64_t busy; /* slots that hold anything */
    uint64_t bits[WHEEL_SLOTS];
};
static inline void wheel_slots_put(struct wheel_slots *s, uint64_t bits, uint32_t at)
{
    s->bits[at % WHEEL_SLOTS] |= bits;
    s->busy |= 1ull << at % WHEEL_SLOTS;
}
/* Empties the slot of cycle `at`. */
static inline uint64_t wheel_slots_take(struct wheel_slots *s, uint32_t at)
{
    const uint64_t bits = s->bits[at % WHEEL_SLOTS];
    s->bits[at % WHEEL_SLOTS] = 0;
    s->busy &= ~(1ull << at % WHEEL_SLOTS);
    return bits;
}
/* The same for cycles `from` to `now`; those before are empty. */
static inline uint64_t wheel_slots_take_until(struct wheel_slots *s, uint32_t from, uint32_t now)
{
    if (now == from) return wheel_slots_take(s, now);
    uint64_t due = wheel_due(s->busy, from, now), bits = 0;
    for (; due; due &= due - 1) bits |= wheel_slots_take(s, (uint32_t)__builtin_ctzll(due));
    return bits;
}

/* ---- the wheel ---- */

struct wheel {
    uint32_t from; /* the first cycle not yet taken */
    struct wheel_slots slots;
};
static inline void wheel_put(struct wheel *w, uint64_t bits, uint32_t at)
{
    if (at < w->from) at = w->from;
    wheel_slots_put(&w->slots, bits, at - w->from < WHEEL_SLOTS ? at : w->from + WHEEL_SLOTS - 1);
}
/* The cycle of the first entry, or WHEEL_NEVER. */
static inline uint32_t wheel_first(const struct wheel *w)
{
    return w->slots.busy ? wheel_next(w->slots.busy, w->from) : WHEEL_NEVER;
}
/* Takes the entries of `now`, before which all has been taken. */
static inline uint64_t wheel_take_now(struct wheel *w, uint32_t now)
{
    w->from = now + 1;
    return wheel_slots_take(&w->slots, now);
}
/* The same for all up to `now`, which is not before what was taken last. */
static inline uint64_t wheel_take(struct wheel *w, uint32_t now)
{
    const uint32_t from = w->from;
    w->from = now + 1;
    return wheel_slots_take_until(&w->slots, from, now);
}
#endif
