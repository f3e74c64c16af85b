/* Support vector regression by libsvm: epsilon-SVR and nu-SVR on standardised columns (population variance). libsvm
 * trains; its support vectors are kept here, so that predicting needs no lock and saving loses no digit (libsvm's
 * own text form changes predictions by 1e-6). With an offset the machine learns y / exp(offset). libsvm has no row
 * weights: a whole weight repeats its row, others are refused. The distribution is that of the residuals of rows
 * held out, `residual_folds` ways in the order of the target. */
#include <jansson.h>
#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "state.h"

#define COLUMNS_MAX 1024
#define ROWS_MAX 1000000.0

#define SHARED(P) \
    P(ENUM, kernel, 0, 0, 1, "rbf|linear", "assumed", "exp(-gamma d^2), or the inner product") \
    P(F64, C, 10, 1e-9, 1e9, "1", "assumed", "cost of an error") \
    P(F64, gamma, 0, 0, 1e9, "1", "libsvm", "of the rbf kernel; 0: 1 / columns that vary") \
    P(F64, tolerance, 1e-6, 1e-12, 1, "1", "assumed", \
      "libsvm's stopping criterion; its own 1e-3 leaves predictions 2e-3 off") \
    P(ENUM, target, 0, 0, 1, "identity|log", "assumed", "learn y or its logarithm") \
    P(U32, residual_folds, 5, 0, 100, "folds", "assumed", "hold-outs behind the distribution; 0: no distribution")
#define SVR_SETTINGS(P) SHARED(P) P(F64, epsilon, 0.1, 0, 1e9, "1", "libsvm", "errors below this cost nothing")
#define NUSVR_SETTINGS(P) SHARED(P) P(F64, nu, 0.5, 1e-6, 1, "fraction", "libsvm", "least share of support vectors")
PARAM_STRUCT(svr_settings, SVR_SETTINGS);
PARAM_STRUCT(nusvr_settings, NUSVR_SETTINGS);
#define ROW(...) PARAM_ROW_OF(svr_settings, __VA_ARGS__)
static const struct param_row svr_rows[] = {SVR_SETTINGS(ROW)};
#undef ROW
#define ROW(...) PARAM_ROW_OF(nusvr_settings, __VA_ARGS__)
static const struct param_row nusvr_rows[] = {NUSVR_SETTINGS(ROW)};
#undef ROW
static const struct param_table svr_table = {"svr", svr_rows, COUNT_OF(svr_rows), sizeof(struct svr_settings)};
static const struct param_table nusvr_table = {"nusvr", nusvr_rows, COUNT_OF(nusvr_rows),
                                               sizeof(struct nusvr_settings)};
static const struct family_axis svr_axes[] = {{"C", 4, {"1", "10", "100", "1000"}},
                                              {"gamma", 4, {"0.02", "0.05", "0.15", "0.5"}},
                                              {"epsilon", 3, {"0.1", "0.5", "1"}}};
static const struct family_axis nusvr_axes[] = {{"C", 4, {"1", "10", "100", "1000"}},
                                                {"gamma", 4, {"0.02", "0.05", "0.15", "0.5"}},
                                                {"nu", 3, {"0.3", "0.5", "0.7"}}};

struct svr_state {
    struct scaling scaling;
    size_t n;               /* support vectors */
    double *vectors, *coef; /* n x k standardised, row by row; n */
    double rho, gamma;
    bool is_linear, is_log;
    struct residuals residuals;
};

/* What libsvm is given: rows repeated by weight, standardised. */
struct samples {
    size_t n, k;
    double *y, *z; /* n; n x k */
    struct svm_node *nodes, **rows;
    size_t *order; /* of the targets, for the hold-outs */
};

static void samples_fini(struct samples *s)
{
    free(s->y);
    free(s->z);
    free(s->nodes);
    free(s->rows);
    free(s->order);
}

static int samples_init(struct samples *s, const struct glm_data *data, const struct scaling *scaling, bool is_log,
                        struct error *err)
{
    double total = 0;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < data->n; i++) {
        const double w = weight_of(data, i);
        if (data->weights == WEIGHTS_PRECISION && w != 1 && w != 0)
            return error_set(err, ERR_INPUT,
                             "row %zu: weight %g: libsvm has no precision weights; frequency weights repeat the row",
                             i + 1, w);
        total += w;
    }
    if (data->k > COLUMNS_MAX || total > ROWS_MAX)
        return error_set(err, ERR_INPUT, "%g rows and %zu columns: at most %g and %d", total, data->k, ROWS_MAX,
                         COLUMNS_MAX);
    const size_t n = (size_t)total, k = s->k = data->k;
    s->y = malloc(n * sizeof *s->y);
    s->z = malloc(n * k * sizeof *s->z);
    s->nodes = malloc(n * (k + 1) * sizeof *s->nodes);
    s->rows = malloc(n * sizeof *s->rows);
    s->order = malloc(n * sizeof *s->order);
    if (!s->y || !s->z || !s->nodes || !s->rows || !s->order) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < data->n; i++)
        for (double copy = 0; copy < weight_of(data, i); copy++, s->n++) {
            const double y = is_log ? log(data->y[i]) - offset_of(data, i) : data->y[i] * exp(-offset_of(data, i));
            s->y[s->n] = y;
            s->order[s->n] = s->n;
            s->rows[s->n] = s->nodes + s->n * (k + 1);
            for (size_t j = 0; j < k; j++) {
                s->z[s->n * k + j] = scaling_value(scaling, j, data->x[j * data->n + i]);
                s->rows[s->n][j] = (struct svm_node){(int)j + 1, s->z[s->n * k + j]};
            }
            s->rows[s->n][k].index = -1;
        }
    return 0;
}

