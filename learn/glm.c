/* glm_fit(): check, find the rank, maximise, then everything that a report says of the maximum.
 * The null model is the same machinery on one column of ones. */
#include "poise/glm.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "design.h"
#include "fit.h"
#include "ols.h"
#include "penalty.h"
#include "poise/numerics.h"
#include "poise/table.h"
#include "special.h"
#include "state.h"

#define SEPARATED_MU 1e-8 /* a fitted mean of a zero count below this: its logarithm is on the way to -infinity */
#define SEPARATED_SE 100.0
#define ROUNDS 1000  /* of parabolas */
#define SETTLED 1e-8 /* estimates of scaled columns that move by less stay where they are */
#define NO_WEIGHT 1e-20
#define WARM_ROWS 65536
#define WARM_STRIDE 16

static const struct {
    const char *name, *text;
} family_names[] = {
#define F(family, name, text) {name, text},
    GLM_FAMILIES(F)
#undef F
};
const char *glm_family_name(enum glm_family family) { return family_names[family].name; }

int glm_family_parse(enum glm_family *out, const char *name, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(family_names); i++)
        if (strcmp(family_names[i].name, name) == 0) {
            *out = (enum glm_family)i;
            return 0;
        }
    return error_set(err, ERR_USAGE, "no family '%s': choose nb2, poisson or ols", name);
}

static const char *const weight_names[] = {
#define W(kind, name, text) name,
    GLM_WEIGHTS(W)
#undef W
};
const char *glm_weights_name(enum glm_weights kind) { return weight_names[kind]; }

int glm_weights_parse(enum glm_weights *out, const char *name, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(weight_names); i++)
        if (strcmp(weight_names[i], name) == 0) {
            *out = (enum glm_weights)i;
            return 0;
        }
    error_set(err, ERR_USAGE, "no weights '%s'", name);
    return error_at(err, NULL, 0, -1,
                    "frequency: how often a row occurs; precision: the variance of a row is divided by its weight");
}

static int point_init(struct point *point, size_t n, size_t r)
{
    memset(point, 0, sizeof *point);
    point->beta = calloc(r + 2 * n + 1, sizeof(double));
    if (!point->beta) return -1;
    point->eta = point->beta + r;
    point->mu = point->eta + n;
    return 0;
}

/* Everything one maximisation needs, sized for the full design and reused for the null model. */
struct fitting {
    struct problem problem;
    struct counts counts;
    struct workspace work;
    struct point point, poisson;             /* where the maximisation stands; the Poisson fit, to go back to */
    double *warm_poisson, *warm, warm_alpha; /* from a part of the rows; NULL: start cold */
};

static void fitting_fini(struct fitting *f)
{
    counts_fini(&f->counts);
    wls_fini(&f->work.wls);
    free(f->work.trial.beta);
    free(f->point.beta);
    free(f->poisson.beta);
    free(f->warm_poisson);
}

static int fitting_init(struct fitting *f, const struct glm_data *data, const struct design *design,
                        const struct glm_options *options, struct error *err)
{
    memset(f, 0, sizeof *f);
    f->problem = (struct problem){.n = data->n,
                                  .r = design->r,
                                  .columns = design->columns,
                                  .scales = design->scales,
                                  .y = data->y,
                                  .offset = data->offset,
                                  .weight = data->weight,
                                  .counts = &f->counts,
                                  .max_iterations = options->max_iterations > 0 ? options->max_iterations : 100};
    if ((options->family != GLM_OLS && counts_init(&f->counts, data->y, data->weight, data->n) < 0) ||
        wls_init(&f->work.wls, design->r) < 0 || point_init(&f->work.trial, data->n, design->r) < 0 ||
        point_init(&f->point, data->n, design->r) < 0 || point_init(&f->poisson, data->n, design->r) < 0) {
        fitting_fini(f);
        return error_set(err, ERR_MEMORY,
                         "out of memory for a fit of %zu rows and %zu columns (BLAS alone needs 144 MiB)", data->n,
                         design->r);
    }
    return 0;
}

static void maximise(struct fitting *f, enum glm_family family, double theta, double *score, bool *is_limit);

/* Large problems start from the maximum of every 16th row, which lies a few standard errors from theirs: that saves
 * the first steps, each a pass over all rows. A part that says too little (a rare group, separation) is not used. */
