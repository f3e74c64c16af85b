/* Checks every value of a data set, scales its columns, and finds which of them are linearly dependent. Columns keep
 * their order: of dependent ones the first stay, as in R. Lengths are scaled to about 1 before anything is compared,
 * so that units do not decide about rank. Tolerance: a column whose residual on the columns before it is below 1e-9
 * of its length (exact dependence leaves about 1e-16, two columns that agree to five digits 1e-5). */
#include "design.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "state.h"
#include "wls.h"
#include "poise/lapack.h"

#define DEPENDENT 1e-9
#define COUNT_MAX 9007199254740992.0 /* 2^53: above it doubles skip whole numbers */
#define CONDITION_MAX 1e8
#define OFFSET_MAX 100.0   /* of a logarithm: e^100 = 2.7e43 */
#define OFFSET_SPREAD 20.0 /* exposures that differ by more than e^20, and targets by less than the root of that */

void fit_warn(struct glm_fit *fit, const char *format, ...)
{
    if (fit->n_warnings == GLM_WARNINGS_MAX) return;
    va_list args;
    va_start(args, format);
    vsnprintf(fit->warnings[fit->n_warnings], sizeof fit->warnings[0], format, args);
    va_end(args);
    fit->n_warnings++;
}

/* "data.csv:7: column 'h_o': ..." or "row 6: ..." */
static int bad_value(const struct glm_data *data, size_t row, const char *column, double value, const char *why,
                     struct error *err)
{
    char where[320];
    if (data->lines) snprintf(where, sizeof where, "%s:%ld", data->source ? data->source : "line", data->lines[row]);
    else
        snprintf(where, sizeof where, "%s%srow %zu", data->source ? data->source : "", data->source ? ": " : "",
                 row + 1);
    error_set(err, ERR_INPUT, "%s: %s is %.17g: %s", where, column, value, why);
    return error_at(err, data->source, data->lines ? data->lines[row] : 0, -1, NULL);
}

int glm_check_offset(const struct glm_data *data, struct error *err)
{
    double low = INFINITY, high = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    size_t worst = 0;
    for (size_t i = 0; data->offset && i < data->n; i++) {
        if (!isfinite(data->offset[i]))
            return bad_value(data, i, "the offset", data->offset[i], "it must be a finite number (a logarithm)", err);
        if (fabs(data->offset[i]) > fabs(data->offset[worst])) worst = i;
        low = fmin(low, data->offset[i]), high = fmax(high, data->offset[i]);
        if (data->y) low_y = fmin(low_y, data->y[i]), high_y = fmax(high_y, data->y[i]);
    }
    if (!data->offset || data->n == 0) return 0;
    const double spread_y = log(fmax(high_y, 0) + 0.5) - log(fmax(low_y, 0) + 0.5);
    const bool is_spread = data->y && low > 0 && high - low > OFFSET_SPREAD && high - low > 2 * spread_y;
    if (fabs(data->offset[worst]) <= OFFSET_MAX && !is_spread) return 0;
    bad_value(data, worst, "the offset", data->offset[worst],
              "no logarithm of an exposure (the mean is proportional to exp(offset))", err);
    return error_at(err, data->source, data->lines ? data->lines[worst] : 0, -1,
                    low > 0 ? "did you mean log(offset)?" : "an offset is the logarithm of a row's exposure");
}

/* A count of rows, as statistics packages have it. */
int weights_check(const struct glm_data *data, struct error *err)
{
    double largest = data->weight ? 0 : 1;
    for (size_t i = 0; data->weight && i < data->n; i++) {
        const double w = data->weight[i];
        if (!(isfinite(w) && w >= 0))
            return bad_value(data, i, "the weight", w, "it must be a finite number, 0 or above", err);
        largest = w > largest ? w : largest;
        if (data->weights != WEIGHTS_FREQUENCY) continue;
        if (w > COUNT_MAX) return bad_value(data, i, "the weight", w, "counts of rows above 2^53 are not exact", err);
        if (w == floor(w)) continue;
        bad_value(data, i, "the weight", w, "a frequency weight says how often a row occurs: a whole number", err);
        return error_at(err, data->source, data->lines ? data->lines[i] : 0, -1,
                        "for weights that a row's variance is divided by: --weights precision");
    }
    if (largest > 0 || data->n == 0) return 0;
    error_set(err, ERR_INPUT, "%s: every weight is 0: no row counts", data->source ? data->source : "the data");
    return error_at(err, data->source, 0, -1, "check the column weight");
}

