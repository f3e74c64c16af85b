/* The functions of CUDA's mathematical library under their internal names, which clang's headers call. What PTX has
 * as an instruction is that instruction. expf, exp2f and powers of two use ex2.approx; other single-precision
 * functions are the double-precision ones rounded once: accurate, but more instructions than NVIDIA's. Double
 * precision is within a few ulp; pow, exp10, log10, exp2 and log2 are within one, and exact where the result is a
 * number of their format, as programs expect. A function that is not here shows up when its kernel runs, by name. */
#ifndef POISE_DEVICE_MATH_H
#define POISE_DEVICE_MATH_H
#define POISE_M extern "C" __device__ inline __attribute__((always_inline))
#define POISE_F extern "C" __device__ inline

/* ---- bits and whole numbers ---- */
POISE_M int __nv_float_as_int(float x)
{
    int r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
POISE_M float __nv_int_as_float(int x)
{
    float r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
POISE_M unsigned int __nv_float_as_uint(float x) { return (unsigned)__nv_float_as_int(x); }
POISE_M float __nv_uint_as_float(unsigned int x) { return __nv_int_as_float((int)x); }
POISE_M unsigned long long __nv_double_as_longlong(double x)
{
    unsigned long long r;
    __builtin_memcpy(&r, &x, 8);
    return r;
}
POISE_M double __nv_longlong_as_double(long long x)
{
    double r;
    __builtin_memcpy(&r, &x, 8);
    return r;
}
POISE_M int __nv_double2hiint(double x) { return (int)(__nv_double_as_longlong(x) >> 32); }
POISE_M int __nv_double2loint(double x) { return (int)__nv_double_as_longlong(x); }
POISE_M double __nv_hiloint2double(int hi, int lo)
{
    return __nv_longlong_as_double(((long long)hi << 32) | (unsigned)lo);
}
POISE_M int __nv_abs(int x) { return x < 0 ? -x : x; }
POISE_M long long __nv_llabs(long long x) { return x < 0 ? -x : x; }
POISE_M int __nv_min(int a, int b) { return a < b ? a : b; }
POISE_M int __nv_max(int a, int b) { return a > b ? a : b; }
POISE_M unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
POISE_M unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
POISE_M long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
POISE_M long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
POISE_M unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
POISE_M unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
POISE_M int __nv_mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
POISE_M unsigned int __nv_umulhi(unsigned int a, unsigned int b)
{
    return (unsigned)(((unsigned long long)a * b) >> 32);
}
POISE_M unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
POISE_M long long __nv_mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
POISE_M int __nv_mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
POISE_M unsigned int __nv_umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
POISE_M int __nv_clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
POISE_M int __nv_clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
POISE_M int __nv_popc(unsigned int x) { return __builtin_popcount(x); }
POISE_M int __nv_popcll(unsigned long long x) { return __builtin_popcountll(x); }
POISE_M int __nv_ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
POISE_M int __nv_ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
POISE_M unsigned int __nv_brev(unsigned int x) { return __builtin_bitreverse32(x); }
POISE_M unsigned long long __nv_brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
POISE_M unsigned int __nv_sad(int a, int b, unsigned int c) { return c + (unsigned)(a > b ? a - b : b - a); }
POISE_M unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) { return c + (a > b ? a - b : b - a); }

/* ---- instructions ---- */
#define POISE_ONE(name, builtin_f, builtin_d) \
    POISE_M float __nv_##name##f(float x) { return builtin_f(x); } \
    POISE_M double __nv_##name(double x) { return builtin_d(x); }
POISE_ONE(fabs, __builtin_fabsf, __builtin_fabs)
POISE_ONE(floor, __builtin_floorf, __builtin_floor)
POISE_ONE(ceil, __builtin_ceilf, __builtin_ceil)
POISE_ONE(trunc, __builtin_truncf, __builtin_trunc)
POISE_ONE(rint, __builtin_rintf, __builtin_rint)
POISE_ONE(nearbyint, __builtin_rintf, __builtin_rint)
POISE_ONE(sqrt, __nvvm_sqrt_rn_f, __nvvm_sqrt_rn_d)
#undef POISE_ONE
POISE_M float __nv_rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
POISE_M double __nv_rsqrt(double x) { return 1 / __nvvm_sqrt_rn_d(x); }
POISE_M float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
POISE_M double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
POISE_M float __nv_fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
POISE_M float __nv_fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
POISE_M double __nv_fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
POISE_M double __nv_fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
POISE_M float __nv_fdimf(float a, float b) { return a > b ? a - b : 0; }
POISE_M double __nv_fdim(double a, double b) { return a > b ? a - b : 0; }
POISE_M float __nv_saturatef(float x) { return __nvvm_saturate_f(x); }
POISE_M float __nv_copysignf(float a, float b)
{
    return __nv_int_as_float((__nv_float_as_int(a) & 0x7fffffff) | (__nv_float_as_int(b) & (int)0x80000000));
}
POISE_M double __nv_copysign(double a, double b)
{
    return __nv_longlong_as_double((__nv_double_as_longlong(a) & 0x7fffffffffffffffll) |
                                   (__nv_double_as_longlong(b) & (long long)0x8000000000000000ull));
}
POISE_M float __nv_roundf(float x)
{
    return __nv_copysignf(__builtin_truncf(__builtin_fabsf(x) + (__builtin_fabsf(x) < 8388608.0f ? 0.49999997f : 0)),
                          x);
}
POISE_M double __nv_round(double x)
{
    return __nv_copysign(
        __builtin_trunc(__builtin_fabs(x) + (__builtin_fabs(x) < 4503599627370496.0 ? 0.49999999999999994 : 0)), x);
}
POISE_M int __nv_isnanf(float x) { return x != x; }
POISE_M int __nv_isnand(double x) { return x != x; }
POISE_M int __nv_isinff(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
POISE_M int __nv_isinfd(double x) { return __builtin_fabs(x) == __builtin_inf(); }
POISE_M int __nv_finitef(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
POISE_M int __nv_isfinited(double x) { return __builtin_fabs(x) < __builtin_inf(); }
POISE_M int __nv_signbitf(float x) { return __nv_float_as_int(x) < 0; }
POISE_M int __nv_signbitd(double x) { return (long long)__nv_double_as_longlong(x) < 0; }
#define POISE_ROUNDINGS(X) X(rn, rn) X(rz, rz) X(ru, rp) X(rd, rm)
#define X(r, mode) \
    POISE_M float __nv_fadd_##r(float a, float b) { return __nvvm_add_##mode##_f(a, b); } \
    POISE_M float __nv_fmul_##r(float a, float b) { return __nvvm_mul_##mode##_f(a, b); } \
    POISE_M float __nv_fdiv_##r(float a, float b) { return __nvvm_div_##mode##_f(a, b); } \
    POISE_M float __nv_fmaf_##r(float a, float b, float c) { return __nvvm_fma_##mode##_f(a, b, c); } \
    POISE_M float __nv_fsqrt_##r(float a) { return __nvvm_sqrt_##mode##_f(a); } \
    POISE_M float __nv_frcp_##r(float a) { return __nvvm_rcp_##mode##_f(a); } \
    POISE_M double __nv_dadd_##r(double a, double b) { return __nvvm_add_##mode##_d(a, b); } \
    POISE_M double __nv_dmul_##r(double a, double b) { return __nvvm_mul_##mode##_d(a, b); } \
    POISE_M double __nv_ddiv_##r(double a, double b) { return __nvvm_div_##mode##_d(a, b); } \
    POISE_M double __nv_fma_##r(double a, double b, double c) { return __nvvm_fma_##mode##_d(a, b, c); } \
    POISE_M double __nv_dsqrt_##r(double a) { return __nvvm_sqrt_##mode##_d(a); } \
    POISE_M double __nv_drcp_##r(double a) { return __nvvm_rcp_##mode##_d(a); } \
    POISE_M int __nv_float2int_##r(float x) { return __nvvm_f2i_##mode(x); } \
    POISE_M unsigned int __nv_float2uint_##r(float x) { return __nvvm_f2ui_##mode(x); } \
    POISE_M long long __nv_float2ll_##r(float x) { return __nvvm_f2ll_##mode(x); } \
    POISE_M unsigned long long __nv_float2ull_##r(float x) { return __nvvm_f2ull_##mode(x); } \
    POISE_M int __nv_double2int_##r(double x) { return __nvvm_d2i_##mode(x); } \
    POISE_M unsigned int __nv_double2uint_##r(double x) { return __nvvm_d2ui_##mode(x); } \
    POISE_M long long __nv_double2ll_##r(double x) { return __nvvm_d2ll_##mode(x); } \
    POISE_M unsigned long long __nv_double2ull_##r(double x) { return __nvvm_d2ull_##mode(x); } \
    POISE_M float __nv_double2float_##r(double x) { return __nvvm_d2f_##mode(x); } \
    POISE_M float __nv_int2float_##r(int x) { return __nvvm_i2f_##mode(x); } \
    POISE_M float __nv_uint2float_##r(unsigned int x) { return __nvvm_ui2f_##mode(x); } \
    POISE_M float __nv_ll2float_##r(long long x) { return __nvvm_ll2f_##mode(x); } \
    POISE_M float __nv_ull2float_##r(unsigned long long x) { return __nvvm_ull2f_##mode(x); } \
    POISE_M double __nv_ll2double_##r(long long x) { return __nvvm_ll2d_##mode(x); } \
    POISE_M double __nv_ull2double_##r(unsigned long long x) { return __nvvm_ull2d_##mode(x); }
POISE_ROUNDINGS(X)
#undef X
#undef POISE_ROUNDINGS
POISE_M double __nv_int2double_rn(int x) { return x; }
POISE_M double __nv_uint2double_rn(unsigned int x) { return x; }
POISE_M float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
POISE_M float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
POISE_M float __nv_fast_tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
POISE_M void __nv_fast_sincosf(float x, float *s, float *c)
{
    *s = __nvvm_sin_approx_f(x);
    *c = __nvvm_cos_approx_f(x);
}
POISE_M float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 1.442695041f); }
POISE_M float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.321928095f); }
POISE_M float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
POISE_M float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147181f; }
POISE_M float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.301029996f; }
POISE_M float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
POISE_M float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

