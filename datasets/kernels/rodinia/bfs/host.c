/* bfs: breadth-first search, as Rodinia's. */
#include "graph.h"

#define UNREACHED UINT32_MAX
enum { BLOCK = 512 };

struct node {
    uint32_t first, n_edges;
};
/* Rodinia's generator: a node draws two to four edges to anywhere, and each edge belongs to both ends. */
static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 1024, .degree_min = 4, .degree_max = 8, .window = 1, .far = 1.0f},
    [WL_SMALL] = {.n = 65536, .degree_min = 4, .degree_max = 8, .window = 1, .far = 1.0f},
    [WL_EVAL] = {.n = 1000000, .degree_min = 4, .degree_max = 8, .window = 1, .far = 1.0f},
    [WL_FULL] = {.n = 1000000, .degree_min = 4, .degree_max = 8, .window = 1, .far = 1.0f},
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
    static const struct wl_spec spec = {.name = "bfs", .doc = "breadth-first search (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {11};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t n = g.n, source = 0, levels = 0;
    uint8_t again = 1, *flags = WL_NEW(&w, uint8_t, n);
    uint32_t *cost = WL_NEW(&w, uint32_t, n), *out = WL_NEW(&w, uint32_t, n);
    struct node *nodes = WL_NEW(&w, struct node, n);
    for (uint32_t v = 0; v < n; v++) {
        nodes[v] = (struct node){g.row[v], g.row[v + 1] - g.row[v]};
        cost[v] = v == source ? 0 : UNREACHED;
    }
    flags[source] = 1;

    CUdeviceptr d_nodes = wl_upload(&w, nodes, n * sizeof *nodes), d_edges = wl_upload(&w, g.col, g.m * sizeof *g.col);
    CUdeviceptr d_frontier = wl_upload(&w, flags, n), d_next = wl_alloc(&w, n), d_visited = wl_upload(&w, flags, n);
    CUdeviceptr d_cost = wl_upload(&w, cost, n * sizeof *cost), d_again = wl_alloc(&w, sizeof again);
    CUfunction expand = wl_function(&w, "bfs_expand"), advance = wl_function(&w, "bfs_advance");
    void *expand_args[] = {&d_nodes, &d_edges, &d_frontier, &d_next, &d_visited, &d_cost, &n};
    void *advance_args[] = {&d_frontier, &d_next, &d_visited, &d_again, &n};
    for (; again; levels++) {
        if (levels == n) wl_fail(&w, "no end after %u levels", levels);
        again = 0;
        wl_write(&w, d_again, &again, sizeof again);
        wl_launch(&w, expand, wl_blocks(n, BLOCK), 1, BLOCK, 1, expand_args);
        wl_launch(&w, advance, wl_blocks(n, BLOCK), 1, BLOCK, 1, advance_args);
        wl_read(&w, &again, d_again, sizeof again);
    }

    reference(&w, &g, source, cost);
    wl_output(&w, out, d_cost, n * sizeof *out);
    wl_compare_u32(&w, "cost", out, cost, n);
    return wl_end(&w);
}
