/* Which warp tuples (N, p) of a kernel to simulate when the whole triangle is too dear.
 * A coarse triangle over {1, 3, 8, W}, then neighbours at distance one of the best, so that the best has the full
 * neighbourhood that Eq. 5.12 needs. Pure functions of what is known; nothing here simulates. */
#ifndef POISE_POINTS_H
#define POISE_POINTS_H
#include <stddef.h>
#include <stdint.h>
#include "poise/features.h"
#include "poise/response_net.h"

#define POINTS_BUDGET 20
struct warp_tuple {
    uint32_t N, p;
};

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

/* The missing neighbours of the fastest known point, where no known point has all of its own: without them Eq. 5.12
 * gives no target. Otherwise 0. */
size_t points_surround(const struct profile_point *known, size_t n, uint32_t W, struct warp_tuple out[8]);

/* ---- a model chooses (studies/pipeline/points_active.c) ---- */
#define POINTS_ACTIVE_LEAST 6
/* A tenth of the grid, but no fewer than POINTS_ACTIVE_LEAST: 30 of 300 for W = 24. */
size_t points_active_budget(uint32_t W);
/* The points to simulate next: from none known (W, W), (1, 1), and points of the diagonal and of p = 1; then one at
 * a time. *n_out is 0 where the budget is spent. */
int points_active(const struct profile_point *known, size_t n, uint32_t W, struct warp_tuple out[POINTS_ACTIVE_LEAST],
                  size_t *n_out, struct error *err);

/* ---- a lattice ---- */
/* The tuples of the levels 1 2 3 4 6 8 12 16 20 24 (response_levels) that W allows, and of W itself: 55 for W = 24. N
 * ascending, then p. `out` holds RESPONSE_POINTS_MAX. */
size_t points_lattice(uint32_t W, struct warp_tuple *out);
#define POINTS_REFINE_MOST 24 /* points around the lattice's best, at most */
/* The lattice's points that are not known; from then on what the best known point lacks of its neighbours, until it
 * lacks none or POINTS_REFINE_MOST were spent. `out` holds RESPONSE_POINTS_MAX. */
size_t points_lattice_next(const struct profile_point *known, size_t n, uint32_t W, struct warp_tuple *out);

/* ---- any of these ways, in rounds (studies/pipeline/points_way.c) ---- */
enum points_kind { POINTS_ALL, POINTS_COARSE_TO_FINE, POINTS_ACTIVE, POINTS_LATTICE };
struct points_way {
    enum points_kind kind;
    uint32_t budget;
}; /* budget: of POINTS_COARSE_TO_FINE, at least 3 */
/* "all", "active", "lattice", "coarse-to-fine" or its budget as a number from 3 to 2080. -1 for other texts, without
 * an error. */
int points_way_parse(struct points_way *out, const char *text);
/* What the next round simulates, from all that is known; *n_out is 0 when it is enough. `out` has room for the grid. */
int points_want(const struct points_way *way, const struct profile_point *known, size_t n, uint32_t W,
                struct warp_tuple *out, size_t *n_out, struct error *err);
/* "20 of 300", "active, 30 of 300". Returns `text`. */
const char *points_way_text(const struct points_way *way, uint32_t W, char *text, size_t size);
#endif
