/* spmm: a sparse matrix times a dense one of 8 or 32 columns. */
#include "graph.h"

#include <math.h>

#define BLOCK 256u

/* Two entries of a row: where their dense rows start, in fours of floats, and their values. */
struct pair {
    uint32_t from[2];
    float value[2];
};
struct matrix {
    uint32_t n, *start, m;
    struct pair *pairs;
};
struct input {
    uint32_t width;
    struct graph_spec sizes[WL_N_SIZES];
};
static const struct input inputs[] = {
    {8,
     {[WL_TEST] = {.n = 600, .degree_min = 2, .degree_max = 40, .skew = 1, .window = 64, .far = 0.5f},
      [WL_SMALL] = {.n = 16384, .degree_min = 3, .degree_max = 128, .skew = 2, .window = 1024, .far = 0.5f},
      [WL_FULL] = {.n = 262144, .degree_min = 4, .degree_max = 512, .skew = 1, .window = 8192, .far = 0.5f},
      [WL_EVAL] = {.n = 65536, .degree_min = 12, .degree_max = 256, .skew = 2, .window = 8192, .far = 0.5f}}},
    {32,
     {[WL_TEST] = {.n = 200, .degree_min = 2, .degree_max = 40, .skew = 1, .window = 64, .far = 0.5f},
      [WL_SMALL] = {.n = 4096, .degree_min = 3, .degree_max = 128, .skew = 2, .window = 1024, .far = 0.5f},
      [WL_FULL] = {.n = 262144, .degree_min = 4, .degree_max = 512, .skew = 1, .window = 8192, .far = 0.5f},
      [WL_EVAL] = {.n = 49152, .degree_min = 8, .degree_max = 256, .skew = 2, .window = 8192, .far = 1.0f}}},
};

/* An entry for each end of an edge, so the pattern is symmetric; rows are filled up to an even number of entries with
 * zeros. */
static struct matrix make_matrix(struct wl *w, const struct graph *g, uint32_t width, struct wl_rng *rng)
{
    struct matrix a = {
        .n = g->n, .start = WL_NEW(w, uint32_t, g->n + 1), .pairs = WL_NEW(w, struct pair, g->m / 2 + g->n)};
    for (uint32_t row = 0; row < g->n; row++) {
        for (uint32_t k = 0, degree = g->row[row + 1] - g->row[row]; k < degree; k++) {
            struct pair *p = &a.pairs[a.m + k / 2];
            p->from[k % 2] = g->col[g->row[row] + k] * (width / 4);
            p->value[k % 2] = wl_rng_unit(rng) - 0.5f;
        }
        a.start[row + 1] = a.m += (g->row[row + 1] - g->row[row] + 1) / 2;
    }
    return a;
}

static void reference(const struct matrix *a, const float *dense, uint32_t width, float *product)
{
    for (size_t row = 0; row < a->n; row++)
        for (uint32_t k = 2 * a->start[row]; k < 2 * a->start[row + 1]; k++)
            for (size_t c = 0; c < width; c++) {
                const struct pair *p = &a->pairs[k / 2];
                product[row * width + c] =
                    fmaf(p->value[k % 2], dense[(size_t)p->from[k % 2] * 4 + c], product[row * width + c]);
            }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"8 columns", "32 columns"};
    static const struct wl_spec spec = {.name = "spmm",
                                        .doc = "a sparse matrix times a dense one of a few columns",
                                        .inputs = names,
                                        .n_inputs = 2,
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const struct input *in = &inputs[w.input];
    struct wl_rng rng = {63};
    struct graph g = graph_local(&w, &in->sizes[w.size], &rng);
    size_t n = (size_t)g.n * in->width;
    struct matrix a = make_matrix(&w, &g, in->width, &rng);
    float *dense = WL_NEW(&w, float, n), *product = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n);
    wl_rng_fill(&rng, dense, n);

    CUdeviceptr d_start = wl_upload(&w, a.start, (a.n + 1) * sizeof *a.start),
                d_pairs = wl_upload(&w, a.pairs, a.m * sizeof *a.pairs);
    CUdeviceptr d_dense = wl_upload(&w, dense, n * sizeof *dense), d_product = wl_alloc(&w, n * sizeof *product);
    uint32_t *order = graph_by_degree(&w, &g);
    CUdeviceptr d_order = wl_upload(&w, order, g.n * sizeof *order);
    unsigned bx = in->width / 4, by = BLOCK / bx;
    void *args[] = {&d_order, &d_start, &d_pairs, &d_dense, &d_product, &g.n};
    wl_launch(&w, wl_function(&w, "spmm_csr"), wl_blocks(g.n, by), 1, bx, by, args);

    reference(&a, dense, in->width, product);
    wl_output(&w, got, d_product, n * sizeof *got);
    wl_compare_f32(&w, "product", got, product, n);
    return wl_end(&w);
}
