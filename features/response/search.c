/* Kriging of what a network got wrong, and the expected improvement that decides about another try. */
#include "poise/response_search.h"

#include <math.h>
#include "poise/sampling.h"

/* Rates are known up to a constant: its variance, large against that of any surface. */
#define OFFSET_VARIANCE 4.0
#define UNIT (1.0 / (1 << RESPONSE_FRACTION_BITS))

struct belief {
    size_t n;
    double variance;                                     /* of what the network gets wrong at a point */
    double root[RESPONSE_SHOWN_MAX][RESPONSE_SHOWN_MAX]; /* Cholesky factor of the covariance of what was seen */
    double weight[RESPONSE_SHOWN_MAX];                   /* its inverse times what was seen less what was predicted */
};

static double shared(uint32_t a, uint32_t b, double reach)
{
    const double d = fabs((double)(log2_q16(a) - log2_q16(b))) * UNIT;
    return d < reach ? 1 - d / reach : 0;
}

/* The standard deviation of what the network gets wrong. */
static double spread(const struct response_prior *prior, const int32_t *z, size_t points)
{
    int32_t top = z[0];
    double sum = 0;
    for (size_t j = 1; j < points; j++) top = z[j] > top ? z[j] : top;
    for (size_t j = 0; j < points; j++) {
        const double below = (top - z[j]) * UNIT;
        sum += below * below;
    }
    return prior->floor + prior->slope * sqrt(sum / (double)points);
}

static double covariance(const struct belief *k, const struct response_prior *prior, struct response_tuple a,
                         struct response_tuple b)
{
    const double both = shared(a.N, b.N, prior->reach_N) * shared(a.p, b.p, prior->reach_p);
    return OFFSET_VARIANCE + k->variance * both;
}

/* L x = b, in place. */
static void forward(const struct belief *k, double *b)
{
    for (size_t i = 0; i < k->n; i++) {
        for (size_t j = 0; j < i; j++) b[i] -= k->root[i][j] * b[j];
        b[i] /= k->root[i][i];
    }
}

static void factorise(struct belief *k)
{
    for (size_t i = 0; i < k->n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = k->root[i][j];
            for (size_t m = 0; m < j; m++) sum -= k->root[i][m] * k->root[j][m];
            k->root[i][j] = i == j ? sqrt(sum) : sum / k->root[j][j];
        }
}

/* The value that the network gave a tuple: that of the first point that stands for it. */
static int32_t predicted(const struct response_net *net, const int32_t *z, uint32_t W, struct response_tuple at)
{
    const size_t n = response_points_within(net->levels, net->n_levels, W);
    for (size_t j = 0; j < n; j++) {
        const struct response_tuple t = response_clamp(response_point(net->levels, j), W);
        if (t.N == at.N && t.p == at.p) return z[j];
    }
    return 0; /* (W, W) above every level */
}

static void learn(struct belief *k, const struct response_net *net, const int32_t *z, uint32_t W,
                  const struct response_prior *prior, const struct response_shown *shown, size_t n)
{
    const double sd = spread(prior, z, response_points_within(net->levels, net->n_levels, W));
    k->n = n;
    k->variance = sd * sd;
    for (size_t i = 0; i < n; i++) {
        const double variance = prior->noise * prior->noise;
        for (size_t j = 0; j <= i; j++) k->root[i][j] = covariance(k, prior, shown[i].at, shown[j].at);
        k->root[i][i] += shown[i].views ? variance / shown[i].views : variance * RESPONSE_HASTY * RESPONSE_HASTY;
        k->weight[i] = (shown[i].rate - predicted(net, z, W, shown[i].at)) * UNIT;
    }
    factorise(k);
    forward(k, k->weight);
    for (size_t i = n; i-- > 0;) { /* and back */
        for (size_t j = i + 1; j < n; j++) k->weight[i] -= k->root[j][i] * k->weight[j];
        k->weight[i] /= k->root[i][i];
    }
}

/* Of a tuple: what is believed of it, and what of its covariance with others what was seen explains. */
struct estimate {
    struct response_tuple at;
    double mean, variance, seen[RESPONSE_SHOWN_MAX];
};
static struct estimate estimate(const struct belief *k, const struct response_prior *prior,
                                const struct response_shown *shown, struct response_tuple at, int32_t z)
{
    struct estimate e = {.at = at, .mean = z * UNIT, .variance = OFFSET_VARIANCE + k->variance};
    for (size_t i = 0; i < k->n; i++) {
        e.seen[i] = covariance(k, prior, shown[i].at, at);
        e.mean += e.seen[i] * k->weight[i];
    }
    forward(k, e.seen);
    for (size_t i = 0; i < k->n; i++) e.variance -= e.seen[i] * e.seen[i];
    return e;
}

/* Standard deviation of the difference of two tuples: the offset, which they share, is no part of it. */
static double sd_between(const struct belief *k, const struct response_prior *prior, const struct estimate *a,
                         const struct estimate *b)
{
    double both = covariance(k, prior, a->at, b->at);
    for (size_t i = 0; i < k->n; i++) both -= a->seen[i] * b->seen[i];
    const double variance = a->variance + b->variance - 2 * both;
    return variance > 0 ? sqrt(variance) : 0;
}

/* Mean of the positive part of a quantity with this mean and standard deviation, taken as uniform. */
static double positive_part(double mean, double sd)
{
    const double half = sqrt(3.0) * sd;
    if (mean >= half) return mean;
    return mean <= -half ? 0 : (mean + half) * (mean + half) / (4 * half);
}

static bool is_shown(const struct response_shown *shown, size_t n, struct response_tuple t)
{
    for (size_t i = 0; i < n; i++)
        if (shown[i].at.N == t.N && shown[i].at.p == t.p) return true;
    return false;
}

struct response_step response_search(const struct response_net *net, const int32_t *z, uint32_t W,
                                     const struct response_prior *prior, const struct response_shown *shown, size_t n,
                                     double horizon)
{
    const size_t points = response_points_within(net->levels, net->n_levels, W);
    struct response_step step = {0};
    struct belief k;
    struct estimate best = {.mean = -INFINITY};
    double most = 0;
    learn(&k, net, z, W, prior, shown, n);
    for (size_t i = 0; i < n; i++) {
        const struct estimate e = estimate(&k, prior, shown, shown[i].at, predicted(net, z, W, shown[i].at));
        if (e.mean > best.mean) best = e, step.best = i;
    }
    for (size_t j = 0; j < points; j++) {
        const struct response_tuple t = response_clamp(response_point(net->levels, j), W);
        const bool is_best = t.N == best.at.N && t.p == best.at.p;
        if (is_best || (n == RESPONSE_SHOWN_MAX && !is_shown(shown, n, t))) continue;
        const struct estimate e = estimate(&k, prior, shown, t, z[j]);
        const double sd = sd_between(&k, prior, &e, &best), gain = positive_part(e.mean - best.mean, sd);
        const double loss = positive_part(best.mean - e.mean, sd), worth = gain * horizon - (loss < 1 ? loss : 1);
        if (worth <= most) continue;
        most = worth;
        step.pays = true;
        step.next = t;
        step.gain = gain;
    }
    return step;
}