/* ---- exponentials and logarithms ---- */
POISE_M double poise_scale(double x, int k) /* x * 2^k, in two steps so that subnormal results round once */
{
    k = k < -2200 ? -2200 : k > 2200 ? 2200 : k;
    const int half = k / 2 < -1000 ? -1000 : k / 2 > 1000 ? 1000 : k / 2;
    const int rest = k - half < -1022 ? -1022 : k - half > 1023 ? 1023 : k - half;
    return x * __nv_longlong_as_double((long long)(half + 1023) << 52) *
           __nv_longlong_as_double((long long)(rest + 1023) << 52);
}
POISE_M double __nv_ldexp(double x, int k) { return poise_scale(x, k); }
POISE_M float __nv_ldexpf(float x, int k) { return (float)poise_scale(x, k); }
/* e^x = 2^k e^r, |r| <= ln 2 / 2, by its series. */
POISE_F double __nv_exp(double x)
{
    if (x > 709.79) return __builtin_inf();
    if (x < -745.2) return 0;
    const double k = __builtin_rint(x * 1.4426950408889634);
    const double r = __builtin_fma(-k, 2.3190468138462996e-17, __builtin_fma(-k, 0.6931471805599453, x));
    double sum = 1;
#pragma unroll
    for (int i = 14; i > 0; i--) sum = __builtin_fma(sum * r, 1.0 / i, 1.0);
    return x != x ? x : poise_scale(sum, (int)k);
}
POISE_F double __nv_expm1(double x)
{
    if (__builtin_fabs(x) > 0.5) return __nv_exp(x) - 1;
    double sum = 1;
#pragma unroll
    for (int i = 15; i > 1; i--) sum = __builtin_fma(sum * x, 1.0 / i, 1.0);
    return x * sum;
}
/* x = 2^k m, m in [sqrt 1/2, sqrt 2); ln m = 2 artanh((m - 1) / (m + 1)). */
POISE_F double __nv_log(double x)
{
    if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
    if (x == __builtin_inf()) return x;
    int k = 0;
    if (x < 2.2250738585072014e-308) x *= 18014398509481984.0, k = -54;
    long long bits = __nv_double_as_longlong(x);
    k += (int)(bits >> 52) - 1023;
    double m = __nv_longlong_as_double((bits & 0xfffffffffffffll) | 0x3ff0000000000000ll);
    if (m > 1.4142135623730951) m *= 0.5, k++;
    const double s = (m - 1) / (m + 1), z = s * s;
    double sum = 1.0 / 23;
#pragma unroll
    for (int i = 21; i > 0; i -= 2) sum = __builtin_fma(sum, z, 1.0 / i);
    return __builtin_fma((double)k, 0.6931471805599453, __builtin_fma((double)k, 2.3190468138462996e-17, 2 * s * sum));
}
POISE_M double __nv_log1p(double x)
{
    const double u = 1 + x;
    return u == 1 ? x : u == __builtin_inf() ? u : __nv_log(u) * (x / (u - 1));
}
#include "device_math_powers.h"
POISE_F double __nv_powi(double x, int n)
{
    double r = 1;
    for (unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n; k; k >>= 1, x *= x)
        if (k & 1) r *= x;
    return n < 0 ? 1 / r : r;
}
POISE_F double __nv_cbrt(double x)
{
    const double a = __builtin_fabs(x);
    if (a == 0 || !(a < __builtin_inf())) return x;
    double r = __nv_exp(__nv_log(a) / 3);
    r -= (r * r * r - a) / (3 * r * r);
    return __nv_copysign(r, x);
}
POISE_M double __nv_hypot(double a, double b)
{
    a = __builtin_fabs(a), b = __builtin_fabs(b);
    const double hi = a > b ? a : b, lo = a > b ? b : a, q = lo / hi;
    return hi == 0 || hi == __builtin_inf() ? hi : hi * __nvvm_sqrt_rn_d(1 + q * q);
}

