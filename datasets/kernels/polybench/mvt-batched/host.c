/* mvt: x1 += A y1, x2 += A^T y2 on a batch of square systems. */
#include "workload.h"

#include <math.h>
#include <string.h>

/* A batch of `systems` n x n systems in blocks of bx rows x by systems. */
struct sizes {
    uint32_t n, systems, bx, by;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {28, 16, 28, 8},
    [WL_SMALL] = {24, 2208, 24, 8}, /* 276 blocks for the 256 places of 32 SMs */
    [WL_FULL] = {4096, 12, 256, 1},
    [WL_EVAL] = {256, 192, 256, 1}, /* 49,152 rows, all threads of 32 SMs */
};

static void reference(struct sizes s, const float *a, const float *y1, const float *y2, float *x1, float *x2)
{
    for (size_t k = 0; k < s.systems; k++, a += (size_t)s.n * s.n, y1 += s.n, y2 += s.n, x1 += s.n, x2 += s.n)
        for (size_t i = 0; i < s.n; i++)
            for (size_t j = 0; j < s.n; j++) {
                x1[i] = fmaf(a[i * s.n + j], y1[j], x1[i]);
                x2[j] = fmaf(a[i * s.n + j], y2[i], x2[j]);
            }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "mvt-batched", .doc = "matrix vector product and transposed product (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_a = (size_t)s.systems * s.n * s.n, n_x = (size_t)s.systems * s.n;
    float *a = WL_NEW(&w, float, n_a), *y1 = WL_NEW(&w, float, n_x), *y2 = WL_NEW(&w, float, n_x);
    float *x1 = WL_NEW(&w, float, n_x), *x2 = WL_NEW(&w, float, n_x), *out = WL_NEW(&w, float, n_x);
    struct wl_rng rng = {1};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, y1, n_x);
    wl_rng_fill(&rng, y2, n_x);
    wl_rng_fill(&rng, x1, n_x);
    wl_rng_fill(&rng, x2, n_x);

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a);
    CUdeviceptr d_y1 = wl_upload(&w, y1, n_x * sizeof *y1), d_y2 = wl_upload(&w, y2, n_x * sizeof *y2);
    CUdeviceptr d_x1 = wl_upload(&w, x1, n_x * sizeof *x1), d_x2 = wl_upload(&w, x2, n_x * sizeof *x2);
    unsigned gx = wl_blocks(s.n, s.bx), gy = wl_blocks(s.systems, s.by);
    void *rows[] = {&d_a, &d_y1, &d_x1, &s.n, &s.systems};
    wl_launch(&w, wl_function(&w, "mvt_rows"), gx, gy, s.bx, s.by, rows);
    void *columns[] = {&d_a, &d_y2, &d_x2, &s.n, &s.systems};
    wl_launch(&w, wl_function(&w, "mvt_columns"), gx, gy, s.bx, s.by, columns);

    reference(s, a, y1, y2, x1, x2);
    wl_output(&w, out, d_x1, n_x * sizeof *out);
    wl_compare_f32(&w, "x1", out, x1, n_x);
    wl_output(&w, out, d_x2, n_x * sizeof *out);
    wl_compare_f32(&w, "x2", out, x2, n_x);
    return wl_end(&w);
}
