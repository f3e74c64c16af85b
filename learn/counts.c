/* What the counts contribute to the NB2 likelihood: sum w sum_{j<y} log(1 + alpha j). The textbook form lgamma(y +
 * theta) - lgamma(theta) + ... loses all digits as theta grows (9 digits left at 1e5, none at 1e16); the sum of
 * logarithms loses none. Only for gaps between counts too long to walk do we fall back on GSL's gamma functions. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "special.h"

#define HISTOGRAM_MAX 1048576.0 /* larger targets are sorted instead */
#define WALK_ALL_MAX 262144.0   /* below this largest count every gap is walked: exact whatever theta is */
#define WALK_GAP_MAX 512.0

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* value[] and tail[] (as plain weights for now) of small targets, by histogram */
static int collect_small(struct counts *counts, const double *y, const double *weight, size_t n, double largest)
{
    const size_t bins = (size_t)largest + 1;
    double *bin = calloc(bins, sizeof *bin);
    if (!bin) return -1;
    for (size_t i = 0; i < n; i++) bin[(size_t)y[i]] += weight ? weight[i] : 1;
    size_t distinct = 0;
    for (size_t v = 0; v < bins; v++) distinct += bin[v] > 0;
    counts->value = malloc((distinct + 1) * sizeof(double));
    counts->tail = malloc((distinct + 1) * sizeof(double));
    if (!counts->value || !counts->tail) {
        free(bin);
        return -1;
    }
    for (size_t v = 0; v < bins; v++)
        if (bin[v] > 0) counts->value[counts->n] = (double)v, counts->tail[counts->n++] = bin[v];
    free(bin);
    return 0;
}

static int collect_large(struct counts *counts, const double *y, const double *weight, size_t n)
{
    double(*pairs)[2] = malloc((n + 1) * sizeof *pairs);
    counts->value = malloc((n + 1) * sizeof(double));
    counts->tail = malloc((n + 1) * sizeof(double));
    if (!pairs || !counts->value || !counts->tail) {
        free(pairs);
        return -1;
    }
    for (size_t i = 0; i < n; i++) pairs[i][0] = y[i], pairs[i][1] = weight ? weight[i] : 1;
    qsort(pairs, n, sizeof *pairs, by_value);
    for (size_t i = 0; i < n; i++) {
        if (!(pairs[i][1] > 0)) continue;
        if (counts->n && counts->value[counts->n - 1] == pairs[i][0]) counts->tail[counts->n - 1] += pairs[i][1];
        else counts->value[counts->n] = pairs[i][0], counts->tail[counts->n++] = pairs[i][1];
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
    for (size_t k = 0; k < counts->n; k++)
        counts->log_factorials += counts->tail[k] * special_lngamma(counts->value[k] + 1);
    for (size_t k = counts->n; k-- > 1;) counts->tail[k - 1] += counts->tail[k];
    return 0;
}

void counts_fini(struct counts *counts)
{
    free(counts->value);
    free(counts->tail);
    memset(counts, 0, sizeof *counts);
}

/* The three sums over a <= j < b by gamma functions: with theta = 1 / alpha, 1 + alpha j = (theta + j) / theta. */
static void gap_sums(double a, double b, double alpha, double gap[3])
{
    const double theta = 1 / alpha, length = b - a;
    const double psi = special_psi(b + theta) - special_psi(a + theta);
    const double psi1 = special_psi_1(a + theta) - special_psi_1(b + theta);
    gap[0] = special_lngamma(b + theta) - special_lngamma(a + theta) - length * log(theta);
    gap[1] = theta * (length - theta * psi);
    gap[2] = -theta * theta * (length - 2 * theta * psi + theta * theta * psi1);
}

static bool is_walked(const struct counts *counts, double a, double b, double alpha)
{
    return b - a <= WALK_GAP_MAX || counts->value[counts->n - 1] <= WALK_ALL_MAX || alpha == 0;
}

void counts_sums(const struct counts *counts, double alpha, double sums[3])
{
    double from = 0;
    sums[0] = sums[1] = sums[2] = 0;
    for (size_t k = 0; k < counts->n; k++) {
        const double to = counts->value[k], weight = counts->tail[k];
        double gap[3] = {0, 0, 0};
        if (!is_walked(counts, from, to, alpha)) gap_sums(from, to, alpha, gap);
        else
            for (double j = from; j < to; j++) {
                const double ratio = j / (1 + alpha * j);
                gap[0] += log1p(alpha * j);
                gap[1] += ratio;
                gap[2] -= ratio * ratio;
            }
        for (int i = 0; i < 3; i++) sums[i] += weight * gap[i];
        from = to;
    }
}

double counts_log_sum(const struct counts *counts, double alpha)
{
    double from = 0, sum = 0;
    if (alpha == 0) return 0;
    for (size_t k = 0; k < counts->n; k++) {
        const double to = counts->value[k];
        double gap[3] = {0, 0, 0};
        if (!is_walked(counts, from, to, alpha)) gap_sums(from, to, alpha, gap);
        else
            for (double j = from; j < to; j++) gap[0] += log1p(alpha * j);
        sum += counts->tail[k] * gap[0];
        from = to;
    }
    return sum;
}
