/* Log-linear ridge regression: log y = offset + b0 + z b + error, z the standardised columns.
 *
 *   minimise   sum w (log y - offset - b0 - z b)^2 + lambda sum b^2
 *
 * by QR of the rows with sqrt(lambda) e_j under them. b0 is not penalised; it exists if the design has a constant
 * column. The weights are folded back to raw columns: b_j / sd_j, and b0 - sum b_j mean_j / sd_j on the constant
 * column. The distribution is that of the leave-one-out residuals e / (1 - h), which cost nothing more. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "state.h"
#include "wls.h"

#define RIDGE_SETTINGS(P) \
    P(F64, lambda, 1, 1e-12, 1e12, "1", "assumed", "penalty on squared weights of standardised columns")
PARAM_STRUCT(ridge_settings, RIDGE_SETTINGS);
#define ROW(...) PARAM_ROW_OF(ridge_settings, __VA_ARGS__)
static const struct param_row rows[] = {RIDGE_SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"ridge", rows, COUNT_OF(rows), sizeof(struct ridge_settings)};
static const struct family_axis axes[] = {{"lambda", 7, {"0.001", "0.01", "0.1", "1", "10", "100", "1000"}}};

struct ridge_state {
    size_t k;
    double *weights;
    struct residuals residuals;
};

/* One design column: a standardised one, or the constant (index k). */
static double cell(const struct glm_data *data, const struct scaling *s, bool centred, size_t column, size_t row)
{
    if (column == data->k) return 1;
    const double x = data->x[column * data->n + row];
    return centred ? scaling_value(s, column, x) : x / s->sd[column];
}

static bool feed(struct wls *wls, const struct glm_data *data, const struct scaling *s, const size_t *columns,
                 bool centred, double lambda)
{
    const size_t r = wls->r;
    wls_begin(wls);
    for (size_t at = 0; at < data->n; at += WLS_BLOCK) {
        const size_t count = data->n - at < WLS_BLOCK ? data->n - at : WLS_BLOCK;
        double *block = wls_rows(wls, count);
        for (size_t i = 0; i < count; i++) {
            const double root = sqrt(weight_of(data, at + i));
            for (size_t c = 0; c < r; c++) block[i + c * wls->ld] = root * cell(data, s, centred, columns[c], at + i);
            block[i + r * wls->ld] = root * (log(data->y[at + i]) - offset_of(data, at + i));
            block[i + (r + 1) * wls->ld] = 0;
        }
    }
    for (size_t c = 0; c < r; c++) {
        if (columns[c] == data->k) continue;
        double *row = wls_rows(wls, 1);
        for (size_t d = 0; d < r + 2; d++) row[d * wls->ld] = d == c ? sqrt(lambda) : 0;
    }
    return wls_solve(wls);
}

