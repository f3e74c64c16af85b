/* Half precision and bfloat16 by way of double precision: sums are rounded to odd there, so that the one rounding to
 * the narrow format is the correct one (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). */
#ifndef POISE_HALF_H
#define POISE_HALF_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SMALL_NAN 0x7fffu

static inline uint64_t small_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
static inline double small_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static inline double power_of_2(int e) { return small_double((uint64_t)(e + 1023) << 52); }

/* mant: stored bits of the significand; bias: of the exponent, which has 15 - mant bits */
static inline double small_get(uint32_t h, int mant, int bias)
{
    const uint32_t fraction = h & ((1u << mant) - 1), exponent = (h & 0x7fff) >> mant, top = (1u << (15 - mant)) - 1;
    double x;
    if (exponent == top) x = fraction ? (double)NAN : (double)INFINITY;
    else if (!exponent) x = (double)fraction * power_of_2(1 - bias - mant);
    else x = (double)(fraction | 1u << mant) * power_of_2((int)exponent - bias - mant);
    return h & 0x8000 ? -x : x;
}

/* mode: 0 to nearest even, 1 to zero, 2 down, 3 up (enum rounding) */
static inline uint32_t small_put(double x, int mant, int bias, int mode)
{
    const uint32_t sign = (uint32_t)(small_bits(x) >> 48) & 0x8000, infinity = ((1u << (15 - mant)) - 1) << mant;
    if (x != x) return SMALL_NAN;
    const double a = fabs(x);
    if (a > 1.7976931348623157e308) return sign | infinity;
    int e = (int)(small_bits(a) >> 52) - 1023;
    if (e < 1 - bias) e = 1 - bias;
    const bool up = mode == 3 ? !sign : mode == 2 && sign;
    if (e > bias) return sign | (mode == 0 || up ? infinity : infinity - 1);
    const double q = a * power_of_2(mant - e), whole = floor(q), rest = q - whole;
    uint32_t n = (uint32_t)whole;
    if (mode == 0) n += rest > 0.5 || (rest == 0.5 && (n & 1));
    else n += up && rest > 0.0;
    /* a carry out of the significand is one more in the exponent, up to infinity */
    const uint32_t code = e == 1 - bias ? n : ((uint32_t)(e + bias - 1) << mant) + n;
    return sign | code;
}

static inline double f16_get(uint32_t h) { return small_get(h, 10, 15); }
static inline uint32_t f16_put(double x) { return small_put(x, 10, 15, 0); }
static inline double bf16_get(uint32_t h) { return small_get(h, 7, 127); }
static inline uint32_t bf16_put(double x) { return small_put(x, 7, 127, 0); }
static inline uint32_t f16_flush(uint32_t h) { return h & 0x7c00 ? h : h & 0x8000; }

/* a + b rounded to odd: the last bit says that something was lost. */
static inline double odd_sum(double a, double b)
{
    const double s = a + b, part = s - a, lost = (a - (s - part)) + (b - part);
    const uint64_t bits = small_bits(s);
    if (lost != lost || lost == 0.0 || (bits & 1)) return s;
    return small_double((lost > 0.0) == (s > 0.0) ? bits + 1 : bits - 1);
}
#endif
