/* softmax: the softmax of each row of a matrix, a row for each warp. */
#include "exact_math.h"
#include "workload.h"

struct sizes {
    uint32_t rows, width;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {20, 64},
    [WL_SMALL] = {1536, 128},
    [WL_EVAL] = {6144, 512},
    [WL_FULL] = {65536, 2048},
};

/* In the order of the lanes, then of the halves that are added. */
static void softmax(const float *from, float *to, uint32_t width)
{
    float most = -1.0e30f, sums[32] = {0};
    for (uint32_t i = 0; i < width; i++) most = from[i] > most ? from[i] : most;
    for (uint32_t i = 0; i < width; i++) sums[i % 32] += exact_exp(from[i] - most);
    for (uint32_t half = 16; half > 0; half /= 2)
        for (uint32_t lane = 0; lane < half; lane++) sums[lane] += sums[lane + half];
    const float scale = 1.0f / sums[0];
    for (uint32_t i = 0; i < width; i++) to[i] = exact_exp(from[i] - most) * scale;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "softmax", .doc = "the softmax of each row of a matrix", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const size_t n = (size_t)s.rows * s.width;
    float *in = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {210};
    wl_rng_fill(&rng, in, n);
    for (size_t i = 0; i < n; i++) in[i] = 8.0f * in[i];

    CUdeviceptr d_in = wl_upload(&w, in, n * sizeof *in), d_out = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_in, &d_out, &s.width, &s.rows};
    wl_launch(&w, wl_function(&w, "softmax_rows"), wl_blocks((size_t)s.rows * 32, 256), 1, 256, 1, args);

    for (uint32_t r = 0; r < s.rows; r++) softmax(in + (size_t)r * s.width, want + (size_t)r * s.width, s.width);
    wl_output(&w, got, d_out, n * sizeof *got);
    wl_compare_f32(&w, "quotients", got, want, n);
    return wl_end(&w);
}
