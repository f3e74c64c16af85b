/* medstack: medians of a stack of exposures. */
#include "workload.h"

#include <stdlib.h>

struct sizes {
    uint32_t width, height;
    int exposures;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {20, 18, 9},
    [WL_SMALL] = {128, 96, 15},
    [WL_EVAL] = {256, 192, 33}, /* 192 blocks of 16 x 16: the places of 32 SMs */
    [WL_FULL] = {2048, 2048, 33},
};
#define STRUCK 64 /* one pixel of so many is struck by a cosmic ray */

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "medstack", .doc = "medians of stacked exposures", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.width * s.height, depth = (size_t)s.exposures;
    float *stack = WL_NEW(&w, float, n *depth), *column = WL_NEW(&w, float, depth);
    float *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {94};
    for (size_t e = 0; e < depth; e++)
        for (size_t i = 0; i < n; i++) {
            float noise = wl_rng_unit(&rng) + wl_rng_unit(&rng) + wl_rng_unit(&rng);
            stack[e * n + i] = 100.0f + (float)(i % s.width) + 8.0f * noise;
            if (wl_rng_below(&rng, STRUCK) == 0) stack[e * n + i] += 1000.0f * wl_rng_unit(&rng);
        }

    CUdeviceptr d_stack = wl_upload(&w, stack, n * depth * sizeof *stack), d_medians = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_stack, &d_medians, &s.width, &s.height, &s.exposures};
    wl_launch(&w, wl_function(&w, "median_stack"), wl_blocks(s.width, 16), wl_blocks(s.height, 16), 16, 16, args);

    for (size_t i = 0; i < n; i++) {
        for (size_t e = 0; e < depth; e++) column[e] = stack[e * n + i];
        qsort(column, depth, sizeof *column, compare_floats);
        want[i] = column[depth / 2];
    }
    wl_output(&w, got, d_medians, n * sizeof *got);
    wl_compare_f32(&w, "medians", got, want, n);
    return wl_end(&w);
}
