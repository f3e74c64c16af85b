/* bicg: s = A^T r, q = A p, the sums in memory. */
#include "workload.h"

#include <math.h>

/* A has n rows of m. */
struct sizes {
    uint32_t n, m;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {256, 256},
    [WL_SMALL] = {1024, 1024}, /* four blocks of 8 warps: the suite's square and warps an SM, fewer SMs */
    [WL_FULL] = {4096, 4096},
    [WL_EVAL] = {4096, 4096},
};
enum { BLOCK = 256 };

static void reference(struct sizes z, const float *a, const float *r, const float *p, float *s, float *q)
{
    for (size_t i = 0; i < z.n; i++)
        for (size_t j = 0; j < z.m; j++) {
            s[j] = fmaf(r[i], a[i * z.m + j], s[j]);
            q[i] = fmaf(a[i * z.m + j], p[j], q[i]);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "bicg", .doc = "the two matrix vector products of BiCGStab (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes z = sizes[w.size];
    size_t n_a = (size_t)z.n * z.m;
    float *a = WL_NEW(&w, float, n_a), *r = WL_NEW(&w, float, z.n), *p = WL_NEW(&w, float, z.m);
    float *s = WL_NEW(&w, float, z.m), *q = WL_NEW(&w, float, z.n), *out = WL_NEW(&w, float, z.n > z.m ? z.n : z.m);
    struct wl_rng rng = {3};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, r, z.n);
    wl_rng_fill(&rng, p, z.m);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a);
    CUdeviceptr d_r = wl_upload(&w, r, z.n * sizeof *r), d_p = wl_upload(&w, p, z.m * sizeof *p);
    CUdeviceptr d_s = wl_alloc(&w, z.m * sizeof *s), d_q = wl_alloc(&w, z.n * sizeof *q);
    void *columns[] = {&d_a, &d_r, &d_s, &z.n, &z.m};
    wl_launch(&w, wl_function(&w, "bicg_columns"), wl_blocks(z.m, BLOCK), 1, BLOCK, 1, columns);
    void *rows[] = {&d_a, &d_p, &d_q, &z.n, &z.m};
    wl_launch(&w, wl_function(&w, "bicg_rows"), wl_blocks(z.n, BLOCK), 1, BLOCK, 1, rows);

    reference(z, a, r, p, s, q);
    wl_output(&w, out, d_s, z.m * sizeof *out);
    wl_compare_f32(&w, "s", out, s, z.m);
    wl_output(&w, out, d_q, z.n * sizeof *out);
    wl_compare_f32(&w, "q", out, q, z.n);
    return wl_end(&w);
}
