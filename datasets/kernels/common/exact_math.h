/* exp, log, sin, cos and atan from IEEE 754 operations alone, so that a kernel and its CPU reference agree bit for
 * bit on any machine (CUDA's own functions and libm's differ in their last bits, and among their versions). Included
 * by kernel.cu and host.c. Errors are below 4 units in the last place within the ranges given; tests/unit/workloads
 * holds them to it. The argument reductions and series are the textbook ones. Where CUDA's function ends in a
 * special-function instruction, ours scales by an integer operation: such kernels issue none of those. */
#ifndef EXACT_MATH_H
#define EXACT_MATH_H

#ifdef __CUDA__
#include "cuda_device.h"
#define EXACT static inline __device__
#else
#include <math.h>
#define EXACT static inline
#endif

EXACT unsigned exact_bits(float a)
{
    unsigned bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
}

EXACT float exact_float(unsigned bits)
{
    float a;
    __builtin_memcpy(&a, &bits, sizeof a);
    return a;
}

/* The nearest whole number, |a| < 2^22. */
EXACT float exact_round(float a) { return a + 12582912.0f - 12582912.0f; }

/* e^a; a is clamped to [-87, 88]. a = n ln 2 + r, |r| <= ln 2 / 2. */
EXACT float exact_exp(float a)
{
    a = a < -87.0f ? -87.0f : a > 88.0f ? 88.0f : a;
    float n = exact_round(a * 1.44269504f);
    float r = fmaf(n, -0.693145752f, a);
    r = fmaf(n, -1.42860677e-6f, r);
    float p = fmaf(r, 1.0f / 5040.0f, 1.0f / 720.0f);
    p = fmaf(r, p, 1.0f / 120.0f);
    p = fmaf(r, p, 1.0f / 24.0f);
    p = fmaf(r, p, 1.0f / 6.0f);
    p = fmaf(r, p, 0.5f);
    p = fmaf(r, p, 1.0f);
    p = fmaf(r, p, 1.0f);
    return p * exact_float((unsigned)((int)n + 127) << 23);
}

/* Natural logarithm of a normal number a > 0: a = 2^e m with m in [sqrt 1/2, sqrt 2), log m = 2 artanh((m - 1) / (m
 * + 1)). */
EXACT float exact_log(float a)
{
    int shifted = (int)(exact_bits(a) - 0x3f3504f3u);
    float e = (float)(shifted >> 23), f = exact_float(((unsigned)shifted & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
    float s = f / (2.0f + f), z = s * s;
    float p = fmaf(z, 1.0f / 9.0f, 1.0f / 7.0f);
    p = fmaf(z, p, 1.0f / 5.0f);
    p = fmaf(z, p, 1.0f / 3.0f);
    p = fmaf(s + s, z * p, fmaf(e, 1.42860677e-6f, s + s));
    return fmaf(e, 0.693145752f, p);
}

/* a^b for a normal a > 0. */
EXACT float exact_pow(float a, float b) { return exact_exp(b * exact_log(a)); }

/* sin(a + quarter pi / 2), |a| < 10^4: r is what is left of a after whole quarters, |r| <= pi / 4. */
EXACT float exact_quarters(float a, int quarter)
{
    float n = exact_round(a * 0.636619772f);
    float r = fmaf(n, -1.57079601f, a);
    r = fmaf(n, -3.13916473e-7f, r);
    r = fmaf(n, -5.39030253e-15f, r);
    quarter += (int)n;
    float z = r * r, p, q;
    p = fmaf(z, 1.0f / 362880.0f, -1.0f / 5040.0f);
    p = fmaf(z, p, 1.0f / 120.0f);
    p = fmaf(z, p, -1.0f / 6.0f);
    p = fmaf(r * z, p, r);
    q = fmaf(z, 1.0f / 40320.0f, -1.0f / 720.0f);
    q = fmaf(z, q, 1.0f / 24.0f);
    q = fmaf(z, q, -0.5f);
    q = fmaf(z, q, 1.0f);
    p = quarter & 1 ? q : p;
    return quarter & 2 ? -p : p;
}
EXACT float exact_sin(float a) { return exact_quarters(a, 0); }
EXACT float exact_cos(float a) { return exact_quarters(a, 1); }

/* sin and cos of 2 pi a, |a| < 2^20: reduced to an eighth of a turn around the nearest quarter; absolute error below
 * 2e-7. */
EXACT void exact_sincos_turns(float a, float *sine, float *cosine)
{
    float n = exact_round(4.0f * a), r = fmaf(-0.25f, n, a) * 6.28318531f, z = r * r;
    float s = fmaf(fmaf(fmaf(fmaf(1.0f / 362880.0f, z, -1.0f / 5040.0f), z, 1.0f / 120.0f), z, -1.0f / 6.0f) * z, r, r);
    float c = fmaf(fmaf(fmaf(fmaf(1.0f / 40320.0f, z, -1.0f / 720.0f), z, 1.0f / 24.0f), z, -0.5f), z, 1.0f);
    int quarter = (int)n & 3;
    float x = quarter & 1 ? c : s, y = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -x : x;
    *cosine = quarter == 1 || quarter == 2 ? -y : y;
}

/* Beyond tan(pi / 8) the angle is counted from pi / 4 or pi / 2, so that the series' argument is at most tan(pi /
 * 8). */
EXACT float exact_atan(float a)
{
    float x = a < 0.0f ? -a : a, base = 0.0f;
    if (x > 2.41421356f) {
        base = 1.57079633f;
        x = -1.0f / x;
    } else if (x > 0.414213562f) {
        base = 0.785398163f;
        x = (x - 1.0f) / (x + 1.0f);
    }
    float z = x * x, p = fmaf(z, -1.0f / 15.0f, 1.0f / 13.0f);
    p = fmaf(z, p, -1.0f / 11.0f);
    p = fmaf(z, p, 1.0f / 9.0f);
    p = fmaf(z, p, -1.0f / 7.0f);
    p = fmaf(z, p, 1.0f / 5.0f);
    p = fmaf(z, p, -1.0f / 3.0f);
    p = base + fmaf(x * z, p, x);
    return a < 0.0f ? -p : p;
}

/* e^a in double precision; a is clamped to [-700, 700]. */
EXACT double exact_exp_double(double a)
{
    a = a < -700.0 ? -700.0 : a > 700.0 ? 700.0 : a;
    double n = a * 1.4426950408889634 + 6755399441055744.0 - 6755399441055744.0;
    double r = fma(n, -0.6931471803691238, a);
    r = fma(n, -1.9082149292705877e-10, r);
    double p = fma(r, 1.0 / 6227020800.0, 1.0 / 479001600.0);
    p = fma(r, p, 1.0 / 39916800.0);
    p = fma(r, p, 1.0 / 3628800.0);
    p = fma(r, p, 1.0 / 362880.0);
    p = fma(r, p, 1.0 / 40320.0);
    p = fma(r, p, 1.0 / 5040.0);
    p = fma(r, p, 1.0 / 720.0);
    p = fma(r, p, 1.0 / 120.0);
    p = fma(r, p, 1.0 / 24.0);
    p = fma(r, p, 1.0 / 6.0);
    p = fma(r, p, 0.5);
    p = fma(r, p, 1.0);
    p = fma(r, p, 1.0);
    unsigned long long bits = (unsigned long long)((long long)n + 1023) << 52;
    double scale;
    __builtin_memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}
#endif
