#include "count_terms.h"

#include <math.h>

#define SERIES_MIN 16.0 /* from here on Stirling's series has all digits after six terms */
#define NEAR 0.1        /* below it a difference is a series */

/* ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2 */
static double stirling_rest(double x)
{
    int sign;
    if (x < SERIES_MIN) return lgamma_r(x, &sign) - (x - 0.5) * log(x) + x - HALF_LOG_2PI;
    const double s = 1 / (x * x); /* Bernoulli numbers [DLMF 5.11.1] */
    return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * 691.0 / 360360))))) /
           x;
}

/* Of Stirling's rest: its derivative is the sum of slopes[k] x^(-2 (k + 1)). */
static const double slopes[6] = {-1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240, -1.0 / 132, 691.0 / 32760};

/* First and second derivative of stirling_rest() at x > 0. */
static void rest_derivatives(double x, double d[2])
{
    d[0] = d[1] = 0;
    for (; x < SERIES_MIN; x++) { /* what one step to the right changes */
        d[0] += log1p(1 / x) - 0.5 / x - 0.5 / (x + 1);
        d[1] += 0.5 / (x * x) - 1 / (x * (x + 1)) + 0.5 / ((x + 1) * (x + 1));
    }
    const double s = 1 / (x * x);
    double first = 0, second = 0;
    for (int k = 5; k >= 0; k--) {
        first = (first + slopes[k]) * s;
        second = (second - 2 * (k + 1) * slopes[k]) * s;
    }
    d[0] += first;
    d[1] += second / x;
}

/* (u ln u - d) / d^2 for u = 1 + d, where d is known without cancellation. */
static double entropy_term(double u, double d)
{
    if (fabs(d) > NEAR) return (u * log(u) - d) / d / d;
    double sum = 0; /* sum over n >= 0 of (-d)^n / ((n + 1) (n + 2)) */
    for (int n = 17; n >= 0; n--) sum = 1.0 / ((n + 1) * (n + 2)) - d * sum;
    return sum;
}

double count_half_deviance(double y, double mu, double alpha)
{
    if (y == 0) return alpha > 0 ? log1p(alpha * mu) / alpha : mu;
    const double rise_y = 1 + alpha * y, rise_mu = 1 + alpha * mu, e = y - mu;
    const double of_count =
        e / rise_y * (e / rise_mu) / mu * entropy_term(y / mu * (rise_mu / rise_y), e / mu / rise_y);
    return of_count + alpha * (e / rise_y) * (e / rise_mu) * entropy_term(rise_mu / rise_y, -alpha * e / rise_y);
}

double count_own(double y, double alpha)
{
    if (y == 0) return 0;
    const double rest = alpha > 0 ? stirling_rest(y + 1 / alpha) - stirling_rest(1 / alpha) : 0;
    return rest - stirling_rest(y) - 0.5 * log(y) - 0.5 * log1p(alpha * y) - HALF_LOG_2PI;
}

/* (x - log u) / x^2 for u = 1 + x. */
static double log_term(double x, double u)
{
    if (fabs(x) >= NEAR) return (x - (x < -0.5 ? log(u) : log1p(x))) / (x * x);
    double sum = 0;
    for (int n = 19; n >= 0; n--) sum = 1.0 / (n + 2) - x * sum;
    return sum;
}

/* (s - 2 log_term(x)) / alpha for s = 1 / (1 + alpha y), and alpha e = x: both are 1 where these are 0. */
static double curved(double x, double h, double e, double y, double alpha)
{
    const double s = 1 / (1 + alpha * y);
    if (fabs(x) >= NEAR) return (s - 2 * h) / alpha;
    double sum = 0; /* (1 - 2 h) / x */
    for (int n = 19; n >= 0; n--) sum = 2.0 / (n + 3) - x * sum;
    return e * sum - y * s;
}

/* With theta = 1 / alpha and s = theta / (y + theta): those of -log1p(alpha y) / 2, and of the difference of the two
 * rests, whose terms for a large theta are alpha^(2 k) (1 - s^(2 k + 2)) and differ by next to nothing. */
void count_own_derivatives(double y, double alpha, double d[2])
{
    const double s = 1 / (1 + alpha * y), m = alpha * y * s; /* m = 1 - s */
    d[0] = -0.5 * y * s;
    d[1] = 0.5 * y * s * y * s;
    if (alpha * SERIES_MIN > 1 && y < SERIES_MIN) { /* the sum over j < y itself */
        const double h = log_term(alpha * y, 1 + alpha * y);
        d[0] = -y * y * h;
        d[1] = -y * y * curved(alpha * y, h, y, y, alpha);
        for (double j = 1; j < y; j++) {
            const double ratio = j / (1 + alpha * j);
            d[0] += ratio, d[1] -= ratio * ratio;
        }
        return;
    }
    if (alpha * SERIES_MIN > 1) {
        const double theta = 1 / alpha;
        double near[2], far[2];
        rest_derivatives(theta, near);
        rest_derivatives(y + theta, far);
        d[0] -= theta * theta * (far[0] - near[0]);
        d[1] += theta * theta * theta * (2 * (far[0] - near[0]) + theta * (far[1] - near[1]));
        return;
    }
    double power = 1, even = 1 + s, s_power = s; /* alpha^(2 k); 1 + s + .. + s^(2 k + 1); s^(2 k + 1) */
    for (int k = 0; k < 6; k++) {
        const double odd = even + s_power * s; /* 1 + s + .. + s^(2 k + 2) */
        d[0] += slopes[k] * power * m * even;
        if (k == 0) d[1] += 2 * slopes[0] * y * s * s * s;
        else d[1] += 2 * slopes[k] * power * y * s * ((k + 1) * odd - even);
        s_power *= s * s;
        even = odd + s_power;
        power *= alpha * alpha;
    }
}

void count_deviance_derivatives(double y, double mu, double alpha, double d[2])
{
    const double rise_mu = 1 + alpha * mu, e = (y - mu) / rise_mu;
    const double h = log_term(alpha * e, (1 + alpha * y) / rise_mu);
    d[0] = e * e * h;
    d[1] = e * e * curved(alpha * e, h, e, y, alpha);
}
