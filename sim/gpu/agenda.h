/* Which of up to 256 things are due: wheels of bit sets, one a cycle, so that a cycle costs what it does and not what there is.
 * An entry may be stale or early (what lies further away than the wheel is parked in its last slot): the owner looks again. */
#ifndef GPU_AGENDA_H
#define GPU_AGENDA_H
#include "msg.h"

enum { AGENDA_SLOTS = 64, AGENDA_WORDS = 4 };
struct bits { uint64_t word[AGENDA_WORDS]; };
static inline void bits_set(struct bits *b, uint32_t i) { b->word[i / 64] |= 1ull << i % 64; }
static inline void bits_clear(struct bits *b, uint32_t i) { b->word[i / 64] &= ~(1ull << i % 64); }
static inline bool bits_has(const struct bits *b, uint32_t i) { return b->word[i / 64] >> i % 64 & 1; }
/* Word w of a set of all of 0..n-1. */
static inline uint64_t bits_word(uint32_t n, uint32_t w) { return n <= 64 * w ? 0 : n - 64 * w < 64 ? (1ull << (n - 64 * w)) - 1 : ~0ull; }
static inline struct bits bits_first(uint32_t n)
{
    struct bits b;
    for (uint32_t w = 0; w < AGENDA_WORDS; w++) b.word[w] = bits_word(n, w);
    return b;
}

/* Of 64 units; a machine with more has several in a row. */
struct agenda {
    uint64_t busy;  /* slots that hold anything */
    cycle_t from;   /* the first cycle not yet taken */
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
static inline void agenda_put(struct agenda *agendas, uint32_t i, cycle_t at) { agenda_put_bits(&agendas[i / 64], 1ull << i % 64, at); }
/* The cycle of the first entry, or NEVER. */
static inline cycle_t agenda_next(const struct agenda *a)
{
    if (!a->busy) return NEVER;
    const uint32_t turn = a->from % AGENDA_SLOTS;
    const uint64_t turned = a->busy >> turn | a->busy << (-turn & 63);
    return a->from + (cycle_t)__builtin_ctzll(turned);
}
/* Takes all entries up to `now`, which is not before what was taken last. */
static inline uint64_t agenda_take(struct agenda *a, cycle_t now)
{
    const uint64_t cycles = now - a->from, turn = a->from % AGENDA_SLOTS;
    if (!cycles) {
        const uint64_t first = a->slots[turn];
        a->slots[turn] = 0;
        a->busy &= ~(1ull << turn);
        a->from = now + 1;
        return first;
    }
    const uint64_t slots = cycles < AGENDA_SLOTS - 1 ? (2ull << cycles) - 1 : ~0ull; /* from `from` on */
    uint64_t due = a->busy & (slots << turn | slots >> (-turn & 63)), units = 0;
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
