/* vectoradd: the sum of two vectors. */
#include "workload.h"

static const uint32_t sizes[WL_N_SIZES] = {4000, 400000, 16777216, 4000000};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "vectoradd", .doc = "the sum of two vectors", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = sizes[w.size];
    float *a = WL_NEW(&w, float, n), *b = WL_NEW(&w, float, n), *c = WL_NEW(&w, float, n), *out = WL_NEW(&w, float, n);
    struct wl_rng rng = {61};
    wl_rng_fill(&rng, a, n);
    wl_rng_fill(&rng, b, n);
    for (uint32_t i = 0; i < n; i++) c[i] = a[i] + b[i];

    CUdeviceptr d_a = wl_upload(&w, a, n * sizeof *a), d_b = wl_upload(&w, b, n * sizeof *b),
                d_c = wl_alloc(&w, n * sizeof *c);
    void *args[] = {&d_a, &d_b, &d_c, &n};
    wl_launch(&w, wl_function(&w, "vectoradd"), wl_blocks(n, 256), 1, 256, 1, args);
    wl_output(&w, out, d_c, n * sizeof *out);
    wl_compare_f32(&w, "sum", out, c, n);
    return wl_end(&w);
}
