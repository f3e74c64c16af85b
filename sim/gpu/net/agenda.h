/* Which of up to 256 things are due: wheels of bit sets, one a cycle, so that a cycle costs what it does and not
 * what there is. An entry may be stale or early (what lies further away than the wheel is parked in its last slot):
 * the owner looks again. */
#ifndef GPU_AGENDA_H
#define GPU_AGENDA_H
#include "net/msg.h"

enum { AGENDA_SLOTS = 64, AGENDA_WORDS = 4 };
struct bits {
    uint64_t word[AGENDA_WORDS];
};
static inline void bits_set(struct bits *b, uint32_t i) { b->word[i / 64] |= 1ull << i % 64; }
static inline void bits_clear(struct bits *b, uint32_t i) { b->word[i / 64] &= ~(1ull << i % 64); }
static inline bool bits_has(const struct bits *b, uint32_t i) { return b->word[i / 64] >> i % 64 & 1; }
/* Word w of a set of all of 0..n-1. */
static inline uint64_t bits_word(uint32_t n, uint32_t w)
{
    return n <= 64 * w ? 0 : n - 64 * w < 64 ? (1ull << (n - 64 * w)) - 1 : ~0ull;
}
static inline struct bits bits_first(uint32_t n)
{
    struct bits b;
    for (uint32_t w = 0; w < AGENDA_WORDS; w++) b.word[w] = bits_word(n, w);
    return b;
}

/* ---- wheels: 64 slots, one a cycle, of which `busy` says those that hold anything; `from` is the first cycle not
 * yet taken ---- */

static inline uint64_t rotate_right(uint64_t bits, uint64_t n) { return bits >> n % 64 | bits << (-n & 63); }
/* The first cycle from `from` on whose slot is busy; one is. */
static inline cycle_t wheel_next(uint64_t busy, cycle_t from)
{
    return from + (cycle_t)__builtin_ctzll(rotate_right(busy, from));
}
/* Of `busy`, the slots of cycles `from` to `now`. */
static inline uint64_t wheel_due(uint64_t busy, cycle_t from, cycle_t now)
{
    const uint64_t slots = now - from < 63 ? (2ull << (now - from)) - 1 : ~0ull; /* from `from` on */
    return busy & rotate_right(slots, -(uint64_t)from);
}

/* Of 64 units; a machine with more has several in a row. */
struct agenda {
    uint64_t busy; /* slots that hold anything */
    cycle_t from;  /* the first cycle not yet taken */
    uint64_t slots[AGENDA_SLOTS];
};
/* `units`: bits of one agenda. */
static inline void agenda_put_bits(struct agenda *a, uint64_t units, cycle_t at)
{
    if (at < a->from) at = a->from;
    const uint32_t slot = (at - a->from < AGENDA_SLOTS ? at : a->from + AGENDA_SLOTS - 1) % AGENDA_SLOTS;
    a->slots[slot] |= units;
    a->busy |= 1ull << slot;
}
static inline void agenda_put(struct agenda *agendas, uint32_t i, cycle_t at)
{
    agenda_put_bits(&agendas[i / 64], 1ull << i % 64, at);
}
/* The cycle of the first entry, or NEVER. */
static inline cycle_t agenda_next(const struct agenda *a) { return a->busy ? wheel_next(a->busy, a->from) : NEVER; }
/* Takes the entries of `now`, before which all has been taken. */
static inline uint64_t agenda_take_now(struct agenda *a, cycle_t now)
{
    const uint32_t slot = now % AGENDA_SLOTS;
    const uint64_t units = a->slots[slot];
    a->slots[slot] = 0;
    a->busy &= ~(1ull << slot);
    a->from = now + 1;
    return units;
}
/* The same for all up to `now`, which is not before what was taken last. */
static inline uint64_t agenda_take(struct agenda *a, cycle_t now)
{
    if (now == a->from) return agenda_take_now(a, now);
    uint64_t due = wheel_due(a->busy, a->from, now), units = 0;
    a->busy &= ~due;
    a->from = now + 1;
    for (; due; due &= due - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(due);
        units |= a->slots[slot];
        a->slots[slot] = 0;
    }
    return units;
}
#endif
