/* bfloat16: __nv_bfloat16 and __nv_bfloat162, their conversions, arithmetic and comparisons. From compute capability
 * 8.0 on sums, differences and products are one fma.rn.bf16, as PTX has nothing shorter before 9.0; below, they are
 * made in single precision and rounded, as NVIDIA's header does. On the host conversions, and arithmetic in single
 * precision. [CUDA Math API, bfloat16] */
#ifndef POISE_CUDA_BF16_H
#define POISE_CUDA_BF16_H
#define POISE_HD static inline __host__ __device__ __attribute__((always_inline))
#define POISE_D static inline __device__ __attribute__((always_inline))
#include "float16_operators.h"

struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x, y;
};

/* To nearest, ties to even; a NaN becomes 0x7fff. */
POISE_HD unsigned short poise_to_bfloat(float f)
{
    unsigned u;
    __builtin_memcpy(&u, &f, 4);
    if ((u & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
POISE_HD float poise_from_bfloat(unsigned short b)
{
    const unsigned u = (unsigned)b << 16;
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
}

template <class I> POISE_HD float poise_odd(I x);

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
    __host__ __device__ __nv_bfloat16(float f) : __x(poise_to_bfloat(f)) {}
    __host__ __device__ __nv_bfloat16(double f) : __x(poise_to_bfloat((float)f)) {}
    __host__ __device__ __nv_bfloat16(short n) : __x(poise_to_bfloat((float)n)) {}
    __host__ __device__ __nv_bfloat16(unsigned short n) : __x(poise_to_bfloat((float)n)) {}
    __host__ __device__ __nv_bfloat16(int n) : __x(poise_to_bfloat(poise_odd(n))) {}
    __host__ __device__ __nv_bfloat16(unsigned n) : __x(poise_to_bfloat(poise_odd(n))) {}
    __host__ __device__ __nv_bfloat16(long n) : __x(poise_to_bfloat(poise_odd(n))) {}
    __host__ __device__ __nv_bfloat16(unsigned long n) : __x(poise_to_bfloat(poise_odd(n))) {}
    __host__ __device__ __nv_bfloat16(long long n) : __x(poise_to_bfloat(poise_odd(n))) {}
    __host__ __device__ __nv_bfloat16(unsigned long long n) : __x(poise_to_bfloat(poise_odd(n))) {}
    __host__ __device__ operator float() const { return poise_from_bfloat(__x); }
    __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static_assert(sizeof(__nv_bfloat16) == 2 && sizeof(__nv_bfloat162) == 4, "layout");

POISE_HD __nv_bfloat16 poise_bfloat(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
POISE_HD unsigned poise_pair(const __nv_bfloat162 &a) { return a.x.__x | (unsigned)a.y.__x << 16; }
POISE_HD __nv_bfloat162 poise_bfloat2(unsigned bits)
{
    return __nv_bfloat162(poise_bfloat((unsigned short)bits), poise_bfloat((unsigned short)(bits >> 16)));
}

/* ---- conversions ---- */
POISE_HD __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
POISE_HD __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
POISE_HD __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16((float)f); }
POISE_HD float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
POISE_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return poise_bfloat(x); }
POISE_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
POISE_HD __nv_bfloat16 __short_as_bfloat16(short x) { return poise_bfloat((unsigned short)x); }
POISE_HD short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
POISE_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
POISE_HD __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
POISE_HD __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
POISE_HD float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
POISE_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
POISE_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
POISE_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
POISE_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
POISE_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
POISE_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
POISE_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
POISE_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
POISE_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
POISE_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
POISE_HD float __low2float(__nv_bfloat162 a) { return (float)a.x; }
POISE_HD float __high2float(__nv_bfloat162 a) { return (float)a.y; }
POISE_D int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn((float)a); }
POISE_D unsigned __bfloat162uint_rn(__nv_bfloat16 a) { return __float2uint_rn((float)a); }
POISE_HD __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
POISE_HD int __bfloat162int_rz(__nv_bfloat16 a) { return (int)(float)a; }

/* ---- arithmetic ---- */
POISE_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned short r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return poise_bfloat(r);
#else
    return __nv_bfloat16(__builtin_fmaf((float)a, (float)b, (float)c));
#endif
}
POISE_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(poise_pair(a)), "r"(poise_pair(b)), "r"(poise_pair(c)));
    return poise_bfloat2(r);
