/* Log-linear least squares: log y = offset + x beta + error, by one QR factorisation. */
#include "ols.h"

#include <math.h>
#include <string.h>

double ols_fit(const struct problem *problem, struct workspace *work, struct point *point)
{
    struct wls *wls = &work->wls;
    const size_t r = problem->r, n = problem->n;
    wls_begin(wls);
    for (size_t at = 0; at < n; at += WLS_BLOCK) {
        const size_t count = n - at < WLS_BLOCK ? n - at : WLS_BLOCK;
        double *rows = wls_rows(wls, count);
        for (size_t i = 0; i < count; i++) {
            const double root = problem->weight ? sqrt(problem->weight[at + i]) : 1;
            const double offset = problem->offset ? problem->offset[at + i] : 0;
            for (size_t j = 0; j < r; j++)
                rows[i + j * wls->ld] = problem->columns[j][at + i] * problem->scales[j] * root;
            rows[i + r * wls->ld] = root * (log(problem->y[at + i]) - offset);
            rows[i + (r + 1) * wls->ld] = 0;
        }
    }
    if (!wls_solve(wls)) return NAN;
    memcpy(point->beta, wls->steps[0], r * sizeof(double));
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        point->eta[i] = problem->offset ? problem->offset[i] : 0;
        for (size_t j = 0; j < r; j++) point->eta[i] += problem->columns[j][i] * (point->beta[j] * problem->scales[j]);
        point->mu[i] = exp(point->eta[i]);
        const double e = log(problem->y[i]) - point->eta[i];
        sum += (problem->weight ? problem->weight[i] : 1) * e * e;
    }
    return sum;
}
