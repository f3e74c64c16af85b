/* packmv: symmetric packed matrices times vectors. */
#include <math.h>
#include "workload.h"

struct sizes {
    uint32_t matrices, size;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {3, 64},
    [WL_SMALL] = {192, 64},
    [WL_EVAL] = {256, 64},
    [WL_FULL] = {8192, 256},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "packmv", .doc = "symmetric packed matrices times vectors", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const size_t triangle = (size_t)s.size * (s.size + 1) / 2, n = (size_t)s.matrices * s.size;
    float *packed = WL_NEW(&w, float, s.matrices *triangle), *x = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n),
          *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {207};
    wl_rng_fill(&rng, packed, s.matrices * triangle);
    wl_rng_fill(&rng, x, n);

    CUdeviceptr d_packed = wl_upload(&w, packed, s.matrices * triangle * sizeof *packed),
                d_x = wl_upload(&w, x, n * sizeof *x), d_y = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_packed, &d_x, &d_y, &s.size};
    wl_launch(&w, wl_function(&w, "packed_mv"), s.matrices, 1, s.size, 1, args);

    for (size_t i = 0; i < n; i++) {
        const float *matrix = packed + i / s.size * triangle, *own = x + i / s.size * s.size;
        const size_t t = i % s.size;
        for (size_t j = 0; j < s.size; j++) {
            const size_t high = j > t ? j : t, low = j > t ? t : j;
            want[i] = fmaf(matrix[high * (high + 1) / 2 + low], own[j], want[i]);
        }
    }
    wl_output(&w, got, d_y, n * sizeof *got);
    wl_compare_f32(&w, "y", got, want, n);
    return wl_end(&w);
}
