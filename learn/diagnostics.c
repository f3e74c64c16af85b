/* Residuals, leverage and influence of each row; tests of overdispersion; the rootogram.
 *
 * Formulas: R's influence.measures for glm, Cameron and Trivedi (J. Econometrics 46, 1990), Dean (JASA 87, 1992), Dunn
 * and Smyth (J. Comp. Graph. Stat. 5, 1996). */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "count_cdf.h"
#include "count_terms.h"
#include "report.h"
#include "special.h"
#include "state.h"

#define QUANTILE_MAX 8.0 /* of a residual: the probability left is 6e-16 */

static double variance_of(double mu, double alpha) { return mu + alpha * mu * mu; }

/* h = W x' C x, C the expected covariance at dispersion 1 */
static double leverage(const struct glm_fit *fit, const struct glm_data *data, size_t i, double working_weight,
                       double dispersion)
{
    double h = 0;
    for (size_t a = 0; a < fit->k; a++)
        for (size_t b = 0; b < fit->k; b++)
            h += data->x[a * data->n + i] * fit->covariance[a * fit->k + b] * data->x[b * data->n + i];
    return fmin(1, working_weight * h / dispersion);
}

static double quantile_residual(double y, double mu, double theta, double u)
{
    const double low = count_cdf(y - 1, mu, theta), high = count_cdf(y, mu, theta), p = low + u * (high - low);
    if (!(p > 0)) return -QUANTILE_MAX;
    return p < 1 ? fmin(QUANTILE_MAX, fmax(-QUANTILE_MAX, normal_quantile(p))) : QUANTILE_MAX;
}

/* Response, Pearson, deviance and working residuals; leverage. */
static void set_residuals(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                          uint64_t seed)
{
    const bool is_ols = fit->family == GLM_OLS;
    const double alpha = is_ols || isinf(fit->theta) ? 0 : 1 / fit->theta,
                 dispersion = is_ols ? fit->sigma * fit->sigma : 1;
    uint64_t state = seed * 2 + 1;
    for (size_t i = 0; i < data->n; i++) {
        struct glm_report_row *r = &report->rows[i];
        const double y = data->y[i], w = precision_of(data, i), mu = fit->mu[i]; /* of one observation */
        r->mu = mu;
        r->copies = copies_of(data, i);
        r->eta = log(mu);
        state = state * 6364136223846793005u + 1442695040888963407u; /* a u of its own for every row */
        const double u = ((double)(state >> 11) + 0.5) * 0x1p-53;
        if (is_ols) {
            r->response = r->working = log(y) - r->eta;
            r->pearson = r->deviance = sqrt(w) * r->response;
            r->hat = leverage(fit, data, i, w, dispersion);
            r->quantile = r->response / (fit->sigma * sqrt(fmax(1e-12, 1 - r->hat)));
            continue;
        }
        const double variance = variance_of(mu, alpha);
        r->response = y - mu;
        r->pearson = sqrt(w / variance) * r->response;
        r->deviance = copysign(sqrt(w * 2 * count_half_deviance(y, mu, alpha)), r->response);
        r->working = r->response / mu;
        r->hat = leverage(fit, data, i, w * mu * mu / variance, 1);
        r->quantile = quantile_residual(y, mu, fit->theta, u);
    }
}

static void set_influence(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data)
{
    const double dispersion = fit->family == GLM_OLS ? fit->sigma * fit->sigma : 1, rank = (double)fit->rank;
    double squares = 0;
    for (size_t i = 0; i < data->n; i++)
        squares += report->rows[i].copies * report->rows[i].deviance * report->rows[i].deviance;
    for (size_t i = 0; i < data->n; i++) {
        struct glm_report_row *r = &report->rows[i];
        const double rest = 1 - r->hat, others = squares - r->deviance * r->deviance / rest;
        if (!(rest > 1e-10)) {
            r->cooks = r->rstandard = r->rstudent = r->dffits = NAN;
            continue;
        }
        const double sigma = sqrt(others / (fit->df_residual - 1)); /* without the row */
        r->cooks = r->pearson * r->pearson * r->hat / (rest * rest * dispersion * rank);
        r->rstandard = r->deviance / sqrt(dispersion * rest);
        r->rstudent = copysign(sqrt(r->deviance * r->deviance + r->hat * r->pearson * r->pearson / rest), r->deviance) /
                      (fit->family == GLM_POISSON ? 1 : sigma);
        r->dffits = r->deviance * sqrt(r->hat) / (sigma * rest);
    }
}

/* The row of the observation at a place of the order, from 0. */
static size_t row_at(const struct glm_report *report, const size_t *order, double place)
{
    double below = 0;
    size_t last = order[0];
    for (size_t i = 0; i < report->n && below <= place; i++) {
        if (!(report->rows[order[i]].copies > 0)) continue;
        last = order[i];
        below += report->rows[last].copies;
    }
    return last;
}

