/* epochfold: a time series folded at trial periods. */
#include "workload.h"

enum { FRACTION_BITS = 12 };
struct sizes {
    uint32_t samples, trials, bins;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2048, 8, 32},
    [WL_SMALL] = {16384, 192, 64},
    [WL_EVAL] = {131072, 768, 64}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {1u << 19, 8192, 64},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "epochfold", .doc = "a time series folded at trial periods", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.trials * s.bins;
    float *series = WL_NEW(&w, float, s.samples), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    uint32_t *periods = WL_NEW(&w, uint32_t, s.trials);
    struct wl_rng rng = {110};
    wl_rng_fill(&rng, series, s.samples);
    for (uint32_t i = 0; i < s.samples; i++) /* a pulse of 16 samples every 301 */
        if (i % 301 < 16) series[i] += 0.5f;
    /* Trials from 256 samples up, each longer than the one before by a 512th of it. */
    uint64_t period = (uint64_t)256 << FRACTION_BITS;
    for (uint32_t t = 0; t < s.trials; t++) {
        periods[t] = (uint32_t)period;
        period += period / 512;
        if (period >= (uint64_t)1024 << FRACTION_BITS) period = (uint64_t)256 << FRACTION_BITS;
    }

    CUdeviceptr d_series = wl_upload(&w, series, s.samples * sizeof *series),
                d_periods = wl_upload(&w, periods, s.trials * sizeof *periods);
    CUdeviceptr d_profiles = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_series, &d_periods, &d_profiles, &s.samples, &s.bins, &n};
    wl_launch(&w, wl_function(&w, "fold"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t step = periods[i / s.bins];
        for (uint32_t at = step / s.bins * (i % s.bins); at < s.samples << FRACTION_BITS; at += step)
            want[i] += series[at >> FRACTION_BITS];
    }
    wl_output(&w, got, d_profiles, n * sizeof *got);
    wl_compare_f32(&w, "profiles", got, want, n);
    return wl_end(&w);
}
