/* Arithmetic of CUDA's vector types, as the samples' helper_math.h has it, for suites whose own copy is missing. */
#ifndef POISE_SUITE_HELPER_MATH_H
#define POISE_SUITE_HELPER_MATH_H
#include <cuda_runtime.h>
#include <math.h>

typedef unsigned int uint;
typedef unsigned short ushort;
#define POISE_BOTH static inline __host__ __device__

/* One operator, of two vectors, and of a vector and a number on either side. */
#define POISE_OPERATOR2(type, number, op) \
    POISE_BOTH type operator op(type a, type b) { return make_##type(a.x op b.x, a.y op b.y); } \
    POISE_BOTH type operator op(type a, number b) { return make_##type(a.x op b, a.y op b); } \
    POISE_BOTH type operator op(number a, type b) { return make_##type(a op b.x, a op b.y); } \
    POISE_BOTH void operator op##=(type &a, type b) { a = a op b; } \
    POISE_BOTH void operator op##=(type &a, number b) { a = a op b; }
#define POISE_OPERATOR3(type, number, op) \
    POISE_BOTH type operator op(type a, type b) { return make_##type(a.x op b.x, a.y op b.y, a.z op b.z); } \
    POISE_BOTH type operator op(type a, number b) { return make_##type(a.x op b, a.y op b, a.z op b); } \
    POISE_BOTH type operator op(number a, type b) { return make_##type(a op b.x, a op b.y, a op b.z); } \
    POISE_BOTH void operator op##=(type &a, type b) { a = a op b; } \
    POISE_BOTH void operator op##=(type &a, number b) { a = a op b; }
#define POISE_OPERATOR4(type, number, op) \
    POISE_BOTH type operator op(type a, type b) \
    { \
        return make_##type(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); \
    } \
    POISE_BOTH type operator op(type a, number b) { return make_##type(a.x op b, a.y op b, a.z op b, a.w op b); } \
    POISE_BOTH type operator op(number a, type b) { return make_##type(a op b.x, a op b.y, a op b.z, a op b.w); } \
    POISE_BOTH void operator op##=(type &a, type b) { a = a op b; } \
    POISE_BOTH void operator op##=(type &a, number b) { a = a op b; }

/* One function of numbers, of each member. */
#define POISE_EACH(name, f, one) \
    POISE_BOTH one##2 name(one##2 a, one##2 b) { return make_##one##2(f(a.x, b.x), f(a.y, b.y)); } \
    POISE_BOTH one##3 name(one##3 a, one##3 b) { return make_##one##3(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); } \
    POISE_BOTH one##4 name(one##4 a, one##4 b) \
    { \
        return make_##one##4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)); \
    }
#define POISE_EACH1(name, f, one) \
    POISE_BOTH one##2 name(one##2 a) { return make_##one##2(f(a.x), f(a.y)); } \
    POISE_BOTH one##3 name(one##3 a) { return make_##one##3(f(a.x), f(a.y), f(a.z)); } \
    POISE_BOTH one##4 name(one##4 a) { return make_##one##4(f(a.x), f(a.y), f(a.z), f(a.w)); }

/* What all three kinds of number have. */
#define POISE_KIND(one, number) \
    POISE_BOTH one##2 make_##one##2(number s) { return make_##one##2(s, s); } \
    POISE_BOTH one##2 make_##one##2(one##3 a) { return make_##one##2(a.x, a.y); } \
    POISE_BOTH one##3 make_##one##3(number s) { return make_##one##3(s, s, s); } \
    POISE_BOTH one##3 make_##one##3(one##2 a) { return make_##one##3(a.x, a.y, 0); } \
    POISE_BOTH one##3 make_##one##3(one##2 a, number s) { return make_##one##3(a.x, a.y, s); } \
    POISE_BOTH one##3 make_##one##3(one##4 a) { return make_##one##3(a.x, a.y, a.z); } \
    POISE_BOTH one##4 make_##one##4(number s) { return make_##one##4(s, s, s, s); } \
    POISE_BOTH one##4 make_##one##4(one##3 a) { return make_##one##4(a.x, a.y, a.z, 0); } \
    POISE_BOTH one##4 make_##one##4(one##3 a, number w) { return make_##one##4(a.x, a.y, a.z, w); } \
    POISE_OPERATOR2(one##2, number, +) \
    POISE_OPERATOR2(one##2, number, -) \
    POISE_OPERATOR2(one##2, number, *) \
    POISE_OPERATOR3(one##3, number, +) \
    POISE_OPERATOR3(one##3, number, -) \
    POISE_OPERATOR3(one##3, number, *) \
    POISE_OPERATOR4(one##4, number, +) \
    POISE_OPERATOR4(one##4, number, -) \
    POISE_OPERATOR4(one##4, number, *) \
    POISE_BOTH number dot(one##2 a, one##2 b) { return a.x * b.x + a.y * b.y; } \
    POISE_BOTH number dot(one##3 a, one##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    POISE_BOTH number dot(one##4 a, one##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; } \
    POISE_BOTH number clamp(number f, number a, number b) { return f < a ? a : f > b ? b : f; } \
    POISE_BOTH one##2 clamp(one##2 v, number a, number b) \
    { \
        return make_##one##2(clamp(v.x, a, b), clamp(v.y, a, b)); \
    } \
    POISE_BOTH one##2 clamp(one##2 v, one##2 a, one##2 b) \
    { \
        return make_##one##2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)); \
    } \
    POISE_BOTH one##3 clamp(one##3 v, number a, number b) \
    { \
        return make_##one##3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b)); \
    } \
    POISE_BOTH one##3 clamp(one##3 v, one##3 a, one##3 b) \
    { \
        return make_##one##3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z)); \
    } \
    POISE_BOTH one##4 clamp(one##4 v, number a, number b) \
    { \
        return make_##one##4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b)); \
    } \
    POISE_BOTH one##4 clamp(one##4 v, one##4 a, one##4 b) \
    { \
        return make_##one##4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w)); \
    }
POISE_KIND(float, float)
POISE_KIND(int, int)
POISE_KIND(uint, unsigned)

#define POISE_CONVERT(to, number, from) \
    POISE_BOTH to##2 make_##to##2(from##2 a) { return make_##to##2((number)a.x, (number)a.y); } \
    POISE_BOTH to##3 make_##to##3(from##3 a) { return make_##to##3((number)a.x, (number)a.y, (number)a.z); } \
    POISE_BOTH to##4 make_##to##4(from##4 a) \
    { \
        return make_##to##4((number)a.x, (number)a.y, (number)a.z, (number)a.w); \
    }
POISE_CONVERT(float, float, int)
POISE_CONVERT(float, float, uint)
POISE_CONVERT(int, int, float)
POISE_CONVERT(int, int, uint)
POISE_CONVERT(uint, unsigned, int)

#define POISE_NEGATIVE(one) \
    POISE_BOTH one##2 operator-(one##2 const &a) { return make_##one##2(-a.x, -a.y); } \
    POISE_BOTH one##3 operator-(one##3 const &a) { return make_##one##3(-a.x, -a.y, -a.z); } \
    POISE_BOTH one##4 operator-(one##4 const &a) { return make_##one##4(-a.x, -a.y, -a.z, -a.w); }
POISE_NEGATIVE(float)
POISE_NEGATIVE(int)
POISE_OPERATOR2(float2, float, /)
POISE_OPERATOR3(float3, float, /)
POISE_OPERATOR4(float4, float, /)

#define POISE_LESS(a, b) ((a) < (b) ? (a) : (b))
#define POISE_MORE(a, b) ((a) > (b) ? (a) : (b))
POISE_EACH(fminf, fminf, float)
POISE_EACH(fmaxf, fmaxf, float)
POISE_EACH(fmodf, fmodf, float)
POISE_EACH(min, POISE_LESS, int)
POISE_EACH(max, POISE_MORE, int)
POISE_EACH(min, POISE_LESS, uint)
POISE_EACH(max, POISE_MORE, uint)
POISE_EACH1(floorf, floorf, float)
POISE_EACH1(fabs, fabsf, float)
POISE_EACH1(abs, abs, int)
POISE_BOTH float fracf(float v) { return v - floorf(v); }
POISE_EACH1(fracf, fracf, float)

POISE_BOTH float lerp(float a, float b, float t) { return a + t * (b - a); }
POISE_BOTH float smoothstep(float a, float b, float x)
{
    const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}
#define POISE_GEOMETRY(type) \
    POISE_BOTH type lerp(type a, type b, float t) { return a + t * (b - a); } \
    POISE_BOTH float length(type v) { return sqrtf(dot(v, v)); } \
    POISE_BOTH type normalize(type v) { return v * (1.0f / sqrtf(dot(v, v))); } \
    POISE_BOTH type smoothstep(type a, type b, type x) \
    { \
        const type y = clamp((x - a) / (b - a), 0.0f, 1.0f); \
        return y * y * (3.0f - 2.0f * y); \
    }
POISE_GEOMETRY(float2)
POISE_GEOMETRY(float3)
POISE_GEOMETRY(float4)
POISE_BOTH float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
POISE_BOTH float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
#endif