static void start_warm(struct fitting *f, enum glm_family family, double theta)
{
    const struct problem *all = &f->problem;
    const size_t r = all->r, n = all->n / WARM_STRIDE;
    double *memory = malloc((n * (r + 3) + 1) * sizeof *memory), *y = memory + n * r, *offset = y + n,
           *weight = offset + n, score;
    const double **columns = malloc((r + 1) * sizeof *columns);
    struct design design = {.n = n, .r = r, .k = r, .columns = columns, .scales = (double *)(uintptr_t)all->scales};
    struct fitting part;
    struct error ignored;
    bool is_limit;
    for (size_t i = 0; memory && columns && i < n; i++) {
        const size_t from = i * WARM_STRIDE + i % WARM_STRIDE; /* walks through any period */
        for (size_t j = 0; j < r; j++) memory[j * n + i] = all->columns[j][from];
        y[i] = all->y[from];
        offset[i] = all->offset ? all->offset[from] : 0;
        weight[i] = all->weight ? all->weight[from] : 1;
    }
    for (size_t j = 0; memory && columns && j < r; j++) columns[j] = memory + j * n;
    const struct glm_data data = {
        .n = n, .k = r, .y = y, .offset = all->offset ? offset : NULL, .weight = all->weight ? weight : NULL};
    const struct glm_options options = {.family = family, .theta = theta, .max_iterations = 30};
    if (memory && columns && fitting_init(&part, &data, &design, &options, &ignored) == 0) {
        maximise(&part, family, theta, &score, &is_limit);
        f->warm_poisson =
            part.point.converged && part.work.wls.deficient == 0 ? calloc(2 * r + 1, sizeof(double)) : NULL;
        if (f->warm_poisson) {
            const bool has_both = family == GLM_NB2 && !(theta > 0) && !is_limit;
            memcpy(f->warm_poisson, has_both ? part.poisson.beta : part.point.beta, r * sizeof(double));
            f->warm = f->warm_poisson + r;
            memcpy(f->warm, part.point.beta, r * sizeof(double));
            f->warm_alpha = has_both ? part.point.alpha : 0;
        }
        fitting_fini(&part);
    }
    free(memory);
    free(columns);
}

static void fit_poisson(struct fitting *f)
{
    if (f->warm_poisson) {
        f->point.alpha = 0;
        f->point.iterations = 0;
        memcpy(f->point.beta, f->warm_poisson, f->problem.r * sizeof(double));
        point_update(&f->problem, &f->point);
        if (isfinite(f->point.loglik)) irls(&f->problem, &f->work, &f->point, CONVERGED);
        if (f->point.converged) return;
    }
    poisson_fit(&f->problem, &f->work, &f->point);
}

/* From the Poisson fit in f->point. */
static bool fit_nb2(struct fitting *f)
{
    if (f->warm && f->warm_alpha > 0) {
        memcpy(f->point.beta, f->warm, f->problem.r * sizeof(double));
        f->point.alpha = f->warm_alpha;
        point_update(&f->problem, &f->point);
        if (isfinite(f->point.loglik) && nb2_polish(&f->problem, &f->work, &f->point) && f->point.converged)
            return true;
        point_copy(&f->problem, &f->point, &f->poisson);
    }
    return nb2_fit(&f->problem, &f->work, &f->point);
}

/* Poisson, and from there NB2 unless its likelihood falls as alpha leaves 0. Leaves the maximum in f->point. */
static void maximise(struct fitting *f, enum glm_family family, double theta, double *score, bool *is_limit)
{
    const struct problem *problem = &f->problem;
    double size = 0;
    *is_limit = false;
    *score = NAN;
    if (problem->n >= WARM_ROWS) start_warm(f, family, theta);
    fit_poisson(f);
    if (family == GLM_POISSON) return;
    *score = poisson_score_alpha(problem, &f->point);
    if (theta > 0) {
        f->point.alpha = 1 / theta;
        point_update(problem, &f->point);
        irls(problem, &f->work, &f->point, CONVERGED);
        return;
    }
    for (size_t i = 0; i < problem->n; i++) {
        const double e = problem->y[i] - f->point.mu[i];
        size += (problem->weight ? problem->weight[i] : 1) * (e * e + problem->y[i]) / 2;
    }
    point_copy(problem, &f->poisson, &f->point);
    *is_limit = !(*score > 1e-12 * size) || !fit_nb2(f);
    if (*is_limit) point_copy(problem, &f->point, &f->poisson);
}

