/* pcr: parallel cyclic reduction of many tridiagonal systems. */
#include <math.h>
#include <string.h>
#include "workload.h"

struct sizes {
    uint32_t systems, size; /* a power of two */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2, 64},
    [WL_SMALL] = {192, 64},
    [WL_EVAL] = {2048, 256},
    [WL_FULL] = {16384, 512},
};

/* One row of the next copy. rows: four arrays of n. */
static void reduce_row(const float *rows, float *out, uint32_t n, uint32_t at, uint32_t i, uint32_t offset,
                       uint32_t size)
{
    const float *in = rows + at;
    float main = in[n], right = in[3 * (size_t)n], below = 0, above = 0;
    if (i >= offset) {
        const float *a = in - offset, k = in[0] / a[n];
        below = -(a[0] * k);
        main = fmaf(-a[2 * (size_t)n], k, main);
        right = fmaf(-a[3 * (size_t)n], k, right);
    }
    if (i + offset < size) {
        const float *b = in + offset, k = in[2 * (size_t)n] / b[n];
        above = -(b[2 * (size_t)n] * k);
        main = fmaf(-b[0], k, main);
        right = fmaf(-b[3 * (size_t)n], k, right);
    }
    out[at] = below;
    out[at + n] = main;
    out[at + 2 * (size_t)n] = above;
    out[at + 3 * (size_t)n] = right;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "pcr", .doc = "parallel cyclic reduction of many tridiagonal systems", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.systems * s.size;
    float *rows = WL_NEW(&w, float, (size_t)8 * n), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {204};
    wl_rng_fill(&rng, rows, (size_t)4 * n);
    for (uint32_t i = 0; i < n; i++) rows[n + i] += 2.5f; /* the main diagonal dominates */

    CUdeviceptr d_rows = wl_upload(&w, rows, (size_t)8 * n * sizeof *rows), d_x = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_rows, &d_x, &s.size, &n};
    wl_launch(&w, wl_function(&w, "reduce_rows"), s.systems, 1, s.size, 1, args);

    for (uint32_t offset = 1; offset < s.size; offset *= 2) {
        for (uint32_t at = 0; at < n; at++) reduce_row(rows, rows + (size_t)4 * n, n, at, at % s.size, offset, s.size);
        memcpy(rows, rows + (size_t)4 * n, (size_t)4 * n * sizeof *rows);
    }
    for (uint32_t i = 0; i < n; i++) want[i] = rows[(size_t)3 * n + i] / rows[n + i];
    wl_output(&w, got, d_x, n * sizeof *got);
    wl_compare_f32(&w, "x", got, want, n);
    return wl_end(&w);
}
