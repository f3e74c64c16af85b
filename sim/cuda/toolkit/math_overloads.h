/* What nvcc's headers have on top of clang's: <cmath>'s functions in single precision under their plain names, min
 * and max of mixed types, loads and stores with a cache operator, and atomics by scope. */
#ifndef POISE_MATH_OVERLOADS_H
#define POISE_MATH_OVERLOADS_H
#define POISE_D static inline __device__ __attribute__((always_inline))

/* clang-format off */
#define POISE_ONE(name) POISE_D float name(float x) { return name##f(x); }
#define POISE_TWO(name) POISE_D float name(float x, float y) { return name##f(x, y); }
#define POISE_WHOLE(type, name) POISE_D type name(float x) { return name##f(x); }
/* clang-format on */
/* clang-format off */
POISE_ONE(acosh) POISE_ONE(asinh) POISE_ONE(atanh) POISE_ONE(cbrt) POISE_ONE(erf) POISE_ONE(erfc) POISE_ONE(exp2)
POISE_ONE(expm1) POISE_ONE(lgamma)
POISE_ONE(log1p) POISE_ONE(log2) POISE_ONE(logb) POISE_ONE(nearbyint) POISE_ONE(rint) POISE_ONE(round)
POISE_ONE(tgamma) POISE_ONE(trunc)
POISE_TWO(copysign) POISE_TWO(fdim) POISE_TWO(fmax) POISE_TWO(fmin) POISE_TWO(hypot) POISE_TWO(nextafter)
POISE_TWO(remainder)
POISE_WHOLE(int, ilogb) POISE_WHOLE(long, lrint) POISE_WHOLE(long, lround) POISE_WHOLE(long long, llrint)
POISE_WHOLE(long long, llround)
    /* clang-format on */
    POISE_D float fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
POISE_D float scalbn(float x, int n) { return scalbnf(x, n); }
POISE_D float scalbln(float x, long n) { return scalblnf(x, n); }
POISE_D float remquo(float x, float y, int *q) { return remquof(x, y, q); }
POISE_D double nan(const char *) { return __builtin_nan(""); }
POISE_D float nanf(const char *) { return __builtin_nanf(""); }
/* NVIDIA's have these in single precision too, without a place in <cmath>. */
/* clang-format off */
POISE_ONE(rsqrt) POISE_ONE(rcbrt) POISE_ONE(erfinv) POISE_ONE(erfcinv) POISE_ONE(erfcx) POISE_ONE(normcdf)
POISE_ONE(normcdfinv) POISE_ONE(sinpi)
POISE_ONE(cospi) POISE_ONE(exp10) POISE_ONE(j0) POISE_ONE(j1) POISE_ONE(y0) POISE_ONE(y1)
    /* clang-format on */
    POISE_D void sincos(float x, float *s, float *c)
{
    sincosf(x, s, c);
}
POISE_D void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
#undef POISE_ONE
#undef POISE_TWO
#undef POISE_WHOLE

#define POISE_MIXED(a, b, type) \
    static inline __host__ __device__ type min(a x, b y) { return min((type)x, (type)y); } \
    static inline __host__ __device__ type max(a x, b y) { return max((type)x, (type)y); } \
    static inline __host__ __device__ type min(b x, a y) { return min((type)x, (type)y); } \
    static inline __host__ __device__ type max(b x, a y) { return max((type)x, (type)y); }
POISE_MIXED(int, unsigned, unsigned)
POISE_MIXED(long, unsigned long, unsigned long)
POISE_MIXED(long long, unsigned long long, unsigned long long)
POISE_MIXED(float, double, double)
#undef POISE_MIXED

/* ---- loads and stores with a cache operator ---- */
/* clang-format off */
#define POISE_ACCESS(type, suffix, letter, raw) \
    POISE_LOAD(type, suffix, letter, raw, __ldcg, "ld.global.cg.") \
    POISE_LOAD(type, suffix, letter, raw, __ldca, "ld.global.ca.") \
    POISE_LOAD(type, suffix, letter, raw, __ldcs, "ld.global.cs.") \
    POISE_LOAD(type, suffix, letter, raw, __ldlu, "ld.global.lu.") \
    POISE_LOAD(type, suffix, letter, raw, __ldcv, "ld.global.cv.") \
    POISE_STORE(type, suffix, letter, raw, __stwb, "st.global.wb.") \
    POISE_STORE(type, suffix, letter, raw, __stcg, "st.global.cg.") \
    POISE_STORE(type, suffix, letter, raw, __stcs, "st.global.cs.") \
    POISE_STORE(type, suffix, letter, raw, __stwt, "st.global.wt.")
/* clang-format on */
/* clang-format off */
#define POISE_LOAD(type, suffix, letter, raw, name, op) POISE_D type name(const type *p) \
    { raw r; asm volatile(op suffix " %0, [%1];" : "=" letter(r) : "l"(p) : "memory"); return (type)r; }
