/* pbfs: breadth-first search with queues. */
#include "graph.h"

#define THREADS 256u
#define UNREACHED UINT32_MAX

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 1500, .degree_min = 3, .degree_max = 8, .skew = 2, .window = 64, .far = 0.3f},
    [WL_SMALL] = {.n = 49152, .degree_min = 3, .degree_max = 12, .skew = 2, .window = 256, .far = 0.3f},
    [WL_FULL] = {.n = 1048576, .degree_min = 2, .degree_max = 12, .skew = 2, .window = 256, .far = 0.05f},
};

static void reference(struct wl *w, const struct graph *g, uint32_t source, uint32_t *cost)
{
    uint32_t *queue = WL_NEW(w, uint32_t, g->n), head = 0, tail = 1;
    for (uint32_t v = 0; v < g->n; v++) cost[v] = UNREACHED;
    cost[queue[0] = source] = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++) {
            if (cost[g->col[e]] != UNREACHED) continue;
            cost[g->col[e]] = cost[v] + 1;
            queue[tail++] = g->col[e];
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "pbfs", .doc = "breadth-first search with queues (Parboil's bfs)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {49};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t n = g.n, source = n / 2, zero = 0, state[2] = {1, 0}; /* length of the frontier, level */
    uint32_t *cost = WL_NEW(&w, uint32_t, n), *out = WL_NEW(&w, uint32_t, n);
    for (uint32_t v = 0; v < n; v++) cost[v] = v == source ? 0 : UNREACHED;

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_cost = wl_upload(&w, cost, n * sizeof *cost), d_level = wl_alloc(&w, n * sizeof *cost);
    CUdeviceptr d_queue = wl_alloc(&w, n * sizeof *cost), d_next = wl_alloc(&w, n * sizeof *cost),
                d_state = wl_upload(&w, state, sizeof state);
    wl_write(&w, d_queue, &source, sizeof source);
    CUfunction one_block = wl_function(&w, "pbfs_one_block"), level = wl_function(&w, "pbfs_level");
    while (state[0]) {
        if (state[1] > n) wl_fail(&w, "no end after %u levels", state[1]);
        if (state[0] <= THREADS) {
            void *args[] = {&d.row, &d.col, &d_cost, &d_level, &d_queue, &d_state};
            wl_write(&w, d_state, state, sizeof state);
            wl_launch(&w, one_block, 1, 1, THREADS, 1, args);
            wl_read(&w, state, d_state, sizeof state);
            continue;
        }
        uint32_t n_frontier = state[0];
        state[1]++;
        wl_write(&w, d_state, &zero, sizeof zero);
        void *args[] = {&d.row, &d.col, &d_cost, &d_level, &d_queue, &n_frontier, &state[1], &d_next, &d_state};
        wl_launch(&w, level, wl_blocks(n_frontier, THREADS), 1, THREADS, 1, args);
        wl_read(&w, state, d_state, sizeof *state);
        if (state[0] > n) wl_fail(&w, "a frontier of %u of %u vertices", state[0], n);
        CUdeviceptr keep = d_queue;
        d_queue = d_next;
        d_next = keep;
    }

    reference(&w, &g, source, cost);
    wl_output(&w, out, d_cost, n * sizeof *out);
    wl_compare_u32(&w, "cost", out, cost, n);
    return wl_end(&w);
}