/* The lasso part is not smooth: parabolas that touch it take its place, until the estimates stay where they are. */
static void maximise_penalised(struct fitting *f, struct penalty *penalty, const struct glm_options *options,
                               double *before, double *score, bool *is_limit)
{
    double moved = INFINITY;
    int iterations = 0;
    f->problem.ridge = penalty->ridge;
    for (int round = 0; round < ROUNDS && moved > SETTLED; round++) {
        maximise(f, options->family, options->theta, score, is_limit);
        iterations += f->point.iterations;
        if (!(options->penalty.mix > 0) || !f->point.converged) break;
        moved = penalty_touch(penalty, f->point.beta, before);
    }
    if (options->penalty.mix > 0 && f->point.converged) {
        const bool is_settled = moved <= SETTLED;
        penalty_close(penalty, before);
        maximise(f, options->family, options->theta, score, is_limit);
        f->point.converged = f->point.converged && is_settled;
        f->point.iterations += iterations;
    }
}

/* Without offsets the null model's rows differ in nothing but their target: one row for each distinct target,
 * weighted, is the same problem. A million rows become a few dozen. */
static size_t null_rows(const struct glm_data *data, const struct counts *counts, double *y, double *weight,
                        double *offset)
{
    const size_t n = data->offset ? data->n : counts->n;
    for (size_t i = 0; i < n; i++) {
        y[i] = data->offset ? data->y[i] : counts->value[i];
        weight[i] = data->offset ? (data->weight ? data->weight[i] : 1) : counts->weight[i];
        offset[i] = data->offset ? data->offset[i] : 0;
    }
    return n;
}

/* The null model: its own maximum, and its deviance at the full model's alpha. */
static int fit_null(struct glm_fit *fit, const struct glm_data *data, const struct counts *counts,
                    const struct glm_options *options, double alpha, struct error *err)
{
    const size_t room = (data->offset ? data->n : counts->n) + 1;
    double *ones = malloc(4 * room * sizeof *ones), *y = ones + room, *weight = y + room, *offset = weight + room,
           score, scale = 1;
    const double *columns[1] = {ones};
    if (!ones) return error_set(err, ERR_MEMORY, "out of memory for the null model");
    const size_t n = null_rows(data, counts, y, weight, offset);
    const struct glm_data own = {
        .n = n, .k = 1, .x = ones, .y = y, .weight = weight, .offset = data->offset ? offset : NULL};
    struct design design = {.n = n, .k = 1, .r = 1, .columns = columns, .scales = &scale};
    struct fitting f;
    for (size_t i = 0; i < n; i++) ones[i] = 1;
    const int failed = fitting_init(&f, &own, &design, options, err);
    if (!failed) {
        bool is_limit;
        maximise(&f, fit->family, options->theta, &score, &is_limit);
        fit->loglik_null = f.point.loglik;
        fit->theta_null = f.point.alpha > 0 ? 1 / f.point.alpha : INFINITY;
        f.point.alpha = alpha;
        point_update(&f.problem, &f.point);
        irls(&f.problem, &f.work, &f.point, CONVERGED);
        fit->null_deviance = nb2_deviance(&f.problem, &f.point);
        fitting_fini(&f);
    }
    free(ones);
    return failed;
}

static void set_values(struct glm_fit *fit, const struct glm_data *data, const struct design *design,
                       const double *beta)
{
    for (size_t j = 0; j < fit->k; j++) {
        struct glm_coef *coef = &fit->coef[j];
        snprintf(coef->name, sizeof coef->name, "%s", data->names[j]);
        coef->value = 0;
        coef->is_aliased = true;
        coef->se_expected = coef->se_joint = coef->z = coef->p = NAN;
    }
    for (size_t j = 0; j < design->r; j++) {
        fit->coef[design->kept[j]].value = fabs(beta[j]) > NO_WEIGHT ? beta[j] * design->scales[j] : 0;
        fit->coef[design->kept[j]].is_aliased = false;
    }
}

