/* The part of cuda_fp16.h and cuda_bf16.h, which include it, that is the same for both types: conversions with a
 * direction of rounding, comparisons that are true of what is not a number, and variants of the arithmetic. The file
 * that includes it says POISE_TYPE, POISE_PAIR (two of them), and POISE_NAME (the type in names of conversions). */
#define POISE_D static inline __device__ __attribute__((always_inline))
#define POISE_HD static inline __host__ __device__ __attribute__((always_inline))
#define POISE_CONVERSION3(to, middle, from) __##to##2##from##_##middle
#define POISE_CONVERSION2(from, to, mode) POISE_CONVERSION3(from, mode, to)
#define POISE_TO(type, mode) POISE_CONVERSION2(POISE_NAME, type, mode)
#define POISE_FROM(type, mode) POISE_CONVERSION2(type, POISE_NAME, mode)

/* ---- from single precision: the nearest one, or its neighbour on the side that is asked for ---- */
template <int direction> POISE_HD POISE_TYPE poise_directed(POISE_TYPE nearest, double back, double x)
{
    unsigned short bits;
    __builtin_memcpy(&bits, &nearest, 2);
    const bool goes_up = direction > 0 ? back < x : direction == 0 && x < 0 && back < x,
               goes_down = direction < 0 ? back > x : direction == 0 && x > 0 && back > x;
    const bool is_negative = bits >> 15;
    if (goes_up) bits = bits == 0x8000 ? 1 : (unsigned short)(is_negative ? bits - 1 : bits + 1);
    if (goes_down) bits = bits == 0 ? 0x8001 : (unsigned short)(is_negative ? bits + 1 : bits - 1);
    __builtin_memcpy(&nearest, &bits, 2);
    return nearest;
}
#define POISE_DIRECTED(mode, direction) \
    POISE_HD POISE_TYPE POISE_FROM(float, mode)(float x) \
    { \
        const POISE_TYPE nearest = POISE_TYPE(x); \
        return poise_directed<direction>(nearest, (double)(float)nearest, (double)x); \
    }
POISE_DIRECTED(rz, 0)
POISE_DIRECTED(rd, -1)
POISE_DIRECTED(ru, 1)
#undef POISE_DIRECTED

/* ---- whole numbers: through single precision rounded to odd, which both types are narrower than by enough ---- */
#ifndef POISE_FLOAT16_MORE_H
#define POISE_FLOAT16_MORE_H
template <class I> POISE_HD float poise_odd(I x)
{
    const bool is_negative = x < 0;
    unsigned long long n = is_negative ? 0ull - (unsigned long long)x : (unsigned long long)x;
    unsigned shift = 0;
    for (bool lost = false; n >> 24; shift++, n = n >> 1 | lost) lost = n & 1;
    const float magnitude = (float)n * (float)(1ull << shift);
    return is_negative ? -magnitude : magnitude;
}
/* Towards zero or another way, what is outside the type to its ends, what is not a number to zero. */
template <class I> POISE_D I poise_whole(double x, I least, I greatest)
{
    return !(x == x) ? (I)0 : x <= (double)least ? least : x >= (double)greatest ? greatest : (I)x;
}
#endif
#define POISE_WHOLE_MODE(name, type, least, greatest, mode, round) \
    POISE_D type POISE_TO(name, mode)(POISE_TYPE a) \
    { \
        return poise_whole<type>(round((double)(float)a), least, greatest); \
    }
#define POISE_WHOLE(name, type, least, greatest) \
    POISE_WHOLE_MODE(name, type, least, greatest, rd, __builtin_floor) \
    POISE_WHOLE_MODE(name, type, least, greatest, ru, __builtin_ceil) \
    POISE_HD POISE_TYPE POISE_FROM(name, rz)(type x) { return POISE_FROM(float, rz)(poise_odd(x)); } \
    POISE_HD POISE_TYPE POISE_FROM(name, rd)(type x) { return POISE_FROM(float, rd)(poise_odd(x)); } \
    POISE_HD POISE_TYPE POISE_FROM(name, ru)(type x) { return POISE_FROM(float, ru)(poise_odd(x)); }
#define POISE_WHOLE_RN(name, type, least, greatest) POISE_WHOLE_MODE(name, type, least, greatest, rn, __builtin_rint)
#define POISE_WHOLE_RZ(name, type, least, greatest) POISE_WHOLE_MODE(name, type, least, greatest, rz, __builtin_trunc)
#define POISE_WHOLE_FROM(name, type) \
    POISE_HD POISE_TYPE POISE_FROM(name, rn)(type x) { return POISE_TYPE(poise_odd(x)); }
