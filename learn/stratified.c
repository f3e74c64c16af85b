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

int stratified_new(struct stratified *out, const struct strata *strata, uint64_t seed, struct error *err)
{
    struct random random = {seed};
    numerics_set_up();
    *out = (struct stratified){.strata = strata,
                               .order = malloc((strata->n + 1) * sizeof *out->order),
                               .drawn = calloc(strata->n_strata + 1, sizeof *out->drawn)};
    if (!out->order || !out->drawn) {
        stratified_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for a sample of %zu units", strata->n);
    }
    if (strata->n) memcpy(out->order, strata->items, strata->n * sizeof *out->order);
    for (size_t h = 0; h < strata->n_strata; h++)
        random_shuffle(&random, out->order + strata->start[h], strata->start[h + 1] - strata->start[h]);
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
        const size_t n = each < units_of(s, h) ? each : units_of(s, h);
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

struct moments {
    double mean, variance;
};
/* Of y - ratio * x over the units drawn of a stratum; x may be NULL. */
static struct moments moments_of(const struct stratified *s, size_t h, const double *y, const double *x, double ratio)
{
    const size_t *units = s->order + s->strata->start[h], n = s->drawn[h];
    struct moments m = {0, 0};
    for (size_t i = 0; i < n; i++) m.mean += (y[units[i]] - (x ? ratio * x[units[i]] : 0)) / (double)n;
    for (size_t i = 0; i < n && n > 1; i++) {
        const double d = y[units[i]] - (x ? ratio * x[units[i]] : 0) - m.mean;
        m.variance += d * d / (double)(n - 1);
    }
    return m;
}

/* The total: sum of N_h ybar_h. [5.1] */
static double total_of(const struct stratified *s, const double *y)
{
    double total = 0;
    for (size_t h = 0; h < s->strata->n_strata; h++)
        if (s->drawn[h]) total += (double)units_of(s, h) * moments_of(s, h, y, NULL, 0).mean;
    return total;
}

/* Standard error of the total of y - ratio * x: v = sum of N_h (N_h - n_h) s_h^2 / n_h, and the degrees of freedom of
 * its t quantile by Satterthwaite, n_e = v^2 / (sum of (N_h (N_h - n_h) s_h^2 / n_h)^2 / (n_h - 1)). [5.4] */
static void error_of(const struct stratified *s, const double *y, const double *x, double ratio,
                     struct stratified_estimate *e)
{
    double v = 0, v2 = 0;
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const double N = (double)units_of(s, h), n = (double)s->drawn[h];
        if (s->drawn[h] < DRAWN_LEAST) continue; /* whole, as DRAWN_LEAST are drawn where there are so many */
        const double term = N * (N - n) * moments_of(s, h, y, x, ratio).variance / n;
        v += term;
        v2 += term * term / (n - 1);
    }
    e->se = sqrt(v);
    e->df = v2 > 0 ? v * v / v2 : INFINITY;
}

static void bounds(struct stratified_estimate *e)
{
    const double half = e->se > 0 ? t_quantile(0.975, e->df) * e->se : 0;
    e->low = e->value - half;
    e->high = e->value + half;
}

struct stratified_estimate stratified_total(const struct stratified *s, const double *y)
{
    struct stratified_estimate e = {.value = total_of(s, y)};
    error_of(s, y, NULL, 0, &e);
    bounds(&e);
    return e;
}

/* The combined ratio estimate, with the variance of y - R x. [6.11] */
struct stratified_estimate stratified_ratio(const struct stratified *s, const double *y, const double *x)
{
    const double below = total_of(s, x);
    struct stratified_estimate e = {.value = below == 0 ? 0 : total_of(s, y) / below};
    error_of(s, y, x, e.value, &e);
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

static double mean_size(const struct stratified *s, size_t h)
{
    double sum = 0;
    for (size_t i = s->strata->start[h]; i < s->strata->start[h + 1]; i++) sum += s->strata->sizes[s->strata->items[i]];
    return sum / (double)units_of(s, h);
}

/* S_h for the allocation. Two units may be alike by chance: what all strata show, in shares of their sizes, counts as
 * one more degree of freedom in each. */
static void spreads_of(const struct stratified *s, const double *y, const double *x, double ratio, double *S)
{
    double relative = 0, freedom = 0;
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const double n = (double)s->drawn[h], size = mean_size(s, h);
        S[h] = moments_of(s, h, y, x, ratio).variance;
        if (s->drawn[h] < DRAWN_LEAST || s->drawn[h] == units_of(s, h)) continue;
        relative += (n - 1) * S[h] / (size * size);
        freedom += n - 1;
    }
    if (freedom > 0) relative /= freedom;
    for (size_t h = 0; h < s->strata->n_strata; h++) {
        const double n = (double)s->drawn[h], size = mean_size(s, h);
        S[h] = sqrt(((n - 1) * S[h] + relative * size * size) / n);
    }
}

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
    const double half = error * fabs(e.value) * (x ? fabs(total_of(s, x)) : 1);
    if (S) {
        spreads_of(s, y, x, e.value, S);
        /* A t quantile of few degrees of freedom shrinks as units are added. */
        const double df = fmax(e.df, 6), se = half / t_quantile(0.975, df), m = multiplier(s, S, se * se);
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