static int leave_one_out(struct ridge_state *state, const struct glm_data *data, const struct scaling *s,
                         const size_t *columns, bool centred, struct wls *wls, struct error *err)
{
    const size_t r = wls->r;
    double *errors = malloc((2 * data->n + 1) * sizeof *errors), *copies = errors + data->n,
           *inverse = malloc((r * r + r + 1) * sizeof *inverse);
    if (!errors || !inverse) {
        free(errors);
        free(inverse);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    double *z = inverse + r * r;
    wls_covariance(wls, inverse);
    for (size_t i = 0; i < data->n; i++) {
        double e = log(data->y[i]) - offset_of(data, i), h = 0;
        for (size_t c = 0; c < r; c++) {
            z[c] = cell(data, s, centred, columns[c], i);
            e -= z[c] * wls->steps[0][c];
        }
        for (size_t c = 0; c < r; c++)
            for (size_t d = 0; d < r; d++) h += z[c] * inverse[c * r + d] * z[d];
        h *= precision_of(data, i); /* one of w equal rows leaves */
        copies[i] = copies_of(data, i);
        errors[i] = copies[i] > 0 && h < 1 ? sqrt(precision_of(data, i)) * e / (1 - h) : NAN; /* as of weight 1 */
    }
    const int failed = residuals_init(&state->residuals, errors, copies, data->n, true, err);
    free(errors);
    free(inverse);
    return failed;
}

static int ridge_fit(void *opaque, const struct glm_data *data, const void *settings, struct error *err)
{
    struct ridge_state *state = opaque;
    const struct ridge_settings *p = settings;
    struct scaling s;
    struct wls wls = {0};
    size_t constant = data->k, r = 0;
    if (state_check(data, true, err) < 0 || scaling_init(&s, data, err) < 0) return -1;
    size_t *columns = calloc(data->k + 1, sizeof *columns);
    state->k = data->k;
    state->weights = calloc(data->k + 1, sizeof *state->weights);
    int failed = columns && state->weights ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t j = data->k; j-- > 0;)
        if (s.sd[j] == 0 && s.mean[j] != 0) constant = j; /* the first */
    const bool has_constant = constant < data->k;
    for (size_t j = 0; !failed && j < data->k; j++) {
        if (!(s.sd[j] > 0)) continue;
        columns[r++] = j;
    }
    if (!failed && has_constant) columns[r++] = data->k;
    if (!failed && r == 0) failed = error_set(err, ERR_INPUT, "every column is 0 in every row");
    if (!failed && wls_init(&wls, r) < 0) failed = error_set(err, ERR_MEMORY, "out of memory");
    if (!failed && !feed(&wls, data, &s, columns, has_constant, p->lambda))
        failed = error_set(err, ERR_RUN, "the least-squares problem could not be factored");
    if (!failed) {
        double base = has_constant ? wls.steps[0][r - 1] : 0;
        for (size_t c = 0; c < r; c++) {
            if (columns[c] == data->k) continue;
            const size_t j = columns[c];
            state->weights[j] = wls.steps[0][c] / s.sd[j];
            if (has_constant) base -= wls.steps[0][c] * s.mean[j] / s.sd[j];
        }
        if (has_constant) state->weights[constant] = base / s.mean[constant];
        failed = leave_one_out(state, data, &s, columns, has_constant, &wls, err);
    }
    wls_fini(&wls);
    free(columns);
    scaling_fini(&s);
    return failed;
}

static double ridge_predict(const void *opaque, const double *x, double offset)
{
    const struct ridge_state *state = opaque;
    double eta = offset;
    for (size_t j = 0; j < state->k; j++) eta += state->weights[j] * x[j];
    return exp(eta);
}
static double ridge_cdf(const void *opaque, const double *x, double offset, double y)
{
    return residuals_cdf(&((const struct ridge_state *)opaque)->residuals, ridge_predict(opaque, x, offset), y);
}
static double ridge_quantile(const void *opaque, const double *x, double offset, double probability)
{
    return residuals_quantile(&((const struct ridge_state *)opaque)->residuals, ridge_predict(opaque, x, offset),
                              probability);
}
static void ridge_save(const void *opaque, json_t *out)
{
    const struct ridge_state *state = opaque;
    state_put_list(out, "weights", state->weights, state->k);
    state_put_residuals(out, &state->residuals);
}
static int ridge_load(void *opaque, const json_t *in, size_t k, const char *file, struct error *err)
{
    struct ridge_state *state = opaque;
    state->k = k;
    return state_get_list(&state->weights, in, "weights", k, file, err) < 0
               ? -1
               : state_get_residuals(&state->residuals, in, file, err);
}
static void ridge_fini(void *opaque)
{
    struct ridge_state *state = opaque;
    free(state->weights);
    residuals_fini(&state->residuals);
}
static const double *ridge_weights(const void *opaque) { return ((const struct ridge_state *)opaque)->weights; }

const struct family family_ridge = {.name = "ridge",
                                    .text = "ridge regression of the logarithm",
                                    .settings = &table,
                                    .axes = axes,
                                    .n_axes = COUNT_OF(axes),
                                    .state_size = sizeof(struct ridge_state),
                                    .is_log_linear = true,
                                    .fit = ridge_fit,
                                    .predict = ridge_predict,
                                    .cdf = ridge_cdf,
                                    .quantile = ridge_quantile,
                                    .save = ridge_save,
                                    .load = ridge_load,
                                    .fini = ridge_fini,
                                    .weights = ridge_weights};