static int set_quantiles(struct glm_report *report, struct error *err)
{
    size_t *order = malloc((report->n + 1) * sizeof *order);
    double *values = malloc((report->n + 1) * sizeof *values);
    const int failed = order && values ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < report->n && !failed; i++) values[i] = report->rows[i].deviance;
    if (!failed) gsl_sort_index(order, values, 1, report->n);
    for (int q = 0; q < 5 && !failed; q++) {
        const double at = (report->observations - 1) * q / 4.0, part = at - floor(at);
        const double low = values[row_at(report, order, floor(at))], high = values[row_at(report, order, ceil(at))];
        report->deviance_quantiles[q] = part > 0 ? (1 - part) * low + part * high : low;
    }
    free(order);
    free(values);
    return failed;
}

/* Probabilities 0 .. bins-1 by their recursion, which loses no digit as theta grows. */
static void add_probabilities(double *expected, size_t bins, double weight, double mu, double alpha)
{
    double log_p = alpha > 0 ? -log1p(alpha * mu) / alpha : -mu;
    for (size_t j = 0; j < bins; j++) {
        expected[j] += weight * exp(log_p);
        log_p += log(mu * (1 + alpha * (double)j) / ((1 + alpha * mu) * ((double)j + 1)));
    }
}

static void set_rootogram(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data)
{
    const double alpha = isinf(fit->theta) ? 0 : 1 / fit->theta;
    double largest = 0;
    for (size_t i = 0; i < data->n; i++) largest = fmax(largest, data->y[i]);
    report->n_bins = largest + 1 < ROOTOGRAM_BINS ? (size_t)largest + 1 : ROOTOGRAM_BINS;
    for (size_t i = 0; i < data->n; i++) {
        const double w = copies_of(data, i);
        if (data->y[i] < (double)report->n_bins) report->observed[(size_t)data->y[i]] += w;
        add_probabilities(report->expected, report->n_bins, w, fit->mu[i], alpha);
    }
}

/* z_i = ((y - mu)^2 - y) / mu on the Poisson fit. */
static void set_overdispersion(struct glm_report *report, const struct glm_fit *poisson, const struct glm_data *data)
{
    double n = poisson->observations, weights = 0, sum = 0, squares = 0, zm = 0, mm = 0, score = 0, rest = 0;
    for (size_t i = 0; i < data->n; i++) weights += weight_of(data, i);
    const double unit = n / weights; /* precisions that are all the same change nothing */
    for (size_t i = 0; i < data->n; i++) {
        const double mu = poisson->mu[i], w = unit * weight_of(data, i), e = data->y[i] - mu,
                     z = (e * e - data->y[i]) / mu;
        sum += w * z, zm += w * z * mu, mm += w * mu * mu, score += w * (e * e - data->y[i]);
    }
    const double mean = sum / n, slope = zm / mm;
    for (size_t i = 0; i < data->n; i++) {
        const double mu = poisson->mu[i], w = unit * weight_of(data, i), e = data->y[i] - mu,
                     z = (e * e - data->y[i]) / mu;
        squares += w * (z - mean) * (z - mean);
        rest += w * (z - slope * mu) * (z - slope * mu);
    }
    report->nb1_alpha = mean;
    report->nb1_z = sqrt(n) * mean / sqrt(squares / (n - 1));
    report->nb2_alpha = slope;
    report->nb2_t = slope / sqrt(rest / (n - 1) / mm);
    report->dean = score / sqrt(2 * mm);
    report->nb1_p = normal_upper(report->nb1_z);
    report->nb2_p = normal_upper(report->nb2_t);
    report->dean_p = normal_upper(report->dean);
}

static int set_tests(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                     struct error *err)
{
    struct glm_fit poisson;
    report->nb1_z = report->nb1_p = report->nb1_alpha = report->nb2_alpha = report->nb2_t = report->nb2_p = NAN;
    report->dean = report->dean_p = report->lr_poisson = report->lr_poisson_p = NAN;
    if (fit->family == GLM_OLS) return 0;
    if (glm_fit(&poisson, data, &(struct glm_options){.family = GLM_POISSON}, err) < 0) {
        /* a penalty fits what has no fit without one: then there is nothing to test against */
        return fit->penalty.lambda > 0 && err->code == ERR_INPUT ? 0 : -1;
    }
    set_overdispersion(report, &poisson, data);
    if (fit->theta_is_fitted) {
        report->lr_poisson = fmax(0, 2 * (fit->loglik - poisson.loglik));
        report->lr_poisson_p = 0.5 * chi_squared_upper(report->lr_poisson, 1);
    }
    glm_fit_fini(&poisson);
    return 0;
}

int report_diagnose(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data, uint64_t seed,
                    struct error *err)
{
    set_residuals(report, fit, data, seed);
    set_influence(report, fit, data);
    if (fit->family != GLM_OLS) set_rootogram(report, fit, data);
    return set_quantiles(report, err) < 0 ? -1 : set_tests(report, fit, data, err);
}