static int check_target(const struct glm_data *data, enum glm_family family, struct error *err)
{
    double largest = 0;
    for (size_t i = 0; i < data->n; i++) {
        const double y = data->y[i];
        if (!isfinite(y)) return bad_value(data, i, "the target", y, "it must be a finite number", err);
        if (family == GLM_OLS) {
            if (y <= 0)
                return bad_value(data, i, "the target", y, "least squares of its logarithm needs it above 0", err);
        } else {
            if (y < 0) return bad_value(data, i, "the target", y, "a count cannot be negative", err);
            if (y != floor(y)) return bad_value(data, i, "the target", y, "a count must be a whole number", err);
            if (y > COUNT_MAX) return bad_value(data, i, "the target", y, "counts above 2^53 are not exact", err);
        }
        if (!data->weight || data->weight[i] > 0) largest = y > largest ? y : largest;
    }
    if (largest > 0) return 0;
    error_set(err, ERR_INPUT, "%s: every target is 0: the logarithm of the mean has no finite estimate",
              data->source ? data->source : "data");
    return error_at(err, data->source, 0, -1, "check the target column");
}

int glm_check(const struct glm_data *data, enum glm_family family, bool is_penalised, struct error *err)
{
    const char *source = data->source ? data->source : "data";
    if (data->k == 0 || data->n == 0)
        return error_set(err, ERR_INPUT, "%s: %zu rows and %zu columns: nothing to fit", source, data->n, data->k);
    size_t used = 0;
    for (size_t i = 0; i < data->n; i++) { used += !data->weight || data->weight[i] > 0; }
    if (weights_check(data, err) < 0) return -1;
    for (size_t j = 0; j < data->k; j++) {
        char column[MODEL_NAME_MAX + 16];
        if (strlen(data->names[j]) >= MODEL_NAME_MAX)
            return error_set(err, ERR_INPUT, "%s: a column's name is longer than %d bytes", source, MODEL_NAME_MAX - 1);
        snprintf(column, sizeof column, "column '%s'", data->names[j]);
        for (size_t i = 0; i < data->n; i++)
            if (!isfinite(data->x[j * data->n + i]))
                return bad_value(data, i, column, data->x[j * data->n + i], "it must be a finite number", err);
    }
    if (check_target(data, family, err) < 0 || glm_check_offset(data, err) < 0) return -1;
    if (used >= data->k || is_penalised) return 0; /* a penalty has one best fit whatever the number of rows */
    error_set(err, ERR_INPUT, "%s: %zu rows%s are fewer than the %zu columns to fit without a penalty", source, used,
              data->weight ? " of positive weight" : "", data->k);
    return error_at(err, data->source, 0, -1,
                    family == GLM_OLS ? "add rows, choose fewer columns, or take the family ridge"
                                      : "add rows, choose fewer columns, or fit with a penalty (ridge=0.1)");
}

/* The power of two that brings a column's length to 0.5 .. 1: exact to multiply with. 1 for a column of zeros. */
static double column_scale(const double *column, size_t n)
{
    double largest = 0, sum = 0;
    int exponent;
    for (size_t i = 0; i < n; i++) largest = fabs(column[i]) > largest ? fabs(column[i]) : largest;
    if (largest == 0) return 1;
    for (size_t i = 0; i < n; i++) sum += column[i] / largest * (column[i] / largest);
    frexp(largest * sqrt(sum), &exponent);
    return ldexp(1, exponent > 1000 ? -1000 : -exponent);
}