#else
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
#endif
}
/* a * 1 + b, b * -1 + a, a * b + -0: each rounded once. */
POISE_HD __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, poise_bfloat(0x3f80), b); }
POISE_HD __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(b, poise_bfloat(0xbf80), a); }
POISE_HD __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __hfma(a, b, poise_bfloat(0x8000)); }
POISE_HD __nv_bfloat16 __hneg(__nv_bfloat16 a) { return poise_bfloat((unsigned short)(a.__x ^ 0x8000)); }
POISE_HD __nv_bfloat16 __habs(__nv_bfloat16 a) { return poise_bfloat((unsigned short)(a.__x & 0x7fff)); }
POISE_HD __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a / (float)b); }
POISE_HD __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, poise_bfloat2(0x3f803f80), b); }
POISE_HD __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(b, poise_bfloat2(0xbf80bf80), a); }
POISE_HD __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hfma2(a, b, poise_bfloat2(0x80008000)); }
POISE_HD __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return poise_bfloat2(poise_pair(a) ^ 0x80008000u); }
POISE_HD __nv_bfloat162 __habs2(__nv_bfloat162 a) { return poise_bfloat2(poise_pair(a) & 0x7fff7fffu); }
POISE_HD __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
#define POISE_OPERATOR(op, name) \
    POISE_HD __nv_bfloat16 operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return name(a, b); } \
    POISE_HD __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = name(a, b); }
#define POISE_OPERATOR2(op, name) \
    POISE_HD __nv_bfloat162 operator op(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return name(a, b); } \
    POISE_HD __nv_bfloat162 &operator op##=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = name(a, b); }
POISE_OPERATOR(+, __hadd)
POISE_OPERATOR(-, __hsub)
POISE_OPERATOR(*, __hmul)
POISE_OPERATOR(/, __hdiv)
POISE_OPERATOR2(+, __hadd2)
POISE_OPERATOR2(-, __hsub2)
POISE_OPERATOR2(*, __hmul2)
POISE_OPERATOR2(/, __h2div)
#undef POISE_OPERATOR
#undef POISE_OPERATOR2
POISE_HD __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __hneg(a); }
POISE_HD __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }
POISE_STEPS(__nv_bfloat16, poise_bfloat(0x3f80))
POISE_STEPS(__nv_bfloat162, poise_bfloat2(0x3f803f80))

/* ---- comparisons: exact in single precision ---- */
#define POISE_COMPARE(name, op) \
    POISE_HD bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op(float) b; } \
    POISE_HD bool operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a op(float) b; } \
    POISE_HD __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) \
    { \
        return {__nv_bfloat16(__h##name(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__h##name(a.y, b.y) ? 1.0f : 0.0f)}; \
    } \
    POISE_HD bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) \
    { \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y); \
    }
POISE_COMPARE(eq, ==)
POISE_COMPARE(ne, !=)
POISE_COMPARE(lt, <)
POISE_COMPARE(le, <=)
POISE_COMPARE(gt, >)
POISE_COMPARE(ge, >=)
#undef POISE_COMPARE
POISE_PAIRS(__nv_bfloat162)
POISE_HD bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
POISE_HD bool __hisinf(__nv_bfloat16 a) { return (a.__x & 0x7fff) == 0x7f80; }
POISE_HD __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b || __hisnan(b) ? a : b; }
POISE_HD __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b || __hisnan(b) ? a : b; }
POISE_HD __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
POISE_HD __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

