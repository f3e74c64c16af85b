/* gnn: means of the features of neighbours. */
#include "graph.h"

#include <math.h>

#define FEATURES 32u
#define BLOCK 256u

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 300, .degree_min = 3, .degree_max = 64, .skew = 1, .window = 64, .far = 0.5f},
    [WL_SMALL] = {.n = 6144, .degree_min = 3, .degree_max = 256, .skew = 2, .window = 512, .far = 0.5f},
    [WL_FULL] = {.n = 262144, .degree_min = 4, .degree_max = 1024, .skew = 1, .window = 4096, .far = 0.5f},
    [WL_EVAL] = {.n = 49152, .degree_min = 8, .degree_max = 512, .skew = 2, .window = 4096, .far = 1.0f},
};

/* A graph as the device has it. start: in pairs of neighbours; a list of odd length ends with vertex n, whose features
 * are 0. order: the vertices by falling degree. share: 1 / degree, 0 for a vertex alone. */
struct lists {
    uint32_t n, m, *order, *start, *neighbours;
    float *share;
};

static struct lists make_lists(struct wl *w, const struct graph *g)
{
    struct lists l = {.n = g->n, .order = graph_by_degree(w, g), .start = WL_NEW(w, uint32_t, g->n + 1)};
    l.neighbours = WL_NEW(w, uint32_t, g->m + g->n);
    l.share = WL_NEW(w, float, g->n);
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t degree = g->row[v + 1] - g->row[v];
        for (uint32_t k = 0; k < degree; k++) l.neighbours[l.m++] = g->col[g->row[v] + k];
        if (degree % 2) l.neighbours[l.m++] = g->n;
        l.start[v + 1] = l.m / 2;
        l.share[v] = degree ? 1.0f / (float)degree : 0.0f;
    }
    return l;
}

static void reference(const struct lists *l, const float *features, float *means)
{
    for (size_t v = 0; v < l->n; v++)
        for (size_t c = 0; c < FEATURES; c++) {
            float sum = 0.0f;
            for (uint32_t k = 2 * l->start[v]; k < 2 * l->start[v + 1]; k++)
                sum += features[(size_t)l->neighbours[k] * FEATURES + c];
            means[v * FEATURES + c] = sum * l->share[v];
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "gnn", .doc = "means of the features of a vertex's neighbours", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {62};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    struct lists l = make_lists(&w, &g);
    size_t n = (size_t)g.n * FEATURES, n_features = n + FEATURES; /* and vertex n */
    float *features = WL_NEW(&w, float, n_features), *means = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n);
    wl_rng_fill(&rng, features, n);

    CUdeviceptr d_order = wl_upload(&w, l.order, l.n * sizeof *l.order),
                d_start = wl_upload(&w, l.start, (l.n + 1) * sizeof *l.start);
    CUdeviceptr d_neighbours = wl_upload(&w, l.neighbours, l.m * sizeof *l.neighbours),
                d_share = wl_upload(&w, l.share, l.n * sizeof *l.share);
    CUdeviceptr d_features = wl_upload(&w, features, n_features * sizeof *features),
                d_means = wl_alloc(&w, n * sizeof *means);
    void *args[] = {&d_order, &d_start, &d_neighbours, &d_share, &d_features, &d_means, &l.n};
    wl_launch(&w, wl_function(&w, "gnn_mean"), wl_blocks(n / 4, BLOCK), 1, BLOCK, 1, args);

    reference(&l, features, means);
    wl_output(&w, got, d_means, n * sizeof *got);
    wl_compare_f32(&w, "means", got, means, n);
    return wl_end(&w);
}
