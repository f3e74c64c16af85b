/* 2dconv: 3 x 3 convolution. */
#include "workload.h"

#include <math.h>

struct sizes {
    uint32_t rows, columns;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {96, 96}, [WL_SMALL] = {384, 384}, [WL_FULL] = {4096, 4096}, [WL_EVAL] = {2304, 4096}};

static void reference(const float *in, float *out, size_t rows, size_t n)
{
    static const float taps[3][3] = {{0.2f, 0.5f, -0.8f}, {-0.3f, 0.6f, -0.9f}, {0.4f, 0.7f, 0.1f}};
    for (size_t i = 1; i < rows - 1; i++)
        for (size_t j = 1; j < n - 1; j++) {
            float sum = 0.0f;
            for (size_t k = 0; k < 9; k++) sum = fmaf(taps[k / 3][k % 3], in[(i + k / 3 - 1) * n + j + k % 3 - 1], sum);
            out[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "2dconv", .doc = "3 x 3 convolution of an image (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_pixels = (size_t)s.rows * s.columns;
    float *in = WL_NEW(&w, float, n_pixels), *want = WL_NEW(&w, float, n_pixels), *got = WL_NEW(&w, float, n_pixels);
    struct wl_rng rng = {21};
    wl_rng_fill(&rng, in, n_pixels);

    CUdeviceptr d_in = wl_upload(&w, in, n_pixels * sizeof *in), d_out = wl_alloc(&w, n_pixels * sizeof *got);
    void *args[] = {&d_in, &d_out, &s.rows, &s.columns};
    wl_launch(&w, wl_function(&w, "conv_2d"), wl_blocks(s.columns, 32), wl_blocks(s.rows, 8), 32, 8, args);

    reference(in, want, s.rows, s.columns);
    wl_output(&w, got, d_out, n_pixels * sizeof *got);
    wl_compare_f32(&w, "pixel", got, want, n_pixels);
    return wl_end(&w);
}