/* The triangle of the scaled design (rows without weight left out), packed k x k. */
static int triangle_of(const struct glm_data *data, const double *scales, double *triangle)
{
    struct wls wls;
    if (wls_init(&wls, data->k) < 0) return -1;
    wls_begin(&wls);
    for (size_t at = 0; at < data->n; at += WLS_BLOCK) {
        const size_t count = data->n - at < WLS_BLOCK ? data->n - at : WLS_BLOCK;
        double *rows = wls_rows(&wls, count);
        for (size_t j = 0; j < wls.cols; j++)
            for (size_t i = 0; i < count; i++) {
                const double copies = j < data->k ? copies_of(data, at + i) : 0;
                rows[i + j * wls.ld] = copies > 0 ? sqrt(copies) * data->x[j * data->n + at + i] * scales[j] : 0;
            }
    }
    const double *full = wls_triangle(&wls);
    for (size_t j = 0; j < data->k; j++)
        for (size_t i = 0; i < data->k; i++) triangle[i + j * data->k] = i <= j ? full[i + j * wls.ld] : 0;
    wls_fini(&wls);
    return 0;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* "x3 = 1 x1 - 2 x2": the combination R_kept c = projection, in the columns' own units. */
static void warn_dependent(struct glm_fit *fit, const struct glm_data *data, const struct design *design,
                           const double *scales, const double *factor, const double *projection, size_t column)
{
    const size_t r = design->r, k = data->k;
    char text[200];
    double c[64];
    size_t used = 0;
    if (r > 64)
        return fit_warn(fit, "column '%s' depends linearly on the columns before it; left out", data->names[column]);
    for (size_t i = r; i-- > 0;) {
        double sum = projection[i];
        for (size_t j = i + 1; j < r; j++) sum -= factor[i + j * k] * c[j];
        c[i] = sum / factor[i + i * k];
    }
    for (size_t i = 0; i < r; i++) {
        const double own = c[i] * scales[design->kept[i]] / scales[column];
        if (fabs(c[i]) < 1e-8 || used + MODEL_NAME_MAX + 24 > sizeof text) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.6g %s",
                                 used ? (own < 0 ? " - " : " + ") : (own < 0 ? "-" : ""), fabs(own),
                                 data->names[design->kept[i]]);
    }
    if (used == 0) fit_warn(fit, "column '%s' is 0 in every row; left out", data->names[column]);
    else fit_warn(fit, "column '%s' is a linear combination of others and was left out: %s", data->names[column], text);
}

static void keep(struct design *design, const struct glm_data *data, const double *scales, size_t column)
{
    design->kept[design->r] = column;
    design->columns[design->r] = data->x + column * data->n;
    design->scales[design->r++] = scales[column];
}

/* Gram-Schmidt, twice for accuracy, on the columns of the triangle in their order. */
static int choose_columns(struct design *design, const struct glm_data *data, const double *scales,
                          const double *triangle, struct glm_fit *fit)
{
    const size_t k = data->k;
    double *basis = calloc(2 * k * k + 2 * k, sizeof *basis), *factor = basis + k * k, *v = factor + k * k,
           *along = v + k;
    if (!basis) return -1;
    for (size_t j = 0; j < k; j++) {
        memcpy(v, triangle + j * k, k * sizeof *v);
        memset(along, 0, k * sizeof *along);
        const double length = sqrt(dot(v, v, k));
        for (int pass = 0; pass < 2; pass++)
            for (size_t b = 0; b < design->r; b++) {
                const double part = dot(basis + b * k, v, k);
                along[b] += part;
                for (size_t i = 0; i < k; i++) v[i] -= part * basis[b * k + i];
            }
        const double rest = sqrt(dot(v, v, k));
        if (!(rest > DEPENDENT * length)) {
            warn_dependent(fit, data, design, scales, factor, along, j);
            continue;
        }
        for (size_t i = 0; i < k; i++) basis[design->r * k + i] = v[i] / rest;
        memcpy(factor + design->r * k, along, k * sizeof *along);
        factor[design->r + design->r * k] = rest;
        keep(design, data, scales, j);
    }
    free(basis);
    return 0;
}

