/* Resampling: intervals of any statistic, and the comparison of two models on the same rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/validate.h"

#define EXACT_UNITS 16
#define FLIPS 20000

bool bootstrap_draws_groups(const struct bootstrap *plan) { return plan->groups->n_groups >= BOOTSTRAP_GROUPS_MIN; }

/* Rows sorted by group: start[g] .. start[g + 1] of rows[]. */
struct by_group {
    size_t *rows, *start;
};
static int by_group_init(struct by_group *b, const struct groups *groups, struct error *err)
{
    b->rows = calloc(groups->n + groups->n_groups + 2, sizeof *b->rows);
    if (!b->rows) return error_set(err, ERR_MEMORY, "out of memory");
    b->start = b->rows + groups->n;
    for (size_t i = 0; i < groups->n; i++) b->start[groups->of[i] + 1]++;
    for (size_t g = 0; g < groups->n_groups; g++) b->start[g + 1] += b->start[g];
    for (size_t g = groups->n_groups; g-- > 0;) {
        size_t at = b->start[g];
        for (size_t i = 0; i < groups->n; i++)
            if (groups->of[i] == g) b->rows[at++] = i;
    }
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t n, double probability)
{
    const double at = probability * (double)(n - 1);
    const size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

static size_t draw(const struct bootstrap *plan, const struct by_group *b, struct random *random, size_t most,
                   size_t *rows)
{
    const size_t groups = plan->groups->n_groups;
    size_t n = 0;
    for (size_t d = 0; d < groups; d++) {
        const size_t g = bootstrap_draws_groups(plan) ? random_below(random, groups) : d;
        const size_t size = b->start[g + 1] - b->start[g];
        for (size_t i = 0; i < size && n < most; i++)
            rows[n++] = b->rows[b->start[g] + (bootstrap_draws_groups(plan) ? i : random_below(random, size))];
    }
    return n;
}

int bootstrap_interval(const struct bootstrap *plan, bootstrap_statistic *statistic, void *context, double interval[2],
                       struct error *err)
{
    struct by_group b = {0};
    struct random random = {plan->seed};
    size_t largest = 0, used = 0;
    interval[0] = interval[1] = NAN;
    if (plan->replicates == 0) return 0;
    if (by_group_init(&b, plan->groups, err) < 0) return -1;
    for (size_t g = 0; g < plan->groups->n_groups; g++)
        if (b.start[g + 1] - b.start[g] > largest) largest = b.start[g + 1] - b.start[g];
    const size_t most = largest * plan->groups->n_groups;
    size_t *rows = malloc((most + 1) * sizeof *rows);
    double *values = malloc(plan->replicates * sizeof *values);
    const int failed = rows && values ? 0 : error_set(err, ERR_MEMORY, "out of memory for the bootstrap");
    for (size_t r = 0; r < plan->replicates && !failed; r++) {
        const size_t n = draw(plan, &b, &random, most, rows);
        const double value = statistic(rows, n, context);
        if (isfinite(value)) values[used++] = value;
    }
    if (!failed && used > 1) {
        const double tail = (1 - (plan->level > 0 ? plan->level : 0.95)) / 2;
        qsort(values, used, sizeof *values, ascending);
        interval[0] = percentile(values, used, tail);
        interval[1] = percentile(values, used, 1 - tail);
        const bool are_few = plan->groups->n_groups > 1 && !bootstrap_draws_groups(plan);
        if (are_few && !(interval[1] > interval[0])) interval[0] = interval[1] = NAN;
    }
    free(rows);
    free(values);
    free(b.rows);
    return failed;
}

static double mean_of(const size_t *rows, size_t n, void *context) { return metric_mean(context, rows, n); }

/* Share of sign patterns whose sum is at least as far from 0 as the one seen. */
static double flip_signs(const double *units, size_t n, uint64_t seed)
{
    struct random random = {seed};
    double seen = 0, size = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) seen += units[i], size += fabs(units[i]);
    seen = fabs(seen) - 1e-12 * size; /* a hair, so that equal sums count whatever their rounding */
    const bool is_exact = n <= EXACT_UNITS;
    const uint64_t patterns = is_exact ? (uint64_t)1 << n : FLIPS;
    for (uint64_t pattern = 0; pattern < patterns; pattern++) {
        double sum = 0;
        uint64_t bits = pattern;
        for (size_t i = 0; i < n; i++) {
            if (!is_exact && i % 64 == 0) bits = random_next(&random);
            sum += bits & 1 ? units[i] : -units[i];
            bits >>= 1;
        }
        count += fabs(sum) >= seen;
    }
    return is_exact ? (double)count / (double)patterns : ((double)count + 1) / ((double)patterns + 1);
}

int paired_compare(struct paired *out, const double *loss_a, const double *loss_b, const struct bootstrap *plan,
                   struct error *err)
{
    const struct groups *groups = plan->groups;
    const bool is_grouped = bootstrap_draws_groups(plan);
    double *difference = malloc((groups->n + 1) * sizeof *difference),
           *units = calloc(groups->n + 2 * groups->n_groups + 1, sizeof *units),
           *by_group = units + groups->n + groups->n_groups;
    double interval[2];
    int failed = difference && units ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < groups->n && !failed; i++) {
        difference[i] = loss_a[i] - loss_b[i];
        units[is_grouped ? groups->of[i] : i] += difference[i];
        by_group[groups->of[i]] += difference[i];
    }
    if (!failed) failed = bootstrap_interval(plan, mean_of, difference, interval, err);
    if (!failed) {
        const size_t n = is_grouped ? groups->n_groups : groups->n;
        *out = (struct paired){metric_mean(difference, NULL, groups->n),
                               interval[0],
                               interval[1],
                               flip_signs(units, n, plan->seed),
                               flip_signs(by_group, groups->n_groups, plan->seed),
                               n};
    }
    free(difference);
    free(units);
    return failed;
}
