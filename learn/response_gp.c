/* A Gaussian process over features, one kernel for all points of the surface.   [Rasmussen, Williams 2006, ch. 2, 5]
 * cov(z_j(x), z_j(x')) = s_j^2 (exp(-1/2 sum_i ((x_i - x'_i) / l_i)^2) + noise / w when x is x') around the mean
 * surface, on standardised features. Lengths l and noise are shared by all points; the spread of point j has that
 * point's own amplitude s_j^2 = z_j' K^-1 z_j / n. With likelihood=true they maximise the marginal likelihood, in
 * which the amplitude is one for all points and taken at its maximum; the work is n^3 a step of that search. By default
 * they are fixed: several rows of one launch share their surface, which the likelihood takes for a proof that there is
 * no noise. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lapack.h"
#include "poise/numerics.h"
#include "response_parts.h"

#define ROWS_MAX 3000
#define NOISE 0.1
#define SETTINGS(P) \
    P(FLAG, ard, 0, 0, 1, "flag", "Rasmussen 5.1", "a length for each feature, not one for all") \
    P(FLAG, likelihood, 0, 0, 1, "flag", "Rasmussen 5.4", \
      "a length and a noise of 0 maximise the marginal likelihood; otherwise they stand for sqrt(features) and 0.1") \
    P(F64, length, 0, 0, 1e6, "standard deviations", "assumed", "of every feature") \
    P(F64, noise, 0, 0, 1e6, "1", "assumed", "variance of noise over that of the signal") \
    P(U32, iterations, 60, 1, 10000, "evaluations", "assumed", "of the marginal likelihood at most")
PARAM_STRUCT(gp_settings, SETTINGS);
#define ROW(...) PARAM_ROW_OF(gp_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"gp", settings_rows, COUNT_OF(settings_rows), sizeof(struct gp_settings)};

struct gp_state {
    struct response_scaler scaler;
    size_t n, k, m;
    double length[K_MAX];
    double mean[M_MAX], amplitude[M_MAX]; /* amplitude: s_j, a standard deviation */
    double *memory, *x, *factor,
        *alpha; /* n x k; n x n, its upper triangle R with K = R'R; n x m, column after column */
};

/* What one evaluation of the likelihood needs; n x n matrices in column order, alpha n x m. */
struct gp_work {
    const struct response_rows *rows;
    const double *centred; /* n x m, column after column */
    double *kernel, *inverse, *alpha;
    double length[K_MAX], noise;
    bool is_ard, fits_length, fits_noise;
    double best[K_MAX + 1], best_value;
};

static double kernel_of(const double *a, const double *b, const double *length, size_t k)
{
    double d = 0;
    for (size_t i = 0; i < k; i++) {
        const double e = (a[i] - b[i]) / length[i];
        d += e * e;
    }
    return exp(-0.5 * d);
}

/* Factors K into inverse's upper triangle and solves for alpha; false where K is not positive definite. */
static bool factor(struct gp_work *work, double *sum, double *log_determinant)
{
    const size_t n = work->rows->n, m = work->rows->m, k = work->rows->k;
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a <= b; a++)
            work->kernel[a + b * n] = kernel_of(work->rows->x + a * k, work->rows->x + b * k, work->length, k);
    memcpy(work->inverse, work->kernel, n * n * sizeof(double));
    memcpy(work->alpha, work->centred, n * m * sizeof(double));
    for (size_t a = 0; a < n; a++) work->inverse[a + a * n] += work->noise / work->rows->w[a];
    if (lapack()->dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)n, work->inverse, (lapack_int)n) != 0) return false;
    if (lapack()->dpotrs(LAPACK_COL_MAJOR, 'U', (lapack_int)n, (lapack_int)m, work->inverse, (lapack_int)n, work->alpha,
                         (lapack_int)n) != 0)
        return false;
    *sum = *log_determinant = 0;
    for (size_t i = 0; i < n * m; i++) *sum += work->centred[i] * work->alpha[i];
    for (size_t a = 0; a < n; a++) *log_determinant += 2 * log(work->inverse[a + a * n]);
    *sum = fmax(*sum, 1e-300); /* every surface may be the mean */
    return true;
}