/* ---- angles: x = k pi/2 + r ---- */
POISE_F void __nv_sincos(double x, double *sine, double *cosine)
{
    const double k = __builtin_rint(x * 0.6366197723675814);
    double r = __builtin_fma(-k, 1.5707963267948966, x);
    r = __builtin_fma(-k, 6.123233995736766e-17, r);
    r = __builtin_fma(-k, -1.4973849048591833e-33, r);
    const double z = -r * r;
    double s = 1, c = 1;
#pragma unroll
    for (int i = 18; i > 0; i -= 2)
        s = __builtin_fma(s * z, 1.0 / (i * (i + 1)), 1.0), c = __builtin_fma(c * z, 1.0 / (i * (i - 1)), 1.0);
    s *= r;
    const int quadrant = (int)((long long)k & 3);
    const double a = quadrant & 1 ? c : s, b = quadrant & 1 ? s : c;
    *sine = quadrant & 2 ? -a : a;
    *cosine = (quadrant + 1) & 2 ? -b : b;
}
POISE_M double __nv_sin(double x)
{
    double s, c;
    __nv_sincos(x, &s, &c);
    return s;
}
POISE_M double __nv_cos(double x)
{
    double s, c;
    __nv_sincos(x, &s, &c);
    return c;
}
POISE_M double __nv_tan(double x)
{
    double s, c;
    __nv_sincos(x, &s, &c);
    return s / c;
}
POISE_F double __nv_atan(double x)
{
    const double a = __builtin_fabs(x), t = a > 2.414213562373095    ? -1 / a
                                            : a > 0.4142135623730951 ? (a - 1) / (a + 1)
                                                                     : a;
    const double h = t / (1 + __nvvm_sqrt_rn_d(1 + t * t)), z = -h * h; /* atan t = 2 atan h, |h| < 0.2 */
    double sum = 1.0 / 25;
#pragma unroll
    for (int i = 23; i > 0; i -= 2) sum = __builtin_fma(sum, z, 1.0 / i);
    const double base = a > 2.414213562373095 ? 1.5707963267948966 : a > 0.4142135623730951 ? 0.7853981633974483 : 0;
    return __nv_copysign(base + 2 * h * sum, x);
}
POISE_M double __nv_atan2(double y, double x)
{
    if (x == 0 && y == 0) return __nv_signbitd(x) ? __nv_copysign(3.141592653589793, y) : y;
    if (__nv_isinfd(x) && __nv_isinfd(y)) return __nv_copysign(x > 0 ? 0.7853981633974483 : 2.356194490192345, y);
    const double t = __nv_atan(__builtin_fabs(y / x));
    return __nv_copysign(x < 0 || (x == 0 && __nv_signbitd(x)) ? 3.141592653589793 - t : t, y);
}
POISE_M double __nv_asin(double x) { return __nv_atan2(x, __nvvm_sqrt_rn_d((1 - x) * (1 + x))); }
POISE_M double __nv_acos(double x) { return __nv_atan2(__nvvm_sqrt_rn_d((1 - x) * (1 + x)), x); }
POISE_M double __nv_sinh(double x)
{
    const double e = __nv_expm1(__builtin_fabs(x));
    return __nv_copysign(0.5 * (e + e / (e + 1)), x);
}
POISE_M double __nv_cosh(double x)
{
    const double e = __nv_exp(__builtin_fabs(x));
    return 0.5 * e + 0.5 / e;
}
POISE_M double __nv_tanh(double x)
{
    const double e = __nv_expm1(2 * __builtin_fabs(x));
    return __nv_copysign(e == __builtin_inf() ? 1 : e / (e + 2), x);
}
/* C's fmod by shifted subtraction, exact. */
POISE_F double __nv_fmod(double x, double y)
{
    double a = __builtin_fabs(x);
    const double b = __builtin_fabs(y);
    if (!(a < __builtin_inf()) || !(b > 0)) return __builtin_nan("");
    while (a >= b) {
        int k = (int)(__nv_double_as_longlong(a) >> 52) - (int)(__nv_double_as_longlong(b) >> 52);
        double s = poise_scale(b, k);
        if (s > a) s = poise_scale(b, k - 1);
        a -= s;
    }
    return __nv_copysign(a, x);
}

