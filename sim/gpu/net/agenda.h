/* Sets of up to 256 things as bits, and which of them are due: a timer wheel for each 64 of them (poise/wheel.h). An
 * entry may be stale or early: the owner looks again. */
#ifndef GPU_AGENDA_H
#define GPU_AGENDA_H
#include "poise/wheel.h"
#include "net/msg.h"

enum { AGENDA_WORDS = 4 };
_Static_assert(NEVER == WHEEL_NEVER, "cycles that never come are the same to a wheel");
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

static inline void agenda_put(struct wheel *wheels, uint32_t i, cycle_t at)
{
    wheel_put(&wheels[i / 64], 1ull << i % 64, at);
}
#endif