/* (A'A)^-1 of the factored design, in the columns' own units and times `factor`. */
static void set_covariance(struct glm_fit *fit, struct wls *wls, const struct design *design, double factor)
{
    const size_t r = design->r, k = fit->k;
    double *c = fit->covariance + k * k; /* room behind the matrix */
    wls_covariance(wls, c);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++)
            fit->covariance[design->kept[i] * k + design->kept[j]] =
                factor * c[i * r + j] * design->scales[i] * design->scales[j];
}

/* How many free weights a penalised fit is worth: the trace of the hat matrix. Needs the factored design. */
static void set_effective(struct glm_fit *fit, const double *variances, const double *ridge)
{
    fit->effective = (double)fit->rank;
    for (size_t j = 0; ridge && j < fit->rank; j++) fit->effective -= ridge[j] * variances[j];
    fit->df_residual = fit->observations - fit->effective;
}

/* Standard errors from the expected and from the joint observed information; those of theta. */
static void set_errors(struct glm_fit *fit, struct fitting *f, const struct design *design, double *scratch)
{
    struct wls *wls = &f->work.wls;
    const double alpha = f->point.alpha;
    if (point_factor(&f->problem, &f->point, INFORMATION_EXPECTED, wls)) {
        wls_variances(wls, scratch);
        set_effective(fit, scratch, f->problem.ridge);
        for (size_t j = 0; j < design->r; j++)
            fit->coef[design->kept[j]].se_expected = sqrt(scratch[j]) * design->scales[j];
        set_covariance(fit, wls, design, 1);
    }
    fit->se_theta = fit->se_theta_mu_fixed = NAN;
    if (!point_factor(&f->problem, &f->point, INFORMATION_OBSERVED, wls)) return;
    wls_variances(wls, scratch);
    double per_schur = 0;
    if (fit->theta_is_fitted) {
        double d[2];
        nb2_alpha_derivatives(&f->problem, &f->point, d);
        const double theta = fit->theta, schur = -d[1] - wls->products[1][1];
        /* at fixed means, in theta: -d2l/dtheta2 = -(alpha^4 l'' + 2 alpha^3 l') */
        const double in_theta = -(gsl_pow_4(alpha) * d[1] + 2 * gsl_pow_3(alpha) * d[0]);
        per_schur = schur > 0 ? 1 / schur : NAN;
        fit->se_theta = theta * theta * sqrt(per_schur);
        fit->se_theta_mu_fixed = in_theta > 0 ? 1 / sqrt(in_theta) : NAN;
    }
    for (size_t j = 0; j < design->r; j++) {
        const double c = wls->steps[1][j];
        fit->coef[design->kept[j]].se_joint = sqrt(scratch[j] + c * c * per_schur) * design->scales[j];
    }
}

static void set_tests(struct glm_fit *fit)
{
    for (size_t j = 0; j < fit->k; j++) {
        struct glm_coef *coef = &fit->coef[j];
        if (coef->is_aliased || fit->penalty.lambda > 0 || !(coef->se_expected > 0)) continue;
        coef->z = coef->value / coef->se_expected;
        if (fit->family != GLM_OLS) coef->p = 2 * normal_upper(fabs(coef->z));
        else if (fit->df_residual > 0) coef->p = 2 * t_upper(fabs(coef->z), fit->df_residual);
    }
}

/* Zero counts whose means went to 0: some weight is at infinity. The columns whose error exploded are those. */
static bool find_separation(struct glm_fit *fit, const struct fitting *f, const struct glm_data *data,
                            const struct design *design)
{
    const struct problem *problem = &f->problem;
    char names[160] = "";
    double rows = 0;
    size_t used = 0;
    for (size_t i = 0; i < problem->n; i++)
        if (problem->y[i] == 0 && f->point.mu[i] < SEPARATED_MU) rows += copies_of(data, i);
    if (rows == 0) return false;
    for (size_t j = 0; j < design->r; j++) {
        struct glm_coef *coef = &fit->coef[design->kept[j]];
        double squares = 0;
        for (size_t i = 0; i < problem->n; i++)
            squares += copies_of(data, i) * problem->columns[j][i] * problem->columns[j][i];
        /* error of the column's share in eta */
        const double typical = coef->se_expected * sqrt(squares / fit->observations);
        coef->is_separated = typical > SEPARATED_SE || isinf(coef->se_expected);
        if (!coef->is_separated || used + MODEL_NAME_MAX + 4 > sizeof names) continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "", coef->name);
    }
    if (used == 0) return false;
    fit_warn(
        fit,
        "separation: %.15g zero counts have fitted means below %g: no finite estimate for %s, and no finite robust "
        "error",
        rows, SEPARATED_MU, names);
    return true;
}

