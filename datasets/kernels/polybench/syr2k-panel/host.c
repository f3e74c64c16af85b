/* syr2k: C = alpha (A B^T + B A^T) + beta C. */
#include "workload.h"

#include <math.h>

/* A row has lda elements, of which the update uses m. */
struct sizes {
    uint32_t n, m, lda, bx, by;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 10, 64, 64, 1},
    [WL_SMALL] = {256, 10, 512, 256, 1}, /* 256 blocks for the 192 places of 32 SMs */
    [WL_FULL] = {2048, 2040, 2048, 32, 8},
    [WL_EVAL] = {256, 60, 2048, 32, 8},
};

static void reference(struct sizes s, const float *a, const float *b, float alpha, float beta, float *c)
{
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++) {
            float sum = 0.0f;
            for (size_t k = 0; k < s.m; k++) {
                sum = fmaf(a[i * s.lda + k], b[j * s.lda + k], sum);
                sum = fmaf(b[i * s.lda + k], a[j * s.lda + k], sum);
            }
            c[i * s.n + j] = fmaf(alpha, sum, beta * c[i * s.n + j]);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "syr2k-panel", .doc = "symmetric rank-2k update (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.n * s.lda, n_c = (size_t)s.n * s.n;
    float alpha = 1.25f, beta = 0.5f;
    float *a = WL_NEW(&w, float, n_a), *b = WL_NEW(&w, float, n_a);
    float *c = WL_NEW(&w, float, n_c), *out = WL_NEW(&w, float, n_c);
    struct wl_rng rng = {6};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, b, n_a);
    wl_rng_fill(&rng, c, n_c);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_b = wl_upload(&w, b, n_a * sizeof *b);
    CUdeviceptr d_c = wl_upload(&w, c, n_c * sizeof *c);
    void *args[] = {&d_a, &d_b, &d_c, &alpha, &beta, &s.n, &s.m, &s.lda};
    wl_launch(&w, wl_function(&w, "syr2k"), wl_blocks(s.n, s.bx), wl_blocks(s.n, s.by), s.bx, s.by, args);

    reference(s, a, b, alpha, beta, c);
    wl_output(&w, out, d_c, n_c * sizeof *out);
    wl_compare_f32(&w, "c", out, c, n_c);
    return wl_end(&w);
}
