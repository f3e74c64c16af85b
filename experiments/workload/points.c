#include "poise/points.h"

#include <stdbool.h>

size_t points_grid_size(uint32_t W) { return (size_t)W * (W + 1) / 2; }

size_t points_grid(uint32_t W, struct warp_tuple *out)
{
    size_t n = 0;
    for (uint32_t N = 1; N <= W; N++)
        for (uint32_t p = 1; p <= N; p++) out[n++] = (struct warp_tuple){N, p};
    return n;
}

size_t points_coarse(uint32_t W, struct warp_tuple out[10])
{
    uint32_t axis[4];
    size_t n_axis = 0, n = 0;
    static const uint32_t steps[] = {1, 3, 8};
    for (size_t i = 0; i < 3; i++)
        if (steps[i] < W) axis[n_axis++] = steps[i];
    axis[n_axis++] = W;
    for (size_t i = 0; i < n_axis; i++)
        for (size_t k = 0; k <= i; k++) out[n++] = (struct warp_tuple){axis[i], axis[k]};
    return n;
}

size_t points_neighbours(struct warp_tuple at, uint32_t W, struct warp_tuple out[8])
{
    size_t n = 0;
    for (int dN = -1; dN <= 1; dN++)
        for (int dp = -1; dp <= 1; dp++) {
            const int64_t N = (int64_t)at.N + dN, p = (int64_t)at.p + dp;
            if ((dN || dp) && p >= 1 && p <= N && N <= (int64_t)W)
                out[n++] = (struct warp_tuple){(uint32_t)N, (uint32_t)p};
        }
    return n;
}

static bool is_known(const struct profile_point *known, size_t n, struct warp_tuple at)
{
    for (size_t i = 0; i < n; i++)
        if (known[i].N == at.N && known[i].p == at.p) return true;
    return false;
}

static size_t missing(const struct profile_point *known, size_t n, size_t i, uint32_t W, struct warp_tuple out[8])
{
    struct warp_tuple all[8];
    const size_t n_all = points_neighbours((struct warp_tuple){known[i].N, known[i].p}, W, all);
    size_t n_missing = 0;
    for (size_t k = 0; k < n_all; k++)
        if (!is_known(known, n, all[k])) out[n_missing++] = all[k];
    return n_missing;
}

static bool is_faster(const struct profile_point *a, const struct profile_point *b)
{
    if (a->speedup != b->speedup) return a->speedup > b->speedup;
    return a->N != b->N ? a->N < b->N : a->p < b->p;
}

size_t points_best(const struct profile_point *known, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (best == n || is_faster(&known[i], &known[best])) best = i;
    return best;
}

size_t points_next(const struct profile_point *known, size_t n, uint32_t W, size_t budget, struct warp_tuple out[8])
{
    struct warp_tuple want[8];
    size_t fitting = n, fastest = n;
    for (size_t i = 0; i < n; i++) {
        const size_t n_missing = missing(known, n, i, W, want);
        if (n_missing == 0) continue;
        if (fastest == n || is_faster(&known[i], &known[fastest])) fastest = i;
        if (n_missing <= budget && (fitting == n || is_faster(&known[i], &known[fitting]))) fitting = i;
    }
    if (fastest == n || budget == 0) return 0;
    const size_t n_missing = missing(known, n, fitting != n ? fitting : fastest, W, out);
    return n_missing < budget ? n_missing : budget;
}

size_t points_surround(const struct profile_point *known, size_t n, uint32_t W, struct warp_tuple out[8])
{
    for (size_t i = 0; i < n; i++)
        if (missing(known, n, i, W, out) == 0) return 0;
    return n ? missing(known, n, points_best(known, n), W, out) : 0;
}

size_t points_lattice(uint32_t W, struct warp_tuple *out)
{
    uint32_t axis[RESPONSE_LEVELS_MAX];
    size_t n_axis = 0, n = 0;
    while (n_axis < RESPONSE_LEVELS_MAX && response_levels[n_axis] < W)
        axis[n_axis] = response_levels[n_axis], n_axis++;
    if (n_axis < RESPONSE_LEVELS_MAX) axis[n_axis++] = W;
    for (size_t i = 0; i < n_axis; i++)
        for (size_t k = 0; k <= i; k++) out[n++] = (struct warp_tuple){axis[i], axis[k]};
    return n;
}

size_t points_lattice_next(const struct profile_point *known, size_t n, uint32_t W, struct warp_tuple *out)
{
    struct warp_tuple lattice[RESPONSE_POINTS_MAX];
    const size_t n_lattice = points_lattice(W, lattice);
    size_t n_out = 0;
    for (size_t i = 0; i < n_lattice; i++)
        if (!is_known(known, n, lattice[i])) out[n_out++] = lattice[i];
    if (n_out || n == 0 || n >= n_lattice + POINTS_REFINE_MOST) return n_out;
    return missing(known, n, points_best(known, n), W, out);
}
