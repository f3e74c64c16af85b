/* The part of device_math.h, which comes before it, that few programs use: reciprocal lengths and Bessel functions.
 * These are within 2e-11 of the exact value, relative to the larger of it and 1, yn by its recurrence within 2e-10.
 * [DLMF 10.2, 10.8, 10.9.2, 10.17, 10.25.2] */
#ifndef POISE_DEVICE_MATH_MORE_H
#define POISE_DEVICE_MATH_MORE_H
#define POISE_M extern "C" __device__ inline

POISE_M double __nv_norm(int n, const double *p)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum = __nv_hypot(sum, p[i]);
    return sum;
}
POISE_M double __nv_rnorm(int n, const double *p) { return 1 / __nv_norm(n, p); }
POISE_M double __nv_rnorm3d(double a, double b, double c) { return 1 / __nv_norm3d(a, b, c); }
POISE_M double __nv_rnorm4d(double a, double b, double c, double d) { return 1 / __nv_norm4d(a, b, c, d); }
POISE_M float __nv_normf(int n, const float *p)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)p[i] * p[i];
    return (float)__nvvm_sqrt_rn_d(sum);
}
POISE_M float __nv_rnormf(int n, const float *p)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)p[i] * p[i];
    return (float)(1 / __nvvm_sqrt_rn_d(sum));
}
POISE_M float __nv_rnorm3df(float a, float b, float c) { return (float)__nv_rnorm3d(a, b, c); }
POISE_M float __nv_rnorm4df(float a, float b, float c, float d) { return (float)__nv_rnorm4d(a, b, c, d); }

#define POISE_LARGE_ARGUMENT 14.0
/* J (part 0) or Y (part 1) of order n = 0 or 1 of a large x, by Hankel's expansion. */
POISE_M double poise_hankel(int n, double x, int part)
{
    double term = 1, p = 0, q = 0, sine, cosine;
    for (int k = 0; k < 30; k++) {
        if (k % 2 == 0) p += k % 4 == 0 ? term : -term;
        else q += k % 4 == 1 ? term : -term;
        const double next = term * (4.0 * n * n - (2.0 * k + 1) * (2.0 * k + 1)) / ((k + 1) * 8.0 * x);
        if (__builtin_fabs(next) >= __builtin_fabs(term)) break;
        term = next;
    }
    __nv_sincos(x - (2 * n + 1) * 0.78539816339744828, &sine, &cosine);
    return __nvvm_sqrt_rn_d(0.63661977236758138 / x) * (part ? p * sine + q * cosine : p * cosine - q * sine);
}
/* The mean of cos(n t - x sin t) over a period: by the trapezoidal rule, which is exact to rounding with enough
 * points. */
POISE_M double poise_bessel_mean(int n, double x)
{
    const int points = (int)__builtin_fabs(x) + n + 40;
    double sum = 0;
    for (int i = 0; i < points; i++) {
        const double t = 6.2831853071795865 * i / points;
        sum += __nv_cos(n * t - x * __nv_sin(t));
    }
    return sum / points;
}
POISE_M double __nv_j0(double x)
{
    x = __builtin_fabs(x);
    return x == __builtin_inf() ? 0 : x < POISE_LARGE_ARGUMENT ? poise_bessel_mean(0, x) : poise_hankel(0, x, 0);
}
POISE_M double __nv_j1(double x)
{
    const double a = __builtin_fabs(x);
    const double j = a == __builtin_inf()       ? 0
                     : a < POISE_LARGE_ARGUMENT ? poise_bessel_mean(1, a)
                                                : poise_hankel(1, a, 0);
    return x < 0 ? -j : j;
}
POISE_M double __nv_jn(int n, double x)
{
    const double a = __builtin_fabs(x);
    if (n < 0) return __builtin_nan("");
    if (a == __builtin_inf()) return 0;
    double before = __nv_j0(a), j = __nv_j1(a);
    if (n == 0) return before;
    if (n >= a) j = poise_bessel_mean(n, a); /* upwards the recurrence is stable below x alone */
    else
        for (int k = 1; k < n; k++) {
            const double next = 2 * k / a * j - before;
            before = j;
            j = next;
        }
    return x < 0 && n % 2 ? -j : j;
}
/* Y of order 0 or 1 by its power series. */
POISE_M double poise_bessel_y_series(int n, double x)
{
    const double z = x * x / 4;
    double term = 1, harmonic = 0, sum = 0;
    if (n == 0) {
        for (int k = 1; k < 60; k++) {
            harmonic += 1.0 / k;
            term *= -z / ((double)k * k);
            sum -= harmonic * term;
        }
        return 0.63661977236758138 * ((__nv_log(x / 2) + 0.57721566490153286) * __nv_j0(x) + sum);
    }
    double digammas = 1 - 2 * 0.57721566490153286; /* psi(k + 1) + psi(k + 2) */
    for (int k = 0; k < 60; k++) {
        sum += digammas * term;
        term *= -z / ((k + 1.0) * (k + 2.0));
        digammas += 1.0 / (k + 1) + 1.0 / (k + 2);
    }
    return 0.63661977236758138 * (__nv_log(x / 2) * __nv_j1(x) - 1 / x) - 0.31830988618379069 * x / 2 * sum;
}
POISE_M double poise_bessel_y(int n, double x)
{
    if (x < 0 || x != x) return __builtin_nan("");
    if (x == 0) return -__builtin_inf();
    if (x == __builtin_inf()) return 0;
    return x < POISE_LARGE_ARGUMENT ? poise_bessel_y_series(n, x) : poise_hankel(n, x, 1);
}
POISE_M double __nv_y0(double x) { return poise_bessel_y(0, x); }
POISE_M double __nv_y1(double x) { return poise_bessel_y(1, x); }
POISE_M double __nv_yn(int n, double x)
{
    double before = __nv_y0(x), y = __nv_y1(x);
    if (n < 0) return __builtin_nan("");
    if (n == 0) return before;
    for (int k = 1; k < n && y != -__builtin_inf(); k++) {
        const double next = 2 * k / x * y - before;
        before = y;
        y = next;
    }
    return y;
}
/* The modified ones, of order n = 0 or 1: all terms of the series have one sign. */
POISE_M double poise_bessel_i(int n, double x)
{
    const double z = x * x / 4;
    double term = n ? x / 2 : 1, sum = term;
    if (z == __builtin_inf()) return n && x < 0 ? -__builtin_inf() : __builtin_inf();
    for (int k = 1; k < 2000 && __builtin_fabs(term) > 1e-17 * __builtin_fabs(sum); k++)
        sum += term *= z / ((double)k * (k + n));
    return sum;
}
POISE_M double __nv_cyl_bessel_i0(double x) { return poise_bessel_i(0, x); }
POISE_M double __nv_cyl_bessel_i1(double x) { return poise_bessel_i(1, x); }
POISE_M float __nv_j0f(float x) { return (float)__nv_j0(x); }
POISE_M float __nv_j1f(float x) { return (float)__nv_j1(x); }
POISE_M float __nv_jnf(int n, float x) { return (float)__nv_jn(n, x); }
POISE_M float __nv_y0f(float x) { return (float)__nv_y0(x); }
POISE_M float __nv_y1f(float x) { return (float)__nv_y1(x); }
POISE_M float __nv_ynf(int n, float x) { return (float)__nv_yn(n, x); }
POISE_M float __nv_cyl_bessel_i0f(float x) { return (float)poise_bessel_i(0, x); }
POISE_M float __nv_cyl_bessel_i1f(float x) { return (float)poise_bessel_i(1, x); }
#undef POISE_LARGE_ARGUMENT
#undef POISE_M
#endif
