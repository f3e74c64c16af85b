/* Numbers of 8 bits: e4m3 (4 bits of exponent, no infinity, largest 448) and e5m2 (5 bits, as the upper half of a
 * half). [Micikevicius et al., FP8 Formats for Deep Learning] Rounding is to the nearest, ties to even. */
#ifndef POISE_CUDA_FP8_H
#define POISE_CUDA_FP8_H
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define POISE_BOTH static inline __host__ __device__
/* 2 to the power of n, where that is a normal number. */
POISE_BOTH float poise_power_of_two(int n, float) { return __builtin_bit_cast(float, (unsigned)(n + 127) << 23); }
POISE_BOTH double poise_power_of_two(int n, double)
{
    return __builtin_bit_cast(double, (unsigned long long)(n + 1023) << 52);
}
POISE_BOTH int poise_exponent_of(float x) { return (int)(__builtin_bit_cast(unsigned, x) >> 23 & 255) - 127; }
POISE_BOTH int poise_exponent_of(double x)
{
    return (int)(__builtin_bit_cast(unsigned long long, x) >> 52 & 2047) - 1023;
}

template <class T> POISE_BOTH __nv_fp8_storage_t poise_to_fp8(T x, bool saturates, bool is_e4m3)
{
    const int fraction = is_e4m3 ? 3 : 2, least = is_e4m3 ? -6 : -14; /* bits, and the exponent of the least normal */
    const T most = is_e4m3 ? 464 : 61440;                             /* halfway to the number after the largest */
    const unsigned sign = __builtin_signbit(x) ? 0x80 : 0;
    const T a = sign ? -x : x;
    if (x != x) return (__nv_fp8_storage_t)(sign | (is_e4m3 ? 0x7f : 0x7e));
    if (is_e4m3 ? a > most : a >= most)
        return (__nv_fp8_storage_t)(sign | (is_e4m3 ? saturates ? 0x7e : 0x7f : saturates ? 0x7b : 0x7c));
    const int own = poise_exponent_of(a), exponent = own < least ? least : own;
    const unsigned n = (unsigned)(int)__builtin_rint((double)(a * poise_power_of_two(fraction - exponent, T())));
    return (__nv_fp8_storage_t)(sign |
                                (((unsigned)(exponent - least) << fraction) + n)); /* a carry goes on by itself */
}

POISE_BOTH float poise_from_fp8(unsigned code, bool is_e4m3)
{
    const int fraction = is_e4m3 ? 3 : 2, least = is_e4m3 ? -6 : -14;
    const unsigned exponent = (code & 0x7f) >> fraction, low = code & ((1u << fraction) - 1);
    const unsigned sign = (code & 0x80) << 24;
    float a;
    if (is_e4m3 ? (code & 0x7f) == 0x7f : exponent == 31 && low) return __builtin_bit_cast(float, sign | 0x7fc00000u);
    if (!is_e4m3 && exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u);
    if (exponent) a = (float)(low + (1u << fraction)) * poise_power_of_two((int)exponent - 1 + least - fraction, 1.0f);
    else a = (float)low * poise_power_of_two(least - fraction, 1.0f);
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, a) | sign);
}

POISE_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
    return poise_to_fp8(x, s == __NV_SATFINITE, kind == __NV_E4M3);
}
POISE_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
    return poise_to_fp8(x, s == __NV_SATFINITE, kind == __NV_E4M3);
}
POISE_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half x, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half2float(x), s, kind);
}
POISE_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16 x, __nv_saturation_t s,
                                                          __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(x), s, kind);
}
POISE_BOTH __nv_fp8x2_storage_t poise_two_fp8(unsigned x, unsigned y) { return (__nv_fp8x2_storage_t)(x | y << 8); }
POISE_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t s,
                                                          __nv_fp8_interpretation_t kind)
{
    return poise_two_fp8(__nv_cvt_double_to_fp8(v.x, s, kind), __nv_cvt_double_to_fp8(v.y, s, kind));
}
POISE_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
    return poise_two_fp8(__nv_cvt_float_to_fp8(v.x, s, kind), __nv_cvt_float_to_fp8(v.y, s, kind));
}
POISE_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2 v, __nv_saturation_t s,
                                                           __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(v), s, kind);
}
POISE_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162 v, __nv_saturation_t s,
                                                               __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(v), s, kind);
}
POISE_BOTH __half __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __float2half(poise_from_fp8(x, kind == __NV_E4M3)); /* exact */
}
POISE_BOTH float2 poise_from_fp8x2(unsigned v, bool is_e4m3)
{
    return make_float2(poise_from_fp8(v & 255, is_e4m3), poise_from_fp8(v >> 8 & 255, is_e4m3));
}
POISE_BOTH __half2 __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind)
{
    const float2 f = poise_from_fp8x2(v, kind == __NV_E4M3);
    return __floats2half2_rn(f.x, f.y);
}

/* A number within an integer's limits; what is no number is 0. */
template <class T> POISE_BOTH T poise_integer_of(float x)
{
    const bool is_signed = T(-1) < T(0);
    const double half = poise_power_of_two(8 * (int)sizeof(T) - 1, 1.0), low = is_signed ? -half : 0,
                 end = is_signed ? half : 2 * half;
    const T least = is_signed ? T((unsigned long long)1 << (8 * sizeof(T) - 1)) : T(0);
    return x != x ? T(0) : (double)x <= low ? least : (double)x >= end ? T(~least) : T(x);
}