static void set_status(struct glm_fit *fit, const struct fitting *f, const struct glm_data *data,
                       const struct design *design, bool is_limit)
{
    bool all_equal = true;
    for (size_t i = 1; i < data->n; i++) all_equal &= data->y[i] == data->y[0];
    if (all_equal) fit_warn(fit, "every target is %g: the columns have nothing to explain", data->y[0]);
    if (fit->df_residual <= 0)
        fit_warn(fit, "as many weights as rows: the fit reproduces the data and says nothing of its error");
    const bool is_separated = !(fit->penalty.lambda > 0) && find_separation(fit, f, data, design);
    if (fit->penalty.lambda > 0)
        fit_warn(fit, "penalised: the errors hold the penalty fixed and leave its bias out; tests would mean nothing");
    if (!fit->converged)
        fit_warn(fit, "no convergence after %d iterations (%.2g standard errors to go)", fit->iterations,
                 f->point.decrement);
    if (is_limit)
        fit_warn(fit, "no overdispersion (score of 1/theta at 0 is %.4g): theta is infinite, this is the Poisson fit",
                 fit->score_alpha_at_zero);
    snprintf(fit->status, sizeof fit->status, "%s",
             !fit->converged ? GLM_STATUS_NOT_CONVERGED
             : is_separated  ? GLM_STATUS_SEPARATION
             : is_limit      ? GLM_STATUS_POISSON_LIMIT
                             : GLM_STATUS_OK);
}

static int fit_counts(struct glm_fit *fit, const struct glm_data *data, const struct design *design,
                      const struct glm_options *options, struct error *err)
{
    struct fitting f;
    struct penalty penalty = {0};
    bool is_limit;
    if (fitting_init(&f, data, design, options, err) < 0) return -1;
    double *scratch = calloc(design->r + 1, sizeof *scratch);
    int failed = scratch ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed && options->penalty.lambda > 0) failed = penalty_init(&penalty, &options->penalty, data, design, err);
    if (failed) {
        free(scratch);
        penalty_fini(&penalty);
        fitting_fini(&f);
        return -1;
    }
    if (options->penalty.lambda > 0)
        maximise_penalised(&f, &penalty, options, scratch, &fit->score_alpha_at_zero, &is_limit);
    else maximise(&f, options->family, options->theta, &fit->score_alpha_at_zero, &is_limit);
    fit->theta = f.point.alpha > 0 ? 1 / f.point.alpha : INFINITY;
    fit->theta_is_fitted = options->family == GLM_NB2 && !is_limit && !(options->theta > 0);
    fit->loglik = f.point.loglik;
    fit->converged = f.point.converged;
    fit->iterations = f.point.iterations;
    fit->deviance = nb2_deviance(&f.problem, &f.point);
    fit->pearson = nb2_pearson(&f.problem, &f.point);
    set_values(fit, data, design, f.point.beta);
    set_errors(fit, &f, design, scratch);
    memcpy(fit->mu, f.point.mu, data->n * sizeof(double));
    const double parameters = fit->effective + (fit->theta_is_fitted ? 1 : 0);
    fit->aic = -2 * fit->loglik + 2 * parameters;
    fit->bic = -2 * fit->loglik + parameters * log(fit->observations);
    set_status(fit, &f, data, design, is_limit);
    failed = fit_null(fit, data, &f.counts, options, f.point.alpha, err);
    free(scratch);
    penalty_fini(&penalty);
    fitting_fini(&f);
    return failed;
}

/* Gaussian likelihood of log y, with the maximum-likelihood variance; `logs` is the sum of the logarithms of the
 * precisions. */
static double gaussian_loglik(double squares, double n, double logs)
{
    return 0.5 * logs - 0.5 * n * (log(2 * M_PI * squares / n) + 1);
}

