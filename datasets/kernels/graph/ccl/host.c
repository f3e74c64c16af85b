/* ccl: connected component labelling; see README.md. */
#include "graph.h"

static const char *const inputs[] = {
    "mesh with 4 neighbours, 8 B records",
    "neighbours within 128, uniform degrees, 16 B records",
    "neighbours within 512, skewed degrees, 32 B records",
    "neighbours anywhere, 8 B records",
    "R-MAT, 16 B records",
    "neighbours within 24, 64 B records",
};
#define N_INPUTS 6
/* The mesh's and R-MAT's specs give n alone. */
static const struct graph_spec specs[N_INPUTS] = {
    {.n = 184 * 184}, /* mesh */
    {.n = 36864, .degree_min = 1, .degree_max = 5, .window = 128, .far = 0.02f},
    {.n = 28672, .degree_min = 2, .degree_max = 14, .skew = 2, .window = 512, .far = 0.05f},
    {.n = 30720, .degree_min = 1, .degree_max = 4, .window = 1, .far = 1.0f},
    {.n = 26624}, /* R-MAT */
    {.n = 24576, .degree_min = 2, .degree_max = 6, .window = 24, .far = 0.01f},
};
static const uint32_t record_words[N_INPUTS] = {2, 4, 8, 2, 4, 16};
enum { LABEL, INNER };

static struct graph make_graph(struct wl *w, struct wl_rng *rng)
{
    static const uint32_t side[WL_N_SIZES] = {22, 184, 1024};
    struct graph_spec spec = specs[w->input];
    if (w->size == WL_TEST) spec.n = 544;
    if (w->size == WL_FULL) spec.n *= 32;
    if (w->input == 0) return graph_mesh(w, side[w->size], side[w->size], 0.2f, rng);
    if (w->input == 4) return graph_rmat(w, spec.n, spec.n * 5 / 4, 0.35f, 0.22f, 0.22f, rng);
    return graph_local(w, &spec, rng);
}

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
    static const struct wl_spec spec = {
        .name = "ccl", .doc = "connected component labelling (Graph)", .inputs = inputs, .n_inputs = N_INPUTS};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {300 + (uint64_t)w.input};
    struct graph g = make_graph(&w, &rng);
    uint32_t words = record_words[w.input], n = g.n, changed = 1, rounds = 0;
    size_t n_words = (size_t)n * words;
    uint32_t *records = WL_NEW(&w, uint32_t, n_words), *out = WL_NEW(&w, uint32_t, n_words), *label = WL_NEW(&w, uint32_t, n);
    for (uint32_t v = 0; v < n; v++) records[(size_t)v * words + LABEL] = label[v] = v;

    struct graph_device d = graph_upload(&w, &g);
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
