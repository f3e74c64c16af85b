/* bandmv: a banded matrix in LAPACK's storage times a vector. */
#include <math.h>
#include "workload.h"

struct sizes {
    uint32_t n, half; /* rows; diagonals on either side of the main one */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {200, 3},
    [WL_SMALL] = {12288, 8},
    [WL_EVAL] = {49152, 7}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {1u << 20, 31},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "bandmv", .doc = "a banded matrix in LAPACK's storage times a vector", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = sizes[w.size].n, half = sizes[w.size].half, pitch = 2 * half + 1;
    float *band = WL_NEW(&w, float, (size_t)n *pitch), *x = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n),
          *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {203};
    wl_rng_fill(&rng, band, (size_t)n * pitch);
    wl_rng_fill(&rng, x, n);

    CUdeviceptr d_band = wl_upload(&w, band, (size_t)n * pitch * sizeof *band), d_x = wl_upload(&w, x, n * sizeof *x),
                d_y = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_band, &d_x, &d_y, &half, &pitch, &n};
    wl_launch(&w, wl_function(&w, "band_mv"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i < half ? 0 : i - half; j < n && j <= i + half; j++)
            want[i] = fmaf(band[(size_t)j * pitch + half + i - j], x[j], want[i]);
    wl_output(&w, got, d_y, n * sizeof *got);
    wl_compare_f32(&w, "y", got, want, n);
    return wl_end(&w);
}
