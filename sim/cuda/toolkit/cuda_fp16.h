/* Half precision: __half and __half2, their conversions, arithmetic and comparisons as PTX instructions. On the host
 * conversions, and arithmetic and comparisons in single precision, which sums, differences and products of halves are
 * rounded from as if from exact ones. */
#ifndef POISE_CUDA_FP16_H
#define POISE_CUDA_FP16_H
#define POISE_HD static inline __host__ __device__ __attribute__((always_inline))
#define POISE_D static inline __device__ __attribute__((always_inline))
#include "float16_operators.h"

struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};

POISE_HD unsigned short poise_to_half(float f)
{
#ifdef __CUDA_ARCH__
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
#else
    unsigned u;
    __builtin_memcpy(&u, &f, 4);
    const unsigned sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
    if (a > 0x7f800000) return 0x7fff;
    if (a >= 0x47800000) return (unsigned short)(sign | 0x7c00);       /* 65536 and above; 65520 rounds up below */
    const int e = (int)(a >> 23) - 127, shift = e < -14 ? -1 - e : 13; /* bits of the 24-bit significand that go */
    if (shift > 25) return (unsigned short)sign;
    const unsigned m = (a & 0x7fffff) | 0x800000, n = m >> shift, rest = m & ((1u << shift) - 1),
                   half = 1u << (shift - 1);
    const unsigned base = e < -14 ? 0 : (unsigned)(e + 14) << 10;
    return (unsigned short)(sign | (base + n + (rest > half || (rest == half && (n & 1)))));
#endif
}
POISE_HD float poise_from_half(unsigned short h)
{
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    const unsigned e = h >> 10 & 31, m = h & 0x3ff;
    const float f = e == 31 ? (m ? __builtin_nanf("") : __builtin_inff())
                    : e     ? __builtin_ldexpf((float)(m | 0x400), (int)e - 25)
                            : __builtin_ldexpf((float)m, -24);
    return h & 0x8000 ? -f : f;
#endif
}

