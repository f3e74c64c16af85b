/* The part of device_math.h, which includes it, with the error functions, their inverses and the gamma functions. */
#ifndef POISE_DEVICE_MATH_SPECIAL_H
#define POISE_DEVICE_MATH_SPECIAL_H

/* Series below 2.5, continued fraction of erfc above. */
POISE_F double __nv_erfc(double x)
{
    const double a = __builtin_fabs(x), z = x * x;
    if (a < 2.5) {
        double term = x, sum = x;
        for (int n = 1; n < 60; n++) term *= -z / n, sum += term / (2 * n + 1);
        return 1 - 1.1283791670955126 * sum;
    }
    double f = 0;
    for (int n = 60; n > 0; n--) f = 0.5 * n / (a + f);
    const double tail = __nv_exp(-z) * 0.5641895835477563 / (a + f);
    return x < 0 ? 2 - tail : tail;
}
POISE_F double __nv_erf(double x)
{
    if (!(__builtin_fabs(x) < 0.5)) return 1 - __nv_erfc(x);
    double sum = 0; /* the power series, from its 13th term */
    for (int n = 12; n > 0; n--) sum = -x * x / n * (1.0 / (2 * n + 1) + sum);
    return 1.1283791670955126 * (x + x * sum);
}
POISE_M double __nv_normcdf(double x) { return 0.5 * __nv_erfc(-0.7071067811865476 * x); }
#define POISE_TAIL POISE_F
#define POISE_TAIL_NAME(name) __nv_##name
#include "math_tails.h"
#undef POISE_TAIL
#undef POISE_TAIL_NAME
/* Stirling's series, after steps up to 10; below 1/2 by reflection. */
POISE_F double __nv_lgamma(double x)
{
    if (x <= 0 && x == __builtin_floor(x)) return __builtin_inf();
    if (x < 0.5) return 1.1447298858494002 - __nv_log(__builtin_fabs(__nv_sinpi(x))) - __nv_lgamma(1 - x);
    double shift = 1;
    for (; x < 10; x += 1) shift *= x;
    const double z = 1 / (x * x);
    const double series =
        (1.0 / 12 +
         z * (-1.0 / 360 + z * (1.0 / 1260 + z * (-1.0 / 1680 + z * (1.0 / 1188 + z * (-691.0 / 360360 + z / 156)))))) /
        x;
    return (x - 0.5) * __nv_log(x) - x + 0.9189385332046727 + series - __nv_log(shift);
}
POISE_F double __nv_tgamma(double x)
{
    if (x <= 0 && x == __builtin_floor(x)) return x == 0 ? __nv_copysign(__builtin_inf(), x) : __builtin_nan("");
    if (x < 0.5) return 3.141592653589793 / (__nv_sinpi(x) * __nv_tgamma(1 - x));
    double product = 1;
    if (x < 24 && x == __builtin_floor(x)) { /* factorials are exact */
        for (double k = 2; k < x; k += 1) product *= k;
        return product;
    }
    return __nv_exp(__nv_lgamma(x));
}

/* ---- single precision ---- */
/* clang-format off */
#define POISE_SINGLE(name) POISE_M float __nv_##name##f(float x) { return (float)__nv_##name(x); }
POISE_SINGLE(erf) POISE_SINGLE(erfc) POISE_SINGLE(erfcx) POISE_SINGLE(erfinv) POISE_SINGLE(erfcinv)
POISE_SINGLE(normcdf) POISE_SINGLE(normcdfinv) POISE_SINGLE(lgamma) POISE_SINGLE(tgamma)
#undef POISE_SINGLE
/* clang-format on */
#endif
