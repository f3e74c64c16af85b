/* Gaussian-process regression and expected improvement. [Rasmussen and Williams, Gaussian Processes for Machine
 * Learning, Alg. 2.1, Eq. 5.8; Jones, Schonlau and Welch 1998, Eq. 15] */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lapack.h"
#include "poise/numerics.h"
#include "studies/tune/tune_internal.h"

struct gp {
    size_t n, d;
    double *x, *alpha, *factor; /* factor: Cholesky's L, column by column */
    double length[AXES_MAX], mean, scale, noise;
};
static double kernel(const double *a, const double *b, const double *length, size_t d)
{
    double r2 = 0;
    for (size_t i = 0; i < d; i++) r2 += (a[i] - b[i]) * (a[i] - b[i]) / (length[i] * length[i]);
    const double r = sqrt(5 * r2);
    return (1 + r + r * r / 3) * exp(-r);
}

/* Factor and alpha for the lengths in place; the log marginal likelihood, -INFINITY where the matrix is not
 * positive. */
static double solve(struct gp *gp, const double *y)
{
    const size_t n = gp->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            gp->factor[j * n + i] =
                kernel(gp->x + i * gp->d, gp->x + j * gp->d, gp->length, gp->d) + (i == j ? gp->noise : 0);
    memcpy(gp->alpha, y, n * sizeof *y);
    if (lapack()->dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, gp->factor, (lapack_int)n) != 0 ||
        lapack()->dpotrs(LAPACK_COL_MAJOR, 'L', (lapack_int)n, 1, gp->factor, (lapack_int)n, gp->alpha,
                         (lapack_int)n) != 0)
        return -INFINITY;
    double l = 0;
    for (size_t i = 0; i < n; i++) l -= 0.5 * y[i] * gp->alpha[i] + log(gp->factor[i * n + i]);
    return l;
}

/* Lengths by coordinate search over the likelihood, with a weak prior towards 1/2 that keeps flat likelihoods in
 * bounds. */
static void choose_lengths(struct gp *gp, const double *y)
{
    static const double lengths[] = {0.08, 0.15, 0.3, 0.5, 0.9, 1.6, 3};
    double best = -INFINITY;
    for (size_t i = 0; i < gp->d; i++) gp->length[i] = 0.5;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < gp->d; i++) {
            double kept = gp->length[i];
            for (size_t k = 0; k < COUNT_OF(lengths); k++) {
                gp->length[i] = lengths[k];
                double l = solve(gp, y);
                for (size_t j = 0; j < gp->d; j++) l -= 0.5 * pow(log(gp->length[j] / 0.5), 2);
                if (l > best) best = l, kept = lengths[k];
            }
            gp->length[i] = kept;
        }
}

int gp_fit(struct gp **out, const double *x, const double *y, size_t n, size_t d, double noise, struct error *err)
{
    struct gp *gp = *out = calloc(1, sizeof *gp);
    double *z = calloc(n + 1, sizeof *z), variance = 0;
    if (gp) {
        gp->n = n, gp->d = d, gp->noise = noise;
        gp->x = malloc((n * d + 1) * sizeof *x);
        gp->alpha = calloc(n + 1, sizeof *gp->alpha);
        gp->factor = calloc(n * n + 1, sizeof *gp->factor);
    }
    if (!gp || !z || !gp->x || !gp->alpha || !gp->factor || !numerics_has_room()) {
        free(z);
        gp_free(gp);
        *out = NULL;
        return error_set(err, ERR_MEMORY, "out of memory for a surrogate of %zu points", n);
    }
    memcpy(gp->x, x, n * d * sizeof *x);
    for (size_t i = 0; i < n; i++) gp->mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) variance += (y[i] - gp->mean) * (y[i] - gp->mean) / (double)n;
    gp->scale = variance > 0 ? sqrt(variance) : 1;
    for (size_t i = 0; i < n; i++) z[i] = (y[i] - gp->mean) / gp->scale;
    choose_lengths(gp, z);
    const double l = solve(gp, z);
    free(z);
    if (isfinite(l)) return 0;
    gp_free(gp);
    *out = NULL;
    return error_set(err, ERR_RUN, "the surrogate's covariance of %zu points is not positive definite", n);
}

void gp_predict(const struct gp *gp, const double *x, double *mean, double *variance)
{
    const size_t n = gp->n;
    double *v = malloc((n + 1) * sizeof *v);
    *mean = gp->mean;
    *variance = gp->scale * gp->scale;
    if (!v) return; /* the prior: safe, if not informative */
    double m = 0, s = 1 + gp->noise;
    for (size_t i = 0; i < n; i++) {
        v[i] = kernel(x, gp->x + i * gp->d, gp->length, gp->d);
        m += v[i] * gp->alpha[i];
    }
    for (size_t i = 0; i < n; i++) { /* L v' = v */
        for (size_t j = 0; j < i; j++) v[i] -= gp->factor[j * n + i] * v[j];
        v[i] /= gp->factor[i * n + i];
        s -= v[i] * v[i];
    }
    free(v);
    *mean += gp->scale * m;
    *variance *= s > 1e-12 ? s : 1e-12;
}

double gp_expected_improvement(const struct gp *gp, const double *x, double best)
{
    double mean, variance;
    gp_predict(gp, x, &mean, &variance);
    const double s = sqrt(variance), z = (mean - best) / s;
    return (mean - best) * 0.5 * erfc(-z / sqrt(2)) + s * exp(-0.5 * z * z) / sqrt(2 * acos(-1));
}

void gp_free(struct gp *gp)
{
    if (!gp) return;
    free(gp->x);
    free(gp->alpha);
    free(gp->factor);
    free(gp);
}
