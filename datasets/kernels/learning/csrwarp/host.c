/* csrwarp: a sparse matrix in compressed rows times a vector, a row for each warp. */
#include <math.h>
#include "graph.h"

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 60, .degree_min = 8, .degree_max = 40, .skew = 0, .window = 64, .far = 0.2f},
    [WL_SMALL] = {.n = 3072, .degree_min = 16, .degree_max = 96, .skew = 0, .window = 1024, .far = 0.2f},
    [WL_EVAL] = {.n = 8192, .degree_min = 32, .degree_max = 160, .skew = 0, .window = 4096, .far = 0.3f},
    [WL_FULL] = {.n = 1u << 20, .degree_min = 32, .degree_max = 160, .skew = 0, .window = 4096, .far = 0.3f},
};

/* In the order of the lanes, then of the halves that are added. */
static float row_times(const struct graph *g, uint32_t r, const float *value, const float *x)
{
    float sums[32] = {0};
    for (uint32_t e = g->row[r]; e < g->row[r + 1]; e++) {
        const uint32_t lane = (e - g->row[r]) % 32;
        sums[lane] = fmaf(value[e], x[g->col[e]], sums[lane]);
    }
    for (uint32_t half = 16; half > 0; half /= 2)
        for (uint32_t lane = 0; lane < half; lane++) sums[lane] += sums[lane + half];
    return sums[0];
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "csrwarp", .doc = "a sparse matrix times a vector, a row for each warp", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {205};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    float *value = WL_NEW(&w, float, g.m), *x = WL_NEW(&w, float, g.n), *got = WL_NEW(&w, float, g.n),
          *want = WL_NEW(&w, float, g.n);
    wl_rng_fill(&rng, value, g.m);
    wl_rng_fill(&rng, x, g.n);

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_value = wl_upload(&w, value, g.m * sizeof *value), d_x = wl_upload(&w, x, g.n * sizeof *x),
                d_y = wl_alloc(&w, g.n * sizeof *got);
    void *args[] = {&d.row, &d.col, &d_value, &d_x, &d_y, &g.n};
    wl_launch(&w, wl_function(&w, "spmv_vector"), wl_blocks((size_t)g.n * 32, 256), 1, 256, 1, args);

    for (uint32_t r = 0; r < g.n; r++) want[r] = row_times(&g, r, value, x);
    wl_output(&w, got, d_y, g.n * sizeof *got);
    wl_compare_f32(&w, "y", got, want, g.n);
    return wl_end(&w);
}
