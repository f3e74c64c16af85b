/* fdtd2d: two-dimensional finite-difference time domain. */
#include "workload.h"

#include <math.h>

struct sizes {
    uint32_t rows, columns, steps;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 64, 2}, [WL_SMALL] = {384, 384, 2}, [WL_FULL] = {2048, 2048, 500}, [WL_EVAL] = {4096, 2048, 1}};

static void reference(struct sizes s, const float *source, float *ex, float *ey, float *hz)
{
    size_t n = s.columns, cells = s.rows * n;
    for (uint32_t t = 0; t < s.steps; t++) {
        for (size_t i = 0; i < cells; i++) ey[i] = i < n ? source[t] : fmaf(-0.5f, hz[i] - hz[i - n], ey[i]);
        for (size_t i = 0; i < cells; i++)
            if (i % n > 0) ex[i] = fmaf(-0.5f, hz[i] - hz[i - 1], ex[i]);
        for (size_t i = 0; i < cells - n; i++)
            if (i % n < n - 1) hz[i] = fmaf(-0.7f, ex[i + 1] - ex[i] + ey[i + n] - ey[i], hz[i]);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "fdtd2d", .doc = "2-D finite-difference time domain (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_cells = (size_t)s.rows * s.columns, bytes = n_cells * sizeof(float);
    float *source = WL_NEW(&w, float, s.steps), *out = WL_NEW(&w, float, n_cells);
    float *field[3];
    CUdeviceptr d_source, d[3];
    struct wl_rng rng = {22};
    wl_rng_fill(&rng, source, s.steps);
    d_source = wl_upload(&w, source, s.steps * sizeof *source);
    for (int k = 0; k < 3; k++) {
        field[k] = WL_NEW(&w, float, n_cells);
        wl_rng_fill(&rng, field[k], n_cells);
        d[k] = wl_upload(&w, field[k], bytes);
    }

    CUfunction ey = wl_function(&w, "fdtd_ey"), ex = wl_function(&w, "fdtd_ex"), hz = wl_function(&w, "fdtd_hz");
    for (uint32_t t = 0; t < s.steps; t++) {
        unsigned gx = wl_blocks(s.columns, 32), gy = wl_blocks(s.rows, 8);
        void *ey_args[] = {&d_source, &d[1], &d[2], &t, &s.rows, &s.columns};
        void *ex_args[] = {&d[0], &d[2], &s.rows, &s.columns};
        void *hz_args[] = {&d[0], &d[1], &d[2], &s.rows, &s.columns};
        wl_launch(&w, ey, gx, gy, 32, 8, ey_args);
        wl_launch(&w, ex, gx, gy, 32, 8, ex_args);
        wl_launch(&w, hz, gx, gy, 32, 8, hz_args);
    }

    static const char *const names[3] = {"ex", "ey", "hz"};
    reference(s, source, field[0], field[1], field[2]);
    for (int k = 0; k < 3; k++) {
        wl_output(&w, out, d[k], bytes);
        wl_compare_f32(&w, names[k], out, field[k], n_cells);
    }
    return wl_end(&w);
}
