/* Strata: groups are split in two, again and again, where that is expected to help most.
 *
 * With Neyman's allocation the variance of a total is about (sum of N_h S_h)^2 / n [Cochran 5.5], so the split that
 * lowers the sum of N_h S_h most is taken. S_h is not known yet; expected is the spread of the sizes of its units, and
 * of their traits times the mean size. A stratum is split along one coordinate, at the place that is best there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/stratified.h"

struct part {
    size_t first, n; /* in items */
    double spread;   /* N_h S_h, as expected */
    double gain;     /* of the best split; 0: none */
    size_t axis, at; /* its coordinate, and how many units go left */
};
struct splitter {
    const struct population *p;
    size_t *items;
    struct part *parts;
    size_t n_parts;
    double *sums; /* room for two running sums a coordinate */
};
struct keyed {
    double key;
    size_t unit;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Coordinate 0 is the size; the others are traits. */
static double coordinate(const struct population *p, size_t unit, size_t axis)
{
    return axis == 0 ? p->sizes[unit] : p->traits[unit * p->k + axis - 1];
}

/* N_h S_h of n units with these sums and sums of squares a coordinate. */
static double spread_of(const double *sum, const double *square, size_t n, size_t k)
{
    if (n < 2) return 0;
    const double count = (double)n, mean_size = sum[0] / count;
    double variance = 0;
    for (size_t axis = 0; axis <= k; axis++) {
        const double mean = sum[axis] / count;
        const double v = fmax(0, (square[axis] - count * mean * mean) / (count - 1));
        variance += axis == 0 ? v : v * mean_size * mean_size;
    }
    /* Sums of squares leave a trace of rounding where all units are alike. */
    return variance < 1e-18 * mean_size * mean_size ? 0 : count * sqrt(variance);
}

/* Sorts the units of a part along an axis into `sorted`. */
static void sort_along(const struct splitter *s, const struct part *part, size_t axis, struct keyed *sorted)
{
    for (size_t i = 0; i < part->n; i++) {
        const size_t unit = s->items[part->first + i];
        sorted[i] = (struct keyed){coordinate(s->p, unit, axis), unit};
    }
    qsort(sorted, part->n, sizeof *sorted, by_key);
}

/* The best split along an axis, if it is better than what the part has. */
static void try_axis(struct splitter *s, struct part *part, size_t axis, struct keyed *sorted)
{
    const size_t k = s->p->k, width = k + 1;
    double *left = s->sums, *left2 = left + width, *all = left2 + width, *all2 = all + width, *right = all2 + width,
           *right2 = right + width;
    sort_along(s, part, axis, sorted);
    memset(s->sums, 0, 6 * width * sizeof *s->sums);
    for (size_t i = 0; i < part->n; i++)
        for (size_t a = 0; a < width; a++) {
            const double v = coordinate(s->p, sorted[i].unit, a);
            all[a] += v;
            all2[a] += v * v;
        }
    for (size_t i = 0; i + 1 < part->n; i++) {
        for (size_t a = 0; a < width; a++) {
            const double v = coordinate(s->p, sorted[i].unit, a);
            left[a] += v;
            left2[a] += v * v;
            right[a] = all[a] - left[a];
            right2[a] = all2[a] - left2[a];
        }
        if (sorted[i].key == sorted[i + 1].key) continue;
        const double gain =
            part->spread - spread_of(left, left2, i + 1, k) - spread_of(right, right2, part->n - i - 1, k);
        if (gain > part->gain * (1 + 1e-9)) part->gain = gain, part->axis = axis, part->at = i + 1;
    }
}

static void look(struct splitter *s, struct part *part, struct keyed *sorted)
{
    const size_t width = s->p->k + 1;
    double *sum = s->sums, *square = sum + width;
    memset(sum, 0, 2 * width * sizeof *sum);
    for (size_t i = 0; i < part->n; i++)
        for (size_t a = 0; a < width; a++) {
            const double v = coordinate(s->p, s->items[part->first + i], a);
            sum[a] += v;
            square[a] += v * v;
        }
    part->spread = spread_of(sum, square, part->n, s->p->k);
    part->gain = 0;
    for (size_t axis = 0; axis < width && part->spread > 0; axis++) try_axis(s, part, axis, sorted);
}

static void split(struct splitter *s, size_t which, struct keyed *sorted)
{
    struct part *part = &s->parts[which], *other = &s->parts[s->n_parts++];
    sort_along(s, part, part->axis, sorted);
    for (size_t i = 0; i < part->n; i++) s->items[part->first + i] = sorted[i].unit;
    *other = (struct part){.first = part->first + part->at, .n = part->n - part->at};
    part->n = part->at;
    look(s, part, sorted);
    look(s, other, sorted);
}

/* The standard error of the total that the first units of each stratum are expected to give. [Cochran 5.3] */
static double expected_se(const struct splitter *s)
{
    const double first = STRATIFIED_FIRST;
    double variance = 0;
    for (size_t h = 0; h < s->n_parts; h++)
        if (s->parts[h].n > STRATIFIED_FIRST + 1) /* a smaller one is drawn whole */
            variance += s->parts[h].spread * s->parts[h].spread / first * (1 - first / (double)s->parts[h].n);
    return sqrt(variance);
}

static int by_group(const void *a, const void *b, void *groups)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const uint64_t of_x = ((const uint64_t *)groups)[x], of_y = ((const uint64_t *)groups)[y];
    return of_x != of_y ? (of_x > of_y) - (of_x < of_y) : (x > y) - (x < y);
}

