/* dedisperse: sums of a radio telescope's channels, shifted. */
#include "workload.h"

#include <math.h>

/* Sums for so many dispersion measures, over so many samples. */
struct sizes {
    uint32_t channels, samples, measures;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {16, 300, 3},
    [WL_SMALL] = {64, 8192, 8},
    [WL_EVAL] = {128, 49152, 4}, /* 768 blocks of 256, four times the places of 32 SMs */
    [WL_FULL] = {1024, 262144, 512},
};
#define STEP 40.0f /* samples that one measure more delays the lowest channel */

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "dedisperse", .doc = "a radio telescope's channels, shifted and added", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    /* a row has the samples that the longest delay asks for besides, in whole lines */
    uint32_t pitch = (s.samples + (uint32_t)(STEP * (float)s.measures) + 64) / 32 * 32;
    size_t n = (size_t)s.samples * s.measures, n_in = (size_t)pitch * s.channels;
    float *channels = WL_NEW(&w, float, n_in), *delays = WL_NEW(&w, float, s.channels), *got = WL_NEW(&w, float, n),
          *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {91};
    wl_rng_fill(&rng, channels, n_in);
    /* delay ~ 1 / frequency^2, from 1.5 down to 1.2 of a unit; none in the highest channel */
    for (uint32_t c = 0; c < s.channels; c++) {
        float frequency = 1.5f - 0.3f * (float)c / (float)s.channels, low = 1.0f / (1.2f * 1.2f),
              high = 1.0f / (1.5f * 1.5f);
        delays[c] = STEP * (1.0f / (frequency * frequency) - high) / (low - high);
    }

    wl_symbol(&w, "dedisperse_delays", delays, s.channels * sizeof *delays);
    CUdeviceptr d_channels = wl_upload(&w, channels, n_in * sizeof *channels), d_sums = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_channels, &d_sums, &s.channels, &pitch, &s.samples};
    wl_launch(&w, wl_function(&w, "dedisperse"), wl_blocks(s.samples, 256), s.measures, 256, 1, args);

    for (uint32_t m = 0; m < s.measures; m++)
        for (uint32_t c = 0; c < s.channels; c++) {
            const float *from = channels + (size_t)c * pitch + (uint32_t)fmaf((float)m, delays[c], 0.5f);
            float *to = want + (size_t)m * s.samples;
            for (uint32_t t = 0; t < s.samples; t++) to[t] += from[t];
        }
    wl_output(&w, got, d_sums, n * sizeof *got);
    wl_compare_f32(&w, "sums", got, want, n);
    return wl_end(&w);
}
