/* syrk: C = alpha A A^T + beta C, the sum in memory. */
#include "workload.h"

#include <math.h>

/* A has n rows of m. */
struct sizes {
    uint32_t n, m;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 16},
    [WL_SMALL] = {256, 64}, /* 256 blocks for the 192 places of 32 SMs */
    [WL_FULL] = {1024, 1024},
    [WL_EVAL] = {256, 1024},
};
enum { BLOCK_X = 32, BLOCK_Y = 8 };

static void reference(struct sizes s, const float *a, float alpha, float beta, float *c)
{
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++) {
            float sum = beta * c[i * s.n + j];
            for (size_t k = 0; k < s.m; k++) sum = fmaf(alpha * a[i * s.m + k], a[j * s.m + k], sum);
            c[i * s.n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "syrk", .doc = "symmetric rank-k update (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.n * s.m, n_c = (size_t)s.n * s.n;
    float alpha = 1.25f, beta = 0.5f;
    float *a = WL_NEW(&w, float, n_a), *c = WL_NEW(&w, float, n_c), *out = WL_NEW(&w, float, n_c);
    struct wl_rng rng = {5};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, c, n_c);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_c = wl_upload(&w, c, n_c * sizeof *c);
    void *args[] = {&d_a, &d_c, &alpha, &beta, &s.n, &s.m};
    wl_launch(&w, wl_function(&w, "syrk"), wl_blocks(s.n, BLOCK_X), wl_blocks(s.n, BLOCK_Y), BLOCK_X, BLOCK_Y, args);

    reference(s, a, alpha, beta, c);
    wl_output(&w, out, d_c, n_c * sizeof *out);
    wl_compare_f32(&w, "c", out, c, n_c);
    return wl_end(&w);
}