/* A part for each group, in order of the groups. */
static void begin(struct splitter *s, struct keyed *sorted)
{
    const struct population *p = s->p;
    for (size_t i = 0; i < p->n; i++) s->items[i] = i;
    qsort_r(s->items, p->n, sizeof *s->items, by_group, (void *)p->groups);
    for (size_t i = 0; i < p->n; i++) {
        if (i == 0 || p->groups[s->items[i]] != p->groups[s->items[i - 1]])
            s->parts[s->n_parts++] = (struct part){.first = i};
        s->parts[s->n_parts - 1].n++;
    }
    for (size_t h = 0; h < s->n_parts; h++) look(s, &s->parts[h], sorted);
}

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static int by_first(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static void finish(struct strata *out, struct splitter *s)
{
    qsort(s->parts, s->n_parts, sizeof *s->parts, by_first);
    for (size_t h = 0; h < s->n_parts; h++) {
        out->start[h] = s->parts[h].first;
        out->spreads[h] = s->parts[h].spread / (double)s->parts[h].n;
        qsort(s->items + s->parts[h].first, s->parts[h].n, sizeof *s->items, ascending);
    }
    out->n_strata = s->n_parts;
    out->start[out->n_strata] = out->n;
}

int strata_make(struct strata *out, const struct population *p, double error, size_t most, struct error *err)
{
    *out = (struct strata){.n = p->n,
                           .items = calloc(p->n + 1, sizeof *out->items),
                           .start = calloc(p->n + 1, sizeof *out->start),
                           .spreads = calloc(p->n + 1, sizeof *out->spreads),
                           .sizes = p->sizes};
    struct splitter s = {.p = p,
                         .items = out->items,
                         .parts = calloc(p->n + 1, sizeof *s.parts),
                         .sums = calloc(6 * (p->k + 1), sizeof *s.sums)};
    struct keyed *sorted = calloc(p->n + 1, sizeof *sorted);
    double total = 0;
    int result = 0;
    if (!out->items || !out->start || !out->spreads || !s.parts || !s.sums || !sorted)
        result = error_set(err, ERR_MEMORY, "out of memory for strata of %zu units", p->n);
    for (size_t i = 0; i < p->n; i++) total += p->sizes[i];
    if (result == 0) begin(&s, sorted);
    while (result == 0 && s.n_parts < most && 1.96 * expected_se(&s) > error * total) {
        size_t best = 0;
        for (size_t h = 1; h < s.n_parts; h++)
            if (s.parts[h].gain > s.parts[best].gain) best = h;
        if (!(s.parts[best].gain > 0)) break;
        split(&s, best, sorted);
    }
    if (result == 0) finish(out, &s);
    free(s.parts);
    free(s.sums);
    free(sorted);
    if (result < 0) strata_fini(out);
    return result;
}

void strata_fini(struct strata *strata)
{
    free(strata->items);
    free(strata->start);
    free(strata->spreads);
    *strata = (struct strata){0};
}
