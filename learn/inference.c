/* What is known of each weight: intervals, robust errors, inflation of its variance, what the model loses without
 * it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"
#include "poise/lapack.h"
#include "poise/validate.h"
#include "special.h"
#include "state.h"
#include "wls.h"

#define PROFILE_STEPS 60

void glm_report_fini(struct glm_report *report)
{
    free(report->coef);
    free(report->rows);
    memset(report, 0, sizeof *report);
}

static void set_wald(struct glm_report *report, const struct glm_fit *fit)
{
    const double tail = (1 - report->level) / 2;
    const bool is_ols = fit->family == GLM_OLS;
    const double z = is_ols && fit->df_residual > 0 ? -t_quantile(tail, fit->df_residual) : -normal_quantile(tail);
    for (size_t j = 0; j < fit->k; j++) {
        struct glm_report_coef *c = &report->coef[j];
        c->low = fit->coef[j].value - z * fit->coef[j].se_expected;
        c->high = fit->coef[j].value + z * fit->coef[j].se_expected;
    }
    const double spread = z * fit->se_theta / fit->theta; /* of log theta, by the delta method */
    report->theta_low = fit->theta_is_fitted ? fit->theta * exp(-spread) : NAN;
    report->theta_high = fit->theta_is_fitted ? fit->theta * exp(spread) : NAN;
}

/* C M C, M the sum over units of s s', s the unit's score. `copies`: units are rows, and each counts as often as its
 * frequency says. */
static void sandwich(const struct glm_fit *fit, const double *scores, const struct glm_data *copies, size_t units,
                     double *work, double *errors)
{
    const size_t k = fit->k;
    double *v = work;
    for (size_t j = 0; j < k; j++) errors[j] = 0;
    for (size_t u = 0; u < units; u++) {
        for (size_t j = 0; j < k; j++) {
            v[j] = 0;
            for (size_t l = 0; l < k; l++) v[j] += fit->covariance[j * k + l] * scores[u * k + l];
        }
        for (size_t j = 0; j < k; j++) errors[j] += (copies ? copies_of(copies, u) : 1) * v[j] * v[j];
    }
    for (size_t j = 0; j < k; j++) errors[j] = sqrt(errors[j]);
}

static int set_robust(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                      const char *const *texts, struct error *err)
{
    const size_t n = data->n, k = fit->k;
    const bool is_ols = fit->family == GLM_OLS;
    const double alpha = is_ols || isinf(fit->theta) ? 0 : 1 / fit->theta;
    struct groups groups = {0};
    double *scores = calloc(n * k + 2 * k + 1, sizeof *scores), *work = scores + n * k, *errors = work + k;
    int failed = scores ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed && texts) failed = groups_init(&groups, texts, n, err);
    for (int pass = 0; pass < (texts ? 2 : 1) && !failed; pass++) {
        memset(scores, 0, n * k * sizeof *scores);
        for (size_t i = 0; i < n; i++) {
            const double w = pass ? weight_of(data, i) : precision_of(data, i), mu = fit->mu[i];
            const double e = is_ols ? w * report->rows[i].response / (fit->sigma * fit->sigma)
                                    : w * (data->y[i] - mu) / (1 + alpha * mu);
            for (size_t j = 0; j < k; j++) scores[(pass ? groups.of[i] : i) * k + j] += e * data->x[j * n + i];
        }
        sandwich(fit, scores, pass ? NULL : data, pass ? groups.n_groups : n, work, errors);
        for (size_t j = 0; j < k; j++) {
            if (fit->coef[j].is_aliased) errors[j] = NAN;
            else if (fit->coef[j].is_separated) errors[j] = INFINITY;
            if (pass) report->coef[j].se_cluster = errors[j];
            else report->coef[j].se_hc0 = errors[j], report->coef[j].se_cluster = NAN;
        }
    }
    groups_fini(&groups);
    free(scores);
    return failed;
}

/* Diagonal of the inverse of the correlation matrix `r` (m x m, overwritten). */
static bool inverse_diagonal(double *r, size_t m)
{
    const lapack_int order = (lapack_int)m;
    return lapack()->dpotrf(LAPACK_ROW_MAJOR, 'U', order, r, order) == 0 &&
           lapack()->dpotri(LAPACK_ROW_MAJOR, 'U', order, r, order) == 0;
}