/* ---- single precision ---- */
POISE_M float __nv_exp2f(float x) { return __nvvm_ex2_approx_f(x); }
POISE_M float __nv_expf(float x)
{
    const float k = __builtin_rintf(x * 1.442695041f);
    const float r = __builtin_fmaf(-k, 1.428606765e-06f, __builtin_fmaf(-k, 0.693145752f, x));
    return x > 89 ? __builtin_inff()
           : x < -104
               ? 0
               : __nvvm_ex2_approx_f(r * 1.442695041f) * __nvvm_ex2_approx_f(k * 0.5f) * __nvvm_ex2_approx_f(k * 0.5f);
}
/* clang-format off */
#define POISE_SINGLE(name) POISE_M float __nv_##name##f(float x) { return (float)__nv_##name(x); }
POISE_SINGLE(expm1) POISE_SINGLE(log) POISE_SINGLE(log1p)
POISE_M float __nv_exp10f(float x) { return (float)__nv_exp(x * 2.302585092994046); }
POISE_M float __nv_log2f(float x) { return (float)(__nv_log(x) * 1.4426950408889634); }
POISE_M float __nv_log10f(float x) { return (float)(__nv_log(x) * 0.4342944819032518); }
POISE_SINGLE(cbrt)
POISE_SINGLE(sin) POISE_SINGLE(cos) POISE_SINGLE(tan) POISE_SINGLE(asin) POISE_SINGLE(acos) POISE_SINGLE(atan)
POISE_SINGLE(sinh) POISE_SINGLE(cosh) POISE_SINGLE(tanh)
/* clang-format on */
#undef POISE_SINGLE
/* clang-format off */
#define POISE_SINGLE(name) POISE_M float __nv_##name##f(float x, float y) { return (float)__nv_##name(x, y); }
POISE_SINGLE(atan2) POISE_SINGLE(fmod) POISE_SINGLE(hypot)
#undef POISE_SINGLE
POISE_M float __nv_powif(float x, int n) { return (float)__nv_powi(x, n); }
/* clang-format on */
POISE_M void __nv_sincosf(float x, float *s, float *c)
{
    double a, b;
    __nv_sincos(x, &a, &b);
    *s = (float)a, *c = (float)b;
}

