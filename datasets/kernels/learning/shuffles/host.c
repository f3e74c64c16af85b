/* shuffles: a permutation test. */
#include "workload.h"

struct sizes {
    uint32_t permutations, samples;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {300, 20},
    [WL_SMALL] = {8192, 64},
    [WL_EVAL] = {24576, 128}, /* 96 blocks of 256: half the places of 32 SMs */
    [WL_FULL] = {1u << 20, 256},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "shuffles", .doc = "a permutation test", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.permutations;
    size_t n_labels = (size_t)n * s.samples;
    uint8_t *labels = WL_NEW(&w, uint8_t, n_labels), *first = WL_NEW(&w, uint8_t, s.samples),
            *own = WL_NEW(&w, uint8_t, s.samples);
    uint32_t *values = WL_NEW(&w, uint32_t, s.samples), *seeds = WL_NEW(&w, uint32_t, n);
    uint32_t *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {104};
    for (uint32_t i = 0; i < s.samples; i++) {
        values[i] = wl_rng_below(&rng, 1000000);
        first[i] = (uint8_t)wl_rng_below(&rng, 2);
        for (uint32_t p = 0; p < n; p++) labels[(size_t)i * n + p] = first[i];
    }
    for (uint32_t p = 0; p < n; p++) seeds[p] = (uint32_t)wl_rng_next(&rng);

    CUdeviceptr d_labels = wl_upload(&w, labels, n_labels),
                d_values = wl_upload(&w, values, s.samples * sizeof *values);
    CUdeviceptr d_seeds = wl_upload(&w, seeds, n * sizeof *seeds), d_sums = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_labels, &d_values, &d_seeds, &d_sums, &s.samples, &n};
    wl_launch(&w, wl_function(&w, "permutation_sums"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t i = 0; i < s.samples; i++) own[i] = first[i];
        uint32_t state = seeds[p];
        for (uint32_t left = s.samples; left != 0; left--) {
            state = state * 1664525u + 1013904223u;
            uint32_t drawn = (uint32_t)((uint64_t)state * left >> 32);
            if (own[drawn]) want[p] += values[left - 1];
            own[drawn] = own[left - 1];
        }
    }
    wl_output(&w, got, d_sums, n * sizeof *got);
    wl_compare_u32(&w, "sums", got, want, n);
    return wl_end(&w);
}
