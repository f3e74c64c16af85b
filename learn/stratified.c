/* Estimates from a stratified sample, drawn without replacement.
 * Of stratum h: N_h units, n_h of them drawn, sample mean and variance ybar_h, s_h^2. [Cochran, Sampling Techniques] */
#include "poise/stratified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/numerics.h"
#include "poise/validate.h"
#include "special.h"

enum { DRAWN_LEAST = 2 }; /* of a stratum: one unit says nothing of its variance */

/* A random number that a unit keeps, whatever its stratum: samples of one seed from other strata share units. [Ohlsson
 * 1995, permanent random numbers] */
struct keyed {
    uint64_t key;
    size_t unit;
};
static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

int stratified_new(struct stratified *out, const struct strata *strata, uint64_t seed, struct error *err)
{
    struct random random = {seed};
    numerics_set_up();
    *out = (struct stratified){.strata = strata,
                               .order = malloc((strata->n + 1) * sizeof *out->order),
                               .drawn = calloc(strata->n_strata + 1, sizeof *out->drawn)};
    struct keyed *keyed = calloc(2 * strata->n + 1, sizeof *keyed);
    if (!out->order || !out->drawn || !keyed) {
        free(keyed);
        stratified_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for a sample of %zu units", strata->n);
    }
    struct keyed *sorted = keyed + strata->n;
    for (size_t i = 0; i < strata->n; i++) keyed[i] = (struct keyed){random_next(&random), i};
    for (size_t h = 0; h < strata->n_strata; h++) {
        const size_t first = strata->start[h], n = strata->start[h + 1] - first;
        for (size_t i = 0; i < n; i++) sorted[i] = keyed[strata->items[first + i]];
        qsort(sorted, n, sizeof *sorted, by_key);
        for (size_t i = 0; i < n; i++) out->order[first + i] = sorted[i].unit;
    }
    free(keyed);
    return 0;
}

void stratified_fini(struct stratified *sample)
{
    free(sample->order);
    free(sample->drawn);
    *sample = (struct stratified){0};
}

static size_t units_of(const struct stratified *s, size_t h) { return s->strata->start[h + 1] - s->strata->start[h]; }

void stratified_draw(struct stratified *s, size_t each)
{
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const size_t all = units_of(s, h), n = all <= each + 1 ? all : each;
        if (s->drawn[h] < n) s->drawn[h] = n;
    }
}

size_t stratified_drawn(const struct stratified *s)
{
    size_t n = 0;
    for (size_t h = 0; h < s->strata->n_strata; h++) n += s->drawn[h];
    return n;
}

bool stratified_is_whole(const struct stratified *s) { return stratified_drawn(s) == s->strata->n; }

/* What is looked at: y - ratio * x - slope * size of a unit; x may be NULL. */
struct view {
    const double *y, *x;
    double ratio, slope;
};
static double seen(const struct stratified *s, const struct view *v, size_t unit)
{
    return v->y[unit] - (v->x ? v->ratio * v->x[unit] : 0) - v->slope * s->strata->sizes[unit];
}

struct moments {
    double mean, variance;
};
/* Over the units drawn of a stratum. */
static struct moments moments_of(const struct stratified *s, size_t h, const struct view *v)
{
    const size_t *units = s->order + s->strata->start[h], n = s->drawn[h];
    struct moments m = {0, 0};
    for (size_t i = 0; i < n; i++) m.mean += seen(s, v, units[i]) / (double)n;
    for (size_t i = 0; i < n && n > 1; i++) {
        const double d = seen(s, v, units[i]) - m.mean;
        m.variance += d * d / (double)(n - 1);
    }
    return m;
}

/* Degrees of freedom within strata that are not whole. */
static double freedom_of(const struct stratified *s)
{
    double freedom = 0;
    for (size_t h = 0; h < s->strata->n_strata; h++)
        if (s->drawn[h] >= DRAWN_LEAST && s->drawn[h] < units_of(s, h)) freedom += (double)s->drawn[h] - 1;
    return freedom;
}

static double mean_size(const struct stratified *s, size_t h)
{
    double sum = 0;
    for (size_t i = s->strata->start[h]; i < s->strata->start[h + 1]; i++) sum += s->strata->sizes[s->strata->items[i]];
    return sum / (double)units_of(s, h);
}

void stratified_begin(struct stratified *s, size_t first, double freedom)
{
    stratified_draw(s, first);
    while (!stratified_is_whole(s) && freedom_of(s) < freedom) {
        size_t next = 0;
        double most = 0;
        for (size_t h = 0; h < s->strata->n_strata; h++) {
            const double worth = (double)units_of(s, h) / (double)s->drawn[h] / sqrt(mean_size(s, h));
            if (s->drawn[h] < units_of(s, h) && worth > most) most = worth, next = h;
        }
        if (!(most > 0)) break;
        s->drawn[next]++;
    }
}

/* The slope of y over sizes that all strata have in common, weighted as it enters the variance; 0 where there are too
 * few units to say. [7.10, the combined regression estimate] */
