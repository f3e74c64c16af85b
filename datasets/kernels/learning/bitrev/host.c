/* bitrev: complex numbers in bit-reversed order. */
#include "workload.h"

/* 2^log2 numbers. */
static const uint32_t sizes[WL_N_SIZES] = {
    [WL_TEST] = 11,
    [WL_SMALL] = 16,
    [WL_EVAL] = 20, /* 4096 blocks of 256 */
    [WL_FULL] = 24,
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "bitrev", .doc = "complex numbers in bit-reversed order", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n_log2 = sizes[w.size];
    size_t n = (size_t)1 << n_log2;
    float(*in)[2] = wl_host(&w, n, sizeof *in), (*got)[2] = wl_host(&w, n, sizeof *in),
    (*want)[2] = wl_host(&w, n, sizeof *in);
    struct wl_rng rng = {92};
    wl_rng_fill(&rng, in[0], 2 * n);

    CUdeviceptr d_in = wl_upload(&w, in, n * sizeof *in), d_out = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_in, &d_out, &n_log2};
    wl_launch(&w, wl_function(&w, "bitrev"), wl_blocks(n, 256), 1, 256, 1, args);

    /* A counter whose carry goes downwards. */
    for (size_t i = 0, reverse = 0; i < n; i++) {
        want[i][0] = in[reverse][0];
        want[i][1] = in[reverse][1];
        size_t bit = n / 2;
        for (; bit != 0 && (reverse & bit); bit /= 2) reverse ^= bit;
        reverse |= bit;
    }
    wl_output(&w, got, d_out, n * sizeof *got);
    wl_compare_f32(&w, "out", got[0], want[0], 2 * n);
    return wl_end(&w);
}
