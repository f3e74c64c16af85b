/* Complex numbers of CUDA: pairs of floats or doubles and functions on them, for device and host code and for C. */
#ifndef POISE_CU_COMPLEX_H
#define POISE_CU_COMPLEX_H
#define CU_COMPLEX_H_
#include "vector_types.h"
#include <math.h>
#define POISE_HD static inline __host__ __device__ __attribute__((always_inline))
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* suffix: none for double precision, f for single */
#define POISE_COMPLEX(type, real, f) \
    POISE_HD type make_##type(real x, real y) \
    { \
        const type z = {x, y}; \
        return z; \
    } \
    POISE_HD real cuCreal##f(type z) { return z.x; } \
    POISE_HD real cuCimag##f(type z) { return z.y; } \
    POISE_HD type cuConj##f(type z) { return make_##type(z.x, -z.y); } \
    POISE_HD type cuCadd##f(type a, type b) { return make_##type(a.x + b.x, a.y + b.y); } \
    POISE_HD type cuCsub##f(type a, type b) { return make_##type(a.x - b.x, a.y - b.y); } \
    POISE_HD type cuCmul##f(type a, type b) { return make_##type(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
    /* scaled, so that the divisor's square neither overflows nor vanishes */ \
    POISE_HD type cuCdiv##f(type a, type b) \
    { \
        const real scale = 1 / (fabs##f(b.x) + fabs##f(b.y)); \
        const type p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale}; \
        const real inverse = 1 / (q.x * q.x + q.y * q.y); \
        return make_##type((p.x * q.x + p.y * q.y) * inverse, (p.y * q.x - p.x * q.y) * inverse); \
    } \
    POISE_HD real cuCabs##f(type z) { return hypot##f(z.x, z.y); } \
    POISE_HD type cuCfma##f(type a, type b, type c) { return cuCadd##f(cuCmul##f(a, b), c); }
POISE_COMPLEX(cuFloatComplex, float, f)
POISE_COMPLEX(cuDoubleComplex, double, )
#undef POISE_COMPLEX
POISE_HD cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
POISE_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
POISE_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}
#undef POISE_HD
#endif
