/* What the counts alone contribute to the likelihood, and its derivatives in alpha. The textbook form lgamma(y +
 * theta) - lgamma(theta) + ... loses all digits as theta or the counts grow (9 digits left at theta = 1e5, none at
 * 1e16). For small counts sum w sum_{j<y} log(1 + alpha j) is summed as it stands, one pass over j for all rows. Where
 * a count is large, that sum would itself be far larger than the likelihood, and count_terms.h has other terms. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "count_terms.h"
#include "special.h"

#define HISTOGRAM_MAX 1048576.0 /* larger targets are sorted instead */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int make_room(struct counts *counts, size_t n)
{
    counts->value = malloc(3 * (n + 1) * sizeof(double));
    if (!counts->value) return -1;
    counts->weight = counts->value + n + 1;
    counts->tail = counts->weight + n + 1;
    return 0;
}

/* value[] and weight[] of small targets, by histogram */
static int collect_small(struct counts *counts, const double *y, const double *weight, size_t n, double largest)
{
    const size_t bins = (size_t)largest + 1;
    double *bin = calloc(bins, sizeof *bin);
    if (!bin) return -1;
    for (size_t i = 0; i < n; i++) bin[(size_t)y[i]] += weight ? weight[i] : 1;
    size_t distinct = 0;
    for (size_t v = 0; v < bins; v++) distinct += bin[v] > 0;
    const int failed = make_room(counts, distinct);
    for (size_t v = 0; v < bins && !failed; v++)
        if (bin[v] > 0) counts->value[counts->n] = (double)v, counts->weight[counts->n++] = bin[v];
    free(bin);
    return failed;
}

static int collect_large(struct counts *counts, const double *y, const double *weight, size_t n)
{
    double(*pairs)[2] = malloc((n + 1) * sizeof *pairs);
    if (make_room(counts, n) < 0 || !pairs) {
        free(pairs);
        return -1;
    }
    for (size_t i = 0; i < n; i++) pairs[i][0] = y[i], pairs[i][1] = weight ? weight[i] : 1;
    qsort(pairs, n, sizeof *pairs, by_value);
    for (size_t i = 0; i < n; i++) {
        if (!(pairs[i][1] > 0)) continue;
        if (counts->n && counts->value[counts->n - 1] == pairs[i][0]) counts->weight[counts->n - 1] += pairs[i][1];
        else counts->value[counts->n] = pairs[i][0], counts->weight[counts->n++] = pairs[i][1];
    }
    free(pairs);
    return 0;
}

int counts_init(struct counts *counts, const double *y, const double *weight, size_t n)
{
    double largest = 0;
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < n; i++) largest = y[i] > largest ? y[i] : largest;
    if ((largest <= HISTOGRAM_MAX ? collect_small(counts, y, weight, n, largest)
                                  : collect_large(counts, y, weight, n)) < 0) {
        counts_fini(counts);
        return -1;
    }
    double weights = 0;
    counts->is_large = largest > COUNTS_SMALL;
    for (size_t k = 0; k < counts->n; k++) {
        weights += counts->weight[k];
        counts->mean += counts->weight[k] * counts->value[k];
        if (!counts->is_large) counts->log_factorials += counts->weight[k] * special_lngamma(counts->value[k] + 1);
    }
    counts->mean /= weights;
    for (size_t k = counts->n; k-- > 0;)
        counts->tail[k] = counts->weight[k] + (k + 1 < counts->n ? counts->tail[k + 1] : 0);
    return 0;
}

void counts_fini(struct counts *counts)
{
    free(counts->value);
    memset(counts, 0, sizeof *counts);
}

void counts_derivatives(const struct counts *counts, double alpha, double d[2])
{
    double from = 0, own[2];
    d[0] = d[1] = 0;
    for (size_t k = 0; k < counts->n; k++) {
        const double to = counts->value[k], weight = counts->is_large ? counts->weight[k] : counts->tail[k];
        own[0] = own[1] = 0;
        if (counts->is_large) count_own_derivatives(to, alpha, own);
        for (double j = from; !counts->is_large && j < to; j++) {
            const double ratio = j / (1 + alpha * j);
            own[0] += ratio;
            own[1] -= ratio * ratio;
        }
        d[0] += weight * own[0], d[1] += weight * own[1];
        from = to;
    }
}

double counts_loglik(const struct counts *counts, double alpha)
{
    double from = 0, sum = 0;
    if (counts->is_large) {
        for (size_t k = 0; k < counts->n; k++) sum += counts->weight[k] * count_own(counts->value[k], alpha);
        return sum;
    }
    for (size_t k = 0; k < counts->n && alpha > 0; k++) {
        double gap = 0;
        for (double j = from; j < counts->value[k]; j++) gap += log1p(alpha * j);
        sum += counts->tail[k] * gap;
        from = counts->value[k];
    }
    return sum - counts->log_factorials;
}
