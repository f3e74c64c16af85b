/* histogram: counts in global memory by atomics. */
#include "workload.h"

struct sizes {
    uint32_t n, blocks;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {6144, 8},
    [WL_SMALL] = {245760, 192}, /* every SM full, five inputs a thread */
    [WL_FULL] = {16777216, 192},
};
static const uint32_t bins[] = {64, 4096, 65536}; /* many, some and few threads meet at a counter */
enum { N_LAUNCHES = 3 };

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "histogram", .doc = "histograms in global memory by atomics"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t *in = WL_NEW(&w, uint32_t, s.n);
    struct wl_rng rng = {63};
    for (uint32_t i = 0; i < s.n; i++) /* small values are more frequent */
        in[i] = (uint32_t)(65536.0f * wl_rng_unit(&rng) * wl_rng_unit(&rng));
    CUdeviceptr d_in = wl_upload(&w, in, s.n * sizeof *in);
    for (int k = 0; k < N_LAUNCHES; k++) {
        uint32_t mask = bins[k] - 1, *want = WL_NEW(&w, uint32_t, bins[k]), *out = WL_NEW(&w, uint32_t, bins[k]);
        for (uint32_t i = 0; i < s.n; i++) want[in[i] & mask]++;
        CUdeviceptr d_bins = wl_alloc(&w, bins[k] * sizeof *out);
        void *args[] = {&d_in, &s.n, &d_bins, &mask};
        wl_launch(&w, wl_function(&w, "histogram_count"), s.blocks, 1, 256, 1, args);
        wl_output(&w, out, d_bins, bins[k] * sizeof *out);
        wl_compare_u32(&w, "bin", out, want, bins[k]);
    }
    return wl_end(&w);
}
