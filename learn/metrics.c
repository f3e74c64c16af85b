/* How far predictions are from targets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/validate.h"

double loss_of(enum loss_kind kind, double y, double predicted)
{
    const double e = predicted - y;
    if (kind == LOSS_SQUARED) return e * e;
    return kind == LOSS_ABSOLUTE ? fabs(e) : fabs(e) / fmax(y, 1); /* targets of a tuple are at least 1 */
}

static size_t row_at(const size_t *rows, size_t i) { return rows ? rows[i] : i; }

static double mean_loss(enum loss_kind kind, const double *y, const double *predicted, const size_t *rows, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += loss_of(kind, y[row_at(rows, i)], predicted[row_at(rows, i)]);
    return sum / (double)n;
}
double metric_relative(const double *y, const double *predicted, const size_t *rows, size_t n)
{
    return mean_loss(LOSS_RELATIVE, y, predicted, rows, n);
}
double metric_mae(const double *y, const double *predicted, const size_t *rows, size_t n)
{
    return mean_loss(LOSS_ABSOLUTE, y, predicted, rows, n);
}
double metric_mean(const double *values, const size_t *rows, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[row_at(rows, i)];
    return sum / (double)n;
}

static double pearson(const double *y, const double *predicted, const size_t *rows, size_t n)
{
    const double my = metric_mean(y, rows, n), mp = metric_mean(predicted, rows, n);
    double yy = 0, pp = 0, yp = 0;
    for (size_t i = 0; i < n; i++) {
        const double a = y[row_at(rows, i)] - my, b = predicted[row_at(rows, i)] - mp;
        yy += a * a, pp += b * b, yp += a * b;
    }
    return yy > 0 && pp > 0 ? yp / sqrt(yy * pp) : NAN;
}

struct ranked {
    double value;
    size_t at;
};
static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static void ranks_of(const double *values, const size_t *rows, size_t n, struct ranked *work, double *ranks)
{
    for (size_t i = 0; i < n; i++) work[i] = (struct ranked){values[row_at(rows, i)], i};
    qsort(work, n, sizeof *work, by_value);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && work[next].value == work[i].value; next++) {}
        for (size_t j = i; j < next; j++) ranks[work[j].at] = 0.5 * (double)(i + next - 1);
    }
}

double metric_spearman(const double *y, const double *predicted, const size_t *rows, size_t n)
{
    double *ranks = malloc((2 * n + 1) * sizeof *ranks), result = NAN;
    struct ranked *work = malloc((n + 1) * sizeof *work);
    if (ranks && work) {
        ranks_of(y, rows, n, work, ranks);
        ranks_of(predicted, rows, n, work, ranks + n);
        result = pearson(ranks, ranks + n, NULL, n);
    }
    free(ranks);
    free(work);
    return result;
}
