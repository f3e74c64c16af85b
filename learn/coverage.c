/* Distances of rows from a training set's features. */
#include "poise/coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/validate.h"

enum { K_MAX = RESPONSE_FEATURES_MAX };
static const double SHRINKAGE_MIN = 0.05; /* the same feature twice must not be a singular matrix */

/* Weights that sum to 1, every group that is in alike. */
static size_t weigh(double *w, const struct response_data *d, const bool *in)
{
    size_t groups = 0;
    for (size_t i = 0; i < d->n; i++) w[i] = 0;
    for (size_t g = 0; g < d->n_groups; g++) {
        double sum = 0;
        for (size_t i = 0; i < d->n; i++)
            if (in[i] && d->group[i] == g) sum += d->w ? d->w[i] : 1;
        if (!(sum > 0)) continue;
        groups++;
        for (size_t i = 0; i < d->n; i++)
            if (in[i] && d->group[i] == g) w[i] = (d->w ? d->w[i] : 1) / sum;
    }
    for (size_t i = 0; i < d->n && groups; i++) w[i] /= (double)groups;
    return groups;
}

static void standardise(struct coverage *c, const struct response_data *d, const double *w)
{
    for (size_t j = 0; j < c->k; j++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < d->n; i++) mean += w[i] * d->x[i * c->k + j];
        for (size_t i = 0; i < d->n; i++) square += w[i] * pow(d->x[i * c->k + j] - mean, 2);
        c->mean[j] = mean;
        c->sd[j] = square > 1e-18 ? sqrt(square) : 1;
    }
}

/* The shrinkage that minimises the expected squared error: the sum of the correlations' variances over that of their
 * squares. */
static void correlate(struct coverage *c, const struct response_data *d, const double *w)
{
    double variances = 0, squares = 0, *r = c->factor;
    for (size_t a = 0; a < c->k; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < d->n; i++)
                sum +=
                    w[i] * (d->x[i * c->k + a] - c->mean[a]) / c->sd[a] * (d->x[i * c->k + b] - c->mean[b]) / c->sd[b];
            r[a * c->k + b] = r[b * c->k + a] = a == b ? 1 : sum;
            if (a == b) continue;
            variances += pow(1 - sum * sum, 2) / (double)(c->n_groups - 1);
            squares += sum * sum;
        }
    c->shrinkage = squares > 0 ? fmin(1, fmax(SHRINKAGE_MIN, variances / squares)) : 1;
    for (size_t a = 0; a < c->k; a++)
        for (size_t b = 0; b < c->k; b++)
            if (a != b) r[a * c->k + b] *= 1 - c->shrinkage;
}

/* In place, lower triangle; false: not positive definite. */
static bool cholesky(double *a, size_t k)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * k + j];
            for (size_t l = 0; l < j; l++) sum -= a[i * k + l] * a[j * k + l];
            if (i == j && !(sum > 0)) return false;
            a[i * k + j] = i == j ? sqrt(sum) : sum / a[j * k + j];
        }
    return true;
}

int coverage_init(struct coverage *c, const struct response_data *d, const bool *in, struct error *err)
{
    double *w = calloc(d->n + 1, sizeof *w);
    if (!w) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    *c = (struct coverage){.k = d->k, .n_groups = weigh(w, d, in)};
    int result = 0;
    if (c->n_groups < 2) {
        result = error_set(err, ERR_INPUT, "a training set of %zu families: at least two are needed", c->n_groups);
    } else {
        standardise(c, d, w);
        correlate(c, d, w);
        if (!cholesky(c->factor, c->k)) result = error_set(err, ERR_INPUT, "features depend on one another exactly");
    }
    free(w);
    return result;
}

double coverage_mahalanobis(const struct coverage *c, const double *x)
{
    double y[K_MAX], sum = 0;
    for (size_t i = 0; i < c->k; i++) {
        y[i] = (x[i] - c->mean[i]) / c->sd[i];
        for (size_t j = 0; j < i; j++) y[i] -= c->factor[i * c->k + j] * y[j];
        y[i] /= c->factor[i * c->k + i];
        sum += y[i] * y[i];
    }
    return sqrt(sum);
}

double coverage_nearest(const struct coverage *c, const struct response_data *d, const bool *in, const double *x,
                        size_t without, size_t *row)
{
    double best = INFINITY;
    for (size_t i = 0; i < d->n; i++) {
        double sum = 0;
        if (!in[i] || d->group[i] == without) continue;
        for (size_t j = 0; j < c->k; j++) sum += pow((d->x[i * c->k + j] - x[j]) / c->sd[j], 2);
        if (sum >= best) continue;
        best = sum;
        if (row) *row = i;
    }
    return sqrt(best);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, size_t n, double q)
{
    if (n == 0) return NAN;
    qsort(values, n, sizeof *values, compare);
    const double at = q * (double)(n - 1);
    const size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    return values[low] + (at - (double)low) * (values[high] - values[low]);
}

int coverage_own(struct coverage_own *out, const struct coverage *c, const struct response_data *d, const bool *in,
                 double q, struct error *err)
{
    double *far = calloc(2 * d->n + 1, sizeof *far), *near = far ? far + d->n : NULL;
    size_t n = 0;
    if (!far) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    for (size_t i = 0; i < d->n; i++) {
        if (!in[i]) continue;
        far[n] = coverage_mahalanobis(c, d->x + i * d->k);
        near[n++] = coverage_nearest(c, d, in, d->x + i * d->k, d->group[i], NULL);
    }
    *out = (struct coverage_own){quantile(far, n, q), quantile(near, n, q)};
    free(far);
    return 0;
}
