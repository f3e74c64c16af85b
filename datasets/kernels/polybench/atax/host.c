/* atax: y = A^T (A x), the sums in memory. */
#include "workload.h"

#include <math.h>

/* A has n rows of m. */
struct sizes {
    uint32_t n, m;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {512, 24},
    [WL_SMALL] = {1024, 1024}, /* four blocks of 8 warps: the suite's square and warps an SM, fewer SMs */
    [WL_FULL] = {4096, 4096},
    [WL_EVAL] = {4096, 4096},
};
enum { BLOCK = 256 };

static void reference(struct sizes s, const float *a, const float *x, float *tmp, float *y)
{
    for (size_t i = 0; i < s.n; i++) {
        for (size_t j = 0; j < s.m; j++) tmp[i] = fmaf(a[i * s.m + j], x[j], tmp[i]);
        for (size_t j = 0; j < s.m; j++) y[j] = fmaf(a[i * s.m + j], tmp[i], y[j]);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "atax", .doc = "matrix transpose and vector multiplication (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.n * s.m;
    float *a = WL_NEW(&w, float, n_a), *x = WL_NEW(&w, float, s.m);
    float *tmp = WL_NEW(&w, float, s.n), *y = WL_NEW(&w, float, s.m), *out = WL_NEW(&w, float, s.n > s.m ? s.n : s.m);
    struct wl_rng rng = {2};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, x, s.m);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_x = wl_upload(&w, x, s.m * sizeof *x);
    CUdeviceptr d_tmp = wl_alloc(&w, s.n * sizeof *tmp), d_y = wl_alloc(&w, s.m * sizeof *y);
    void *rows[] = {&d_a, &d_x, &d_tmp, &s.n, &s.m};
    wl_launch(&w, wl_function(&w, "atax_rows"), wl_blocks(s.n, BLOCK), 1, BLOCK, 1, rows);
    void *columns[] = {&d_a, &d_y, &d_tmp, &s.n, &s.m};
    wl_launch(&w, wl_function(&w, "atax_columns"), wl_blocks(s.m, BLOCK), 1, BLOCK, 1, columns);

    reference(s, a, x, tmp, y);
    wl_output(&w, out, d_y, s.m * sizeof *out);
    wl_compare_f32(&w, "y", out, y, s.m);
    wl_output(&w, out, d_tmp, s.n * sizeof *out);
    wl_compare_f32(&w, "tmp", out, tmp, s.n);
    return wl_end(&w);
}
