/* worklist: breadth-first search with shared worklists. */
#include "graph.h"

#define UNREACHED UINT32_MAX
enum { THREADS = 128, MOST_LEVELS = 4096 };

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 600, .degree_min = 3, .degree_max = 8, .skew = 2, .window = 64, .far = 0.3f},
    [WL_SMALL] = {.n = 12288, .degree_min = 3, .degree_max = 12, .skew = 2, .window = 256, .far = 0.3f},
    [WL_FULL] = {.n = 262144, .degree_min = 2, .degree_max = 12, .skew = 2, .window = 256, .far = 0.3f},
};
static const uint32_t blocks[WL_N_SIZES] = {[WL_TEST] = 4, [WL_SMALL] = 64, [WL_FULL] = 192};

static void reference(struct wl *w, const struct graph *g, uint32_t source, uint32_t *level)
{
    uint32_t *queue = WL_NEW(w, uint32_t, g->n), head = 0, tail = 1;
    for (uint32_t v = 0; v < g->n; v++) level[v] = UNREACHED;
    level[queue[0] = source] = 0;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++) {
            if (level[g->col[e]] != UNREACHED) continue;
            level[g->col[e]] = level[v] + 1;
            queue[tail++] = g->col[e];
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "worklist",
                                        .doc = "breadth-first search with worklists that all blocks share"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {68};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t n = g.n, source = n / 2, one = 1, *level = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    uint32_t *lengths = WL_NEW(&w, uint32_t, MOST_LEVELS), *per_level = WL_NEW(&w, uint32_t, MOST_LEVELS);
    for (uint32_t v = 0; v < n; v++) level[v] = v == source ? 0 : UNREACHED;
    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_level = wl_upload(&w, level, n * sizeof *level), d_lists = wl_alloc(&w, 2 * n * sizeof *level),
                d_arrived = wl_alloc(&w, sizeof one);
    CUdeviceptr d_lengths = wl_alloc(&w, MOST_LEVELS * sizeof *lengths),
                d_tickets = wl_alloc(&w, MOST_LEVELS * sizeof *lengths);
    wl_write(&w, d_lists, &source, sizeof source);
    wl_write(&w, d_lengths, &one, sizeof one);
    reference(&w, &g, source, want);
    for (uint32_t v = 0; v < n; v++) {
        if (want[v] == UNREACHED) continue;
        if (want[v] + 1 >= MOST_LEVELS) wl_fail(&w, "more than %d levels", MOST_LEVELS - 1);
        per_level[want[v]]++;
    }
    void *args[] = {&d.row, &d.col, &d_level, &d_lists, &d_lengths, &d_tickets, &d_arrived, &n};
    wl_launch(&w, wl_function(&w, "worklist_bfs"), blocks[w.size], 1, THREADS, 1, args);

    wl_output(&w, level, d_level, n * sizeof *level);
    wl_compare_u32(&w, "level", level, want, n);
    wl_output(&w, lengths, d_lengths, MOST_LEVELS * sizeof *lengths);
    wl_compare_u32(&w, "vertices of level", lengths, per_level, MOST_LEVELS);
    return wl_end(&w);
}
