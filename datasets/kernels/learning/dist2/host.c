/* dist2: the highest rank within distance two of each vertex. */
#include "graph.h"

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 300, .degree_min = 3, .degree_max = 12, .skew = 2, .window = 16, .far = 0.1f},
    [WL_SMALL] = {.n = 12288, .degree_min = 4, .degree_max = 32, .skew = 2, .window = 256, .far = 0.1f},
    [WL_EVAL] = {.n = 49152, .degree_min = 4, .degree_max = 32, .skew = 2, .window = 512, .far = 0.1f},
    [WL_FULL] = {.n = 524288, .degree_min = 4, .degree_max = 32, .skew = 2, .window = 512, .far = 0.1f},
};

/* The two highest ranks among the neighbours of each vertex, then the highest of these that is not the vertex's own:
 * one hop after another. Ranks are different from each other. */
static void reference(struct wl *w, const struct graph *g, const uint32_t *rank, uint32_t *want)
{
    uint32_t(*top)[2] = wl_host(w, g->n, sizeof *top);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++) {
            uint32_t value = rank[g->col[e]];
            if (value > top[u][0]) top[u][1] = top[u][0], top[u][0] = value;
            else if (value != top[u][0] && value > top[u][1]) top[u][1] = value;
        }
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++) {
            uint32_t u = g->col[e], value = top[u][0] == rank[v] ? top[u][1] : top[u][0];
            if (value > want[v]) want[v] = value;
            if (rank[u] > want[v]) want[v] = rank[u];
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "dist2", .doc = "the highest rank within distance two", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {90};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t *rank = WL_NEW(&w, uint32_t, g.n), *got = WL_NEW(&w, uint32_t, g.n), *want = WL_NEW(&w, uint32_t, g.n);
    for (uint32_t v = 0; v < g.n; v++) { /* a random permutation of 1 to n */
        uint32_t u = wl_rng_below(&rng, v + 1);
        rank[v] = rank[u];
        rank[u] = v + 1;
    }

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_rank = wl_upload(&w, rank, g.n * sizeof *rank), d_highest = wl_alloc(&w, g.n * sizeof *got);
    void *args[] = {&d.row, &d.col, &d_rank, &d_highest, &g.n};
    wl_launch(&w, wl_function(&w, "dist2_highest"), wl_blocks(g.n, 256), 1, 256, 1, args);

    reference(&w, &g, rank, want);
    wl_output(&w, got, d_highest, g.n * sizeof *got);
    wl_compare_u32(&w, "highest", got, want, g.n);
    return wl_end(&w);
}
