/* stencil: Jacobi steps of a 7-point stencil. */
#include "workload.h"

#include <math.h>

struct sizes {
    uint32_t nx, ny, nz, steps;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 16, 6, 2},
    [WL_SMALL] = {256, 192, 5, 2}, /* 192 blocks: 24 warps an SM */
    [WL_FULL] = {512, 512, 64, 100},
    [WL_EVAL] = {512, 512, 40, 1},
};
#define C0 (1.0f / 6.0f)
#define C1 (1.0f / 6.0f / 6.0f)

/* The rim keeps its values. */
static void step(struct sizes s, const float *in, float *out)
{
    size_t row = s.nx, layer = (size_t)s.nx * s.ny;
    for (uint32_t z = 1; z < s.nz - 1; z++)
        for (uint32_t y = 1; y < s.ny - 1; y++)
            for (uint32_t x = 1; x < s.nx - 1; x++) {
                const float *p = in + z * layer + y * row + x;
                float sum = p[layer] + *(p - layer) + p[row] + *(p - row) + p[1] + *(p - 1);
                out[z * layer + y * row + x] = fmaf(C1, sum, -p[0] * C0);
            }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "stencil", .doc = "Jacobi steps of a 7-point stencil (Parboil)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.nx * s.ny * s.nz, bytes = n * sizeof(float);
    float *grid[2] = {WL_NEW(&w, float, n), WL_NEW(&w, float, n)}, *out = WL_NEW(&w, float, n), c0 = C0, c1 = C1;
    struct wl_rng rng = {42};
    wl_rng_fill(&rng, grid[0], n);
    for (size_t i = 0; i < n; i++) grid[1][i] = grid[0][i];

    CUdeviceptr d[2] = {wl_upload(&w, grid[0], bytes), wl_upload(&w, grid[1], bytes)};
    CUfunction kernel = wl_function(&w, "stencil_step");
    for (uint32_t i = 0; i < s.steps; i++) {
        void *args[] = {&d[i % 2], &d[(i + 1) % 2], &c0, &c1, &s.nx, &s.ny, &s.nz};
        wl_launch(&w, kernel, s.nx / 64, s.ny / 4, 32, 4, args);
        step(s, grid[i % 2], grid[(i + 1) % 2]);
    }
    wl_output(&w, out, d[s.steps % 2], bytes);
    wl_compare_f32(&w, "element", out, grid[s.steps % 2], n);
    return wl_end(&w);
}
