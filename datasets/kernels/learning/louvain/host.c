/* louvain: the community to which each vertex would move. */
#include <math.h>
#include "graph.h"

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 300, .degree_min = 2, .degree_max = 12, .skew = 2, .window = 32, .far = 0.2f},
    [WL_SMALL] = {.n = 12288, .degree_min = 6, .degree_max = 96, .skew = 2, .window = 512, .far = 0.2f},
    [WL_EVAL] = {.n = 49152, .degree_min = 12, .degree_max = 192, .skew = 2, .window = 4096, .far = 0.3f},
    [WL_FULL] = {.n = 1u << 20, .degree_min = 12, .degree_max = 512, .skew = 2, .window = 4096, .far = 0.3f},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "louvain", .doc = "the community to which each vertex would move", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {202};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t *group = WL_NEW(&w, uint32_t, g.n), *got = WL_NEW(&w, uint32_t, g.n), *want = WL_NEW(&w, uint32_t, g.n);
    float *weight = WL_NEW(&w, float, g.m), *total = WL_NEW(&w, float, g.n), all = (float)g.m;
    wl_rng_fill(&rng, weight, g.m);
    /* Communities of about eight vertices, whose numbers are drawn. */
    for (uint32_t v = 0; v < g.n; v++) {
        group[v] =
            v % 8 && v ? (wl_rng_below(&rng, 8) ? group[v - 1] : wl_rng_below(&rng, g.n)) : wl_rng_below(&rng, g.n);
        total[group[v]] += (float)(g.row[v + 1] - g.row[v]);
    }

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_weight = wl_upload(&w, weight, g.m * sizeof *weight),
                d_group = wl_upload(&w, group, g.n * sizeof *group),
                d_total = wl_upload(&w, total, g.n * sizeof *total), d_best = wl_alloc(&w, g.n * sizeof *got);
    void *args[] = {&d.row, &d.col, &d_weight, &d_group, &d_total, &d_best, &all, &g.n};
    wl_launch(&w, wl_function(&w, "best_community"), wl_blocks(g.n, 256), 1, 256, 1, args);

    for (uint32_t v = 0; v < g.n; v++) {
        const float degree = (float)(g.row[v + 1] - g.row[v]) / all;
        float most = 0;
        want[v] = group[v];
        for (uint32_t e = g.row[v]; e != g.row[v + 1]; e++) {
            const uint32_t other = group[g.col[e]];
            const float gain = fmaf(-degree, total[other], weight[e]);
            if (other != group[v] && gain > most) most = gain, want[v] = other;
        }
    }
    wl_output(&w, got, d_best, g.n * sizeof *got);
    wl_compare_u32(&w, "communities", got, want, g.n);
    return wl_end(&w);
}
