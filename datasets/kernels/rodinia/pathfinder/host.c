/* pathfinder: the cheapest way down a grid by dynamic programming. */
#include "workload.h"

#include <string.h>

enum { BLOCK = 256 };
struct sizes {
    uint32_t columns, rows, pyramid;
}; /* pyramid: rows a launch */
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2000, 9, 4}, [WL_SMALL] = {47232, 11, 5}, [WL_FULL] = {100000, 100, 20}};

static void reference(struct sizes s, const int32_t *grid, int32_t *cost, int32_t *next)
{
    memcpy(cost, grid, s.columns * sizeof *cost);
    for (size_t r = 1; r < s.rows; r++) {
        for (size_t c = 0; c < s.columns; c++) {
            int32_t best = cost[c];
            if (c > 0 && cost[c - 1] < best) best = cost[c - 1];
            if (c + 1 < s.columns && cost[c + 1] < best) best = cost[c + 1];
            next[c] = best + grid[r * s.columns + c];
        }
        memcpy(cost, next, s.columns * sizeof *cost);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "pathfinder", .doc = "cheapest way down a grid (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.columns * s.rows, bytes = s.columns * sizeof(int32_t);
    int32_t *grid = WL_NEW(&w, int32_t, n), *cost = WL_NEW(&w, int32_t, s.columns),
            *next = WL_NEW(&w, int32_t, s.columns);
    uint32_t *got = WL_NEW(&w, uint32_t, s.columns);
    struct wl_rng rng = {30};
    for (size_t i = 0; i < n; i++) grid[i] = (int32_t)wl_rng_below(&rng, 10);

    CUdeviceptr d_wall = wl_upload(&w, grid + s.columns, n * sizeof *grid - bytes),
                d_cost[2] = {wl_upload(&w, grid, bytes), wl_alloc(&w, bytes)};
    CUfunction kernel = wl_function(&w, "pathfinder_rows");
    int from = 0;
    for (uint32_t start = 0; start < s.rows - 1; start += s.pyramid, from = !from) {
        uint32_t rows = s.rows - 1 - start < s.pyramid ? s.rows - 1 - start : s.pyramid;
        void *args[] = {&rows, &d_wall, &d_cost[from], &d_cost[!from], &s.columns, &start};
        wl_launch(&w, kernel, wl_blocks(s.columns, BLOCK - 2 * rows), 1, BLOCK, 1, args);
    }

    reference(s, grid, cost, next);
    wl_output(&w, got, d_cost[from], bytes);
    wl_compare_u32(&w, "cost", got, (const uint32_t *)cost, s.columns);
    return wl_end(&w);
}