#define POISE_LONGEST 9223372036854775807ll
POISE_WHOLE(int, int, -2147483647 - 1, 2147483647)
POISE_WHOLE(uint, unsigned, 0u, 4294967295u)
POISE_WHOLE(short, short, -32768, 32767)
POISE_WHOLE(ushort, unsigned short, 0, 65535)
POISE_WHOLE(ll, long long, -POISE_LONGEST - 1, POISE_LONGEST)
POISE_WHOLE(ull, unsigned long long, 0ull, 18446744073709551615ull)
POISE_WHOLE_RN(short, short, -32768, 32767)
POISE_WHOLE_RN(ushort, unsigned short, 0, 65535)
POISE_WHOLE_RN(ll, long long, -POISE_LONGEST - 1, POISE_LONGEST)
POISE_WHOLE_RN(ull, unsigned long long, 0ull, 18446744073709551615ull)
POISE_WHOLE_RZ(uint, unsigned, 0u, 4294967295u)
POISE_WHOLE_RZ(short, short, -32768, 32767)
POISE_WHOLE_RZ(ushort, unsigned short, 0, 65535)
POISE_WHOLE_RZ(ll, long long, -POISE_LONGEST - 1, POISE_LONGEST)
POISE_WHOLE_RZ(ull, unsigned long long, 0ull, 18446744073709551615ull)
POISE_WHOLE_RZ(char, signed char, -128, 127)
POISE_WHOLE_RZ(uchar, unsigned char, 0, 255)
POISE_WHOLE_FROM(short, short)
POISE_WHOLE_FROM(ushort, unsigned short)
POISE_WHOLE_FROM(ll, long long)
POISE_WHOLE_FROM(ull, unsigned long long)
#undef POISE_LONGEST
#undef POISE_WHOLE
#undef POISE_WHOLE_MODE
#undef POISE_WHOLE_RN
#undef POISE_WHOLE_RZ
#undef POISE_WHOLE_FROM

/* ---- comparisons: those ending in u are true of what is not a number; masks have all bits of a half set ---- */
#define POISE_UNORDERED(name, op) \
    POISE_D bool __h##name##u(POISE_TYPE a, POISE_TYPE b) { return !((float)a op(float) b); } \
    POISE_D POISE_PAIR __h##name##u2(POISE_PAIR a, POISE_PAIR b) \
    { \
        return POISE_PAIR(POISE_TYPE(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), \
                          POISE_TYPE(__h##name##u(a.y, b.y) ? 1.0f : 0.0f)); \
    } \
    POISE_D bool __hb##name##u2(POISE_PAIR a, POISE_PAIR b) \
    { \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); \
    } \
    POISE_D unsigned __h##name##u2_mask(POISE_PAIR a, POISE_PAIR b) \
    { \
        return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u); \
    } \
    POISE_D unsigned __h##name##2_mask(POISE_PAIR a, POISE_PAIR b) \
    { \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
    }
