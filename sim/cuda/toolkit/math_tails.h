/* Relatives of erfc, for both sides: device_math_special.h and math_host.h include this file, each with its names of
 * functions (POISE_TAIL_NAME) and its qualifiers (POISE_TAIL). */

/* The product below 2.5, the continued fraction of erfc, without its factor exp(-x * x), above. */
POISE_TAIL double POISE_TAIL_NAME(erfcx)(double x)
{
    if (!(x >= 2.5)) return POISE_TAIL_NAME(exp)(x * x) * POISE_TAIL_NAME(erfc)(x);
    double f = 0;
    for (int n = 60; n > 0; n--) f = 0.5 * n / (x + f);
    return 0.5641895835477563 / (x + f);
}
/* Winitzki's approximation, then Newton's steps on the logarithm of erfc, which has its digits in the tail too. */
POISE_TAIL double POISE_TAIL_NAME(erfcinv)(double x)
{
    if (!(x > 0 && x < 2)) return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
    const double tail = x < 1 ? x : 2 - x, l = POISE_TAIL_NAME(log)(tail * (2 - tail)), a = 4.330746750799873 + l / 2;
    double y = __builtin_sqrt(__builtin_sqrt(a * a - l / 0.147) - a);
    if (y > 26) y = 26;
    for (int i = 0; i < 6; i++) {
        y += (POISE_TAIL_NAME(log)(POISE_TAIL_NAME(erfc)(y)) - POISE_TAIL_NAME(log)(tail)) * POISE_TAIL_NAME(erfcx)(y) *
             0.886226925452758;
        if (y > 27.2) y = 27.2; /* erfc is not yet 0 there */
    }
    return x < 1 ? y : -y;
}
POISE_TAIL double POISE_TAIL_NAME(erfinv)(double x)
{
    const double a = __builtin_fabs(x);
    if (a > 0.5) return __builtin_copysign(POISE_TAIL_NAME(erfcinv)(1 - a), x);
    double y = 0.886226925452758 * x * (1 + 0.2617993877991494 * x * x); /* the series' first terms, then Newton's */
    for (int i = 0; i < 4; i++)
        y -= (POISE_TAIL_NAME(erf)(y) - x) / (1.1283791670955126 * POISE_TAIL_NAME(exp)(-y * y));
    return y;
}
POISE_TAIL double POISE_TAIL_NAME(normcdfinv)(double x)
{
    return -1.4142135623730951 * POISE_TAIL_NAME(erfcinv)(2 * x);
}