#define POISE_STORE(type, suffix, letter, raw, name, op) POISE_D void name(type *p, type v) \
    { asm volatile(op suffix " [%0], %1;" : : "l"(p), letter((raw)v) : "memory"); }
/* clang-format on */
/* clang-format off */
POISE_ACCESS(char, "s8", "r", int) POISE_ACCESS(signed char, "s8", "r", int)
POISE_ACCESS(unsigned char, "u8", "r", unsigned)
POISE_ACCESS(short, "s16", "h", short) POISE_ACCESS(unsigned short, "u16", "h", unsigned short)
POISE_ACCESS(int, "s32", "r", int) POISE_ACCESS(unsigned, "u32", "r", unsigned) POISE_ACCESS(long, "s64", "l", long)
POISE_ACCESS(unsigned long, "u64", "l", unsigned long)
POISE_ACCESS(long long, "s64", "l", long long) POISE_ACCESS(unsigned long long, "u64", "l", unsigned long long)
POISE_ACCESS(float, "f32", "f", float) POISE_ACCESS(double, "f64", "d", double)
/* clang-format on */
#undef POISE_LOAD
#undef POISE_STORE
#define POISE_LOAD(type, suffix, letter, raw, name, op) \
    POISE_D type##2 name(const type##2 * p) \
    { \
        type##2 r; \
        asm volatile(op "v2." suffix " {%0, %1}, [%2];" : "=" letter(r.x), "=" letter(r.y) : "l"(p) : "memory"); \
        return r; \
    } \
    POISE_D type##4 name(const type##4 * p) \
    { \
        type##4 r; \
        asm volatile(op "v4." suffix " {%0, %1, %2, %3}, [%4];" \
                     : "=" letter(r.x), "=" letter(r.y), "=" letter(r.z), "=" letter(r.w) \
                     : "l"(p) \
                     : "memory"); \
        return r; \
    }
#define POISE_STORE(type, suffix, letter, raw, name, op) \
    POISE_D void name(type##2 * p, type##2 v) \
    { \
        asm volatile(op "v2." suffix " [%0], {%1, %2};" : : "l"(p), letter(v.x), letter(v.y) : "memory"); \
    } \
    POISE_D void name(type##4 * p, type##4 v) \
    { \
        asm volatile(op "v4." suffix " [%0], {%1, %2, %3, %4};" \
                     : \
                     : "l"(p), letter(v.x), letter(v.y), letter(v.z), letter(v.w) \
                     : "memory"); \
    }
    /* clang-format off */
POISE_ACCESS(int, "s32", "r", ) POISE_ACCESS(uint, "u32", "r", ) POISE_ACCESS(float, "f32", "f", )
/* clang-format on */
#undef POISE_LOAD
#undef POISE_STORE
#undef POISE_ACCESS

/* ---- atomics by scope: one device, so every scope is the device's ---- */
#define POISE_SCOPED(name, type) \
    POISE_D type name##_block(type *p, type v) { return name(p, v); } \
    POISE_D type name##_system(type *p, type v) { return name(p, v); }
#define POISE_SCOPED_WHOLE(name) \
    POISE_SCOPED(name, int) POISE_SCOPED(name, unsigned) POISE_SCOPED(name, unsigned long long)
    /* clang-format off */
POISE_SCOPED_WHOLE(atomicAdd) POISE_SCOPED_WHOLE(atomicAnd) POISE_SCOPED_WHOLE(atomicOr)
POISE_SCOPED_WHOLE(atomicXor) POISE_SCOPED_WHOLE(atomicMin)
POISE_SCOPED_WHOLE(atomicMax) POISE_SCOPED_WHOLE(atomicExch)
    /* clang-format on */
    POISE_D long long atomicMin(long long *p, long long v)
{
    return __atomic_fetch_min(p, v, __ATOMIC_RELAXED);
}
POISE_D long long atomicMax(long long *p, long long v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); }
/* clang-format off */
POISE_SCOPED(atomicMin, long long) POISE_SCOPED(atomicMax, long long)
POISE_SCOPED(atomicAdd, float) POISE_SCOPED(atomicAdd, double) POISE_SCOPED(atomicExch, float)
POISE_SCOPED(atomicSub, int) POISE_SCOPED(atomicSub, unsigned)
POISE_SCOPED(atomicInc, unsigned) POISE_SCOPED(atomicDec, unsigned)
#undef POISE_SCOPED
#undef POISE_SCOPED_WHOLE
POISE_D unsigned short atomicCAS(unsigned short *p, unsigned short old, unsigned short v)
{
    unsigned short r;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(old), "h"(v) : "memory");
    return r;
}
/* clang-format on */
#define POISE_SCOPED(type) \
    POISE_D type atomicCAS_block(type *p, type old, type v) { return atomicCAS(p, old, v); } \
    POISE_D type atomicCAS_system(type *p, type old, type v) { return atomicCAS(p, old, v); }
/* clang-format off */
POISE_SCOPED(int) POISE_SCOPED(unsigned) POISE_SCOPED(unsigned long long)
/* clang-format on */
#undef POISE_SCOPED
#undef POISE_D
#endif
