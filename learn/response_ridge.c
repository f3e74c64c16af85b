/* Ridge regression of the whole response surface on standardised features.   [Hoerl, Kennard 1970; ESL 3.4.1]
 * The penalty is chosen by leaving one group out unless it is set: sums of squares and products are kept for each
 * group, so that leaving one out is a subtraction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lapack.h"
#include "poise/numerics.h"
#include "response_parts.h"

static const double penalties[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000};

/* Upper triangle of sum w (x,1)(x,1)' in `gram` (q x q, q = k + 1) and sum w (x,1) t' in `product` (q x r, column after
 * column), of the rows whose group is `group` (or all, for SIZE_MAX). */
static void add_rows(double *gram, double *product, const struct response_rows *rows, const double *t, size_t r,
                     size_t group)
{
    const size_t k = rows->k, q = k + 1;
    memset(gram, 0, q * q * sizeof *gram);
    memset(product, 0, q * r * sizeof *product);
    for (size_t i = 0; i < rows->n; i++) {
        const double *x = rows->x + i * k;
        if (group != SIZE_MAX && rows->group[i] != group) continue;
        for (size_t b = 0; b < q; b++) {
            const double xb = rows->w[i] * (b < k ? x[b] : 1);
            for (size_t a = 0; a <= b; a++) gram[a + b * q] += xb * (a < k ? x[a] : 1);
            for (size_t c = 0; c < r; c++) product[b + c * q] += xb * t[i * r + c];
        }
    }
}

/* gram and product are overwritten; product becomes the solution. */
static int solve(double *gram, double *product, size_t q, size_t r, double lambda, struct error *err)
{
    for (size_t a = 0; a + 1 < q; a++) {
        gram[a + a * q] += lambda;
        if (gram[a + a * q] <= 0) gram[a + a * q] = 1; /* a feature that does not vary */
    }
    if (lapack()->dposv(LAPACK_COL_MAJOR, 'U', (lapack_int)q, (lapack_int)r, gram, (lapack_int)q, product,
                        (lapack_int)q) == 0)
        return 0;
    error_set(err, ERR_RUN, "features depend on each other: the least-squares problem has no single solution");
    return error_at(err, NULL, 0, -1, "set lambda above 0, or leave features out");
}

int response_ridge_fit(double *out, const struct response_rows *rows, const double *targets, size_t r, double lambda,
                       struct error *err)
{
    const size_t q = rows->k + 1;
    double *gram = malloc((q * q + q * r) * sizeof *gram), *product = gram + q * q;
    if (!gram || !numerics_has_room()) {
        free(gram);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    add_rows(gram, product, rows, targets, r, SIZE_MAX);
    const int failed = solve(gram, product, q, r, lambda, err);
    for (size_t a = 0; a < q && !failed; a++)
        for (size_t c = 0; c < r; c++) out[a * r + c] = product[a + c * q];
    free(gram);
    return failed;
}

static void ridge_response_at(const double *weights, size_t k, size_t r, const double *x, double *out)
{
    memcpy(out, weights + k * r, r * sizeof *out);
    for (size_t a = 0; a < k; a++)
        for (size_t c = 0; c < r; c++) out[c] += x[a] * weights[a * r + c];
}

/* Squared error on the rows of a group, of weights in column order. */
static double error_of(const struct response_rows *rows, const double *t, size_t r, size_t group, const double *weights)
{
    const size_t k = rows->k, q = k + 1;
    double sum = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->group[i] != group) continue;
        for (size_t c = 0; c < r; c++) {
            double e = weights[k + c * q] - t[i * r + c];
            for (size_t a = 0; a < k; a++) e += weights[a + c * q] * rows->x[i * k + a];
            sum += rows->w[i] * e * e;
        }
    }
    return sum;
}

/* The penalty of the grid with the least squared error over groups left out, each group weighing the same. */
static int ridge_choose_penalty(double *lambda, const struct response_rows *rows, const double *targets, size_t r,
                                struct error *err)
{
    const size_t q = rows->k + 1, size = q * q + q * r;
    double *memory = malloc(3 * size * sizeof *memory), *all = memory, *part = all + size, *own = part + size;
    double errors[COUNT_OF(penalties)] = {0};
    size_t best = 4, used = 0; /* a penalty of 1 where there is a single group */
    if (!memory || !numerics_has_room()) {
        free(memory);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    add_rows(all, all + q * q, rows, targets, r, SIZE_MAX);
    int failed = 0;
    for (size_t g = 0; g < rows->n_groups && !failed; g++) {
        add_rows(part, part + q * q, rows, targets, r, g);
        const double weight = part[q * q - 1], rest = all[q * q - 1] - weight;
        if (!(weight > 0) || !(rest > 1e-9 * weight)) continue;
        for (size_t l = 0; l < COUNT_OF(penalties) && !failed; l++) {
            for (size_t i = 0; i < size; i++) own[i] = all[i] - part[i];
            failed = solve(own, own + q * q, q, r, penalties[l], err);
            if (!failed) errors[l] += error_of(rows, targets, r, g, own + q * q);
        }
        used++;
    }
    for (size_t l = 0; l < COUNT_OF(penalties) && used > 0; l++)
        if (errors[l] < errors[best]) best = l;
    *lambda = penalties[best];
    free(memory);
    return failed;
}

#define SETTINGS(P) \
    P(F64, lambda, 0, 0, 1e9, "1", "assumed", \
      "penalty on squared weights of standardised features; 0: chosen by leaving groups out")
PARAM_STRUCT(response_ridge_settings, SETTINGS);
#define ROW(...) PARAM_ROW_OF(response_ridge_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"ridge", settings_rows, COUNT_OF(settings_rows),
                                         sizeof(struct response_ridge_settings)};

struct ridge_response {
    struct response_scaler scaler;
    size_t m;
    double *weights;
};

static int ridge_fit(void *opaque, const struct response_data *data, const void *settings, struct error *err)
{
    struct ridge_response *state = opaque;
    struct response_rows rows;
    double lambda = ((const struct response_ridge_settings *)settings)->lambda;
    if (response_rows_init(&rows, data, err) < 0) return -1;
    state->scaler = rows.scaler;
    state->m = data->m;
    state->weights = malloc((data->k + 1) * data->m * sizeof *state->weights);
    int failed = state->weights ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed && !(lambda > 0)) failed = ridge_choose_penalty(&lambda, &rows, rows.z, data->m, err);
    if (!failed) failed = response_ridge_fit(state->weights, &rows, rows.z, data->m, lambda, err);
    response_rows_fini(&rows);
    return failed;
}

static void ridge_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct ridge_response *state = opaque;
    double own[K_MAX];
    (void)spread;
    response_scaler_apply(&state->scaler, x, own);
    ridge_response_at(state->weights, state->scaler.k, state->m, own, mean);
}

static void ridge_fini(void *opaque) { free(((struct ridge_response *)opaque)->weights); }

const struct response_family response_ridge = {.name = "ridge",
                                               .title = "ridge regression of the response surface",
                                               .source = "Hoerl, Kennard 1970",
                                               .settings = &table,
                                               .state_size = sizeof(struct ridge_response),
                                               .fit = ridge_fit,
                                               .predict = ridge_predict,
                                               .fini = ridge_fini};