/* Of -2 log likelihood / m by log lengths and log noise; `inverse` holds K^-1 in its upper triangle. */
static void differentiate(const struct gp_work *work, double sum, double *by_length, double *by_noise)
{
    const size_t n = work->rows->n, m = work->rows->m, k = work->rows->k;
    double g[ROWS_MAX]; /* column b of m K^-1 - alpha alpha' / amplitude^2, divided by m */
    for (size_t i = 0; i < k; i++) by_length[i] = 0;
    *by_noise = 0;
    for (size_t b = 0; b < n; b++) {
        for (size_t a = 0; a <= b; a++) g[a] = work->inverse[a + b * n];
        for (size_t j = 0; j < m; j++) {
            const double *alpha = work->alpha + j * n, scaled = (double)n / sum * alpha[b];
            for (size_t a = 0; a <= b; a++) g[a] -= scaled * alpha[a];
        }
        *by_noise += g[b] * work->noise / work->rows->w[b];
        for (size_t a = 0; a < b; a++) {
            const double gk = 2 * g[a] * work->kernel[a + b * n];
            for (size_t i = 0; i < k; i++) {
                const double e = (work->rows->x[a * k + i] - work->rows->x[b * k + i]) / work->length[i];
                by_length[i] += gk * e * e;
            }
        }
    }
}

static void take_parameters(struct gp_work *work, const double *theta)
{
    const size_t k = work->rows->k, lengths = work->fits_length ? work->is_ard ? k : 1 : 0;
    for (size_t i = 0; i < k && lengths > 0; i++) work->length[i] = exp(theta[work->is_ard ? i : 0]);
    if (work->fits_noise) work->noise = exp(theta[lengths]);
}

/* -2 log likelihood / m without constants: n log(sum) + log |K|. */
static double objective(unsigned n_theta, const double *theta, double *gradient, void *opaque)
{
    struct gp_work *work = opaque;
    const size_t n = work->rows->n, k = work->rows->k, lengths = work->fits_length ? work->is_ard ? k : 1 : 0;
    double sum, log_determinant, by_length[K_MAX], by_noise;
    take_parameters(work, theta);
    if (!factor(work, &sum, &log_determinant)) {
        for (unsigned i = 0; gradient && i < n_theta; i++) gradient[i] = 0;
        return 1e30;
    }
    const double value = (double)n * log(sum) + log_determinant;
    if (value < work->best_value) work->best_value = value, memcpy(work->best, theta, n_theta * sizeof *theta);
    if (!gradient) return value;
    if (lapack()->dpotri(LAPACK_COL_MAJOR, 'U', (lapack_int)n, work->inverse, (lapack_int)n) != 0) return 1e30;
    differentiate(work, sum, by_length, &by_noise);
    for (size_t i = 0; i < lengths; i++) gradient[i] = 0;
    for (size_t i = 0; i < k && lengths > 0; i++) gradient[work->is_ard ? i : 0] += by_length[i];
    if (work->fits_noise) gradient[lengths] = by_noise;
    return value;
}

static int maximise(struct gp_work *work, const struct gp_settings *p, struct error *err)
{
    const size_t k = work->rows->k, lengths = work->fits_length ? work->is_ard ? k : 1 : 0,
                 n = lengths + work->fits_noise;
    double theta[K_MAX + 1], low[K_MAX + 1], high[K_MAX + 1], start[K_MAX + 1];
    work->best_value = INFINITY;
    if (n == 0) return 0;
    nlopt_opt search = nlopt_create(NLOPT_LD_LBFGS, (unsigned)n);
    if (!search) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const bool is_noise = work->fits_noise && i == n - 1;
        low[i] = log(is_noise ? 1e-5 : 0.05), high[i] = log(is_noise ? 1e3 : 1e3);
        start[i] = log(is_noise ? NOISE : sqrt((double)k));
    }
    nlopt_set_min_objective(search, objective, work);
    nlopt_set_lower_bounds(search, low);
    nlopt_set_upper_bounds(search, high);
    nlopt_set_ftol_rel(search, 1e-9);
    nlopt_set_maxeval(search, (int)p->iterations);
    double value;
    memcpy(theta, start, sizeof theta);
    memcpy(work->best, start, sizeof start);
    const nlopt_result result = nlopt_optimize(search, theta, &value); /* a search that fails keeps its best point */
    nlopt_destroy(search);
    if (result == NLOPT_OUT_OF_MEMORY) return error_set(err, ERR_MEMORY, "out of memory");
    take_parameters(work, work->best);
    return 0;
}

