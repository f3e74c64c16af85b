/* The best warp tuple of a kernel from a tenth of its grid: a Gaussian process over log N and log(N / p) models the
 * logarithm of the speedup, and the next tuple is the one with the highest expected improvement.
 * [Jones, Schonlau and Welch 1998, Eq. 15]
 * Coordinates, start and noise were chosen on the grids of training kernels. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "poise/points.h"
#include "studies/tune/tune_internal.h"

size_t points_active_budget(uint32_t W)
{
    const size_t grid = points_grid_size(W), tenth = grid / 10;
    return tenth >= POINTS_ACTIVE_LEAST ? tenth : grid < POINTS_ACTIVE_LEAST ? grid : POINTS_ACTIVE_LEAST;
}

/* Neighbouring tuples differ by more than a smooth surface explains: a variance of this share is the tuple's own. */
static const double own_share = 0.01;

static void add(struct warp_tuple *out, size_t *n, size_t most, uint32_t N, uint32_t p)
{
    for (size_t i = 0; i < *n; i++)
        if (out[i].N == N && out[i].p == p) return;
    if (*n < most) out[(*n)++] = (struct warp_tuple){N, p};
}

static size_t start(uint32_t W, struct warp_tuple out[POINTS_ACTIVE_LEAST])
{
    const uint32_t few = W > 8 ? W / 6 : W > 2 ? 2 : 1, half = W > 3 ? W / 3 : W > 2 ? 2 : 1;
    size_t n = 0;
    add(out, &n, POINTS_ACTIVE_LEAST, W, W);
    add(out, &n, POINTS_ACTIVE_LEAST, 1, 1);
    add(out, &n, POINTS_ACTIVE_LEAST, few, few);
    add(out, &n, POINTS_ACTIVE_LEAST, half, half);
    add(out, &n, POINTS_ACTIVE_LEAST, W, 1);
    return n;
}

static void place(struct warp_tuple at, uint32_t W, double x[2])
{
    const double most = W > 1 ? log(W) : 1;
    x[0] = log(at.N) / most;
    x[1] = log((double)at.N / at.p) / most;
}

static bool is_known(const struct profile_point *known, size_t n, struct warp_tuple at)
{
    for (size_t i = 0; i < n; i++)
        if (known[i].N == at.N && known[i].p == at.p) return true;
    return false;
}

static size_t improve(const struct gp *gp, const struct profile_point *known, size_t n, uint32_t W,
                      struct warp_tuple *out)
{
    const double best = log(known[points_best(known, n)].speedup);
    double most = -INFINITY, x[2];
    for (uint32_t N = 1; N <= W; N++)
        for (uint32_t p = 1; p <= N; p++) {
            const struct warp_tuple at = {N, p};
            if (is_known(known, n, at)) continue;
            place(at, W, x);
            const double gain = gp_expected_improvement(gp, x, best);
            if (gain > most) most = gain, *out = at;
        }
    return most > -INFINITY;
}

int points_active(const struct profile_point *known, size_t n, uint32_t W, struct warp_tuple out[POINTS_ACTIVE_LEAST],
                  size_t *n_out, struct error *err)
{
    struct gp *gp;
    *n_out = 0;
    if (n == 0) {
        *n_out = start(W, out);
        return 0;
    }
    if (n >= points_active_budget(W)) return 0;
    double *x = calloc(3 * n, sizeof *x), *y = x + 2 * n;
    if (!x) return error_set(err, ERR_MEMORY, "out of memory for a surrogate of %zu points", n);
    for (size_t i = 0; i < n; i++) {
        place((struct warp_tuple){known[i].N, known[i].p}, W, x + 2 * i);
        y[i] = log(known[i].speedup);
    }
    const int result = gp_fit(&gp, x, y, n, 2, own_share, err);
    if (result == 0) *n_out = improve(gp, known, n, W, out);
    if (result == 0) gp_free(gp);
    free(x);
    return result;
}