#define POISE_FP8(name, kind) \
    struct __nv_fp8_##name { \
        __nv_fp8_storage_t __x; \
        __nv_fp8_##name() = default; \
        explicit __host__ __device__ __nv_fp8_##name(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) {} \
        explicit __host__ __device__ __nv_fp8_##name(double f) \
            : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind)) {} \
        explicit __host__ __device__ __nv_fp8_##name(__half f) : __nv_fp8_##name(__half2float(f)) {} \
        explicit __host__ __device__ __nv_fp8_##name(__nv_bfloat16 f) : __nv_fp8_##name(__bfloat162float(f)) {} \
        explicit __host__ __device__ __nv_fp8_##name(short v) : __nv_fp8_##name((float)v) {} \
        explicit __host__ __device__ __nv_fp8_##name(unsigned short v) : __nv_fp8_##name((float)v) {} \
        explicit __host__ __device__ __nv_fp8_##name(int v) : __nv_fp8_##name((double)v) {} \
        explicit __host__ __device__ __nv_fp8_##name(unsigned v) : __nv_fp8_##name((double)v) {} \
        explicit __host__ __device__ __nv_fp8_##name(long v) : __nv_fp8_##name((double)v) {} \
        explicit __host__ __device__ __nv_fp8_##name(unsigned long v) : __nv_fp8_##name((double)v) {} \
        explicit __host__ __device__ __nv_fp8_##name(long long v) : __nv_fp8_##name((double)v) {} \
        explicit __host__ __device__ __nv_fp8_##name(unsigned long long v) : __nv_fp8_##name((double)v) {} \
        explicit __host__ __device__ operator float() const { return poise_from_fp8(__x, kind == __NV_E4M3); } \
        explicit __host__ __device__ operator double() const { return (double)(float)*this; } \
        explicit __host__ __device__ operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); } \
        explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16((float)*this); } \
        explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; } \
        explicit __host__ __device__ operator char() const { return poise_integer_of<char>((float)*this); } \
        explicit __host__ __device__ operator signed char() const \
        { \
            return poise_integer_of<signed char>((float)*this); \
        } \
        explicit __host__ __device__ operator unsigned char() const \
        { \
            return poise_integer_of<unsigned char>((float)*this); \
        } \
        explicit __host__ __device__ operator short() const { return poise_integer_of<short>((float)*this); } \
        explicit __host__ __device__ operator unsigned short() const \
        { \
            return poise_integer_of<unsigned short>((float)*this); \
        } \
        explicit __host__ __device__ operator int() const { return poise_integer_of<int>((float)*this); } \
        explicit __host__ __device__ operator unsigned() const { return poise_integer_of<unsigned>((float)*this); } \
        explicit __host__ __device__ operator long() const { return poise_integer_of<long>((float)*this); } \
        explicit __host__ __device__ operator unsigned long() const \
        { \
            return poise_integer_of<unsigned long>((float)*this); \
        } \
        explicit __host__ __device__ operator long long() const { return poise_integer_of<long long>((float)*this); } \
        explicit __host__ __device__ operator unsigned long long() const \
        { \
            return poise_integer_of<unsigned long long>((float)*this); \
        } \
    }; \
    struct __align__(2) __nv_fp8x2_##name \
    { \
        __nv_fp8x2_storage_t __x; \
        __nv_fp8x2_##name() = default; \
        explicit __host__ __device__ __nv_fp8x2_##name(float2 f) \
            : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind)) \
        { \
        } \
        explicit __host__ __device__ __nv_fp8x2_##name(double2 f) \
            : __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, kind)) \
        { \
        } \
        explicit __host__ __device__ __nv_fp8x2_##name(__half2 f) \
            : __x(__nv_cvt_halfraw2_to_fp8x2(f, __NV_SATFINITE, kind)) \
        { \
        } \
        explicit __host__ __device__ __nv_fp8x2_##name(__nv_bfloat162 f) \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2(f, __NV_SATFINITE, kind)) \
        { \
        } \
        explicit __host__ __device__ operator float2() const { return poise_from_fp8x2(__x, kind == __NV_E4M3); } \
        explicit __host__ __device__ operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); } \
    }; \
    struct __align__(4) __nv_fp8x4_##name \
    { \
        __nv_fp8x4_storage_t __x; \
        __nv_fp8x4_##name() = default; \
        explicit __host__ __device__ __nv_fp8x4_##name(float4 f) \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(f.x, f.y), __NV_SATFINITE, kind) | \
                  (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f.z, f.w), __NV_SATFINITE, kind) << 16) \
        { \
        } \
        explicit __host__ __device__ __nv_fp8x4_##name(double4 f) \
            : __x(__nv_cvt_double2_to_fp8x2(make_double2(f.x, f.y), __NV_SATFINITE, kind) | \
                  (unsigned)__nv_cvt_double2_to_fp8x2(make_double2(f.z, f.w), __NV_SATFINITE, kind) << 16) \
        { \
        } \
        explicit __host__ __device__ __nv_fp8x4_##name(__half2 low, __half2 high) \
            : __x(__nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, kind) | \
                  (unsigned)__nv_cvt_halfraw2_to_fp8x2(high, __NV_SATFINITE, kind) << 16) \
        { \
        } \
        explicit __host__ __device__ __nv_fp8x4_##name(__nv_bfloat162 low, __nv_bfloat162 high) \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2(low, __NV_SATFINITE, kind) | \
                  (unsigned)__nv_cvt_bfloat16raw2_to_fp8x2(high, __NV_SATFINITE, kind) << 16) \
        { \
        } \
        explicit __host__ __device__ operator float4() const \
        { \
            const float2 low = poise_from_fp8x2(__x & 0xffff, kind == __NV_E4M3), \
                         high = poise_from_fp8x2(__x >> 16, kind == __NV_E4M3); \
            return make_float4(low.x, low.y, high.x, high.y); \
        } \
    };
POISE_FP8(e4m3, __NV_E4M3)
POISE_FP8(e5m2, __NV_E5M2)
#undef POISE_FP8
#undef POISE_BOTH
#endif