static int fit_ols(struct glm_fit *fit, const struct glm_data *data, const struct design *design,
                   const struct glm_options *options, struct error *err)
{
    struct fitting f;
    double mean = 0, total = 0, weights = 0, logs = 0;
    for (size_t i = 0; i < data->n; i++) {
        weights += weight_of(data, i);
        if (weight_of(data, i) > 0) logs += log(precision_of(data, i));
    }
    if (fitting_init(&f, data, design, options, err) < 0) return -1;
    double *scratch = calloc(design->r + 1, sizeof *scratch);
    const double squares = scratch ? ols_fit(&f.problem, &f.work, &f.point) : NAN;
    if (!isfinite(squares)) {
        free(scratch);
        fitting_fini(&f);
        return error_set(err, ERR_RUN, "the least-squares problem could not be factored");
    }
    fit->theta = fit->theta_null = INFINITY;
    fit->score_alpha_at_zero = fit->se_theta = fit->se_theta_mu_fixed = NAN;
    fit->deviance = fit->pearson = squares;
    fit->sigma = fit->df_residual > 0 ? sqrt(squares / fit->df_residual) : NAN;
    set_values(fit, data, design, f.point.beta);
    wls_variances(&f.work.wls, scratch);
    for (size_t j = 0; j < design->r; j++) {
        struct glm_coef *coef = &fit->coef[design->kept[j]];
        coef->se_expected = coef->se_joint = fit->sigma * sqrt(scratch[j]) * design->scales[j];
    }
    set_covariance(fit, &f.work.wls, design, fit->sigma * fit->sigma);
    for (int pass = 0; pass < 2; pass++) { /* mean, then squares around it */
        double sum = 0;
        for (size_t i = 0; i < data->n; i++) {
            const double v = log(data->y[i]) - (data->offset ? data->offset[i] : 0),
                         w = data->weight ? data->weight[i] : 1;
            sum += pass ? w * (v - mean) * (v - mean) : w * v;
        }
        if (pass) total = sum;
        else mean = sum / weights;
    }
    fit->null_deviance = total;
    fit->loglik = gaussian_loglik(squares, fit->observations, logs);
    fit->loglik_null = gaussian_loglik(total, fit->observations, logs);
    fit->aic = -2 * fit->loglik + 2 * (double)(design->r + 1);
    fit->bic = -2 * fit->loglik + (double)(design->r + 1) * log(fit->observations);
    fit->iterations = 1;
    fit->converged = true;
    memcpy(fit->mu, f.point.mu, data->n * sizeof(double));
    set_status(fit, &f, data, design, false);
    free(scratch);
    fitting_fini(&f);
    return 0;
}

int glm_fit(struct glm_fit *out, const struct glm_data *data, const struct glm_options *options, struct error *err)
{
    struct design design;
    const bool is_penalised = options->penalty.lambda > 0;
    memset(out, 0, sizeof *out);
    numerics_set_up();
    if (options->theta != 0 && !(isfinite(options->theta) && options->theta > 0 && options->family == GLM_NB2))
        return error_set(err, ERR_USAGE, "theta = %g can be held for nb2 only, and above 0", options->theta);
    if (penalty_check(&options->penalty, options->family, err) < 0 ||
        glm_check(data, options->family, is_penalised, err) < 0)
        return -1;
    if (design_init(&design, data, is_penalised, out, err) < 0) return -1;
    out->family = options->family;
    out->has_offset = data->offset != NULL;
    out->n = data->n;
    out->k = data->k;
    out->rank = design.r;
    for (size_t i = 0; i < data->n; i++) out->observations += copies_of(data, i);
    out->penalty = options->penalty;
    out->effective = (double)design.r;
    out->df_residual = out->observations - out->effective;
    out->condition = design.condition;
    out->coef = calloc(data->k, sizeof *out->coef);
    out->mu = calloc(data->n, sizeof *out->mu);
    out->covariance = calloc(2 * data->k * data->k, sizeof *out->covariance);
    int failed = 0;
    if (!out->coef || !out->mu || !out->covariance) failed = error_set(err, ERR_MEMORY, "out of memory");
    else if (design.r == 0)
        failed = error_set(err, ERR_INPUT, "%s: every column is 0 in every row", data->source ? data->source : "data");
    else if (options->family == GLM_OLS) failed = fit_ols(out, data, &design, options, err);
    else failed = fit_counts(out, data, &design, options, err);
    if (!failed) set_tests(out);
    design_fini(&design);
    if (failed) glm_fit_fini(out);
    return failed;
}

void glm_fit_fini(struct glm_fit *fit)
{
    free(fit->coef);
    free(fit->mu);
    free(fit->covariance);
    memset(fit, 0, sizeof *fit);
}