static double slope_of(const struct stratified *s, const double *y)
{
    enum { FREEDOM_LEAST = 6 };
    double above = 0, below = 0;
    if (freedom_of(s) < FREEDOM_LEAST) return 0;
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const size_t *units = s->order + s->strata->start[h], n = s->drawn[h];
        const double N = (double)units_of(s, h);
        double mean_y = 0, mean_x = 0, xy = 0, xx = 0;
        if (n < DRAWN_LEAST || n == units_of(s, h)) continue;
        for (size_t i = 0; i < n; i++) {
            mean_y += y[units[i]] / (double)n;
            mean_x += s->strata->sizes[units[i]] / (double)n;
        }
        for (size_t i = 0; i < n; i++) {
            const double x = s->strata->sizes[units[i]] - mean_x;
            xy += x * (y[units[i]] - mean_y);
            xx += x * x;
        }
        const double weight = N * (N - (double)n) / (double)n / (double)(n - 1);
        above += weight * xy;
        below += weight * xx;
    }
    return below > 0 ? above / below : 0;
}

/* The total: sum of N_h ybar_h [5.1], plus slope * (sum of N_h (Xbar_h - xbar_h)) [7.10]. */
static double total_of(const struct stratified *s, const double *y, double slope)
{
    const struct view v = {.y = y, .slope = slope};
    double total = 0;
    for (size_t h = 0; h < s->strata->n_strata; h++)
        if (s->drawn[h]) total += (double)units_of(s, h) * moments_of(s, h, &v).mean;
    for (size_t i = 0; i < s->strata->n && slope != 0; i++) total += slope * s->strata->sizes[i];
    return total;
}

/* The spread that is expected of a stratum; where its units seem alike, a little all the same. */
static double expected_of(const struct stratified *s, size_t h)
{
    const double LEAST = 0.02;
    return hypot(s->strata->spreads[h], LEAST * mean_size(s, h));
}

/* S_h of each stratum. What all strata show, over what was expected of them, counts as PRIOR more degrees of freedom
 * in each. */
static const double PRIOR = 2;
static void spreads_of(const struct stratified *s, const struct view *v, double *S)
{
    double shown = 0, expected = 0;
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const double n = (double)s->drawn[h], of_h = expected_of(s, h);
        S[h] = moments_of(s, h, v).variance;
        if (s->drawn[h] < DRAWN_LEAST || s->drawn[h] == units_of(s, h)) continue;
        shown += (n - 1) * S[h];
        expected += (n - 1) * of_h * of_h;
    }
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const double n = (double)s->drawn[h], of_h = expected_of(s, h);
        S[h] = n > 0 && expected > 0 ? sqrt(((n - 1) * S[h] + PRIOR * shown / expected * of_h * of_h) / (n - 1 + PRIOR))
                                     : 0;
    }
}

/* Standard error of a total of what is seen: v = sum of N_h (N_h - n_h) s_h^2 / n_h, and the degrees of freedom of its
 * t quantile by Satterthwaite, n_e = v^2 / (sum of (N_h (N_h - n_h) s_h^2 / n_h)^2 / (n_h - 1)) [5.4]; a slope takes
 * one. Two units may be alike by chance, and who draws until an interval is narrow stops where they are: v is taken
 * with the spreads of spreads_of() too, and the larger one counts. */
static void error_of(const struct stratified *s, const struct view *view, struct stratified_estimate *e)
{
    const double freedom = freedom_of(s);
    double v = 0, v2 = 0, smooth = 0;
    double *S = calloc(s->strata->n_strata + 1, sizeof *S);
    if (S) spreads_of(s, view, S);
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const double N = (double)units_of(s, h), n = (double)s->drawn[h];
        if (s->drawn[h] < DRAWN_LEAST) continue; /* whole, as DRAWN_LEAST are drawn where there are so many */
        const double term = N * (N - n) * moments_of(s, h, view).variance / n;
        v += term;
        v2 += term * term / (n - 1);
        if (S) smooth += N * (N - n) * S[h] * S[h] / n;
    }
    free(S);
    e->df = v2 > 0 ? v * v / v2 : smooth > 0 ? freedom : INFINITY;
    const double lost = view->slope != 0 && freedom > 1 ? freedom / (freedom - 1) : 1;
    if (lost > 1) e->df = fmax(1, e->df - 1);
    e->se = sqrt(fmax(v, smooth) * lost);
}

/* Intervals of samples that grow until they are narrow, of two units in most strata, hold less often than their t
 * quantile says; with this factor 90 % or more hold in every case of tests/unit/lab/test_sample.c. Measured. */
static const double FACTOR = 1.2;

static void bounds(struct stratified_estimate *e)
{
    const double half = e->se > 0 ? FACTOR * t_quantile(0.975, e->df) * e->se : 0;
    e->low = e->value - half;
    e->high = e->value + half;
}

