/* bfs: breadth-first search. */
#include "graph.h"

#define UNREACHED UINT32_MAX

/* Threads a block: 128, of which an SM holds 8 (W = 16); 512, as Rodinia's. */
static const uint32_t blocks[WL_N_SIZES] = {[WL_TEST] = 128, [WL_SMALL] = 128, [WL_FULL] = 128, [WL_EVAL] = 512};
static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 1024, .degree_min = 4, .degree_max = 24, .skew = 2, .window = 1, .far = 1.0f},
    [WL_SMALL] = {.n = 34816, .degree_min = 14, .degree_max = 28, .skew = 2, .window = 1, .far = 1.0f},
    [WL_EVAL] = {.n = 294912, .degree_min = 3, .degree_max = 64, .skew = 2, .window = 1, .far = 1.0f},
    [WL_FULL] = {.n = 1048576, .degree_min = 4, .degree_max = 64, .skew = 2, .window = 1, .far = 1.0f},
};

static void reference(struct wl *w, const struct graph *g, uint32_t source, uint32_t *cost)
{
    uint32_t *queue = WL_NEW(w, uint32_t, g->n), head = 0, tail = 0;
    for (uint32_t v = 0; v < g->n; v++) cost[v] = UNREACHED;
    cost[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++)
            if (cost[g->col[e]] == UNREACHED) {
                cost[g->col[e]] = cost[v] + 1;
                queue[tail++] = g->col[e];
            }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "bfs-words", .doc = "breadth-first search (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {11};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t n = g.n, source = 0, again = 1, levels = 0, block = blocks[w.size];
    uint32_t *flags = WL_NEW(&w, uint32_t, n), *cost = WL_NEW(&w, uint32_t, n), *out = WL_NEW(&w, uint32_t, n);
    for (uint32_t v = 0; v < n; v++) cost[v] = v == source ? 0 : UNREACHED;
    flags[source] = 1;

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_cost = wl_upload(&w, cost, n * sizeof *cost), d_again = wl_alloc(&w, sizeof again);
    CUdeviceptr d_frontier = wl_upload(&w, flags, n * sizeof *flags);
    CUdeviceptr d_visited = wl_upload(&w, flags, n * sizeof *flags), d_next = wl_alloc(&w, n * sizeof *flags);
    CUfunction expand = wl_function(&w, "bfs_expand"), advance = wl_function(&w, "bfs_advance");
    void *expand_args[] = {&d.row, &d.col, &d_frontier, &d_next, &d_visited, &d_cost, &n};
    void *advance_args[] = {&d_frontier, &d_next, &d_visited, &d_again, &n};
    for (; again; levels++) {
        if (levels == n) wl_fail(&w, "no end after %u levels", levels);
        again = 0;
        wl_write(&w, d_again, &again, sizeof again);
        wl_launch(&w, expand, wl_blocks(n, block), 1, block, 1, expand_args);
        wl_launch(&w, advance, wl_blocks(n, block), 1, block, 1, advance_args);
        wl_read(&w, &again, d_again, sizeof again);
    }

    reference(&w, &g, source, cost);
    wl_output(&w, out, d_cost, n * sizeof *out);
    wl_compare_u32(&w, "cost", out, cost, n);
    return wl_end(&w);
}
