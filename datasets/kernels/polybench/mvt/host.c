/* mvt: x1 += A y1, x2 += A^T y2, the sums in memory. */
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

static void reference(struct sizes s, const float *a, const float *y1, const float *y2, float *x1, float *x2)
{
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.m; j++) {
            x1[i] = fmaf(a[i * s.m + j], y1[j], x1[i]);
            x2[j] = fmaf(a[i * s.m + j], y2[i], x2[j]);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "mvt", .doc = "matrix vector product and transposed product (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.n * s.m;
    float *a = WL_NEW(&w, float, n_a), *y1 = WL_NEW(&w, float, s.m), *y2 = WL_NEW(&w, float, s.n);
    float *x1 = WL_NEW(&w, float, s.n), *x2 = WL_NEW(&w, float, s.m), *out = WL_NEW(&w, float, s.n > s.m ? s.n : s.m);
    struct wl_rng rng = {1};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, y1, s.m);
    wl_rng_fill(&rng, y2, s.n);
    wl_rng_fill(&rng, x1, s.n);
    wl_rng_fill(&rng, x2, s.m);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a);
    CUdeviceptr d_y1 = wl_upload(&w, y1, s.m * sizeof *y1), d_y2 = wl_upload(&w, y2, s.n * sizeof *y2);
    CUdeviceptr d_x1 = wl_upload(&w, x1, s.n * sizeof *x1), d_x2 = wl_upload(&w, x2, s.m * sizeof *x2);
    void *rows[] = {&d_a, &d_x1, &d_y1, &s.n, &s.m};
    wl_launch(&w, wl_function(&w, "mvt_rows"), wl_blocks(s.n, BLOCK), 1, BLOCK, 1, rows);
    void *columns[] = {&d_a, &d_x2, &d_y2, &s.n, &s.m};
    wl_launch(&w, wl_function(&w, "mvt_columns"), wl_blocks(s.m, BLOCK), 1, BLOCK, 1, columns);

    reference(s, a, y1, y2, x1, x2);
    wl_output(&w, out, d_x1, s.n * sizeof *out);
    wl_compare_f32(&w, "x1", out, x1, s.n);
    wl_output(&w, out, d_x2, s.m * sizeof *out);
    wl_compare_f32(&w, "x2", out, x2, s.m);
    return wl_end(&w);
}
