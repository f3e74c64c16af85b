/* Which warp tuples (N, p) of a kernel to simulate when the whole triangle is too dear.
 * A coarse triangle over {1, 3, 8, W}, then neighbours at distance one of the best, so that the best has the full
 * neighbourhood that Eq. 5.12 needs. Pure functions of what is known; nothing here simulates. */
#ifndef POISE_POINTS_H
#define POISE_POINTS_H
#include <stddef.h>
#include <stdint.h>
#include "poise/features.h"

#define POINTS_BUDGET 20
struct warp_tuple { uint32_t N, p; };

/* W(W+1)/2: all points of 1 <= p <= N <= W. */
size_t points_grid_size(uint32_t W);
/* All of them, N ascending, then p. `out` holds points_grid_size(W). */
size_t points_grid(uint32_t W, struct warp_tuple *out);
/* p <= N, both of {1, 3, 8, W} and at most W: at most 10 points, N ascending, then p. */
size_t points_coarse(uint32_t W, struct warp_tuple out[10]);
/* The neighbours of (N, p) at distance one inside the triangle, N ascending, then p: at most 8. */
size_t points_neighbours(struct warp_tuple at, uint32_t W, struct warp_tuple out[8]);
/* What to simulate next: the missing neighbours of the fastest known point whose missing neighbours fit into `budget`;
 * if none fits, those of the fastest, as many as fit. 0 when nothing is missing or budget is 0. */
size_t points_next(const struct profile_point *known, size_t n, uint32_t W, size_t budget, struct warp_tuple out[8]);
/* The index of the fastest known point (ties: smaller N, then smaller p); n if there is none. */
size_t points_best(const struct profile_point *known, size_t n);
#endif
