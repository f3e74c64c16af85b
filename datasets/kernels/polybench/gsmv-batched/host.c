/* gsmv: y = alpha A x + beta B x on a batch of square systems. */
#include "workload.h"

#include <math.h>

/* A batch of `systems` n x n systems in blocks of bx rows x by systems. */
struct sizes {
    uint32_t n, systems, bx, by;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {16, 48, 16, 16},
    [WL_SMALL] = {20, 2048, 20, 8}, /* 256 blocks of 5 warps for the 256 places of 32 SMs */
    [WL_FULL] = {4096, 12, 256, 1},
    [WL_EVAL] = {256, 128, 256, 1}, /* 128 blocks of 8 warps, 32 warps an SM: W = 16 */
};

static void reference(struct sizes s, const float *a, const float *b, const float *x, float alpha, float beta, float *y)
{
    for (size_t k = 0; k < s.systems; k++, a += (size_t)s.n * s.n, b += (size_t)s.n * s.n, x += s.n, y += s.n)
        for (size_t i = 0; i < s.n; i++) {
            float a_sum = 0.0f, b_sum = 0.0f;
            for (size_t j = 0; j < s.n; j++) {
                a_sum = fmaf(a[i * s.n + j], x[j], a_sum);
                b_sum = fmaf(b[i * s.n + j], x[j], b_sum);
            }
            y[i] = fmaf(alpha, a_sum, beta * b_sum);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "gsmv-batched",
                                        .doc = "scalar, vector and matrix multiplication, gesummv (Polybench)",
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.systems * s.n * s.n, n_x = (size_t)s.systems * s.n;
    float alpha = 1.5f, beta = 0.75f;
    float *a = WL_NEW(&w, float, n_a), *b = WL_NEW(&w, float, n_a), *x = WL_NEW(&w, float, n_x);
    float *y = WL_NEW(&w, float, n_x), *out = WL_NEW(&w, float, n_x);
    struct wl_rng rng = {4};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, b, n_a);
    wl_rng_fill(&rng, x, n_x);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_b = wl_upload(&w, b, n_a * sizeof *b);
    CUdeviceptr d_x = wl_upload(&w, x, n_x * sizeof *x), d_y = wl_alloc(&w, n_x * sizeof *y);
    void *args[] = {&d_a, &d_b, &d_x, &d_y, &alpha, &beta, &s.n, &s.systems};
    wl_launch(&w, wl_function(&w, "gsmv"), wl_blocks(s.n, s.bx), wl_blocks(s.systems, s.by), s.bx, s.by, args);

    reference(s, a, b, x, alpha, beta, y);
    wl_output(&w, out, d_y, n_x * sizeof *out);
    wl_compare_f32(&w, "y", out, y, n_x);
    return wl_end(&w);
}
