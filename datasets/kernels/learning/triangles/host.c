/* triangles: common neighbours of the ends of each edge. */
#include "graph.h"

#include <stdlib.h>

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 256, .degree_min = 4, .degree_max = 32, .skew = 2, .window = 16, .far = 0.25f},
    [WL_SMALL] = {.n = 3072, .degree_min = 8, .degree_max = 256, .skew = 2, .window = 256, .far = 0.25f},
    [WL_FULL] = {.n = 20480, .degree_min = 8, .degree_max = 512, .skew = 2, .window = 256, .far = 0.25f},
    [WL_EVAL] = {.n = 20480, .degree_min = 8, .degree_max = 512, .skew = 2, .window = 256, .far = 0.25f},
};

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Does the edge lead from u to v: to the higher degree, and where these are equal to the higher number? */
static bool leads_to(const struct graph *g, uint32_t u, uint32_t v)
{
    uint32_t degree_u = g->row[u + 1] - g->row[u], degree_v = g->row[v + 1] - g->row[v];
    return degree_u != degree_v ? degree_u < degree_v : u < v;
}

struct edge {
    uint32_t from, to;
};

/* Each edge once, in the direction in which it leads; lists sorted and without repeats. */
static struct graph orient(struct wl *w, const struct graph *g)
{
    struct graph o = {.n = g->n, .row = WL_NEW(w, uint32_t, g->n + 1), .col = WL_NEW(w, uint32_t, g->m + 1)};
    for (uint32_t u = 0; u < g->n; u++) {
        uint32_t first = o.m, end = first;
        for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++)
            if (leads_to(g, u, g->col[e])) o.col[end++] = g->col[e];
        qsort(o.col + first, end - first, sizeof *o.col, by_number);
        for (uint32_t e = first; e < end; e++) {
            if (e > first && o.col[e] == o.col[e - 1]) continue;
            o.col[o.m++] = o.col[e];
        }
        o.row[u + 1] = o.m;
    }
    return o;
}

/* All edges in a random order, the order in which they were added. */
static struct edge *draw_order(struct wl *w, const struct graph *g, struct wl_rng *rng)
{
    struct edge *edges = WL_NEW(w, struct edge, g->m);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint32_t i = g->row[u]; i < g->row[u + 1]; i++) { /* Fisher and Yates, inside out */
            uint32_t j = wl_rng_below(rng, i + 1);
            edges[i] = edges[j];
            edges[j] = (struct edge){u, g->col[i]};
        }
    return edges;
}

/* By marks, not by merging. */
static void reference(struct wl *w, const struct graph *g, const struct edge *edges, uint32_t *common)
{
    uint32_t *mark = WL_NEW(w, uint32_t, g->n); /* 1 + the last edge whose source has it in its list */
    for (uint32_t e = 0; e < g->m; e++) {
        uint32_t u = edges[e].from, v = edges[e].to;
        for (uint32_t i = g->row[u]; i < g->row[u + 1]; i++) mark[g->col[i]] = e + 1;
        for (uint32_t i = g->row[v]; i < g->row[v + 1]; i++) common[e] += mark[g->col[i]] == e + 1;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "triangles", .doc = "common neighbours of the ends of each edge", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {103};
    struct graph drawn = graph_local(&w, &sizes[w.size], &rng), g = orient(&w, &drawn);
    struct edge *edges = draw_order(&w, &g, &rng);
    uint32_t *want = WL_NEW(&w, uint32_t, g.m), *got = WL_NEW(&w, uint32_t, g.m);

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_edges = wl_upload(&w, edges, g.m * sizeof *edges), d_common = wl_alloc(&w, g.m * sizeof *got);
    void *args[] = {&d.row, &d.col, &d_edges, &d_common, &g.m};
    wl_launch(&w, wl_function(&w, "triangles_merge"), wl_blocks(g.m, 128), 1, 128, 1, args);

    reference(&w, &g, edges, want);
    wl_output(&w, got, d_common, g.m * sizeof *got);
    wl_compare_u32(&w, "common neighbours", got, want, g.m);
    return wl_end(&w);
}
