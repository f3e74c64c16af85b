/* bicg: s = A^T r, q = A p on a batch of square systems. */
#include "workload.h"

#include <math.h>

/* A batch of `systems` n x n systems in blocks of bx rows x by systems. */
struct sizes {
    uint32_t n, systems, bx, by;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {32, 16, 32, 4},
    [WL_SMALL] = {32, 1072, 32, 4}, /* 268 blocks of 4 warps for the 256 places of 32 SMs */
    [WL_FULL] = {4096, 12, 256, 1},
    [WL_EVAL] = {256, 192, 256, 1}, /* 49,152 rows, all threads of 32 SMs */
};

static void reference(struct sizes z, const float *a, const float *r, const float *p, float *s, float *q)
{
    for (size_t k = 0; k < z.systems; k++, a += (size_t)z.n * z.n, r += z.n, p += z.n, s += z.n, q += z.n)
        for (size_t i = 0; i < z.n; i++)
            for (size_t j = 0; j < z.n; j++) {
                s[j] = fmaf(a[i * z.n + j], r[i], s[j]);
                q[i] = fmaf(a[i * z.n + j], p[j], q[i]);
            }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "bicg-batched", .doc = "the two matrix vector products of BiCGStab (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes z = sizes[w.size];
    size_t n_a = (size_t)z.systems * z.n * z.n, n_x = (size_t)z.systems * z.n;
    float *a = WL_NEW(&w, float, n_a), *r = WL_NEW(&w, float, n_x), *p = WL_NEW(&w, float, n_x);
    float *s = WL_NEW(&w, float, n_x), *q = WL_NEW(&w, float, n_x), *out = WL_NEW(&w, float, n_x);
    struct wl_rng rng = {3};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, r, n_x);
    wl_rng_fill(&rng, p, n_x);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a);
    CUdeviceptr d_r = wl_upload(&w, r, n_x * sizeof *r), d_p = wl_upload(&w, p, n_x * sizeof *p);
    CUdeviceptr d_s = wl_alloc(&w, n_x * sizeof *s), d_q = wl_alloc(&w, n_x * sizeof *q);
    unsigned gx = wl_blocks(z.n, z.bx), gy = wl_blocks(z.systems, z.by);
    void *columns[] = {&d_a, &d_r, &d_s, &z.n, &z.systems};
    wl_launch(&w, wl_function(&w, "bicg_columns"), gx, gy, z.bx, z.by, columns);
    void *rows[] = {&d_a, &d_p, &d_q, &z.n, &z.systems};
    wl_launch(&w, wl_function(&w, "bicg_rows"), gx, gy, z.bx, z.by, rows);

    reference(z, a, r, p, s, q);
    wl_output(&w, out, d_s, n_x * sizeof *out);
    wl_compare_f32(&w, "s", out, s, n_x);
    wl_output(&w, out, d_q, n_x * sizeof *out);
    wl_compare_f32(&w, "q", out, q, n_x);
    return wl_end(&w);
}
