/* histcopies: a histogram in private copies. */
#include "workload.h"

struct sizes {
    uint32_t n, blocks, bins;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {6144, 8, 64},
    [WL_SMALL] = {245760, 192, 256}, /* every SM full, five inputs a thread */
    [WL_FULL] = {16777216, 192, 256},
};

/* Launches 2k and 2k + 1: counting with a copy for so many blocks, and adding the copies up. 0: one copy for all. */
static const uint32_t groups[] = {1, 8, 0};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "histcopies",
                                        .doc = "histograms in private copies, added up by atomics"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t *in = WL_NEW(&w, uint32_t, s.n), *want = WL_NEW(&w, uint32_t, s.bins), *out = WL_NEW(&w, uint32_t, s.bins);
    struct wl_rng rng = {66};
    for (uint32_t i = 0; i < s.n; i++) { /* small values are more frequent */
        in[i] = (uint32_t)(65536.0f * wl_rng_unit(&rng) * wl_rng_unit(&rng)) >> 4;
        want[in[i] % s.bins]++;
    }
    CUdeviceptr d_in = wl_upload(&w, in, s.n * sizeof *in);
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        uint32_t group = groups[k] ? groups[k] : s.blocks, copies = wl_blocks(s.blocks, group);
        CUdeviceptr d_copies = wl_alloc(&w, (size_t)copies * s.bins * sizeof *out),
                    d_totals = wl_alloc(&w, s.bins * sizeof *out);
        void *count[] = {&d_in, &s.n, &d_copies, &s.bins, &group}, *merge[] = {&d_copies, &d_totals, &s.bins};
        wl_launch(&w, wl_function(&w, "histcopies_count"), s.blocks, 1, 256, 1, count);
        wl_launch(&w, wl_function(&w, "histcopies_merge"), copies, 1, 256, 1, merge);
        wl_output(&w, out, d_totals, s.bins * sizeof *out);
        wl_compare_u32(&w, "bin", out, want, s.bins);
    }
    return wl_end(&w);
}