static int store(struct gp_state *state, struct gp_work *work, struct error *err)
{
    const size_t n = state->n, m = state->m;
    double sum, log_determinant;
    if (!factor(work, &sum, &log_determinant))
        return error_set(err, ERR_INPUT, "two rows are too alike for noise %g: set a larger one", work->noise);
    memcpy(state->length, work->length, sizeof state->length);
    memcpy(state->factor, work->inverse, n * n * sizeof(double));
    memcpy(state->alpha, work->alpha, n * m * sizeof(double));
    memcpy(state->x, work->rows->x, n * state->k * sizeof(double));
    for (size_t j = 0; j < m; j++) {
        double own = 0;
        for (size_t i = 0; i < n; i++) own += work->centred[i + j * n] * work->alpha[i + j * n];
        state->amplitude[j] = sqrt(fmax(own, 0) / (double)n);
    }
    return 0;
}

static int gp_fit(void *opaque, const struct response_data *data, const void *settings, struct error *err)
{
    struct gp_state *state = opaque;
    const struct gp_settings *p = settings;
    struct response_rows rows;
    if (response_rows_init(&rows, data, err) < 0) return -1;
    const size_t n = rows.n, k = rows.k, m = rows.m;
    double *memory = n > ROWS_MAX || !numerics_has_room() ? NULL : calloc(2 * n * n + 2 * n * m, sizeof *memory),
           *centred = memory;
    state->scaler = rows.scaler;
    state->n = n, state->k = k, state->m = m;
    state->memory = memory ? calloc(n * (k + n + m), sizeof(double)) : NULL;
    int failed = 0;
    if (n > ROWS_MAX)
        failed = error_set(err, ERR_INPUT, "%zu rows: a Gaussian process takes at most %d here", n, ROWS_MAX);
    else if (!state->memory) failed = error_set(err, ERR_MEMORY, "out of memory for a Gaussian process of %zu rows", n);
    if (!failed) {
        struct gp_work work = {.rows = &rows,
                               .centred = centred,
                               .kernel = centred + n * m,
                               .inverse = centred + n * m + n * n,
                               .alpha = centred + n * m + 2 * n * n,
                               .noise = p->noise > 0 ? p->noise : NOISE,
                               .is_ard = p->ard,
                               .fits_length = p->likelihood && !(p->length > 0),
                               .fits_noise = p->likelihood && !(p->noise > 0)};
        state->x = state->memory, state->factor = state->x + n * k, state->alpha = state->factor + n * n;
        for (size_t i = 0; i < k; i++) work.length[i] = p->length > 0 ? p->length : sqrt((double)k);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < m; j++) state->mean[j] += rows.w[i] * rows.z[i * m + j] / (double)n;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < m; j++) centred[i + j * n] = rows.z[i * m + j] - state->mean[j];
        failed = maximise(&work, p, err);
        if (!failed) failed = store(state, &work, err);
    }
    free(memory);
    response_rows_fini(&rows);
    return failed;
}

static void gp_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct gp_state *s = opaque;
    double own[K_MAX], k_star[ROWS_MAX];
    response_scaler_apply(&s->scaler, x, own);
    for (size_t i = 0; i < s->n; i++) k_star[i] = kernel_of(own, s->x + i * s->k, s->length, s->k);
    for (size_t j = 0; j < s->m; j++) {
        mean[j] = s->mean[j];
        for (size_t i = 0; i < s->n; i++) mean[j] += k_star[i] * s->alpha[i + j * s->n];
    }
    if (!spread) return;
    double left = 1; /* 1 - |R'^-1 k|^2, by forward substitution */
    for (size_t b = 0; b < s->n; b++) {
        for (size_t a = 0; a < b; a++) k_star[b] -= s->factor[a + b * s->n] * k_star[a];
        k_star[b] /= s->factor[b + b * s->n];
        left -= k_star[b] * k_star[b];
    }
    for (size_t j = 0; j < s->m; j++) spread[j] = s->amplitude[j] * sqrt(fmax(left, 0));
}

static void gp_fini(void *opaque) { free(((struct gp_state *)opaque)->memory); }

const struct response_family response_gp = {.name = "gp",
                                            .title = "Gaussian process",
                                            .source = "Rasmussen, Williams 2006",
                                            .settings = &table,
                                            .state_size = sizeof(struct gp_state),
                                            .has_spread = true,
                                            .fit = gp_fit,
                                            .predict = gp_predict,
                                            .fini = gp_fini};