struct __attribute__((aligned(2))) __half {
    unsigned short __x;
    __half() = default;
    __host__ __device__ __half(const __half_raw &r) : __x(r.x) {}
    __host__ __device__ __half(float f) : __x(poise_to_half(f)) {}
    __host__ __device__ __half(double f) : __x(poise_to_half((float)f)) {}
    /* Whole numbers that single precision rounds are beyond the greatest half. */
    __host__ __device__ __half(short n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ __half(unsigned short n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ __half(int n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ __half(unsigned n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ __half(long n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ __half(unsigned long n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ __half(long long n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ __half(unsigned long long n) : __x(poise_to_half((float)n)) {}
    __host__ __device__ operator float() const { return poise_from_half(__x); }
    __host__ __device__ operator __half_raw() const { return __half_raw{__x}; }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(const __half &a, const __half &b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;
static_assert(sizeof(__half) == 2 && sizeof(__half2) == 4, "layout");

POISE_HD __half poise_half(unsigned short bits) { return __half(__half_raw{bits}); }
POISE_HD unsigned poise_pair(const __half2 &a) { return a.x.__x | (unsigned)a.y.__x << 16; }
POISE_HD __half2 poise_half2(unsigned bits)
{
    return __half2(poise_half((unsigned short)bits), poise_half((unsigned short)(bits >> 16)));
}

/* ---- conversions ---- */
POISE_HD __half __float2half(float f) { return __half(f); }
POISE_HD __half __float2half_rn(float f) { return __half(f); }
POISE_HD __half __double2half(double f) { return __half((float)f); }
POISE_HD short __half_as_short(__half h) { return (short)h.__x; }
POISE_HD __half __short_as_half(short x) { return poise_half((unsigned short)x); }
POISE_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
POISE_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
POISE_HD float __half2float(__half h) { return (float)h; }
POISE_HD __half __ushort_as_half(unsigned short x) { return poise_half(x); }
POISE_HD unsigned short __half_as_ushort(__half h) { return h.__x; }
POISE_HD __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
POISE_HD __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
POISE_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
POISE_HD __half2 __half2half2(__half a) { return __half2(a, a); }
POISE_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
POISE_HD __half __low2half(__half2 a) { return a.x; }
POISE_HD __half __high2half(__half2 a) { return a.y; }
POISE_HD float __low2float(__half2 a) { return (float)a.x; }
POISE_HD float __high2float(__half2 a) { return (float)a.y; }
POISE_HD float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
POISE_HD __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
POISE_HD __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
/* clang-format off */
#define POISE_FROM_HALF(name, type, op, letter) POISE_D type name(__half a) \
    { type r; asm(op " %0, %1;" : "=" letter(r) : "h"(a.__x)); return r; }
/* clang-format on */
POISE_FROM_HALF(__half2int_rn, int, "cvt.rni.s32.f16", "r")
POISE_FROM_HALF(__half2int_rz, int, "cvt.rzi.s32.f16", "r")
POISE_FROM_HALF(__half2uint_rn, unsigned, "cvt.rni.u32.f16", "r")
#undef POISE_FROM_HALF
POISE_D __half __int2half_rn(int x)
{
    unsigned short r;
    asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r) : "r"(x));
    return poise_half(r);
}
POISE_D __half __uint2half_rn(unsigned x)
{
    unsigned short r;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(r) : "r"(x));
    return poise_half(r);
}

/* ---- arithmetic ---- */
#ifdef __CUDA_ARCH__
#define POISE_BINARY(name, pair_name, op, on_host) \
    POISE_HD __half name(__half a, __half b) \
    { \
        unsigned short r; \
        asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); \
        return poise_half(r); \
    } \
    POISE_HD __half2 pair_name(__half2 a, __half2 b) \
    { \
        unsigned r; \
        asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(poise_pair(a)), "r"(poise_pair(b))); \
        return poise_half2(r); \
    }
#else
#define POISE_BINARY(name, pair_name, op, on_host) \
    POISE_HD __half name(__half a, __half b) \
    { \
        const float x = (float)a, y = (float)b; \
        return __half(on_host); \
    } \
    POISE_HD __half2 pair_name(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
#endif
POISE_HD float poise_saturated(float x) { return x > 1 ? 1 : x > 0 ? x : 0.0f; }
POISE_BINARY(__hadd, __hadd2, "add.rn", x + y)
POISE_BINARY(__hsub, __hsub2, "sub.rn", x - y)
POISE_BINARY(__hmul, __hmul2, "mul.rn", x *y)
POISE_BINARY(__hadd_sat, __hadd2_sat, "add.rn.sat", poise_saturated(x + y))
POISE_BINARY(__hmul_sat, __hmul2_sat, "mul.rn.sat", poise_saturated(x *y))
#undef POISE_BINARY
POISE_D __half __hfma(__half a, __half b, __half c)
{
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return poise_half(r);
}
POISE_D __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(poise_pair(a)), "r"(poise_pair(b)), "r"(poise_pair(c)));
    return poise_half2(r);
}
POISE_HD __half __hneg(__half a) { return poise_half((unsigned short)(a.__x ^ 0x8000)); }
POISE_HD __half __habs(__half a) { return poise_half((unsigned short)(a.__x & 0x7fff)); }
POISE_HD __half2 __hneg2(__half2 a) { return poise_half2(poise_pair(a) ^ 0x80008000u); }
POISE_HD __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
POISE_HD __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
POISE_HD __half hsqrt(__half a) { return __half(__builtin_sqrtf((float)a)); }
POISE_HD __half operator+(const __half &a, const __half &b) { return __hadd(a, b); }
POISE_HD __half operator-(const __half &a, const __half &b) { return __hsub(a, b); }
POISE_HD __half operator*(const __half &a, const __half &b) { return __hmul(a, b); }
POISE_HD __half operator/(const __half &a, const __half &b) { return __hdiv(a, b); }
POISE_HD __half operator-(const __half &a) { return __hneg(a); }
POISE_HD __half &operator+=(__half &a, const __half &b) { return a = __hadd(a, b); }
POISE_HD __half &operator-=(__half &a, const __half &b) { return a = __hsub(a, b); }
POISE_HD __half &operator/=(__half &a, const __half &b) { return a = __hdiv(a, b); }
POISE_HD __half2 operator/(const __half2 &a, const __half2 &b) { return __h2div(a, b); }
POISE_HD __half2 &operator+=(__half2 &a, const __half2 &b) { return a = __hadd2(a, b); }
POISE_HD __half2 &operator-=(__half2 &a, const __half2 &b) { return a = __hsub2(a, b); }
POISE_HD __half2 &operator*=(__half2 &a, const __half2 &b) { return a = __hmul2(a, b); }
POISE_HD __half &operator*=(__half &a, const __half &b) { return a = __hmul(a, b); }
POISE_HD __half2 operator+(const __half2 &a, const __half2 &b) { return __hadd2(a, b); }
POISE_HD __half2 operator-(const __half2 &a, const __half2 &b) { return __hsub2(a, b); }
POISE_HD __half2 operator*(const __half2 &a, const __half2 &b) { return __hmul2(a, b); }
POISE_HD __half2 operator-(const __half2 &a) { return __hneg2(a); }
POISE_STEPS(__half, __half(1.0f))
POISE_STEPS(__half2, __half2(__half(1.0f), __half(1.0f)))
/* ---- comparisons: exact in single precision ---- */
#define POISE_COMPARE(name, op) \
    POISE_HD bool __h##name(__half a, __half b) { return (float)a op(float) b; } \
    POISE_HD bool operator op(const __half &a, const __half &b) { return (float)a op(float) b; }
POISE_COMPARE(eq, ==)
POISE_COMPARE(ne, !=)
POISE_COMPARE(lt, <)
POISE_COMPARE(le, <=)
POISE_COMPARE(gt, >)
POISE_COMPARE(ge, >=)
#undef POISE_COMPARE
#define POISE_COMPARE2(name) \
    POISE_HD __half2 __h##name##2(__half2 a, __half2 b) \
    { \
        return __half2(__half(__h##name(a.x, b.x) ? 1.0f : 0.0f), __half(__h##name(a.y, b.y) ? 1.0f : 0.0f)); \
    } \
    POISE_HD bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
/* clang-format off */
POISE_COMPARE2(eq) POISE_COMPARE2(ne) POISE_COMPARE2(lt) POISE_COMPARE2(le) POISE_COMPARE2(gt) POISE_COMPARE2(ge)
#undef POISE_COMPARE2
POISE_PAIRS(__half2)
POISE_HD bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
/* clang-format on */
POISE_HD __half __hmax(__half a, __half b) { return (float)a > (float)b || __hisnan(b) ? a : b; }
POISE_HD __half __hmin(__half a, __half b) { return (float)a < (float)b || __hisnan(b) ? a : b; }
POISE_HD __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
POISE_HD __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
POISE_HD __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
POISE_HD bool __hisinf(__half a) { return (a.__x & 0x7fff) == 0x7c00; }
/* ---- functions: in single precision, rounded once ---- */
#define POISE_FUNCTION(name, expression) \
    POISE_D __half h##name(__half a) \
    { \
        const float x = (float)a; \
        return __half(expression); \
    } \
    POISE_D __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
/* clang-format off */
POISE_FUNCTION(exp, expf(x)) POISE_FUNCTION(exp2, exp2f(x)) POISE_FUNCTION(exp10, exp10f(x))
POISE_FUNCTION(log, logf(x)) POISE_FUNCTION(log2, log2f(x))
POISE_FUNCTION(log10, log10f(x)) POISE_FUNCTION(sin, sinf(x)) POISE_FUNCTION(cos, cosf(x))
POISE_FUNCTION(rcp, 1 / x) POISE_FUNCTION(rsqrt, 1 / sqrtf(x))
POISE_FUNCTION(floor, floorf(x)) POISE_FUNCTION(ceil, ceilf(x)) POISE_FUNCTION(trunc, truncf(x))
POISE_FUNCTION(rint, rintf(x))
#undef POISE_FUNCTION
POISE_D __half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
/* clang-format on */
POISE_D __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(poise_pair(v)) : "memory");
    return poise_half2(r);
}
POISE_D __half atomicAdd(__half *p, __half v)
{
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
    return poise_half(r);
}
POISE_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
POISE_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
POISE_D __half htanh(__half a) { return __half(tanhf((float)a)); }
POISE_D __half2 h2tanh(__half2 a) { return __half2(htanh(a.x), htanh(a.y)); }
#undef POISE_D
#undef POISE_HD
#define POISE_TYPE __half
#define POISE_PAIR __half2
#define POISE_NAME half
#include "float16_more.h"
#endif
