#include "wls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lapack.h"
#include "poise/numerics.h"

#define RANK_TOLERANCE 1e-14 /* of the equilibrated triangle: below it a direction carries no information at all */

int wls_init(struct wls *wls, size_t r)
{
    memset(wls, 0, sizeof *wls);
    if (!numerics_has_room()) return -1;
    wls->r = r;
    wls->cols = r + WLS_RHS;
    wls->ld = (WLS_BLOCK + wls->cols + 7) / 8 * 8;
    wls->work_size = 64 * wls->cols + 64;
    /* one aligned piece, so that vector kernels see the same alignment in every run */
    const size_t square = (wls->cols * wls->cols + 7) / 8 * 8, line = (wls->cols + 7) / 8 * 8;
    const size_t doubles = wls->ld * wls->cols + square + 4 * line + wls->work_size / 8 * 8 + 8;
    wls->memory = aligned_alloc(64, doubles * sizeof(double));
    wls->pivots = malloc((r + 1) * sizeof *wls->pivots);
    if (!wls->memory || !wls->pivots) {
        wls_fini(wls);
        return -1;
    }
    double *at = wls->memory;
    wls->block = at, at += wls->ld * wls->cols;
    wls->factor = at, at += square;
    wls->tau = at, at += line;
    wls->norms = at, at += line;
    wls->steps[0] = at, at += line;
    wls->steps[1] = at, at += line;
    wls->work = at;
    return 0;
}

void wls_fini(struct wls *wls)
{
    free(wls->memory);
    free(wls->pivots);
    memset(wls, 0, sizeof *wls);
}

void wls_begin(struct wls *wls)
{
    wls->filled = 0;
    wls->has_failed = false;
}

/* Replaces the filled rows by their triangle. */
static void reduce(struct wls *wls)
{
    const size_t rows = wls->filled, ld = wls->ld, keep = rows < wls->cols ? rows : wls->cols;
    if (rows == 0) return;
    if (lapack()->dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)wls->cols, wls->block, (lapack_int)ld,
                              wls->tau, wls->work, (lapack_int)wls->work_size) != 0)
        wls->has_failed = true;
    for (size_t c = 0; c < wls->cols; c++)
        for (size_t i = c + 1; i < keep; i++) wls->block[i + c * ld] = 0;
    wls->filled = keep;
}

double *wls_rows(struct wls *wls, size_t count)
{
    if (wls->filled + count > wls->ld) reduce(wls);
    double *at = wls->block + wls->filled;
    wls->filled += count;
    return at;
}

const double *wls_triangle(struct wls *wls)
{
    reduce(wls);
    for (size_t c = 0; c < wls->cols; c++) /* fewer rows than columns: the rest of the triangle is 0 */
        for (size_t i = wls->filled; i < wls->cols; i++) wls->block[i + c * wls->ld] = 0;
    return wls->block;
}

/* R z = q, from the last row up; the rows of deficient directions give 0. */
static void back_substitute(const struct wls *wls, const double *q, double *step)
{
    const size_t r = wls->r, rank = r - wls->deficient;
    double *z = wls->work;
    for (size_t i = rank; i-- > 0;) {
        double sum = q[i];
        for (size_t j = i + 1; j < rank; j++) sum -= wls->factor[i + j * r] * z[j];
        z[i] = sum / wls->factor[i + i * r];
    }
    for (size_t i = 0; i < r; i++) {
        const size_t column = (size_t)wls->pivots[i] - 1;
        step[column] = i < rank ? z[i] / wls->norms[column] : 0;
    }
}

bool wls_solve(struct wls *wls)
{
    const size_t r = wls->r, ld = wls->ld;
    const lapack_int order = (lapack_int)r;
    double *q = wls->work + 32 * wls->cols; /* WLS_RHS columns of r */
    const double *triangle = wls_triangle(wls);
    if (wls->has_failed) return false;
    for (size_t j = 0; j < r; j++) { /* equilibrate: columns of length 1 */
        double sum = 0;
        for (size_t i = 0; i <= j; i++) sum += triangle[i + j * ld] * triangle[i + j * ld];
        if (!isfinite(sum)) return false;
        wls->norms[j] = sum > 0 ? sqrt(sum) : 1;
        for (size_t i = 0; i < r; i++) wls->factor[i + j * r] = i <= j ? triangle[i + j * ld] / wls->norms[j] : 0;
        wls->pivots[j] = 0;
    }
    if (lapack()->dgeqp3_work(LAPACK_COL_MAJOR, order, order, wls->factor, order, wls->pivots, wls->tau, wls->work,
                              (lapack_int)(32 * wls->cols)) != 0)
        return false;
    for (size_t b = 0; b < WLS_RHS; b++) memcpy(q + b * r, triangle + (r + b) * ld, r * sizeof *q);
    if (lapack()->dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', order, WLS_RHS, order, wls->factor, order, wls->tau, q, order,
                              wls->work, (lapack_int)(32 * wls->cols)) != 0)
        return false;
    size_t rank = 0;
    while (rank < r && fabs(wls->factor[rank + rank * r]) > RANK_TOLERANCE) rank++;
    wls->deficient = r - rank;
    for (size_t a = 0; a < WLS_RHS; a++)
        for (size_t b = 0; b < WLS_RHS; b++) {
            wls->products[a][b] = 0;
            for (size_t i = 0; i < rank; i++) wls->products[a][b] += q[a * r + i] * q[b * r + i];
            if (!isfinite(wls->products[a][b])) return false;
        }
    for (size_t b = 0; b < WLS_RHS; b++) back_substitute(wls, q + b * r, wls->steps[b]);
    return true;
}

void wls_variances(struct wls *wls, double *diagonal)
{
    const size_t r = wls->r, rank = r - wls->deficient;
    double *z = wls->work;
    for (size_t i = 0; i < r; i++) diagonal[i] = 0;
    for (size_t k = 0; k < rank; k++) { /* column k of R^-1 */
        for (size_t i = k + 1; i-- > 0;) {
            double sum = i == k ? 1 : 0;
            for (size_t j = i + 1; j <= k; j++) sum -= wls->factor[i + j * r] * z[j];
            z[i] = sum / wls->factor[i + i * r];
            const size_t column = (size_t)wls->pivots[i] - 1;
            diagonal[column] += z[i] / wls->norms[column] * (z[i] / wls->norms[column]);
        }
    }
    for (size_t i = rank; i < r; i++) diagonal[wls->pivots[i] - 1] = INFINITY;
}

void wls_covariance(struct wls *wls, double *matrix)
{
    const size_t r = wls->r, rank = r - wls->deficient;
    double *z = wls->work;
    memset(matrix, 0, r * r * sizeof *matrix);
    for (size_t k = 0; k < rank; k++) {
        for (size_t i = k + 1; i-- > 0;) {
            double sum = i == k ? 1 : 0;
            for (size_t j = i + 1; j <= k; j++) sum -= wls->factor[i + j * r] * z[j];
            z[i] = sum / wls->factor[i + i * r];
        }
        for (size_t i = 0; i <= k; i++)
            for (size_t j = 0; j <= k; j++) {
                const size_t a = (size_t)wls->pivots[i] - 1, b = (size_t)wls->pivots[j] - 1;
                matrix[a * r + b] += z[i] / wls->norms[a] * (z[j] / wls->norms[b]);
            }
    }
}
