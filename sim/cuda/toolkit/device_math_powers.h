/* Powers, and exponentials and logarithms of 2 and 10, within one ulp. They are exact where the result is a number of
 * their format, since programs build on that: pow(2.0, 46.0), (int)log2(1024.0), 1000 = pow(10, 3). Exponents and
 * logarithms are sums of two numbers for that. Part of device_math.h. */
#ifndef POISE_DEVICE_MATH_POWERS_H
#define POISE_DEVICE_MATH_POWERS_H
/* e^(h + l), l small beside h: what rounds is the last sum. */
POISE_M double poise_exp_sum(double h, double l)
{
    if (h > 709.79) return __builtin_inf();
    if (h < -745.2) return 0;
    const double k = __builtin_rint(h * 1.4426950408889634), upper = __builtin_fma(-k, 0.6931471805599453, h);
    const double lower = __builtin_fma(-k, 2.3190468138462996e-17, l), r = upper + lower;
    const double rest = lower - (r - upper);
    double sum = 1.0 / 14;
#pragma unroll
    for (int i = 13; i > 2; i--) sum = __builtin_fma(sum, r, 1.0) * (1.0 / i);
    sum = __builtin_fma(__builtin_fma(sum, r, 1.0) * 0.5, r * r, rest); /* e^(r + rest) - 1 - r */
    const double one = 1 + r;
    return poise_scale(one + (r - (one - 1) + sum), (int)k);
}
POISE_M double __nv_exp2(double x)
{
    if (x != x || __builtin_fabs(x) > 1100) return x != x ? x : x > 0 ? __builtin_inf() : 0;
    const double k = __builtin_rint(x);
    return poise_scale(poise_exp_sum((x - k) * 0.6931471805599453, 0), (int)k);
}
POISE_F double __nv_exp10(double x)
{
    const double h = x * 2.302585092994046;
    if (x != x || __builtin_fabs(x) > 400) return x != x ? x : x > 0 ? __builtin_inf() : 0;
    return poise_exp_sum(h, __builtin_fma(x, -2.1707562233822494e-16, __builtin_fma(x, 2.302585092994046, -h)));
}
/* x = 2^k m as in __nv_log, of a finite x above 0. */
POISE_M double poise_log_parts(double x, double *k)
{
    int e = 0;
    if (x < 2.2250738585072014e-308) x *= 18014398509481984.0, e = -54;
    const long long bits = __nv_double_as_longlong(x);
    e += (int)(bits >> 52) - 1023;
    double m = __nv_longlong_as_double((bits & 0xfffffffffffffll) | 0x3ff0000000000000ll);
    if (m > 1.4142135623730951) m *= 0.5, e++;
    *k = (double)e;
    return m;
}
/* ln m as a sum, *l small beside what is returned; m from poise_log_parts. The error is about 2^-64 of it. */
POISE_M double poise_log_sum(double m, double *l)
{
    const double above = m - 1, below = m + 1, s = above / below;
    const double s_low = (__builtin_fma(-s, below, above) - s * (m - (below - 1))) / below;
    const double z = s * s, z_low = __builtin_fma(s, s, -z) + 2 * s * s_low;
    double sum = 1.0 / 25;
#pragma unroll
    for (int i = 23; i > 3; i -= 2) sum = __builtin_fma(sum, z, 1.0 / i);
    /* s + s z (1/3 + z sum), times 2 */
    const double tail = z * sum, c = 0.3333333333333333 + tail,
                 c_low = 0.3333333333333333 - c + tail + 1.850371707708594e-17;
    const double p = z * c, p_low = __builtin_fma(z, c, -p) + z * c_low + z_low * c;
    const double q = s * p, q_low = __builtin_fma(s, p, -q) + s * p_low + s_low * p;
    const double h = s + q;
    *l = 2 * (s - h + q + q_low + s_low);
    return 2 * h;
}
/* ln x as a sum. */
POISE_M double poise_log_both(double x, double *l)
{
    double k, low;
    const double m = poise_log_parts(x, &k), part = poise_log_sum(m, &low);
    const double whole = k * 0.6931471805599453,
                 whole_low = __builtin_fma(k, 2.3190468138462996e-17, __builtin_fma(k, 0.6931471805599453, -whole));
    const double h = whole + part, larger = __builtin_fabs(whole) > __builtin_fabs(part) ? whole : part;
    *l = larger - h + (larger == whole ? part : whole) + (whole_low + low);
    return h;
}
POISE_F double __nv_log2(double x)
{
    double k, l;
    if (!(x > 0) || x == __builtin_inf()) return __nv_log(x);
    const double h = poise_log_sum(poise_log_parts(x, &k), &l), p = h * 1.4426950408889634;
    return k + (p + (__builtin_fma(h, 1.4426950408889634, -p) + h * 2.0355273740931033e-17 + l * 1.4426950408889634));
}
POISE_F double __nv_log10(double x)
{
    double l;
    if (!(x > 0) || x == __builtin_inf()) return __nv_log(x);
    const double h = poise_log_both(x, &l), p = h * 0.4342944819032518;
    return p + (__builtin_fma(h, 0.4342944819032518, -p) + h * 1.098319650216765e-17 + l * 0.4342944819032518);
}
POISE_M double poise_power(double a, double y) /* of a finite a above 0 */
{
    double l;
    const double h = poise_log_both(a, &l), p = y * h;
    if (!(__builtin_fabs(p) < 800)) return p > 0 ? __builtin_inf() : 0;
    return poise_exp_sum(p, __builtin_fma(y, h, -p) + y * l);
}
POISE_M double poise_pow(double x, double y, bool is_single)
{
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    const bool whole = __builtin_trunc(y) == y,
               odd = whole && __builtin_fabs(y) < 9007199254740992.0 && ((long long)y & 1);
    const double a = __builtin_fabs(x);
    double r;
    if (a == 0) r = y < 0 ? __builtin_inf() : 0;
    else if (__builtin_fabs(y) == __builtin_inf()) r = a == 1 ? 1 : (a > 1) == (y > 0) ? __builtin_inf() : 0;
    else if (a == __builtin_inf()) r = y > 0 ? a : 0;
    else if (x < 0 && !whole) return __builtin_nan("");
    else if (y == 2) r = a * a;
    else r = is_single ? __nv_exp(y * __nv_log(a)) : poise_power(a, y);
    return x < 0 && odd ? -r : x == 0 && odd ? __nv_copysign(r, x) : r;
}
POISE_F double __nv_pow(double x, double y) { return poise_pow(x, y, false); }
POISE_F float __nv_powf(float x, float y) { return (float)poise_pow(x, y, true); }
#endif
