/* atax: y = A^T (A x) on a batch of square systems. */
#include "workload.h"

#include <math.h>

/* A batch of `systems` n x n systems in blocks of bx rows x by systems. */
struct sizes {
    uint32_t n, systems, bx, by;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {24, 32, 24, 8},
    [WL_SMALL] = {24, 2304, 24, 8}, /* 288 blocks for the 256 places of 32 SMs */
    [WL_FULL] = {4096, 12, 256, 1},
    [WL_EVAL] = {256, 192, 256, 1}, /* 49,152 rows, all threads of 32 SMs */
};

static void reference(struct sizes s, const float *a, const float *x, float *tmp, float *y)
{
    for (size_t k = 0; k < s.systems; k++, a += (size_t)s.n * s.n, x += s.n, tmp += s.n, y += s.n)
        for (size_t i = 0; i < s.n; i++) {
            for (size_t j = 0; j < s.n; j++) tmp[i] = fmaf(a[i * s.n + j], x[j], tmp[i]);
            for (size_t j = 0; j < s.n; j++) y[j] = fmaf(a[i * s.n + j], tmp[i], y[j]);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "atax-batched", .doc = "matrix transpose and vector multiplication (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.systems * s.n * s.n, n_x = (size_t)s.systems * s.n;
    float *a = WL_NEW(&w, float, n_a), *x = WL_NEW(&w, float, n_x);
    float *tmp = WL_NEW(&w, float, n_x), *y = WL_NEW(&w, float, n_x), *out = WL_NEW(&w, float, n_x);
    struct wl_rng rng = {2};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, x, n_x);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_x = wl_upload(&w, x, n_x * sizeof *x);
    CUdeviceptr d_tmp = wl_alloc(&w, n_x * sizeof *tmp), d_y = wl_alloc(&w, n_x * sizeof *y);
    unsigned gx = wl_blocks(s.n, s.bx), gy = wl_blocks(s.systems, s.by);
    void *rows[] = {&d_a, &d_x, &d_tmp, &s.n, &s.systems};
    wl_launch(&w, wl_function(&w, "atax_rows"), gx, gy, s.bx, s.by, rows);
    void *columns[] = {&d_a, &d_tmp, &d_y, &s.n, &s.systems};
    wl_launch(&w, wl_function(&w, "atax_columns"), gx, gy, s.bx, s.by, columns);

    reference(s, a, x, tmp, y);
    wl_output(&w, out, d_y, n_x * sizeof *out);
    wl_compare_f32(&w, "y", out, y, n_x);
    wl_output(&w, out, d_tmp, n_x * sizeof *out);
    wl_compare_f32(&w, "tmp", out, tmp, n_x);
    return wl_end(&w);
}
