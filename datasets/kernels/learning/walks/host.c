/* walks: random walks on a graph. */
#include "graph.h"

/* A graph whose degrees follow a power law, and `walks` of `steps` on it. */
struct sizes {
    struct graph_spec graph;
    uint32_t walks, steps;
};
static const struct sizes sizes[WL_N_SIZES] = {
    /* n, degree_min, degree_max, skew, window, far */
    [WL_TEST] = {{2000, 2, 128, 1, 64, 0.3f}, 2000, 16},
    [WL_SMALL] = {{32768, 4, 512, 1, 512, 0.3f}, 16384, 16},
    [WL_EVAL] = {{131072, 4, 512, 1, 512, 0.3f}, 49152, 32}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {{131072, 4, 512, 1, 512, 0.3f}, 1310720, 32},
};

static void reference(struct sizes s, const struct graph *g, const uint32_t *first, uint32_t *path)
{
    for (uint32_t walk = 0; walk < s.walks; walk++) {
        uint32_t vertex = first[walk], random = (walk + 1) * 2654435769u;
        for (uint32_t step = 0; step < s.steps && g->row[vertex + 1] != g->row[vertex]; step++) {
            uint32_t degree = g->row[vertex + 1] - g->row[vertex];
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            vertex = g->col[g->row[vertex] + (uint32_t)((uint64_t)random * degree >> 32)];
            path[(size_t)step * s.walks + walk] = vertex;
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "walks", .doc = "random walks on a graph", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {65};
    struct graph g = graph_local(&w, &s.graph, &rng);
    size_t n = (size_t)s.walks * s.steps;
    uint32_t *first = WL_NEW(&w, uint32_t, s.walks), *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    for (uint32_t walk = 0; walk < s.walks; walk++) first[walk] = wl_rng_below(&rng, g.n);

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_first = wl_upload(&w, first, s.walks * sizeof *first), d_path = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d.row, &d.col, &d_first, &d_path, &s.walks, &s.steps};
    wl_launch(&w, wl_function(&w, "walks"), wl_blocks(s.walks, 256), 1, 256, 1, args);

    reference(s, &g, first, want);
    wl_output(&w, got, d_path, n * sizeof *got);
    wl_compare_u32(&w, "path", got, want, n);
    return wl_end(&w);
}