#define POISE_DIFFERS(a, b) ((a) < (b) || (a) > (b))
POISE_D bool __hequ(POISE_TYPE a, POISE_TYPE b) { return !POISE_DIFFERS((float)a, (float)b); }
POISE_UNORDERED(lt, >=)
POISE_UNORDERED(le, >)
POISE_UNORDERED(gt, <=)
POISE_UNORDERED(ge, <)
POISE_UNORDERED(ne, ==)
#undef POISE_UNORDERED
#undef POISE_DIFFERS
POISE_D bool __hbequ2(POISE_PAIR a, POISE_PAIR b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
POISE_D POISE_PAIR __hequ2(POISE_PAIR a, POISE_PAIR b)
{
    return POISE_PAIR(POISE_TYPE(__hequ(a.x, b.x) ? 1.0f : 0.0f), POISE_TYPE(__hequ(a.y, b.y) ? 1.0f : 0.0f));
}
POISE_D unsigned __hequ2_mask(POISE_PAIR a, POISE_PAIR b)
{
    return (__hequ(a.x, b.x) ? 0xffffu : 0u) | (__hequ(a.y, b.y) ? 0xffff0000u : 0u);
}
POISE_D unsigned __heq2_mask(POISE_PAIR a, POISE_PAIR b)
{
    return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
POISE_D POISE_PAIR __hisnan2(POISE_PAIR a)
{
    return POISE_PAIR(POISE_TYPE(__hisnan(a.x) ? 1.0f : 0.0f), POISE_TYPE(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- arithmetic: nothing contracted, within [0, 1], not below zero ---- */
POISE_D POISE_TYPE poise_unit(POISE_TYPE a)
{
    return (float)a > 1.0f ? POISE_TYPE(1.0f) : (float)a > 0.0f ? a : POISE_TYPE(0.0f);
}
POISE_D POISE_TYPE poise_relu(POISE_TYPE a) { return (float)a < 0.0f ? POISE_TYPE(0.0f) : a; }
POISE_D POISE_TYPE __hadd_rn(POISE_TYPE a, POISE_TYPE b) { return __hadd(a, b); }
POISE_D POISE_TYPE __hsub_rn(POISE_TYPE a, POISE_TYPE b) { return __hsub(a, b); }
POISE_D POISE_TYPE __hmul_rn(POISE_TYPE a, POISE_TYPE b) { return __hmul(a, b); }
POISE_D POISE_TYPE __hsub_sat(POISE_TYPE a, POISE_TYPE b) { return poise_unit(__hsub(a, b)); }
POISE_D POISE_TYPE __hfma_sat(POISE_TYPE a, POISE_TYPE b, POISE_TYPE c) { return poise_unit(__hfma(a, b, c)); }
POISE_D POISE_TYPE __hfma_relu(POISE_TYPE a, POISE_TYPE b, POISE_TYPE c) { return poise_relu(__hfma(a, b, c)); }
POISE_D POISE_TYPE __hmax_nan(POISE_TYPE a, POISE_TYPE b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
POISE_D POISE_TYPE __hmin_nan(POISE_TYPE a, POISE_TYPE b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
#define POISE_BOTH(name, of_one) \
    POISE_D POISE_PAIR name(POISE_PAIR a, POISE_PAIR b) { return POISE_PAIR(of_one(a.x, b.x), of_one(a.y, b.y)); }
#define POISE_BOTH3(name, of_one) \
    POISE_D POISE_PAIR name(POISE_PAIR a, POISE_PAIR b, POISE_PAIR c) \
    { \
        return POISE_PAIR(of_one(a.x, b.x, c.x), of_one(a.y, b.y, c.y)); \
    }
POISE_BOTH(__hadd2_rn, __hadd)
POISE_BOTH(__hsub2_rn, __hsub)
POISE_BOTH(__hmul2_rn, __hmul)
POISE_BOTH(__hsub2_sat, __hsub_sat)
POISE_BOTH(__hmax2_nan, __hmax_nan)
POISE_BOTH(__hmin2_nan, __hmin_nan)
POISE_BOTH3(__hfma2_sat, __hfma_sat)
POISE_BOTH3(__hfma2_relu, __hfma_relu)
#undef POISE_BOTH
#undef POISE_BOTH3
/* a b + c of complex numbers. */
POISE_D POISE_PAIR __hcmadd(POISE_PAIR a, POISE_PAIR b, POISE_PAIR c)
{
    const POISE_TYPE real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);
    return POISE_PAIR(__hfma(__hneg(a.y), b.y, real), __hfma(a.y, b.x, imaginary));
}
POISE_D POISE_TYPE htanh_approx(POISE_TYPE a) { return POISE_TYPE(tanhf((float)a)); }
POISE_D POISE_PAIR h2tanh_approx(POISE_PAIR a) { return POISE_PAIR(htanh_approx(a.x), htanh_approx(a.y)); }
/* Loads of what does not change, and with cache operators, by the bits. */
#define POISE_LOAD_BITS(name) \
    POISE_D POISE_TYPE name(const POISE_TYPE *p) \
    { \
        const unsigned short bits = name((const unsigned short *)p); \
        POISE_TYPE r; \
        __builtin_memcpy(&r, &bits, sizeof r); \
        return r; \
    } \
    POISE_D POISE_PAIR name(const POISE_PAIR *p) \
    { \
        const unsigned bits = name((const unsigned *)p); \
        POISE_PAIR r; \
        __builtin_memcpy(&r, &bits, sizeof r); \
        return r; \
    }
POISE_LOAD_BITS(__ldg)
POISE_LOAD_BITS(__ldcg)
POISE_LOAD_BITS(__ldca)
POISE_LOAD_BITS(__ldcs)
#undef POISE_LOAD_BITS
#undef POISE_CONVERSION3
#undef POISE_CONVERSION2
#undef POISE_TO
#undef POISE_FROM
#undef POISE_TYPE
#undef POISE_PAIR
#undef POISE_NAME
#undef POISE_D
#undef POISE_HD