/* ---- functions: in single precision, rounded once ---- */
#define POISE_FUNCTION(name, expression) \
    POISE_D __nv_bfloat16 h##name(__nv_bfloat16 a) \
    { \
        const float x = (float)a; \
        return __nv_bfloat16(expression); \
    } \
    POISE_D __nv_bfloat162 h2##name(__nv_bfloat162 a) { return {h##name(a.x), h##name(a.y)}; }
POISE_FUNCTION(sqrt, sqrtf(x))
POISE_FUNCTION(rsqrt, 1 / sqrtf(x))
POISE_FUNCTION(rcp, 1 / x)
POISE_FUNCTION(exp, expf(x))
POISE_FUNCTION(exp2, exp2f(x))
POISE_FUNCTION(exp10, exp10f(x))
POISE_FUNCTION(log, logf(x))
POISE_FUNCTION(log2, log2f(x))
POISE_FUNCTION(log10, log10f(x))
POISE_FUNCTION(sin, sinf(x))
POISE_FUNCTION(cos, cosf(x))
POISE_FUNCTION(tanh, tanhf(x))
POISE_FUNCTION(floor, floorf(x))
POISE_FUNCTION(ceil, ceilf(x))
POISE_FUNCTION(trunc, truncf(x))
POISE_FUNCTION(rint, rintf(x))
#undef POISE_FUNCTION

/* ---- memory and lanes ---- */
/* Two neighbours are changed at once by exchanging their word until nobody was faster. */
POISE_D __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    unsigned *word = (unsigned *)p, seen = *(volatile unsigned *)word, was;
    do {
        was = seen;
        seen = atomicCAS(word, was, poise_pair(__hadd2(poise_bfloat2(was), v)));
    } while (seen != was);
    return poise_bfloat2(was);
}
POISE_D __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    unsigned *word = (unsigned *)((unsigned long long)p & ~3ull), seen = *(volatile unsigned *)word, was;
    const unsigned shift = (unsigned)((unsigned long long)p & 2) * 8;
    do {
        was = seen;
        const __nv_bfloat16 sum = __hadd(poise_bfloat((unsigned short)(was >> shift)), v);
        seen = atomicCAS(word, was, (was & ~(0xffffu << shift)) | (unsigned)sum.__x << shift);
    } while (seen != was);
    return poise_bfloat((unsigned short)(was >> shift));
}
#define POISE_SHUFFLE(name, type) \
    POISE_D __nv_bfloat16 name(unsigned mask, __nv_bfloat16 v, type lane, int width = 32) \
    { \
        return poise_bfloat((unsigned short)name(mask, (unsigned)v.__x, lane, width)); \
    } \
    POISE_D __nv_bfloat162 name(unsigned mask, __nv_bfloat162 v, type lane, int width = 32) \
    { \
        return poise_bfloat2(name(mask, poise_pair(v), lane, width)); \
    }
POISE_SHUFFLE(__shfl_sync, int)
POISE_SHUFFLE(__shfl_up_sync, unsigned)
POISE_SHUFFLE(__shfl_down_sync, unsigned)
POISE_SHUFFLE(__shfl_xor_sync, int)
#undef POISE_SHUFFLE
POISE_HD __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16((float)x); }
/* a b and a + b within [0, 1] */
POISE_D __nv_bfloat16 poise_unit_bfloat(__nv_bfloat16 a)
{
    return __nv_bfloat16((float)a > 1.0f ? 1.0f : (float)a > 0.0f ? (float)a : 0.0f);
}
POISE_D __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return poise_unit_bfloat(__hadd(a, b)); }
POISE_D __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return poise_unit_bfloat(__hmul(a, b)); }
POISE_D __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)};
}
POISE_D __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)};
}
#undef POISE_D
#undef POISE_HD
#define POISE_TYPE __nv_bfloat16
#define POISE_PAIR __nv_bfloat162
#define POISE_NAME bfloat16
#include "float16_more.h"
#endif
