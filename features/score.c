/* Performance peaks scored with their neighbourhood, so that a target does not stand beside a cliff.   [THESIS §5.5.3]
 *
 *   score(a, b) = sum over i, j in {-1, 0, 1} of w[|i| + |j|] S(a + i, b + j)   [THESIS Eq. 5.12]
 *
 * divided by the sum of the weights that exist inside the triangle 1 <= p <= N <= W (the thesis: "normalized to the
 * number of neighbours, to account for missing neighbours at the boundary points"). */
#include "poise/features.h"

#include <math.h>
#include <stdlib.h>

static const struct profile_point *find_point(const struct profile_point *points, size_t n, uint32_t N, uint32_t p)
{
    for (size_t i = 0; i < n; i++)
        if (points[i].N == N && points[i].p == p && isfinite(points[i].speedup)) return &points[i];
    return NULL;
}

static double score_one(const struct profile_point *points, size_t n, uint32_t W, const double w[3], uint32_t N,
                        uint32_t p)
{
    double sum = 0, weights = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            const int64_t at_N = (int64_t)N + i, at_p = (int64_t)p + j;
            if (at_p < 1 || at_p > at_N || at_N > W) continue;
            const struct profile_point *point = find_point(points, n, (uint32_t)at_N, (uint32_t)at_p);
            if (!point) return NAN;
            const double weight = w[abs(i) + abs(j)];
            sum += weight * point->speedup;
            weights += weight;
        }
    return weights > 0 ? sum / weights : NAN;
}

void score_points(const struct profile_point *points, size_t n, uint32_t W, const double w[3], double *scores)
{
    for (size_t i = 0; i < n; i++) scores[i] = score_one(points, n, W, w, points[i].N, points[i].p);
}

size_t score_target(const struct profile_point *points, const double *scores, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        if (isnan(scores[i])) continue;
        if (best == n || scores[i] > scores[best] ||
            (scores[i] == scores[best] &&
             (points[i].N < points[best].N || (points[i].N == points[best].N && points[i].p < points[best].p))))
            best = i;
    }
    return best;
}

uint32_t warps_scale(uint32_t n, uint32_t W, uint32_t scale)
{
    if (W == 0) return 0;
    scale = (uint32_t)warps_range(scale, W);
    const uint64_t scaled = (2 * (uint64_t)n * scale + W) / (2 * (uint64_t)W); /* round half up, in integers */
    return n > 0 && scaled == 0 ? 1 : (uint32_t)scaled;                        /* only where W > 2 scale */
}

static uint32_t clamp_warps(float prediction, uint32_t W, float scale)
{
    const double warps = (double)prediction * (double)W / (double)scale;
    if (!(warps < (double)W)) return W; /* too many, infinite or NaN: all warps, which is the baseline */
    if (warps < 1.5) return 1;
    const uint32_t rounded = (uint32_t)(warps + 0.5);
    return rounded > W ? W : rounded;
}

void warps_unscale(float N, float p, uint32_t W, float scale, uint32_t *N_out, uint32_t *p_out)
{
    if (W == 0) W = 1;
    scale = (float)warps_range((double)scale, W);
    *N_out = clamp_warps(N, W, scale);
    *p_out = clamp_warps(p, W, scale);
    if (*p_out > *N_out) *p_out = *N_out;
}
