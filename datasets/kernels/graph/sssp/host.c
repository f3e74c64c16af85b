/* sssp: single-source shortest paths. */
#include "graph.h"

#define UNREACHED UINT32_MAX

static const struct graph_spec sizes[WL_N_SIZES] = {
    [WL_TEST] = {.n = 512, .degree_min = 3, .degree_max = 12, .skew = 2, .window = 1, .far = 1.0f},
    [WL_SMALL] = {.n = 49152, .degree_min = 3, .degree_max = 12, .skew = 2, .window = 4096, .far = 0.25f},
    [WL_EVAL] = {.n = 131072, .degree_min = 4, .degree_max = 64, .skew = 2, .window = 65536, .far = 0.25f},
    [WL_FULL] = {.n = 1048576, .degree_min = 4, .degree_max = 64, .skew = 2, .window = 65536, .far = 0.25f},
};

/* Dijkstra over a binary heap; a vertex may be in it several times, the shortest first. */
struct heap {
    uint64_t *items;
    size_t n;
}; /* an item is distance << 32 | vertex */

static void heap_push(struct heap *h, uint64_t item)
{
    size_t i = h->n++;
    for (; i > 0 && h->items[(i - 1) / 2] > item; i = (i - 1) / 2) h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = item;
}

static uint64_t heap_pop(struct heap *h)
{
    uint64_t top = h->items[0], last = h->items[--h->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && h->items[child + 1] < h->items[child]) child++;
        if (last <= h->items[child]) break;
        h->items[i] = h->items[child];
    }
    h->items[i] = last;
    return top;
}

static void reference(struct wl *w, const struct graph *g, const uint32_t *weight, uint32_t source, uint32_t *distance)
{
    struct heap heap = {.items = WL_NEW(w, uint64_t, (size_t)g->m + 1)};
    for (uint32_t v = 0; v < g->n; v++) distance[v] = UNREACHED;
    distance[source] = 0;
    heap_push(&heap, source);
    while (heap.n) {
        uint64_t item = heap_pop(&heap);
        uint32_t v = (uint32_t)item, mine = (uint32_t)(item >> 32);
        if (mine > distance[v]) continue;
        for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++) {
            uint32_t other = g->col[e], through = mine + weight[e];
            if (through >= distance[other]) continue;
            distance[other] = through;
            heap_push(&heap, (uint64_t)through << 32 | other);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "sssp", .doc = "single-source shortest paths (LonestarGPU)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {12};
    struct graph g = graph_local(&w, &sizes[w.size], &rng);
    uint32_t n = g.n, source = 0, changed = 1, rounds = 0;
    uint32_t *weight = WL_NEW(&w, uint32_t, g.m + 1), *distance = WL_NEW(&w, uint32_t, n),
             *out = WL_NEW(&w, uint32_t, n);
    for (uint32_t e = 0; e < g.m; e++) weight[e] = 1 + wl_rng_below(&rng, 100);

    struct graph_device d = graph_upload(&w, &g, 1);
    CUdeviceptr d_weight = wl_upload(&w, weight, (g.m + 1) * sizeof *weight),
                d_distance = wl_alloc(&w, n * sizeof *out);
    CUdeviceptr d_changed = wl_alloc(&w, sizeof changed);
    CUfunction relax = wl_function(&w, "sssp_relax");
    void *init_args[] = {&d_distance, &source, &n},
         *relax_args[] = {&d.row, &d.col, &d_weight, &d_distance, &n, &d_changed};
    wl_launch(&w, wl_function(&w, "sssp_init"), wl_blocks(n, 256), 1, 256, 1, init_args);
    for (; changed; rounds++) {
        if (rounds == n) wl_fail(&w, "no end after %u rounds", rounds);
        changed = 0;
        wl_write(&w, d_changed, &changed, sizeof changed);
        wl_launch(&w, relax, wl_blocks(n, 256), 1, 256, 1, relax_args);
        wl_read(&w, &changed, d_changed, sizeof changed);
    }

    reference(&w, &g, weight, source, distance);
    wl_output(&w, out, d_distance, n * sizeof *out);
    wl_compare_u32(&w, "distance", out, distance, n);
    return wl_end(&w);
}
