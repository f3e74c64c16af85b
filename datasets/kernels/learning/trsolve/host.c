/* trsolve: one lower triangular system with many right-hand sides. */
#include <math.h>
#include "workload.h"

struct sizes {
    uint32_t size, n; /* unknowns, right-hand sides */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {8, 200},
    [WL_SMALL] = {16, 12288},
    [WL_EVAL] = {26, 49152}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {128, 1u << 18},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "trsolve", .doc = "a triangular system with many right-hand sides", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const size_t entries = (size_t)s.size * (s.size + 1) / 2, unknowns = (size_t)s.size * s.n;
    float *triangle = WL_NEW(&w, float, entries), *x = WL_NEW(&w, float, unknowns), *got = WL_NEW(&w, float, unknowns);
    struct wl_rng rng = {208};
    wl_rng_fill(&rng, triangle, entries);
    wl_rng_fill(&rng, x, unknowns);
    for (uint32_t i = 0; i < s.size; i++) triangle[(size_t)i * (i + 3) / 2] += (float)s.size; /* the main diagonal */

    CUdeviceptr d_triangle = wl_upload(&w, triangle, entries * sizeof *triangle),
                d_x = wl_upload(&w, x, unknowns * sizeof *x);
    void *args[] = {&d_triangle, &d_x, &s.size, &s.n};
    wl_launch(&w, wl_function(&w, "solve"), wl_blocks(s.n, 256), 1, 256, 1, args);

    for (uint32_t k = 0; k < s.n; k++) {
        const float *l = triangle;
        for (uint32_t i = 0; i < s.size; i++) {
            float sum = x[(size_t)i * s.n + k];
            for (uint32_t j = 0; j < i; j++, l++) sum = fmaf(-*l, x[(size_t)j * s.n + k], sum);
            x[(size_t)i * s.n + k] = sum / *l++;
        }
    }
    wl_output(&w, got, d_x, unknowns * sizeof *got);
    wl_compare_f32(&w, "x", got, x, unknowns);
    return wl_end(&w);
}
