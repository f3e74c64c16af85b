/* The ways to choose points that a spec can name, and what the next round of each simulates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/points.h"

int points_way_parse(struct points_way *out, const char *text)
{
    char *end;
    *out = (struct points_way){POINTS_ALL, 0};
    if (strcmp(text, "all") == 0) return 0;
    *out = (struct points_way){POINTS_ACTIVE, 0};
    if (strcmp(text, "active") == 0) return 0;
    *out = (struct points_way){POINTS_LATTICE, 0};
    if (strcmp(text, "lattice") == 0) return 0;
    *out = (struct points_way){POINTS_COARSE_TO_FINE, POINTS_BUDGET};
    if (strcmp(text, "coarse-to-fine") == 0) return 0;
    const long n = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || n < 3 || n > 2080) return -1;
    out->budget = (uint32_t)n;
    return 0;
}

/* The coarse triangle; of a smaller budget first what everything rests on: (W, W), (1, 1), then the triangle in
 * order. */
static size_t coarse_start(uint32_t W, size_t budget, struct warp_tuple *out)
{
    struct warp_tuple all[10];
    const size_t n = points_coarse(W, all);
    if (n <= budget) {
        memcpy(out, all, n * sizeof *all);
        return n;
    }
    size_t kept = 0;
    out[kept++] = (struct warp_tuple){W, W};
    if (W > 1) out[kept++] = (struct warp_tuple){1, 1};
    for (size_t i = 0; i < n && kept < budget; i++)
        if (!(all[i].N == W && all[i].p == W) && !(all[i].N == 1 && all[i].p == 1)) out[kept++] = all[i];
    return kept;
}

int points_want(const struct points_way *way, const struct profile_point *known, size_t n, uint32_t W,
                struct warp_tuple *out, size_t *n_out, struct error *err)
{
    *n_out = 0;
    switch (way->kind) {
    case POINTS_ALL: *n_out = n == 0 ? points_grid(W, out) : 0; break;
    case POINTS_COARSE_TO_FINE:
        if (n == 0) *n_out = coarse_start(W, way->budget, out);
        else if (n < way->budget) *n_out = points_next(known, n, W, way->budget - n, out);
        break;
    case POINTS_ACTIVE:
        if (points_active(known, n, W, out, n_out, err) < 0) return -1;
        if (*n_out == 0) *n_out = points_surround(known, n, W, out);
        break;
    case POINTS_LATTICE: *n_out = points_lattice_next(known, n, W, out); break;
    }
    return 0;
}

const char *points_way_text(const struct points_way *way, uint32_t W, char *text, size_t size)
{
    struct warp_tuple lattice[RESPONSE_POINTS_MAX];
    const size_t all = points_grid_size(W);
    const char *kind = way->kind == POINTS_ACTIVE ? "active, " : way->kind == POINTS_LATTICE ? "lattice, " : "";
    size_t some = all;
    if (way->kind == POINTS_ACTIVE) some = points_active_budget(W);
    if (way->kind == POINTS_COARSE_TO_FINE) some = way->budget;
    if (way->kind == POINTS_LATTICE) some = points_lattice(W, lattice);
    snprintf(text, size, "%s%zu of %zu", kind, some > all ? all : some, all);
    return text;
}
