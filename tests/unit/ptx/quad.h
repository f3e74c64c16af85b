/* Exact and correctly rounded arithmetic as an oracle: values in binary128 (113 bits of significand), rounded to a
 * narrower format bit by bit. Products of two 53-bit significands are exact there; sums are rounded to odd, so that
 * the rounding that follows is the only one; quotients and roots of 53-bit operands are never closer to a midpoint
 * than binary128 can tell. */
#ifndef PTX_QUAD_H
#define PTX_QUAD_H
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif
__extension__ typedef unsigned __int128 quad_bits;

enum quad_mode { TO_NEAREST, TO_ZERO, TO_MINUS, TO_PLUS, TO_AWAY };
struct format {
    int bits, fraction;
}; /* the exponent has what is left beside the sign */
static const struct format half_format = {16, 10}, bf16_format = {16, 7}, single_format = {32, 23},
                           double_format = {64, 52};

static inline quad_bits bits_of_quad(quad x)
{
    quad_bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}
static inline quad quad_of_bits(quad_bits b)
{
    quad x;
    memcpy(&x, &b, sizeof x);
    return x;
}
static inline bool is_nan(quad x) { return x != x; }
static inline bool is_negative(quad x) { return bits_of_quad(x) >> 127; }
static inline quad with_sign(quad x, bool negative)
{
    return quad_of_bits((bits_of_quad(x) << 1 >> 1) | (quad_bits)negative << 127);
}
static inline quad quad_infinity(bool negative)
{
    return quad_of_bits((quad_bits)0x7fff << 112 | (quad_bits)negative << 127);
}
static inline quad quad_nan(void) { return quad_of_bits((quad_bits)0xffff << 111); }

/* 2^e, exactly. */
static inline quad quad_power(int e) { return quad_of_bits((quad_bits)(e + 16383) << 112); }

/* The value of an encoding. */
static inline quad quad_of(struct format f, uint64_t code)
{
    const int exponent_bits = f.bits - 1 - f.fraction, bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t fraction = code & (((uint64_t)1 << f.fraction) - 1);
    const int exponent = (int)(code >> f.fraction & (((uint64_t)1 << exponent_bits) - 1));
    const bool negative = code >> (f.bits - 1) & 1;
    quad x;
    if (exponent == (1 << exponent_bits) - 1) x = fraction ? quad_nan() : quad_infinity(false);
    else if (!exponent) x = (quad)fraction * quad_power(1 - bias - f.fraction);
    else x = (quad)(fraction | (uint64_t)1 << f.fraction) * quad_power(exponent - bias - f.fraction);
    return with_sign(x, negative);
}

/* The encoding nearest to x in the direction of the mode. A NaN is PTX's: all ones but the sign (64 bits: the quiet
 * bit alone). */
static inline uint64_t quad_round(struct format f, quad x, enum quad_mode mode)
{
    const int exponent_bits = f.bits - 1 - f.fraction, bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t infinity = (((uint64_t)1 << exponent_bits) - 1) << f.fraction;
    const quad_bits b = bits_of_quad(x);
    const bool negative = b >> 127;
    const uint64_t sign = (uint64_t)negative << (f.bits - 1);
    const int raw = (int)(b >> 112 & 0x7fff);
    if (is_nan(x)) return f.bits == 64 ? 0x7ff8000000000000 : ((uint64_t)1 << (f.bits - 1)) - 1;
    if (raw == 0x7fff) return sign | infinity;
    if (!raw) return sign; /* zero: no operation here gives a binary128 subnormal */
    int exponent = raw - 16383;
    if (exponent < 1 - bias) exponent = 1 - bias; /* subnormal: the place of the last bit stays */
    const quad_bits significand = (b & (((quad_bits)1 << 112) - 1)) | (quad_bits)1 << 112;
    const int drop = 112 - f.fraction + (exponent - (raw - 16383)); /* bits below the last place */
    uint64_t n = drop > 113 ? 0 : (uint64_t)(significand >> drop);
    const quad_bits rest = drop > 113 ? 1 : significand & (((quad_bits)1 << drop) - 1),
                    middle = drop > 113 ? 2 : (quad_bits)1 << (drop - 1);
    if (mode == TO_NEAREST ? rest > middle || (rest == middle && (n & 1))
        : mode == TO_AWAY  ? rest >= middle
                           : rest && (mode == TO_MINUS ? negative : mode == TO_PLUS && !negative))
        n++;
    const uint64_t code = exponent == 1 - bias ? n : ((uint64_t)(exponent + bias - 1) << f.fraction) + n;
    if (code < infinity) return sign | code;
    const bool to_infinity =
        mode == TO_NEAREST || mode == TO_AWAY || (mode == TO_MINUS ? negative : mode == TO_PLUS && !negative);
    return sign | (to_infinity ? infinity : infinity - 1);
}

/* a + b, the last bit of the significand set where something was lost. A sum that is exactly zero has the sign IEEE
 * 754 gives it. */
static inline quad quad_sum(quad a, quad b, enum quad_mode mode)
{
    const quad s = a + b;
    if (is_nan(s) || a - a != 0 || b - b != 0) return s;
    if (s == 0)
        return with_sign(s, a == 0 && b == 0 && is_negative(a) == is_negative(b) ? is_negative(a) : mode == TO_MINUS);
    const quad part = s - a, lost = (a - (s - part)) + (b - part);
    const quad_bits bits = bits_of_quad(s);
    if (lost == 0 || (bits & 1)) return s;
    return quad_of_bits((lost > 0) == (s > 0) ? bits + 1 : bits - 1);
}

static inline quad quad_root(quad x)
{
    if (is_nan(x) || x == 0 || (!is_negative(x) && x - x != 0)) return x;
    if (is_negative(x)) return quad_nan();
    const int e = ((int)(bits_of_quad(x) >> 112) - 16383) / 2; /* scaled so that a double holds it */
    const quad y = x * quad_power(-2 * e);
    quad r = (quad)sqrt((double)y);
    for (int k = 0; k < 2; k++) r = (r + y / r) / 2;
    return r * quad_power(e);
}

/* To an integral value in the direction of the mode. */
static inline quad quad_integral(quad x, enum quad_mode mode)
{
    const int exponent = (int)(bits_of_quad(x) >> 112 & 0x7fff) - 16383;
    if (is_nan(x) || exponent >= 112) return x;
    const bool negative = is_negative(x);
    const quad a = with_sign(x, false);
    quad n = exponent < 0 ? (quad)0 : quad_of_bits(bits_of_quad(a) >> (112 - exponent) << (112 - exponent));
    const quad rest = a - n;
    const bool odd =
        exponent >= 0 && bits_of_quad(n) != 0 && (exponent == 0 || (bits_of_quad(n) >> (112 - exponent) & 1));
    if (mode == TO_NEAREST ? rest > (quad)0.5 || (rest == (quad)0.5 && odd)
                           : rest != 0 && (mode == TO_MINUS ? negative : mode == TO_PLUS && !negative))
        n = n + 1;
    return with_sign(n, negative);
}
#endif
