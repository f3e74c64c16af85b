/* Logarithms of whole numbers to base 2, as widths of fields. */
#ifndef POISE_LOG2_H
#define POISE_LOG2_H
#include <stdint.h>

/* Bits that hold n. */
static inline uint32_t bit_width(uint64_t n) { return n ? 64 - (uint32_t)__builtin_clzll(n) : 0; }
/* Rounded down; n > 0. */
static inline uint32_t log2_floor(uint64_t n) { return 63 - (uint32_t)__builtin_clzll(n); }
/* Rounded up: bits that name one of n. 0 of 0. */
static inline uint32_t log2_ceil(uint64_t n) { return n ? bit_width(n - 1) : 0; }
#endif
