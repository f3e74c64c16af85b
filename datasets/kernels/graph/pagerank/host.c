/* pagerank: power iteration on a graph. */
#include "graph.h"

#include <math.h>

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 1024, .degree_min = 3, .degree_max = 24, .skew = 1, .window = 64, .far = 0.5f},
    [WL_SMALL] = {.n = 49152, .degree_min = 3, .degree_max = 40, .skew = 2, .window = 2048, .far = 0.4f},
    [WL_EVAL] = {.n = 65536, .degree_min = 4, .degree_max = 256, .skew = 1, .window = 65536, .far = 0.4f},
    [WL_FULL] = {.n = 1048576, .degree_min = 4, .degree_max = 256, .skew = 1, .window = 65536, .far = 0.4f},
};
static const uint32_t iterations[WL_N_SIZES] = {[WL_TEST] = 3, [WL_SMALL] = 4, [WL_FULL] = 20, [WL_EVAL] = 2};
#define DAMPING 0.85f

static void reference(const struct graph *g, uint32_t n_iterations, float base, float *rank, float *share)
{
    for (uint32_t v = 0; v < g->n; v++) rank[v] = 1.0f / (float)g->n;
    for (uint32_t i = 0; i < n_iterations; i++) {
        for (uint32_t v = 0; v < g->n; v++) {
            uint32_t degree = g->row[v + 1] - g->row[v];
            share[v] = degree ? rank[v] / (float)degree : 0.0f;
        }
        for (uint32_t v = 0; v < g->n; v++) {
            float sum = 0.0f;
            for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++) sum += share[g->col[e]];
            rank[v] = fmaf(DAMPING, sum, base);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "pagerank", .doc = "page rank by power iteration (Pannotia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {13};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t n = g.n;
    float first = 1.0f / (float)n, base = (1.0f - DAMPING) / (float)n, damping = DAMPING;
    float *rank = WL_NEW(&w, float, n), *share = WL_NEW(&w, float, n), *out = WL_NEW(&w, float, n);

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_rank = wl_alloc(&w, n * sizeof *rank), d_share = wl_alloc(&w, n * sizeof *share);
    CUfunction divide = wl_function(&w, "pagerank_share"), gather = wl_function(&w, "pagerank_gather");
    void *init_args[] = {&d_rank, &first, &n}, *share_args[] = {&d.row, &d_rank, &d_share, &n};
    void *gather_args[] = {&d.row, &d.col, &d_share, &d_rank, &base, &damping, &n};
    wl_launch(&w, wl_function(&w, "pagerank_init"), wl_blocks(n, 256), 1, 256, 1, init_args);
    for (uint32_t i = 0; i < iterations[w.size]; i++) {
        wl_launch(&w, divide, wl_blocks(n, 256), 1, 256, 1, share_args);
        wl_launch(&w, gather, wl_blocks(n, 256), 1, 256, 1, gather_args);
    }

    reference(&g, iterations[w.size], base, rank, share);
    wl_output(&w, out, d_rank, n * sizeof *out);
    wl_compare_f32(&w, "rank", out, rank, n);
    return wl_end(&w);
}