static bool is_constant(const struct glm_data *data, size_t j)
{
    for (size_t i = 1; i < data->n; i++)
        if (data->x[j * data->n + i] != data->x[j * data->n]) return false;
    return true;
}

/* Both inflations: covariance of the weights and of the columns, constant ones left out. */
static int set_inflation(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                         struct error *err)
{
    const size_t n = data->n, k = fit->k;
    size_t *kept = malloc((k + 1) * sizeof *kept), m = 0;
    double *r = malloc((k * k + k + 1) * sizeof *r), *mean = r + k * k;
    if (!kept || !r) {
        free(kept);
        free(r);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    for (size_t j = 0; j < k; j++) {
        report->coef[j].vif = report->coef[j].vif_design = NAN;
        if (!fit->coef[j].is_aliased && !is_constant(data, j)) kept[m++] = j;
    }
    for (int pass = 0; pass < 2 && m > 0; pass++) {
        for (size_t a = 0; a < m; a++) {
            mean[a] = 0;
            for (size_t i = 0; pass && i < n; i++)
                mean[a] += copies_of(data, i) * data->x[kept[a] * n + i] / fit->observations;
        }
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++) {
                double sum = pass ? 0 : fit->covariance[kept[a] * k + kept[b]];
                for (size_t i = 0; pass && i < n; i++)
                    sum += copies_of(data, i) * (data->x[kept[a] * n + i] - mean[a]) *
                           (data->x[kept[b] * n + i] - mean[b]);
                r[a * m + b] = sum;
            }
        double *scale = mean;
        for (size_t a = 0; a < m; a++) scale[a] = 1 / sqrt(r[a * m + a]);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++) r[a * m + b] *= scale[a] * scale[b];
        if (!inverse_diagonal(r, m)) continue;
        for (size_t a = 0; a < m; a++)
            *(pass ? &report->coef[kept[a]].vif_design : &report->coef[kept[a]].vif) = r[a * m + a];
    }
    free(kept);
    free(r);
    return 0;
}

/* Mean of mu times the weight, and its error: the gradient in weight l is b_j mean(mu x_l) + [j = l] mean(mu). */
static int set_effects(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                       struct error *err)
{
    const size_t n = data->n, k = fit->k;
    double *mx = calloc(2 * k + 1, sizeof *mx), *gradient = mx + k, mean = 0, weights = 0;
    if (!mx) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const double w = weight_of(data, i);
        weights += w, mean += w * fit->mu[i];
        for (size_t j = 0; j < k; j++) mx[j] += w * fit->mu[i] * data->x[j * n + i];
    }
    mean /= weights;
    for (size_t j = 0; j < k; j++) {
        double variance = 0;
        for (size_t l = 0; l < k; l++) gradient[l] = fit->coef[j].value * mx[l] / weights + (j == l ? mean : 0);
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++) variance += gradient[a] * fit->covariance[a * k + b] * gradient[b];
        report->coef[j].effect = fit->coef[j].is_aliased ? NAN : fit->coef[j].value * mean;
        report->coef[j].se_effect = fit->coef[j].is_aliased ? NAN : sqrt(variance);
    }
    free(mx);
    return 0;
}

/* Everything a refit without column j needs. */
struct refit {
    struct glm_subset part;
    const struct glm_data *data;
    size_t column;
    struct glm_options options;
    double *offset;
    double top;
};

/* Log-likelihood with the weight of the column held at b; NAN if that cannot be fitted. */
static double loglik_at(struct refit *r, double b)
{
    struct glm_fit fit;
    struct error ignored;
    const double *x = r->data->x + r->column * r->data->n;
    for (size_t i = 0; i < r->data->n; i++) r->offset[i] = (r->data->offset ? r->data->offset[i] : 0) + b * x[i];
    r->part.data.offset = r->offset;
    if (glm_fit(&fit, &r->part.data, &r->options, &ignored) < 0) return NAN;
    const double l = fit.converged ? fit.loglik : NAN;
    glm_fit_fini(&fit);
    return l;
}

/* Where the profile has fallen by `drop`, from the maximum in the direction of `step`: bracketing, then the Illinois
 * rule. */