static int train(struct svr_state *state, const struct samples *s, const struct svm_parameter *parameter,
                 struct error *err)
{
    const struct svm_problem problem = {.l = (int)s->n, .y = s->y, .x = s->rows};
    const char *why = svm_check_parameter(&problem, parameter);
    if (why) return error_set(err, ERR_INPUT, "libsvm: %s", why);
    struct svm_model *model = svm_train(&problem, parameter);
    if (!model) return error_set(err, ERR_RUN, "libsvm returned no model");
    state->n = (size_t)model->l;
    state->rho = model->rho[0];
    state->vectors = malloc((state->n * s->k + 1) * sizeof *state->vectors);
    state->coef = malloc((state->n + 1) * sizeof *state->coef);
    const int failed = state->vectors && state->coef ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t v = 0; !failed && v < state->n; v++) {
        state->coef[v] = model->sv_coef[0][v];
        for (size_t j = 0; j < s->k; j++) state->vectors[v * s->k + j] = model->SV[v][j].value;
    }
    svm_free_and_destroy_model(&model);
    return failed;
}

static double machine(const struct svr_state *state, const double *z, size_t k)
{
    double sum = -state->rho;
    for (size_t v = 0; v < state->n; v++) {
        const double *vector = state->vectors + v * k;
        double d = 0;
        for (size_t j = 0; j < k; j++)
            d += state->is_linear ? z[j] * vector[j] : (z[j] - vector[j]) * (z[j] - vector[j]);
        sum += state->coef[v] * (state->is_linear ? d : exp(-state->gamma * d));
    }
    return sum;
}

static int order_by_target(const void *a, const void *b, void *context)
{
    const struct samples *s = context;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (s->y[i] != s->y[j]) return s->y[i] < s->y[j] ? -1 : 1;
    return memcmp(s->z + i * s->k, s->z + j * s->k, s->k * sizeof *s->z);
}

/* Errors of rows that the machine was not shown. */
static int hold_out(struct svr_state *state, struct samples *s, const struct svm_parameter *parameter, uint32_t folds,
                    struct error *err)
{
    double *errors = malloc((s->n + 1) * sizeof *errors);
    struct samples part = {
        .k = s->k, .y = malloc(s->n * sizeof(double)), .rows = malloc(s->n * sizeof(struct svm_node *))};
    int failed = errors && part.y && part.rows ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    qsort_r(s->order, s->n, sizeof *s->order, order_by_target, s);
    for (uint32_t fold = 0; fold < folds && !failed; fold++) {
        struct svr_state held = {.is_linear = state->is_linear, .gamma = state->gamma};
        part.n = 0;
        for (size_t o = 0; o < s->n; o++)
            if (o % folds != fold) part.y[part.n] = s->y[s->order[o]], part.rows[part.n++] = s->rows[s->order[o]];
        failed = train(&held, &part, parameter, err);
        for (size_t o = fold; o < s->n && !failed; o += folds)
            errors[o] = s->y[s->order[o]] - machine(&held, s->z + s->order[o] * s->k, s->k);
        free(held.vectors);
        free(held.coef);
    }
    if (!failed) failed = residuals_init(&state->residuals, errors, NULL, s->n, state->is_log, err);
    free(part.y);
    free(part.rows);
    free(errors);
    return failed;
}

static int fit(struct svr_state *state, const struct glm_data *data, const struct svr_settings *p, int type, double nu,
               struct error *err)
{
    struct samples s = {0};
    if (state_check(data, p->target == 1, err) < 0 || scaling_init(&state->scaling, data, err) < 0) return -1;
    if (state->scaling.used == 0) return error_set(err, ERR_INPUT, "no column varies: there is nothing to learn from");
    state->is_linear = p->kernel == 1;
    state->is_log = p->target == 1;
    state->gamma = p->gamma > 0 ? p->gamma : 1 / (double)state->scaling.used;
    const struct svm_parameter parameter = {.svm_type = type,
                                            .kernel_type = p->kernel == 1 ? LINEAR : RBF,
                                            .degree = 3,
                                            .gamma = state->gamma,
                                            .cache_size = 64,
                                            .eps = p->tolerance,
                                            .C = p->C,
                                            .nu = nu,
                                            .p = p->epsilon,
                                            .shrinking = 1};
    int failed = samples_init(&s, data, &state->scaling, state->is_log, err);
    if (!failed) failed = train(state, &s, &parameter, err);
    const uint32_t folds = p->residual_folds == 1 ? 2 : p->residual_folds;
    if (!failed && folds > 0 && s.n >= 2 * (size_t)folds) failed = hold_out(state, &s, &parameter, folds, err);
    samples_fini(&s);
    return failed;
}

