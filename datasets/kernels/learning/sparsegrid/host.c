/* sparsegrid: a function in hierarchical basis at drawn places. */
#include "workload.h"

#include <math.h>

enum { PLACE_BITS = 24 };
struct sizes {
    uint32_t levels, threads, each;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {6, 200, 2},
    [WL_SMALL] = {14, 12288, 2},
    [WL_EVAL] = {18, 49152, 6}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {22, 1u << 20, 8},
};

static float evaluate(const float *coefficients, uint32_t place, uint32_t levels)
{
    float sum = 0.0f, slope = 1.0f / (1 << (PLACE_BITS - 1)); /* of a hat */
    for (uint32_t level = 0; level < levels; level++, slope += slope) {
        const uint32_t left = PLACE_BITS - level, within = place & ((1u << left) - 1), half = 1u << (left - 1);
        const uint32_t up = within < half ? within : (1u << left) - within;
        sum = fmaf((float)up * slope, coefficients[(1u << level) - 1 + (place >> left)], sum);
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "sparsegrid", .doc = "a function in hierarchical basis at drawn places", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.threads;
    const size_t n_cells = ((size_t)1 << s.levels) - 1, n_places = (size_t)n * s.each;
    float *coefficients = WL_NEW(&w, float, n_cells), *got = WL_NEW(&w, float, n_places),
          *want = WL_NEW(&w, float, n_places);
    uint32_t *places = WL_NEW(&w, uint32_t, n_places);
    struct wl_rng rng = {118};
    for (uint32_t level = 0; level < s.levels;
         level++) /* surpluses fall with the level, as those of smooth functions */
        for (uint32_t i = 0; i < 1u << level; i++)
            coefficients[(1u << level) - 1 + i] = (wl_rng_unit(&rng) - 0.5f) / (float)(1u << level);
    for (size_t i = 0; i < n_places; i++) places[i] = wl_rng_below(&rng, 1u << PLACE_BITS);

    CUdeviceptr d_coefficients = wl_upload(&w, coefficients, n_cells * sizeof *coefficients),
                d_places = wl_upload(&w, places, n_places * sizeof *places);
    CUdeviceptr d_values = wl_alloc(&w, n_places * sizeof *got);
    void *args[] = {&d_coefficients, &d_places, &d_values, &s.levels, &s.each, &n};
    wl_launch(&w, wl_function(&w, "evaluate"), wl_blocks(n, 256), 1, 256, 1, args);

    for (size_t i = 0; i < n_places; i++) want[i] = evaluate(coefficients, places[i], s.levels);
    wl_output(&w, got, d_values, n_places * sizeof *got);
    wl_compare_f32(&w, "values", got, want, n_places);
    return wl_end(&w);
}
