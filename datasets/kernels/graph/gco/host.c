/* gco: graph colouring. */
#include "graph.h"

static const char *const inputs[] = {
    "honeycomb, half of it shuffled, 16 B records", "mesh with 4 neighbours, shuffled, 12 B records",
    "2 neighbours within 64, 32 B records",         "neighbours within 512, skewed degrees, 16 B records",
    "2 neighbours anywhere, 12 B records",          "3 neighbours within 20, 64 B records",
};
#define N_INPUTS 6
static const struct graph_input graphs[N_INPUTS] = {
    {.side = 160, .words = 4, .shuffled = 0.5f, .honeycomb = true}, /* meshes: side x side vertices */
    {.side = 158, .words = 3, .shuffled = 1.0f},
    {.spec = {.n = 28672, .degree_min = 2, .window = 64, .far = 0.02f}, .words = 8},
    {.spec = {.n = 24576, .degree_min = 2, .degree_max = 4, .skew = 2, .window = 512, .far = 0.05f}, .words = 4},
    {.spec = {.n = 32768, .degree_min = 2, .window = 1, .far = 1.0f}, .words = 3},
    {.spec = {.n = 26624, .degree_min = 3, .window = 20, .far = 0.01f}, .words = 16},
};
enum { PRIORITY, COLOUR, SELECTED };

/* Distinct priorities from 1 in random order. */
static uint32_t *make_records(struct wl *w, uint32_t n, uint32_t words, struct wl_rng *rng)
{
    uint32_t *records = WL_NEW(w, uint32_t, (size_t)n * words), *order = WL_NEW(w, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = wl_rng_below(rng, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t v = 0; v < n; v++) records[(size_t)v * words + PRIORITY] = order[v] + 1;
    return records;
}

/* What the rounds amount to: greedy colouring in the order of falling priority. */
static uint32_t *reference(struct wl *w, const struct graph *g, const uint32_t *records, uint32_t words)
{
    uint32_t *colour = WL_NEW(w, uint32_t, g->n), *vertex = WL_NEW(w, uint32_t, g->n),
             *used_by = WL_NEW(w, uint32_t, g->n + 2);
    for (uint32_t v = 0; v < g->n; v++) vertex[g->n - records[(size_t)v * words + PRIORITY]] = v;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t v = vertex[i];
        for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++) used_by[colour[g->col[e]]] = i + 1;
        colour[v] = 1;
        while (used_by[colour[v]] == i + 1) colour[v]++;
    }
    return colour;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "gco",
                                        .doc = "graph colouring by independent sets (Graph)",
                                        .inputs = inputs,
                                        .n_inputs = N_INPUTS,
                                        .n_drawn = 994,
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const struct graph_input input = w.input < N_INPUTS ? graphs[w.input] : graph_draw((uint32_t)w.input);
    struct wl_rng rng = {200 + (uint64_t)w.input};
    struct graph g = graph_input(&w, &input, 24, 576, &rng);
    uint32_t words = input.words, n = g.n, remaining = 1, rounds = 0;
    uint32_t *records = make_records(&w, n, words, &rng), *colour = reference(&w, &g, records, words);
    size_t record_bytes = (size_t)n * words * sizeof *records;

    struct graph_device d = graph_upload(&w, &g, words);
    CUdeviceptr d_records = wl_upload(&w, records, record_bytes), d_remaining = wl_alloc(&w, sizeof remaining);
    CUfunction select = wl_function(&w, "gco_select"), assign = wl_function(&w, "gco_assign");
    void *select_args[] = {&d.row, &d.col, &d_records, &words, &n, &d_remaining};
    void *assign_args[] = {&d.row, &d.col, &d_records, &words, &n};
    for (; remaining; rounds++) {
        if (rounds == n) wl_fail(&w, "no end after %u rounds", rounds);
        remaining = 0;
        wl_write(&w, d_remaining, &remaining, sizeof remaining);
        wl_launch(&w, select, wl_blocks(n, 256), 1, 256, 1, select_args);
        wl_launch(&w, assign, wl_blocks(n, 256), 1, 256, 1, assign_args);
        wl_read(&w, &remaining, d_remaining, sizeof remaining);
    }
    uint32_t *out = WL_NEW(&w, uint32_t, (size_t)n * words);
    for (uint32_t v = 0; v < n; v++) {
        records[(size_t)v * words + PRIORITY] = 0;
        records[(size_t)v * words + COLOUR] = colour[v];
        records[(size_t)v * words + SELECTED] = 1;
    }
    wl_output(&w, out, d_records, record_bytes);
    wl_compare_u32(&w, "record word", out, records, (size_t)n * words);
    return wl_end(&w);
}
