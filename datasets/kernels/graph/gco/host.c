/* gco: graph colouring; see README.md. */
#include "graph.h"

static const char *const inputs[] = {
    "mesh with 4 neighbours, 16 B records",
    "neighbours within 64, uniform degrees, 32 B records",
    "neighbours within 256, skewed degrees, 16 B records",
    "neighbours anywhere, 12 B records",
    "R-MAT, 32 B records",
    "neighbours within 24, 64 B records",
};
#define N_INPUTS 6
/* The mesh's and R-MAT's specs give n alone. */
static const struct graph_spec specs[N_INPUTS] = {
    {.n = 192 * 192}, /* mesh */
    {.n = 32768, .degree_min = 2, .degree_max = 6, .window = 64, .far = 0.05f},
    {.n = 36864, .degree_min = 2, .degree_max = 12, .skew = 2, .window = 256, .far = 0.1f},
    {.n = 28672, .degree_min = 1, .degree_max = 5, .window = 1, .far = 1.0f},
    {.n = 30720}, /* R-MAT */
    {.n = 24576, .degree_min = 3, .degree_max = 7, .window = 24, .far = 0.02f},
};
static const uint32_t record_words[N_INPUTS] = {4, 8, 4, 3, 8, 16};
enum { PRIORITY, COLOUR, SELECTED };

static struct graph make_graph(struct wl *w, struct wl_rng *rng)
{
    static const uint32_t side[WL_N_SIZES] = {24, 192, 1024};
    struct graph_spec spec = specs[w->input];
    if (w->size == WL_TEST) spec.n = 576;
    if (w->size == WL_FULL) spec.n *= 32;
    if (w->input == 0) return graph_mesh(w, side[w->size], side[w->size], 0.5f, rng);
    if (w->input == 4) return graph_rmat(w, spec.n, spec.n * 3 / 2, 0.4f, 0.2f, 0.2f, rng);
    return graph_local(w, &spec, rng);
}

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
    uint32_t *colour = WL_NEW(w, uint32_t, g->n), *vertex = WL_NEW(w, uint32_t, g->n), *used_by = WL_NEW(w, uint32_t, g->n + 2);
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
    static const struct wl_spec spec = {
        .name = "gco", .doc = "graph colouring by independent sets (Graph)", .inputs = inputs, .n_inputs = N_INPUTS};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {200 + (uint64_t)w.input};
    struct graph g = make_graph(&w, &rng);
    uint32_t words = record_words[w.input], n = g.n, remaining = 1, rounds = 0;
    uint32_t *records = make_records(&w, n, words, &rng), *colour = reference(&w, &g, records, words);
    size_t record_bytes = (size_t)n * words * sizeof *records;

    struct graph_device d = graph_upload(&w, &g);
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
