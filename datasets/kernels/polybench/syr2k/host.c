/* syr2k: C = alpha (A B^T + B A^T) + beta C, the sum in memory. */
#include "workload.h"

#include <math.h>

/* A and B have n rows of m. */
struct sizes {
    uint32_t n, m;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 10},
    [WL_SMALL] = {256, 32}, /* 256 blocks for the 192 places of 32 SMs */
    [WL_FULL] = {1024, 1024},
    [WL_EVAL] = {256, 1024},
};
enum { BLOCK_X = 32, BLOCK_Y = 8 };

static void reference(struct sizes s, const float *a, const float *b, float alpha, float beta, float *c)
{
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++) {
            float sum = beta * c[i * s.n + j];
            for (size_t k = 0; k < s.m; k++) {
                const float ab = alpha * a[i * s.m + k] * b[j * s.m + k];
                sum += fmaf(alpha * b[i * s.m + k], a[j * s.m + k], ab);
            }
            c[i * s.n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "syr2k", .doc = "symmetric rank-2k update (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.n * s.m, n_c = (size_t)s.n * s.n;
    float alpha = 1.25f, beta = 0.5f;
    float *a = WL_NEW(&w, float, n_a), *b = WL_NEW(&w, float, n_a);
    float *c = WL_NEW(&w, float, n_c), *out = WL_NEW(&w, float, n_c);
    struct wl_rng rng = {6};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, b, n_a);
    wl_rng_fill(&rng, c, n_c);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_b = wl_upload(&w, b, n_a * sizeof *b);
    CUdeviceptr d_c = wl_upload(&w, c, n_c * sizeof *c);
    void *args[] = {&d_a, &d_b, &d_c, &alpha, &beta, &s.n, &s.m};
    wl_launch(&w, wl_function(&w, "syr2k"), wl_blocks(s.n, BLOCK_X), wl_blocks(s.n, BLOCK_Y), BLOCK_X, BLOCK_Y, args);

    reference(s, a, b, alpha, beta, c);
    wl_output(&w, out, d_c, n_c * sizeof *out);
    wl_compare_f32(&w, "c", out, c, n_c);
    return wl_end(&w);
}