/* ---- more of the library ---- */
POISE_M int __nv_byte_perm(int a, int b, int s) { return __nvvm_prmt((unsigned)a, (unsigned)b, (unsigned)s); }
POISE_M int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
POISE_M int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
POISE_M int __nv_uhadd(unsigned int a, unsigned int b) { return (int)(((unsigned long long)a + b) >> 1); }
POISE_M unsigned int __nv_urhadd(unsigned int a, unsigned int b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
#define POISE_SUBTRACT(r, mode) \
    POISE_M float __nv_fsub_##r(float a, float b) { return __nvvm_add_##mode##_f(a, -b); } \
    POISE_M double __nv_dsub_##r(double a, double b) { return __nvvm_add_##mode##_d(a, -b); } \
    POISE_M float __nv_fmaf_ieee_##r(float a, float b, float c) { return __nvvm_fma_##mode##_f(a, b, c); }
/* clang-format off */
POISE_SUBTRACT(rn, rn) POISE_SUBTRACT(rz, rz) POISE_SUBTRACT(ru, rp) POISE_SUBTRACT(rd, rm)
#undef POISE_SUBTRACT
POISE_M float __nv_frsqrt_rn(float x) { return (float)(1 / __nvvm_sqrt_rn_d((double)x)); }
/* clang-format on */
POISE_M long long __nv_llrint(double x) { return __nvvm_d2ll_rn(x); }
POISE_M long long __nv_llrintf(float x) { return __nvvm_f2ll_rn(x); }
POISE_M long long __nv_llround(double x) { return __nvvm_d2ll_rz(__nv_round(x)); }
POISE_M long long __nv_llroundf(float x) { return __nvvm_f2ll_rz(__nv_roundf(x)); }
POISE_F double __nv_modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __nv_copysign(__nv_isinfd(x) ? 0 : x - *whole, x);
}
POISE_F float __nv_modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return __nv_copysignf(__nv_isinff(x) ? 0 : x - *whole, x);
}
POISE_F double __nv_scalbn(double x, int k)
{
    for (; k > 500; k -= 500) x *= 3.273390607896142e+150; /* 2^500 */
    for (; k < -500; k += 500) x *= 3.054936363499605e-151;
    return poise_scale(x, k);
}
POISE_M float __nv_scalbnf(float x, int k) { return (float)__nv_scalbn(x, k); }
POISE_F double __nv_frexp(double x, int *e)
{
    *e = 0;
    if (x == 0 || !__nv_isfinited(x)) return x;
    const double y = __builtin_fabs(x) < 2.2250738585072014e-308 ? x * 18014398509481984.0 : x;
    *e = (int)(__nv_double_as_longlong(y) >> 52 & 2047) - 1022 - (y == x ? 0 : 54);
    return __nv_longlong_as_double(
        (long long)((__nv_double_as_longlong(y) & 0x800fffffffffffffull) | 0x3fe0000000000000ull));
}
POISE_F float __nv_frexpf(float x, int *e) { return (float)__nv_frexp(x, e); }
POISE_F int __nv_ilogb(double x)
{
    int e;
    __nv_frexp(x, &e);
    return x == 0 ? (int)0x80000000 : __nv_isfinited(x) ? e - 1 : 0x7fffffff;
}
POISE_M int __nv_ilogbf(float x) { return __nv_ilogb(x); }
POISE_F double __nv_logb(double x)
{
    return x == 0 ? -__builtin_inf() : __nv_isfinited(x) ? (double)__nv_ilogb(x) : x * x;
}
POISE_M float __nv_logbf(float x) { return (float)__nv_logb(x); }
POISE_M double __nv_nan(const char *) { return __builtin_nan(""); }
POISE_M float __nv_nanf(const char *) { return __builtin_nanf(""); }
POISE_F double __nv_nextafter(double x, double y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return __nv_copysign(4.9406564584124654e-324, y);
    return __nv_longlong_as_double((long long)(__nv_double_as_longlong(x) + ((x < y) == (x > 0) ? 1 : -1)));
}
POISE_F float __nv_nextafterf(float x, float y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return __nv_copysignf(1.4012984643e-45f, y);
    return __nv_int_as_float(__nv_float_as_int(x) + ((x < y) == (x > 0) ? 1 : -1));
}
POISE_F double __nv_remainder(double x, double y)
{
    const double a = __builtin_fabs(y), r = __nv_fmod(__builtin_fabs(x), 2 * a);
    const double s = a < 8.98846567431158e307 ? (r > a ? r - 2 * a : r) : __nv_fmod(__builtin_fabs(x), a);
    const double t =
        s > 0.5 * a || (s == 0.5 * a && __builtin_fabs(x) > s && __nv_fmod(__builtin_fabs(x) - s, 2 * a) != 0) ? s - a
        : s < -0.5 * a                                                                                         ? s + a
                                                                                                               : s;
    return x < 0 ? -t : t;
}
/* The quotient's low bits with its sign; seven, where three are promised. */
POISE_F double __nv_remquo(double x, double y, int *q)
{
    const double r = __nv_remainder(x, y), n = __builtin_rint((__nv_fmod(x, 128 * __builtin_fabs(y)) - r) / y);
    *q = n == n ? (int)n % 128 : 0;
    return r;
}
POISE_M float __nv_remquof(float x, float y, int *q) { return (float)__nv_remquo(x, y, q); }
POISE_M float __nv_remainderf(float x, float y) { return (float)__nv_remainder(x, y); }
POISE_M double __nv_rcbrt(double x) { return 1 / __nv_cbrt(x); }
POISE_M double __nv_rhypot(double a, double b) { return 1 / __nv_hypot(a, b); }
POISE_M double __nv_norm3d(double a, double b, double c) { return __nv_hypot(__nv_hypot(a, b), c); }
POISE_M double __nv_norm4d(double a, double b, double c, double d)
{
    return __nv_hypot(__nv_hypot(a, b), __nv_hypot(c, d));
}
POISE_M double __nv_asinh(double x)
{
    const double a = __builtin_fabs(x);
    return __nv_copysign(
        a > 1e150 ? __nv_log(a) + 0.6931471805599453 : __nv_log1p(a + a * a / (1 + __nvvm_sqrt_rn_d(1 + a * a))), x);
}
POISE_M double __nv_acosh(double x)
{
    return x > 1e150 ? __nv_log(x) + 0.6931471805599453 : __nv_log1p(x - 1 + __nvvm_sqrt_rn_d((x - 1) * (x + 1)));
}
POISE_M double __nv_atanh(double x) { return 0.5 * __nv_log1p(2 * x / (1 - x)); }
POISE_F void __nv_sincospi(double x, double *s, double *c)
{
    const double r = x - 2 * __builtin_rint(0.5 * x); /* exact */
    __nv_sincos(r * 3.141592653589793, s, c);
    if (r == __builtin_trunc(r)) *s = __nv_copysign(0, x);
    if (__builtin_fabs(r) == 0.5) *c = 0;
}
POISE_M double __nv_sinpi(double x)
{
    double s, c;
    __nv_sincospi(x, &s, &c);
    return s;
}
POISE_M double __nv_cospi(double x)
{
    double s, c;
    __nv_sincospi(x, &s, &c);
    return c;
}
POISE_M void __nv_sincospif(float x, float *s, float *c)
{
    double a, b;
    __nv_sincospi(x, &a, &b);
    *s = (float)a, *c = (float)b;
}
/* clang-format off */
#define POISE_SINGLE(name) POISE_M float __nv_##name##f(float x) { return (float)__nv_##name(x); }
POISE_SINGLE(asinh) POISE_SINGLE(acosh) POISE_SINGLE(atanh) POISE_SINGLE(sinpi) POISE_SINGLE(cospi)
POISE_SINGLE(rcbrt)
#undef POISE_SINGLE
POISE_M float __nv_rhypotf(float a, float b) { return (float)__nv_rhypot(a, b); }
/* clang-format on */
POISE_M float __nv_norm3df(float a, float b, float c) { return (float)__nv_norm3d(a, b, c); }
POISE_M float __nv_norm4df(float a, float b, float c, float d) { return (float)__nv_norm4d(a, b, c, d); }

#include "device_math_special.h"
#undef POISE_M
#undef POISE_F
#endif
