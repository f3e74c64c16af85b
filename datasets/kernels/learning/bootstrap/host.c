/* bootstrap: means of samples drawn with replacement. */
#include "workload.h"

struct sizes {
    uint32_t size, draws, replicates;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {500, 20, 300},
    [WL_SMALL] = {20000, 32, 12288},
    [WL_EVAL] = {20000, 64, 49152}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {100000, 1000, 100000},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "bootstrap", .doc = "means of samples drawn with replacement", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.replicates;
    uint32_t *sample = WL_NEW(&w, uint32_t, s.size), *seeds = WL_NEW(&w, uint32_t, n);
    uint32_t *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {111};
    for (uint32_t i = 0; i < s.size; i++) sample[i] = wl_rng_below(&rng, 1000000);
    for (uint32_t i = 0; i < n; i++) seeds[i] = (uint32_t)wl_rng_next(&rng);

    CUdeviceptr d_sample = wl_upload(&w, sample, s.size * sizeof *sample),
                d_seeds = wl_upload(&w, seeds, n * sizeof *seeds), d_sums = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_sample, &d_seeds, &d_sums, &s.size, &s.draws, &n};
    wl_launch(&w, wl_function(&w, "replicate_sums"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t state = seeds[i];
        for (uint32_t k = 0; k < s.draws; k++) {
            state = state * 1664525u + 1013904223u;
            want[i] += sample[(uint64_t)state * s.size >> 32];
        }
    }
    wl_output(&w, got, d_sums, n * sizeof *got);
    wl_compare_u32(&w, "sums", got, want, n);
    return wl_end(&w);
}
