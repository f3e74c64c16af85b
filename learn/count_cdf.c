/* P(Y <= k) of the NB2 law is a ratio of incomplete beta functions, I_x(theta, k + 1) with x = theta / (theta + mu),
 * and of the Poisson law one of incomplete gamma functions, Q(k + 1, mu). [DLMF 8.17.24, 8.4.10]
 *
 * GSL has both, and neither holds over the whole plane: its gamma function gives up ("error in large x asymptotic") for
 * a mean above 1e6 that is near k, its beta function takes x alone, which rounds to 1 for a small mean, and its
 * fraction is cut off after 512 steps. So they are written here, in alpha = 1 / theta as the likelihood is (nb2.c):
 * alpha = 0 is the Poisson law, with no switch between the two.
 *
 *   log P(Y = k)   Loader's saddle-point form: no term is larger than the result's logarithm         [Loader 2000]
 *   the tails      P(Y = k) times a continued fraction of positive terms, the even part of Gauss's
 *                                                                                     [DLMF 8.17.22, 15.7.5, 8.9.2]
 *   huge counts    the first terms of Temme's uniform expansion, where the fraction would be long
 *                                                                                              [DLMF 8.18.9, 8.12.3] */
#include "count_cdf.h"

#include <math.h>
#include "count_terms.h"

#define FRACTION_STEPS 1000000 /* never needed: up to UNIFORM_MIN they are a few thousand */
#define UNIFORM_MIN 1e8        /* of k and theta: the terms left out of the expansion are below 1 / UNIFORM_MIN^1.5 */

/* log P(Y = k), k whole and above 0 */
static double log_probability(double k, double mu, double alpha)
{
    return count_own(k, alpha) - count_half_deviance(k, mu, alpha);
}

/* 1 / (b_0 + a_1 / (b_1 + a_2 / ...)), forward by Lentz's method as modified by Thompson and Barnett; terms(m) gives
 * a_m and b_m. */
struct law {
    double k, mu, alpha;
};
typedef void terms_fn(const struct law *law, double m, double *a, double *b);
static double fraction(const struct law *law, terms_fn *terms)
{
    const double tiny = 1e-300;
    double a, b;
    terms(law, 0, &a, &b);
    double f = b != 0 ? b : tiny, c = f, d = 0;
    for (double m = 1; m < FRACTION_STEPS; m++) {
        terms(law, m, &a, &b);
        if (a == 0) break; /* it ends: at k + 1 below, at a whole theta above */
        d = b + a * d;
        c = b + a / c;
        d = 1 / (d != 0 ? d : tiny);
        c = c != 0 ? c : tiny;
        f *= c * d;
        if (fabs(c * d - 1) < 1e-16) break;
    }
    return 1 / f;
}

/* The sum of P(Y = j) for j <= k over P(Y = k + 1) (k + 1): F(1, theta + k + 1; theta + 1; x) / theta. */
static void lower_terms(const struct law *law, double m, double *a, double *b)
{
    const double k = law->k, mu = law->mu, alpha = law->alpha, rise = 1 + alpha * mu;
    const double before = 1 + (2 * m - 1) * alpha, at = 1 + 2 * m * alpha;
    const double own = (mu - k) * (1 + alpha * m) + 2 * m + alpha * m * (3 * m + 1);
    const double of_mean = alpha * mu * (3 * m + 1 + 2 * m * (2 * m + 1) * alpha);
    const double pair = m > 0 ? m * (k + 1 - m) / (before * at * rise) : 0; /* c_2m theta^2 */
    *b = (own + of_mean) / (rise * at * (1 + (2 * m + 1) * alpha)) + alpha * pair;
    *a = m > 0 ? pair * (1 + (k + m) * alpha) * (1 + (m - 1) * alpha) / (rise * (1 + (2 * m - 2) * alpha) * before) : 0;
}

/* The sum of P(Y = j) for j > k over P(Y = k + 1): F(1, theta + k + 1; k + 2; 1 - x). */
static void upper_terms(const struct law *law, double m, double *a, double *b)
{
    const double next = law->k + 1, mu = law->mu, alpha = law->alpha, s = mu / (1 + alpha * mu), at = next + 2 * m;
    const double even = m > 0 ? s * m * (1 - alpha * m) / ((at - 1) * at) : 0;                           /* c_2m */
    const double odd_before = s * (1 + alpha * (next + m - 1)) * (next + m - 1) / ((at - 2) * (at - 1)); /* -c_(2m-1) */
    /* 1 + c_(2m+1), its numerator multiplied out: 1 and the coefficient may agree in most of their digits */
    const double own = (next - mu) * (next + m) + 3 * m * next + 4 * m * m + next + 2 * m;
    const double of_mean = alpha * mu * (2 * m * next + 3 * m * m + next + 2 * m);
    *b = (own + of_mean) / (at * (at + 1) * (1 + alpha * mu)) + even;
    *a = even * odd_before;
}

/* Temme's expansion for b = k + 1 and theta both large: Phi(r) + phi(r) (1 / r - 1 / u), r the signed root of the
 * deviance. */
static double uniform(double b, double mu, double alpha)
{
    const double e = b - mu, r = copysign(sqrt(2 * count_half_deviance(b, mu, alpha)), e);
    const double u = e * sqrt((1 + alpha * b) / b) / (1 + alpha * mu);
    /* the two terms cancel as r goes to 0 */
    const double rest = fabs(r) > 1e-3 ? 1 / r - 1 / u : (alpha * b - 1) / (3 * sqrt(b * (1 + alpha * b)));
    return 0.5 * erfc(-r * M_SQRT1_2) + exp(-0.5 * r * r - HALF_LOG_2PI) * rest;
}

double count_cdf(double k, double mu, double theta)
{
    const double alpha = 1 / theta;
    if (isnan(k) || isnan(mu) || isnan(theta)) return NAN;
    k = floor(k);
    if (k < 0) return 0;
    if (mu < 1e-17 || isinf(k)) return 1; /* P(Y > 0) <= mu */
    if (isinf(mu)) return 0;
    if (alpha > 1e100) return 1; /* all stands at 0: P(Y = 0) = (1 + alpha mu)^(-1 / alpha) */
    if (k == 0) return exp(alpha > 0 ? -log1p(alpha * mu) / alpha : -mu);
    double p;
    const struct law law = {k, mu, alpha};
    if (k >= UNIFORM_MIN && theta >= UNIFORM_MIN) p = uniform(k + 1, mu, alpha);
    else if (k + 1 >= mu * (1 + alpha)) p = 1 - exp(log_probability(k + 1, mu, alpha)) * fraction(&law, upper_terms);
    else p = exp(log_probability(k + 1, mu, alpha)) * (k + 1) * fraction(&law, lower_terms);
    return p < 0 ? 0 : p > 1 ? 1 : p;
}
