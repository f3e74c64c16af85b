/* ccl: connected component labelling. */
#include "graph.h"

static const char *const inputs[] = {
    "honeycomb, a fifth of it shuffled, 8 B records",      "2 neighbours within 128, 16 B records",
    "neighbours within 768, skewed degrees, 32 B records", "2 neighbours anywhere, 8 B records",
    "mesh with 4 neighbours, shuffled, 32 B records",      "2 neighbours within 32, 64 B records",
};
#define N_INPUTS 6
static const struct graph_input graphs[N_INPUTS] = {
    {.side = 164, .words = 2, .shuffled = 0.2f, .honeycomb = true}, /* meshes: side x side vertices */
    {.spec = {.n = 28672, .degree_min = 2, .window = 128, .far = 0.02f}, .words = 4},
    {.spec = {.n = 24576, .degree_min = 2, .degree_max = 4, .skew = 2, .window = 768, .far = 0.05f}, .words = 8},
    {.spec = {.n = 30720, .degree_min = 2, .window = 1, .far = 1.0f}, .words = 2},
    {.side = 157, .words = 8, .shuffled = 1.0f},
    {.spec = {.n = 26624, .degree_min = 2, .window = 32, .far = 0.01f}, .words = 16},
};
enum { LABEL, INNER };

/* Union by the smaller root with path halving: every vertex's label is the smallest vertex of its component. */
static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void reference(const struct graph *g, uint32_t *label)
{
    for (uint32_t v = 0; v < g->n; v++) label[v] = v;
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t e = g->row[v]; e < g->row[v + 1]; e++) {
            uint32_t a = find_root(label, v), b = find_root(label, g->col[e]);
            if (a < b) label[b] = a;
            else label[a] = b;
        }
    for (uint32_t v = 0; v < g->n; v++) label[v] = find_root(label, v);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "ccl",
                                        .doc = "connected component labelling (Graph)",
                                        .inputs = inputs,
                                        .n_inputs = N_INPUTS,
                                        .n_drawn = 994,
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const struct graph_input input = w.input < N_INPUTS ? graphs[w.input] : graph_draw((uint32_t)w.input);
    struct wl_rng rng = {300 + (uint64_t)w.input};
    struct graph g = graph_input(&w, &input, 22, 544, &rng);
    uint32_t words = input.words, n = g.n, changed = 1, rounds = 0;
    size_t n_words = (size_t)n * words;
    uint32_t *records = WL_NEW(&w, uint32_t, n_words), *out = WL_NEW(&w, uint32_t, n_words),
             *label = WL_NEW(&w, uint32_t, n);
    for (uint32_t v = 0; v < n; v++) records[(size_t)v * words + LABEL] = label[v] = v;

    struct graph_device d = graph_upload(&w, &g, words);
    CUdeviceptr d_records = wl_upload(&w, records, n_words * sizeof *records), d_changed = wl_alloc(&w, sizeof changed);
    CUdeviceptr d_parent = wl_upload(&w, label, n * sizeof *label);
    CUfunction hook = wl_function(&w, "ccl_hook"), jump = wl_function(&w, "ccl_jump");
    void *hook_args[] = {&d.row, &d.col, &d_records, &words, &d_parent, &n, &d_changed};
    void *jump_args[] = {&d_records, &words, &d_parent, &n};
    for (; changed; rounds++) {
        if (rounds == n) wl_fail(&w, "no end after %u rounds", rounds);
        changed = 0;
        wl_write(&w, d_changed, &changed, sizeof changed);
        wl_launch(&w, hook, wl_blocks(n, 256), 1, 256, 1, hook_args);
        wl_launch(&w, jump, wl_blocks(n, 256), 1, 256, 1, jump_args);
        wl_read(&w, &changed, d_changed, sizeof changed);
    }

    reference(&g, label);
    for (uint32_t v = 0; v < n; v++) {
        records[(size_t)v * words + LABEL] = label[v];
        records[(size_t)v * words + INNER] = 1; /* nothing changed in the last round: all neighbours have one label */
    }
    wl_output(&w, out, d_records, n_words * sizeof *out);
    wl_compare_u32(&w, "record word", out, records, n_words);
    return wl_end(&w);
}