/* The value of a column that is the same in every row that counts. */
static bool is_constant(const struct glm_data *data, size_t column, double *value)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < data->n; i++) {
        if (data->weight && !(data->weight[i] > 0)) continue;
        low = fmin(low, data->x[column * data->n + i]), high = fmax(high, data->x[column * data->n + i]);
    }
    *value = low;
    return !(high > low);
}

/* A penalty has one best fit for columns that depend on others as well. It leaves constant columns alone: of these the
 * first stays. */
static int choose_penalised(struct design *design, const struct glm_data *data, const double *scales,
                            struct glm_fit *fit)
{
    double value, first_value = 0;
    size_t first = SIZE_MAX;
    for (size_t j = 0; j < data->k; j++) {
        const bool has_one = is_constant(data, j, &value);
        if (has_one && value == 0) {
            fit_warn(fit, "column '%s' is 0 in every row; left out", data->names[j]);
        } else if (has_one && first != SIZE_MAX) {
            fit_warn(fit, "column '%s' is a linear combination of others and was left out: %.6g %s", data->names[j],
                     value / first_value, data->names[first]);
        } else {
            keep(design, data, scales, j);
            if (has_one) first = j, first_value = value;
        }
    }
    return 0;
}

/* Largest over smallest singular value of the kept columns, each of length 1. */
static double condition_of(const struct design *design, const double *triangle)
{
    const size_t r = design->r, k = design->k;
    double *a = malloc((r * k + 3 * k) * sizeof *a), *values = a + r * k, *super = values + k, condition = NAN;
    if (!a) return NAN;
    for (size_t j = 0; j < r; j++) {
        const double *column = triangle + design->kept[j] * k, length = sqrt(dot(column, column, k));
        for (size_t i = 0; i < k; i++) a[i + j * k] = column[i] / length;
    }
    if (r && lapack()->dgesvd(LAPACK_COL_MAJOR, 'N', 'N', (lapack_int)k, (lapack_int)r, a, (lapack_int)k, values, NULL,
                              1, NULL, 1, super) == 0)
        condition = values[0] / values[r - 1];
    free(a);
    return condition;
}

int design_init(struct design *design, const struct glm_data *data, bool is_penalised, struct glm_fit *fit,
                struct error *err)
{
    const size_t k = data->k;
    memset(design, 0, sizeof *design);
    design->n = data->n;
    design->k = k;
    design->kept = malloc(k * sizeof *design->kept);
    design->columns = malloc(k * sizeof *design->columns);
    design->scales = malloc(k * sizeof *design->scales);
    double *triangle = malloc((k * k + k) * sizeof *triangle), *scales = triangle + k * k;
    int failed = !design->kept || !design->columns || !design->scales || !triangle;
    for (size_t j = 0; !failed && j < k; j++) scales[j] = column_scale(data->x + j * data->n, data->n);
    if (!failed)
        failed = triangle_of(data, scales, triangle) < 0 ||
                 (is_penalised ? choose_penalised(design, data, scales, fit)
                               : choose_columns(design, data, scales, triangle, fit)) < 0;
    if (!failed) design->condition = condition_of(design, triangle);
    free(triangle);
    if (failed) {
        design_fini(design);
        return error_set(err, ERR_MEMORY,
                         "out of memory for a design of %zu rows and %zu columns (BLAS alone needs 144 MiB)", data->n,
                         k);
    }
    if (is_penalised && design->condition > 1 / DEPENDENT)
        fit_warn(fit, "columns depend linearly on others: the penalty decides how these share their weight");
    else if (design->condition > CONDITION_MAX)
        fit_warn(fit, "the columns are nearly dependent (condition number %.2g): single weights mean little",
                 design->condition);
    return 0;
}

void design_fini(struct design *design)
{
    free(design->kept);
    free(design->columns);
    free(design->scales);
    memset(design, 0, sizeof *design);
}