static int svr_fit(void *state, const struct glm_data *data, const void *settings, struct error *err)
{
    return fit(state, data, settings, EPSILON_SVR, 0.5, err);
}
static int nusvr_fit(void *state, const struct glm_data *data, const void *settings, struct error *err)
{
    const struct nusvr_settings *p = settings;
    const struct svr_settings shared = {.kernel = p->kernel,
                                        .C = p->C,
                                        .gamma = p->gamma,
                                        .tolerance = p->tolerance,
                                        .target = p->target,
                                        .residual_folds = p->residual_folds,
                                        .epsilon = 0.1};
    return fit(state, data, &shared, NU_SVR, p->nu, err);
}

/* In the machine's own scale: without offset and exponential. */
static double raw(const struct svr_state *state, const double *x)
{
    double z[COLUMNS_MAX];
    for (size_t j = 0; j < state->scaling.k; j++) z[j] = scaling_value(&state->scaling, j, x[j]);
    return machine(state, z, state->scaling.k);
}
static double svr_predict(const void *opaque, const double *x, double offset)
{
    const struct svr_state *state = opaque;
    return state->is_log ? exp(raw(state, x) + offset) : raw(state, x) * exp(offset);
}
static double svr_cdf(const void *opaque, const double *x, double offset, double y)
{
    const struct svr_state *state = opaque;
    const double own = raw(state, x);
    if (state->is_log) return residuals_cdf(&state->residuals, exp(own), y * exp(-offset));
    return residuals_cdf(&state->residuals, own, y * exp(-offset));
}
static double svr_quantile(const void *opaque, const double *x, double offset, double probability)
{
    const struct svr_state *state = opaque;
    const double own = raw(state, x);
    return residuals_quantile(&state->residuals, state->is_log ? exp(own) : own, probability) * exp(offset);
}

static void svr_save(const void *opaque, json_t *out)
{
    const struct svr_state *s = opaque;
    json_object_set_new(out, "kernel", json_string(s->is_linear ? "linear" : "rbf"));
    json_object_set_new(out, "target", json_string(s->is_log ? "log" : "identity"));
    state_put(out, "gamma", s->gamma);
    state_put(out, "rho", s->rho);
    state_put_scaling(out, &s->scaling);
    state_put_list(out, "coef", s->coef, s->n);
    state_put_list(out, "vectors", s->vectors, s->n * s->scaling.k);
    state_put_residuals(out, &s->residuals);
}

static int svr_load(void *opaque, const json_t *in, size_t k, const char *file, struct error *err)
{
    struct svr_state *s = opaque;
    const char *kernel = json_string_value(json_object_get(in, "kernel")),
               *target = json_string_value(json_object_get(in, "target"));
    if (!kernel || !target || k > COLUMNS_MAX)
        return error_set(err, ERR_INPUT, "%s: state.kernel or state.target is missing", file);
    s->is_linear = strcmp(kernel, "linear") == 0;
    s->is_log = strcmp(target, "log") == 0;
    s->n = state_list_size(in, "coef");
    if (state_get(&s->gamma, in, "gamma", file, err) < 0 || state_get(&s->rho, in, "rho", file, err) < 0 ||
        state_get_scaling(&s->scaling, in, k, file, err) < 0 ||
        state_get_list(&s->coef, in, "coef", s->n, file, err) < 0 ||
        state_get_list(&s->vectors, in, "vectors", s->n * k, file, err) < 0)
        return -1;
    return state_get_residuals(&s->residuals, in, file, err);
}

static void svr_fini(void *opaque)
{
    struct svr_state *s = opaque;
    scaling_fini(&s->scaling);
    residuals_fini(&s->residuals);
    free(s->vectors);
    free(s->coef);
}

#define SVR_FAMILY \
    .state_size = sizeof(struct svr_state), .predict = svr_predict, .cdf = svr_cdf, .quantile = svr_quantile, \
    .save = svr_save, .load = svr_load, .fini = svr_fini
const struct family family_svr = {.name = "svr",
                                  .text = "epsilon support vector regression (libsvm)",
                                  .settings = &svr_table,
                                  .axes = svr_axes,
                                  .n_axes = COUNT_OF(svr_axes),
                                  .fit = svr_fit,
                                  SVR_FAMILY};
const struct family family_nusvr = {.name = "nusvr",
                                    .text = "nu support vector regression (libsvm)",
                                    .settings = &nusvr_table,
                                    .axes = nusvr_axes,
                                    .n_axes = COUNT_OF(nusvr_axes),
                                    .fit = nusvr_fit,
                                    SVR_FAMILY};