static double profile_end(struct refit *r, double at, double step, double drop)
{
    double a = at, fa = -drop, b = at + step, fb = NAN;
    for (int i = 0; i < 12; i++, b = at + (b - at) * 1.7) {
        fb = r->top - loglik_at(r, b) - drop;
        if (!(fb < 0)) break;
        a = b, fa = fb;
    }
    if (!(fb >= 0)) return NAN;
    for (int i = 0, side = 0; i < PROFILE_STEPS && fabs(b - a) > 1e-9 * fabs(step); i++) {
        const double c = (fa * b - fb * a) / (fa - fb), fc = r->top - loglik_at(r, c) - drop;
        if (isnan(fc)) return NAN;
        if (fabs(fc) < 1e-10) return c;
        if (fc > 0) {
            b = c, fb = fc;
            if (side == 1) fa /= 2;
            side = 1;
        } else {
            a = c, fa = fc;
            if (side == -1) fb /= 2;
            side = -1;
        }
    }
    return (a + b) / 2;
}

static int profile_one(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                       const struct glm_options *options, size_t j, struct error *err)
{
    struct refit r = {.data = data, .column = j, .options = *options, .offset = malloc((data->n + 1) * sizeof(double))};
    struct glm_report_coef *c = &report->coef[j];
    size_t *columns = malloc((data->k + 1) * sizeof *columns), k = 0;
    int failed = columns && r.offset ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t l = 0; !failed && l < data->k; l++)
        if (l != j && !fit->coef[l].is_aliased) columns[k++] = l;
    if (!failed) failed = glm_subset_init(&r.part, data, NULL, 0, columns, k, err);
    if (!failed) {
        struct glm_fit without;
        struct error ignored;
        if (glm_fit(&without, &r.part.data, options, &ignored) == 0) { /* theta fitted again */
            c->lr = fmax(0, 2 * (fit->loglik - without.loglik));
            c->lr_p = chi_squared_upper(c->lr, 1);
            glm_fit_fini(&without);
        }
        if (fit->family == GLM_NB2 && isfinite(fit->theta)) r.options.theta = fit->theta;
        else r.options = (struct glm_options){.family = GLM_POISSON};
        r.top = fit->loglik;
        const double drop = chi_squared_quantile(report->level, 1) / 2, step = 2 * fit->coef[j].se_expected;
        c->profile_low = profile_end(&r, fit->coef[j].value, -step, drop);
        c->profile_high = profile_end(&r, fit->coef[j].value, step, drop);
        glm_subset_fini(&r.part);
    }
    free(columns);
    free(r.offset);
    return failed;
}

static int set_profiles(struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                        const struct glm_options *options, bool wanted, struct error *err)
{
    for (size_t j = 0; j < fit->k; j++) {
        struct glm_report_coef *c = &report->coef[j];
        c->profile_low = c->profile_high = c->lr = c->lr_p = NAN;
        if (!wanted || fit->family == GLM_OLS || fit->coef[j].is_aliased || fit->rank < 2 ||
            !isfinite(fit->coef[j].se_expected))
            continue;
        if (profile_one(report, fit, data, options, j, err) < 0) return -1;
    }
    return 0;
}

int glm_report_init(struct glm_report *out, const struct glm_fit *fit, const struct glm_data *data,
                    const struct glm_options *options, const struct glm_report_options *want, struct error *err)
{
    memset(out, 0, sizeof *out);
    out->n = fit->n;
    out->k = fit->k;
    out->observations = fit->observations;
    out->level = want->level > 0 ? want->level : 0.95;
    out->coef = calloc(fit->k + 1, sizeof *out->coef);
    out->rows = calloc(fit->n + 1, sizeof *out->rows);
    int failed =
        out->coef && out->rows ? 0 : error_set(err, ERR_MEMORY, "out of memory for the report of %zu rows", fit->n);
    if (!failed) {
        set_wald(out, fit);
        out->mcfadden = 1 - fit->loglik / fit->loglik_null;
        out->dispersion = fit->df_residual > 0 ? fit->pearson / fit->df_residual : NAN;
        out->lr_null = 2 * (fit->loglik - fit->loglik_null);
        out->lr_null_df = (double)fit->rank - 1;
        out->lr_null_p = out->lr_null_df > 0 ? chi_squared_upper(fmax(0, out->lr_null), out->lr_null_df) : NAN;
        failed = report_diagnose(out, fit, data, want->seed, err);
    }
    if (!failed) failed = set_robust(out, fit, data, want->groups, err);
    if (!failed) failed = set_inflation(out, fit, data, err);
    if (!failed) failed = set_effects(out, fit, data, err);
    if (!failed) failed = set_profiles(out, fit, data, options, want->profile, err);
    if (failed) glm_report_fini(out);
    return failed;
}
