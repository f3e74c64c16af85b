/* Probabilities of counts over the whole plane of mean and dispersion, and that no call into poise_learn can end the
 * process. */
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include "count_cdf.h"
#include "poise/family.h"
#include "special.h"

static const double means[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5,    1,   2,  3.7,
                               10,   31,   100,  700,  1e3,  1e4, 123456, 1e5, 1e6};
static const double thetas[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1,   2,   3.5,
                                10,   100,  1e3,  1e4,  1e5,  1e6, 1e7, 1e8, 1e9, INFINITY};
#define EACH_PLACE(m, t) \
    for (size_t m = 0; m < COUNT_OF(means); m++) \
        for (size_t t = 0; t < COUNT_OF(thetas); t++)

/* Sums of the probabilities, and above 30000 Gauss's fraction of 20,000 steps and more, with 50 and 60 digits (Python,
 * mpmath). */
static const struct {
    double k, mu, theta, p;
} table[] = {
    {14, 1.0, 0.1, 0.986644607816305789},
    {13162, 3162.2776601683795, 0.001, 0.995102595242700809},
    {314, 316.22776601683796, 1e6, 0.465000386678356241},
    {0, 0.001, 1e12, 0.999000499833374992},
    {0, 5.011872336272722, 1e9, 0.00665842490125805082},
    {28464, 3162.2776601683795, 1, 0.999876590246467592},
    {76, 31.622776601683793, 1e9, 0.999999999993272778},
    {3097, 3162.2776601683795, 1e4, 0.157659967363454281},
    {245, 316.22776601683796, INFINITY, 0.0000180102773268560794},
    {0, 1e-6, INFINITY, 0.9999990000005},
    {2160, 3162.2776601683795, 10, 0.153376652334253031},
    {0, 1e-6, 0.1, 0.999999000005499962},
    {31, 31.622776601683793, 1e9, 0.503159997767808502},
    {9, 1.0, 100, 0.999999841763536788},
    {1, 1.0, 0.1, 0.858320118760115162},
    {1, 0.1, 1e6, 0.995321155767787689},
    {15595, 15848.93192461114, 1e6, 0.0226746774107840815},
    {32, 31.622776601683793, 1e9, 0.573342825995532227},
    {387, 316.22776601683796, 1e6, 0.99994742195471327},
    {20, 31.622776601683793, 1e12, 0.0186129900531588657},
    {3193, 31.622776601683793, 1e-6, 0.999991376635603148},
    {100632771, 1e8, 1e5, 0.977079373285842267},
    {1002097, 1e6, 1e7, 0.977212934195134279},
    {999998, 1e6, 1e9, 0.499468475668074452},
    {30002779, 3e7, 1e9, 0.691477919516769455},
    {30000010, 3e7, 1e7, 0.500424879824867316},
};

static void probabilities_of_counts_agree_with_sums_of_fifty_digits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const double p = count_cdf(table[i].k, table[i].mu, table[i].theta);
        if (!(fabs(p - table[i].p) < 1e-13))
            fail_msg("P(Y <= %g), mean %g, theta %g: %.17g, not %.17g", table[i].k, table[i].mu, table[i].theta, p,
                     table[i].p);
    }
}

/* From 0 to far beyond the mean, close together around it. */
static double next_count(double k, double mu)
{
    return k < 20 || fabs(k - mu) < 20 ? k + 1 : floor(k * 1.21) > mu && k < mu - 20 ? floor(mu) - 20 : floor(k * 1.21);
}

static void probabilities_of_counts_rise_from_0_to_1_over_the_whole_plane(void **state)
{
    (void)state;
    EACH_PLACE(m, t)
    {
        double last = 0;
        for (double k = 0; k < 1e10; k = next_count(k, means[m])) {
            const double p = count_cdf(k, means[m], thetas[t]);
            if (!(p >= last - 1e-14 && p <= 1))
                fail_msg("P(Y <= %g), mean %g, theta %g: %.17g after %.17g", k, means[m], thetas[t], p, last);
            last = p;
        }
        /* theta 1e-6 at mean 1e6 spreads to 1e12 and beyond */
        if (thetas[t] >= 0.1 && !(last > 1 - 1e-12))
            fail_msg("mean %g, theta %g: ends at %.17g", means[m], thetas[t], last);
        assert_true(count_cdf(-1, means[m], thetas[t]) == 0);
        assert_true(count_cdf(INFINITY, means[m], thetas[t]) == 1);
    }
}

static void probabilities_of_counts_fall_as_the_mean_rises(void **state)
{
    static const double counts[] = {0, 1, 2, 7, 31, 64, 1000, 65535, 1e6};
    (void)state;
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        for (size_t t = 0; t < COUNT_OF(thetas); t++) {
            double last = 1;
            for (double mu = 1e-6; mu < 4e6; mu *= 1.07) {
                const double p = count_cdf(counts[c], mu, thetas[t]);
                if (!(p >= 0 && p <= last + 1e-14))
                    fail_msg("P(Y <= %g), mean %g, theta %g: %.17g after %.17g", counts[c], mu, thetas[t], p, last);
                last = p;
            }
        }
    for (double mu = 1e-300; mu < 1e31; mu *= 1e7)
        for (double theta = 1e-300; theta < 1e300; theta *= 1e7)
            for (double k = 0; k < 1e30; k = 10 * k + 1) {
                const double p = count_cdf(k, mu, theta);
                if (!(p >= 0 && p <= 1)) fail_msg("k %g, mean %g, theta %g: %g", k, mu, theta, p);
            }
    assert_true(count_cdf(7, 0, 2) == 1 && count_cdf(7, INFINITY, 2) == 0 && isnan(count_cdf(7, NAN, 2)));
}

