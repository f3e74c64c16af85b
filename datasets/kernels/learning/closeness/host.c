/* closeness: how many vertices lie within three hops when links fail. */
#include "graph.h"

enum { HOPS = 3 };
struct sizes {
    uint32_t vertices, scenarios;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 2},
    [WL_SMALL] = {512, 12},
    [WL_EVAL] = {1024, 12}, /* 192 blocks of 64: a quarter of the places of 32 SMs */
    [WL_FULL] = {4096, 64},
};

/* One link in eight is down, the same in both directions. */
static bool is_down(uint32_t scenario, uint32_t v, uint32_t to)
{
    return ((scenario * 2654435761u + (v + to) * 40503u + v * to) * 2654435761u) >> 29 == 0;
}

static uint32_t count_within(const struct graph *g, uint32_t source, uint32_t scenario, uint8_t *marks, uint32_t *queue)
{
    uint32_t head = 0, tail = 1, end = 1;
    for (uint32_t v = 0; v < g->n; v++) marks[v] = v == source;
    queue[0] = source;
    for (uint32_t hop = 0; hop < HOPS; hop++, end = tail)
        for (; head != end; head++) {
            const uint32_t v = queue[head];
            for (uint32_t e = g->row[v]; e != g->row[v + 1]; e++) {
                if (marks[g->col[e]] || is_down(scenario, v, g->col[e])) continue;
                marks[g->col[e]] = 1;
                queue[tail++] = g->col[e];
            }
        }
    return tail;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "closeness", .doc = "vertices within three hops when links fail", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const uint32_t n = s.vertices * s.scenarios;
    uint32_t hops = HOPS, *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {117};
    const struct graph_spec shape = {.n = s.vertices, .degree_min = 3, .degree_max = 12, .window = 16, .far = 0.1f};
    struct graph g = graph_local(&w, &shape, &rng);
    uint16_t *col = WL_NEW(&w, uint16_t, g.m);
    for (uint32_t e = 0; e < g.m; e++) col[e] = (uint16_t)g.col[e];
    uint8_t *marks = WL_NEW(&w, uint8_t, g.n);
    uint32_t *queue = WL_NEW(&w, uint32_t, g.n);

    CUdeviceptr d_row = wl_upload(&w, g.row, (g.n + 1) * sizeof *g.row), d_col = wl_upload(&w, col, g.m * sizeof *col);
    CUdeviceptr d_marks = wl_alloc(&w, (size_t)g.n * n), d_queues = wl_alloc(&w, (size_t)g.n * n * sizeof *col);
    CUdeviceptr d_counts = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_row, &d_col, &d_marks, &d_queues, &d_counts, &g.n, &hops, (void *)&n};
    wl_launch(&w, wl_function(&w, "count_within"), wl_blocks(n, 64), 1, 64, 1, args);

    for (uint32_t i = 0; i < n; i++) want[i] = count_within(&g, i % g.n, i / g.n, marks, queue);
    wl_output(&w, got, d_counts, n * sizeof *got);
    wl_compare_u32(&w, "counts", got, want, n);
    return wl_end(&w);
}
