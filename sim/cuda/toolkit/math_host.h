/* Mathematical functions that CUDA's headers give to the host too, although no <cmath> has them. Here in double
 * precision over <cmath>; single precision is rounded from it. */
#ifndef POISE_MATH_HOST_H
#define POISE_MATH_HOST_H
#define POISE_H static inline __host__

POISE_H double rsqrt(double x) { return 1 / ::sqrt(x); }
POISE_H double rcbrt(double x) { return 1 / ::cbrt(x); }
/* By the nearest multiple of two, which is subtracted without an error, and then by octants. */
POISE_H double sinpi(double x)
{
    const double pi = 3.141592653589793, turn = ::remainder(x, 2.0);
    double a = ::fabs(turn);
    if (a > 0.5) a = 1 - a;
    return ::copysign(a > 0.25 ? ::cos(pi * (0.5 - a)) : ::sin(pi * a), turn);
}
POISE_H double cospi(double x)
{
    const double pi = 3.141592653589793, a = ::fabs(::remainder(x, 2.0));
    return a > 0.75 ? -::cos(pi * (1 - a)) : a > 0.25 ? ::sin(pi * (0.5 - a)) : ::cos(pi * a);
}
POISE_H void sincospi(double x, double *s, double *c)
{
    *s = sinpi(x);
    *c = cospi(x);
}
POISE_H double normcdf(double x) { return 0.5 * ::erfc(-0.7071067811865476 * x); }
#define POISE_TAIL POISE_H
#define POISE_TAIL_NAME(name) name
#include "math_tails.h"
#undef POISE_TAIL
#undef POISE_TAIL_NAME

/* clang-format off */
#define POISE_SINGLE(name) \
    POISE_H float name##f(float x) { return (float)name((double)x); } \
    POISE_H float name(float x) { return name##f(x); }
POISE_SINGLE(rsqrt) POISE_SINGLE(rcbrt) POISE_SINGLE(sinpi) POISE_SINGLE(cospi) POISE_SINGLE(normcdf)
POISE_SINGLE(normcdfinv) POISE_SINGLE(erfcx) POISE_SINGLE(erfcinv) POISE_SINGLE(erfinv)
#undef POISE_SINGLE
    /* clang-format on */
    POISE_H void sincospif(float x, float *s, float *c)
{
    *s = sinpif(x);
    *c = cospif(x);
}
POISE_H void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
POISE_H void sincos(float x, float *s, float *c)
{
    *s = ::sinf(x);
    *c = ::cosf(x);
}
POISE_H float exp10(float x) { return ::exp10f(x); }
/* clang-format off */
#define POISE_EXTREME(type, letters) \
    POISE_H type letters##min(type a, type b) { return b < a ? b : a; } \
    POISE_H type letters##max(type a, type b) { return a < b ? b : a; }
POISE_EXTREME(unsigned, u) POISE_EXTREME(long long, ll) POISE_EXTREME(unsigned long long, ull)
#undef POISE_EXTREME
/* clang-format on */
#undef POISE_H
#endif