/* The fraction of the lower tail gives way to that of the upper one at a mean of (k + 1) / (1 + alpha), and both to the
 * uniform expansion at counts of 1e8. The steps between are those of the function: at most P(Y = k) k / mean times the
 * relative step in the mean. */
static void probabilities_of_counts_are_continuous_where_the_computation_changes(void **state)
{
    (void)state;
    for (double k = 1; k < 1e10; k *= 3)
        for (size_t t = 0; t < COUNT_OF(thetas); t++) {
            const double whole = floor(k), at = (whole + 1) / (1 + 1 / thetas[t]), step = 1e-15 * at;
            const double below = count_cdf(whole, at - 4 * step, thetas[t]),
                         above = count_cdf(whole, at + 4 * step, thetas[t]);
            const double slope =
                count_cdf(whole, at, thetas[t]) - count_cdf(whole - 1, at, thetas[t]); /* -dP/dmu, at most */
            if (!(fabs(below - above) < 10 * step * slope + 2e-13))
                fail_msg("k %g, theta %g: %.17g and %.17g", whole, thetas[t], below, above);
        }
    for (size_t t = 0; t < COUNT_OF(thetas); t++)
        for (double z = -6; z <= 6; z += 0.25) {
            const double k = 1e8, mu = k + z * sqrt(k + k * k / thetas[t]);
            if (!(mu > 0)) continue;
            double p[4]; /* two by the fraction, two by the expansion */
            for (int i = 0; i < 4; i++) p[i] = count_cdf(k - 2 + i, mu, thetas[t]);
            /* the third difference of a smooth function: at most 0.6 / (standard deviation)^3 */
            if (!(fabs(p[3] - 3 * p[2] + 3 * p[1] - p[0]) < 2e-12))
                fail_msg("z %g, theta %g: %.17g %.17g %.17g %.17g", z, thetas[t], p[0], p[1], p[2], p[3]);
        }
}

static void negative_binomial_probabilities_end_in_those_of_poisson(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(means); m++)
        for (double k = 0; k < 4 * means[m] + 30; k = next_count(k, means[m]))
            for (double theta = 1e9; theta < 1e18; theta *= 31) {
                /* the difference is (k - mu)^2 / (2 theta) P(Y = k) to first order, hence at most about mu / theta;
                 * rounding beside it */
                const double nb = count_cdf(k, means[m], theta), poisson = count_cdf(k, means[m], INFINITY);
                if (!(fabs(nb - poisson) <= (means[m] + 1) / theta + 1e-13))
                    fail_msg("k %g, mean %g, theta %g: %.17g and %.17g", k, means[m], theta, nb, poisson);
            }
}

/* A model file is read and asked for an interval; nothing is fitted before, so nothing else has switched GSL's handler
 * off. */
static void a_predictor_that_was_read_from_a_file_gives_its_quantiles_whatever_its_errors(void **state)
{
    static const double variances[] = {0, 0.04, 1, 9, 100, 1e4, 1e9}, etas[] = {-700, -20, 0, 3, 14, 22, 700};
    static const char *const dispersions[] = {"1e-6", "0.5", "16", "1e5", "999999999", "\"inf\""};
    (void)state;
    for (size_t d = 0; d < COUNT_OF(dispersions); d++)
        for (size_t v = 0; v < COUNT_OF(variances); v++) {
            char text[400];
            struct predictor *p;
            struct error err;
            const int n = snprintf(text, sizeof text,
                                   "{\"schema\":1,\"kind\":\"predictor\",\"family\":\"nb2\",\"features\":[\"x\"],"
                                   "\"state\":{\"family\":\"nb2\",\"weights\":[1.0],"
                                   "\"covariance\":[%g],\"theta\":%s,\"sigma\":0.0,\"df\":1.0}}",
                                   variances[v], dispersions[d]);
            assert_ok(predictor_parse(&p, "model.json", text, (size_t)n, &err), &err);
            for (size_t e = 0; e < COUNT_OF(etas); e++) {
                const double low = predictor_quantile(p, &etas[e], 0, 0.05),
                             high = predictor_quantile(p, &etas[e], 0, 0.95);
                if (!(low >= 0 && low <= high && isfinite(high)))
                    fail_msg("theta %s, variance %g, eta %g: from %g to %g", dispersions[d], variances[v], etas[e], low,
                             high);
            }
            predictor_free(p);
        }
}

static void functions_of_gsl_give_nan_where_they_have_no_value(void **state)
{
    (void)state;
    assert_true(isnan(special_lngamma(0)));
    assert_true(isnan(t_lower(1, 0)) && isnan(t_quantile(2, 5)) && isnan(chi_squared_upper(1, -1)) &&
                isnan(normal_quantile(-1)));
    assert_true(fabs(special_lngamma(5) - log(24)) < 1e-14 &&
                fabs(chi_squared_upper(3.841458820694124, 1) - 0.05) < 1e-14);
    assert_true(chi_squared_upper(1e6, 1) == 0); /* underflow is no error */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_predictor_that_was_read_from_a_file_gives_its_quantiles_whatever_its_errors),
        cmocka_unit_test(probabilities_of_counts_agree_with_sums_of_fifty_digits),
        cmocka_unit_test(probabilities_of_counts_rise_from_0_to_1_over_the_whole_plane),
        cmocka_unit_test(probabilities_of_counts_fall_as_the_mean_rises),
        cmocka_unit_test(probabilities_of_counts_are_continuous_where_the_computation_changes),
        cmocka_unit_test(negative_binomial_probabilities_end_in_those_of_poisson),
        cmocka_unit_test(functions_of_gsl_give_nan_where_they_have_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
