/* histo: a large saturating histogram. */
#include "workload.h"

struct sizes {
    uint32_t inputs, rows, slices;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {8192, 16, 2},
    [WL_SMALL] = {131072, 96, 21}, /* 42 blocks in two ranges of rows */
    [WL_FULL] = {1035840, 4096, 42},
};
#define ROW_BINS 1024u
#define RANGE_ROWS 6u
#define N_RANGES 2u
#define LIMIT 255u

/* Most rows near the middle: the mean of four draws. One bin in 64 inputs is always the same, so that it saturates. */
static void make_input(struct sizes s, uint32_t *input, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < s.inputs; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < 4; k++) sum += wl_rng_below(rng, s.rows);
        uint32_t row = (s.rows / 2 * 7 + sum / 4) / 8;
        if (wl_rng_below(rng, 16) == 0) row = wl_rng_below(rng, s.rows);
        input[i] = i % 16 == 5 ? (s.rows / 2) * ROW_BINS + 77 : row * ROW_BINS + wl_rng_below(rng, ROW_BINS);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "histo", .doc = "a large saturating histogram (Parboil)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.inputs, n_bins = s.rows * ROW_BINS, n_words = n_bins / 4, n_ranges = N_RANGES,
             range[2] = {UINT32_MAX, 0};
    uint32_t *input = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n_words),
             *out = WL_NEW(&w, uint32_t, n_words);
    struct wl_rng rng = {44};
    make_input(s, input, &rng);

    CUdeviceptr d_input = wl_upload(&w, input, n * sizeof *input), d_range = wl_upload(&w, range, sizeof range);
    CUdeviceptr d_pairs = wl_alloc(&w, n * sizeof(uint32_t)), d_outside = wl_alloc(&w, n_bins * sizeof(uint32_t));
    CUdeviceptr d_partial = wl_alloc(&w, (size_t)N_RANGES * s.slices * RANGE_ROWS * ROW_BINS * sizeof(uint32_t));
    CUdeviceptr d_out = wl_alloc(&w, n_words * sizeof *out);
    void *prescan[] = {&d_input, &n, &d_range}, *pairs[] = {&d_input, &n, &d_pairs};
    void *count[] = {&d_pairs, &n, &d_range, &d_partial, &d_outside};
    void *final[] = {&d_range, &d_partial, &s.slices, &n_ranges, &d_outside, &d_out, &n_words};
    wl_launch(&w, wl_function(&w, "histo_prescan"), w.size == WL_TEST ? 4 : 64, 1, 256, 1, prescan);
    wl_launch(&w, wl_function(&w, "histo_intermediates"), wl_blocks(n, 256), 1, 256, 1, pairs);
    wl_launch(&w, wl_function(&w, "histo_main"), s.slices, N_RANGES, 256, 1, count);
    wl_launch(&w, wl_function(&w, "histo_final"), wl_blocks(n_words, 256), 1, 256, 1, final);

    uint32_t *bins = WL_NEW(&w, uint32_t, n_bins);
    for (uint32_t i = 0; i < n; i++) bins[input[i]]++;
    for (uint32_t i = 0; i < n_bins; i++) want[i / 4] |= (bins[i] < LIMIT ? bins[i] : LIMIT) << 8 * (i % 4);
    wl_output(&w, out, d_out, n_words * sizeof *out);
    wl_compare_u32(&w, "four bins", out, want, n_words);
    return wl_end(&w);
}