struct stratified_estimate stratified_total(const struct stratified *s, const double *y)
{
    const struct view view = {.y = y, .slope = slope_of(s, y)};
    struct stratified_estimate e = {.value = total_of(s, y, view.slope)};
    error_of(s, &view, &e);
    bounds(&e);
    return e;
}

/* A total is linear in y: what a unit counts is the total where it alone measures 1. */
int stratified_weights(const struct stratified *s, double *out, struct error *err)
{
    double *y = calloc(s->strata->n + 1, sizeof *y);
    if (!y) return error_set(err, ERR_MEMORY, "out of memory for weights of %zu units", s->strata->n);
    memset(out, 0, s->strata->n * sizeof *out);
    for (size_t h = 0; h < s->strata->n_strata; h++)
        for (size_t i = 0; i < s->drawn[h]; i++) {
            const size_t unit = s->order[s->strata->start[h] + i];
            y[unit] = 1;
            out[unit] = total_of(s, y, slope_of(s, y));
            y[unit] = 0;
        }
    free(y);
    return 0;
}

/* The ratio of two totals, with the variance of y - R x. [6.11] */
struct stratified_estimate stratified_ratio(const struct stratified *s, const double *y, const double *x)
{
    const double slope_y = slope_of(s, y), slope_x = slope_of(s, x), below = total_of(s, x, slope_x);
    struct stratified_estimate e = {.value = below == 0 ? 0 : total_of(s, y, slope_y) / below};
    const struct view view = {y, x, e.value, slope_y - e.value * slope_x};
    error_of(s, &view, &e);
    e.se = below == 0 ? 0 : e.se / fabs(below);
    bounds(&e);
    return e;
}

double stratified_error(const struct stratified_estimate *e)
{
    const double half = (e->high - e->low) / 2;
    return half == 0 ? 0 : e->value == 0 ? INFINITY : half / fabs(e->value);
}

/* ---- how many more ---- */

/* Draws until stratum h has n. */
static size_t raise_to(struct stratified *s, size_t h, double n)
{
    const size_t most = units_of(s, h), before = s->drawn[h];
    const size_t want = n < (double)most ? (size_t)ceil(n) : most;
    if (want > before) s->drawn[h] = want;
    return s->drawn[h] - before;
}

/* The multiplier m of Neyman's n_h = m N_h S_h, each at most N_h and at least what is drawn, that gives the variance
 * asked for. [5.5, 5.8] By bisection, as strata that are drawn whole leave the rest more to do. */
static double multiplier(const struct stratified *s, const double *S, double variance)
{
    double low = 0, high = 1;
    for (size_t h = 0; h < s->strata->n_strata; h++)
        if (S[h] > 0) high = fmax(high, 1 / S[h]);
    for (int round = 0; round < 200; round++) {
        const double m = (low + high) / 2;
        double v = 0;
        for (size_t h = 0; h < s->strata->n_strata; h++) {
            const double N = (double)units_of(s, h), n = fmin(N, fmax((double)s->drawn[h], m * N * S[h]));
            v += N * (N - n) * S[h] * S[h] / n;
        }
        if (v > variance) low = m;
        else high = m;
    }
    return high;
}

size_t stratified_draw_more(struct stratified *s, const double *y, const double *x, double error)
{
    const struct stratified_estimate e = x ? stratified_ratio(s, y, x) : stratified_total(s, y);
    if (stratified_is_whole(s) || stratified_error(&e) <= error) return 0;
    double *S = calloc(s->strata->n_strata + 1, sizeof *S);
    size_t added = 0, largest = 0;
    double most = 0;
    const double slope_x = x ? slope_of(s, x) : 0;
    const struct view view = {y, x, x ? e.value : 0, slope_of(s, y) - (x ? e.value * slope_x : 0)};
    const double half = error * fabs(e.value) * (x ? fabs(total_of(s, x, slope_x)) : 1);
    if (S) {
        spreads_of(s, &view, S);
        /* A t quantile of few degrees of freedom shrinks as units are added. */
        const double df = fmax(e.df, 6), se = half / FACTOR / t_quantile(0.975, df), m = multiplier(s, S, se * se);
        /* At most as many again as there are: the spreads are guesses from few units. */
        for (size_t h = 0; h < s->strata->n_strata; h++)
            added += raise_to(s, h, fmin(m * (double)units_of(s, h) * S[h], 2.0 * (double)s->drawn[h]));
        for (size_t h = 0; h < s->strata->n_strata; h++) {
            const double left = s->drawn[h] < units_of(s, h) ? (double)units_of(s, h) * S[h] / (double)s->drawn[h] : -1;
            if (left > most) most = left, largest = h;
        }
    }
    if (added == 0) { /* the stratum that adds most to the interval, or the first that is not whole */
        for (size_t h = 0; most == 0 && h < s->strata->n_strata; h++)
            if (s->drawn[h] < units_of(s, h)) most = -1, largest = h;
        added = raise_to(s, largest, (double)s->drawn[largest] + 1);
    }
    free(S);
    return added;
}
