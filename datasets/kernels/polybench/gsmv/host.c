/* gsmv: y = alpha A x + beta B x, the sums in memory. */
#include "workload.h"

#include <math.h>

/* A and B have n rows of m. */
struct sizes {
    uint32_t n, m;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {512, 16},
    [WL_SMALL] = {1024, 1024}, /* four blocks of 8 warps: the suite's square and warps an SM, fewer SMs */
    [WL_FULL] = {4096, 4096},
    [WL_EVAL] = {4096, 4096},
};
enum { BLOCK = 256 };

static void reference(struct sizes s, const float *a, const float *b, const float *x, float alpha, float beta, float *y)
{
    for (size_t i = 0; i < s.n; i++) {
        float a_sum = 0.0f, b_sum = 0.0f;
        for (size_t j = 0; j < s.m; j++) {
            a_sum = fmaf(a[i * s.m + j], x[j], a_sum);
            b_sum = fmaf(b[i * s.m + j], x[j], b_sum);
        }
        y[i] = fmaf(alpha, a_sum, beta * b_sum);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "gsmv", .doc = "scalar, vector and matrix multiplication, gesummv (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.n * s.m;
    float alpha = 1.5f, beta = 0.75f;
    float *a = WL_NEW(&w, float, n_a), *b = WL_NEW(&w, float, n_a), *x = WL_NEW(&w, float, s.m);
    float *y = WL_NEW(&w, float, s.n), *out = WL_NEW(&w, float, s.n);
    struct wl_rng rng = {4};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, b, n_a);
    wl_rng_fill(&rng, x, s.m);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_b = wl_upload(&w, b, n_a * sizeof *b);
    CUdeviceptr d_tmp = wl_alloc(&w, s.n * sizeof *y);
    CUdeviceptr d_x = wl_upload(&w, x, s.m * sizeof *x), d_y = wl_alloc(&w, s.n * sizeof *y);
    void *args[] = {&d_a, &d_b, &d_tmp, &d_x, &d_y, &alpha, &beta, &s.n, &s.m};
    wl_launch(&w, wl_function(&w, "gsmv"), wl_blocks(s.n, BLOCK), 1, BLOCK, 1, args);

    reference(s, a, b, x, alpha, beta, y);
    wl_output(&w, out, d_y, s.n * sizeof *out);
    wl_compare_f32(&w, "y", out, y, s.n);
    return wl_end(&w);
}
