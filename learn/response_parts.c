/* Rows ready to learn from, standardised features, principal components of surfaces. */
#include "response_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lapack.h"
#include "poise/numerics.h"

void response_scaler_init(struct response_scaler *s, const double *x, const double *w, size_t n, size_t k)
{
    double total = 0;
    s->k = k;
    for (size_t i = 0; i < n; i++) total += w[i];
    for (size_t j = 0; j < k; j++) {
        double mean = 0, variance = 0, size = 0;
        for (size_t i = 0; i < n; i++) mean += w[i] * x[i * k + j] / total;
        for (size_t i = 0; i < n; i++) {
            const double d = x[i * k + j] - mean;
            variance += w[i] * d * d / total;
            size = fmax(size, fabs(x[i * k + j]));
        }
        s->mean[j] = mean;
        s->sd[j] = sqrt(variance) > 1e-12 * size ? sqrt(variance) : 0; /* below: rounding of a constant */
    }
}

void response_scaler_apply(const struct response_scaler *s, const double *x, double *out)
{
    for (size_t j = 0; j < s->k; j++) out[j] = s->sd[j] > 0 ? (x[j] - s->mean[j]) / s->sd[j] : 0;
}

int response_rows_init(struct response_rows *out, const struct response_data *d, struct error *err)
{
    memset(out, 0, sizeof *out);
    const size_t k = d->k, m = d->m;
    out->memory = malloc((d->n * (k + m + 2) + 1) * sizeof(double));
    out->group = malloc((d->n + 1) * sizeof(size_t));
    if (!out->memory || !out->group) {
        response_rows_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for %zu surfaces", d->n);
    }
    double *all = out->memory + d->n * (k + m + 1);
    response_weights(d, all);
    response_scaler_init(&out->scaler, d->x, all, d->n, k);
    for (size_t i = 0; i < d->n; i++) out->n += all[i] > 0;
    out->k = k, out->m = m, out->n_groups = d->n_groups;
    out->x = out->memory, out->z = out->x + out->n * k, out->w = out->z + out->n * m;
    size_t row = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (!(all[i] > 0)) continue;
        response_scaler_apply(&out->scaler, d->x + i * k, out->x + row * k);
        memcpy(out->z + row * m, d->z + i * m, m * sizeof(double));
        out->group[row] = d->group[i];
        out->w[row++] = all[i];
    }
    return 0;
}

void response_rows_fini(struct response_rows *rows)
{
    free(rows->memory);
    free(rows->group);
    memset(rows, 0, sizeof *rows);
}

size_t response_rows_groups(const struct response_rows *rows, size_t *groups)
{
    size_t n = 0;
    for (size_t g = 0; g < rows->n_groups; g++) {
        bool has_rows = false;
        for (size_t i = 0; i < rows->n && !has_rows; i++) has_rows = rows->group[i] == g;
        if (has_rows) groups[n++] = g;
    }
    return n;
}

static void fix_sign(double *vector, size_t m)
{
    size_t largest = 0;
    for (size_t j = 1; j < m; j++)
        if (fabs(vector[j]) > fabs(vector[largest]) * (1 + 1e-9)) largest = j;
    if (vector[largest] > 0) return;
    for (size_t j = 0; j < m; j++) vector[j] = -vector[j];
}

int response_basis_init(struct response_basis *b, const double *z, const double *w, size_t n, size_t m, size_t r,
                        struct error *err)
{
    double *covariance = calloc(m * m + m, sizeof *covariance), *values = covariance + m * m, total = 0;
    memset(b, 0, sizeof *b);
    if (!covariance || !numerics_has_room()) {
        free(covariance);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < n; i++) total += w[i];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) b->mean[j] += w[i] * z[i * m + j] / total;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double d = w[i] / total * (z[i * m + j] - b->mean[j]);
            for (size_t l = 0; l <= j; l++) covariance[j * m + l] += d * (z[i * m + l] - b->mean[l]);
        }
    const int failed =
        lapack()->dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)m, covariance, (lapack_int)m, values) != 0;
    b->m = m;
    for (size_t c = 0; c < m && !failed; c++) { /* LAPACK's order ascends */
        b->values[c] = fmax(values[m - 1 - c], 0);
        memcpy(b->vectors + c * m, covariance + (m - 1 - c) * m, m * sizeof(double));
        fix_sign(b->vectors + c * m, m);
        if (c < r && (c == 0 || b->values[c] > 1e-14 * b->values[0])) b->r = c + 1;
    }
    free(covariance);
    return failed ? error_set(err, ERR_RUN, "the covariance of the surfaces could not be decomposed") : 0;
}

void response_basis_project(const struct response_basis *b, const double *z, double *coefs)
{
    for (size_t c = 0; c < b->r; c++) {
        double sum = 0;
        for (size_t j = 0; j < b->m; j++) sum += b->vectors[c * b->m + j] * (z[j] - b->mean[j]);
        coefs[c] = sum;
    }
}

void response_basis_expand(const struct response_basis *b, const double *coefs, double *z)
{
    memcpy(z, b->mean, b->m * sizeof *z);
    for (size_t c = 0; c < b->r; c++)
        for (size_t j = 0; j < b->m; j++) z[j] += coefs[c] * b->vectors[c * b->m + j];
}
