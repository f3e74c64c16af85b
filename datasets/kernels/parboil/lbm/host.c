/* lbm: lattice Boltzmann flow. */
#include "workload.h"

#include "lbm.h"

struct sizes {
    int nx, ny, nz, steps;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {32, 8, 6, 2},
    [WL_SMALL] = {64, 20, 16, 2}, /* 640 warps; 56 registers leave room for 18 an SM */
    [WL_FULL] = {120, 120, 150, 100},
    [WL_EVAL] = {120, 120, 38, 1},
};
#define OMEGA 1.95f
#define PUSH 0.005f

/* Distributions near equilibrium; obstacles are balls; the top and the bottom layer are accelerated. Two layers on
 * either side take what streams out of the grid. */
static void make_grid(struct sizes s, float *grid, int cells, int margin, struct wl_rng *rng)
{
    static const float weights[LBM_DIRECTIONS] = {
#define WEIGHT(k, x, y, z, opposite, weight) [k] = weight,
        LBM_LATTICE(WEIGHT)
#undef WEIGHT
    };
    for (int z = 0; z < s.nz; z++)
        for (int y = 0; y < s.ny; y++)
            for (int x = 0; x < s.nx; x++) {
                int cell = margin + x + s.nx * (y + s.ny * z);
                bool is_ball =
                    (x % 16 - 8) * (x % 16 - 8) + (y % 16 - 8) * (y % 16 - 8) + (z % 16 - 8) * (z % 16 - 8) < 12;
                for (int k = 0; k < LBM_DIRECTIONS; k++)
                    grid[k * cells + cell] = weights[k] * (1.0f + 0.01f * wl_rng_unit(rng));
                grid[LBM_FLAG * cells + cell] = is_ball                  ? LBM_OBSTACLE
                                                : z < 1 || z >= s.nz - 1 ? LBM_ACCELERATED
                                                                         : LBM_FLUID;
            }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "lbm", .doc = "lattice Boltzmann flow, D3Q19 (Parboil)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    int row = s.nx, layer = s.nx * s.ny, margin = 2 * layer, cells = layer * s.nz + 2 * margin;
    size_t n = (size_t)cells * LBM_FIELDS, bytes = n * sizeof(float);
    float *grid[2] = {WL_NEW(&w, float, n), WL_NEW(&w, float, n)}, *out = WL_NEW(&w, float, n), omega = OMEGA,
          push = PUSH;
    struct wl_rng rng = {43};
    make_grid(s, grid[0], cells, margin, &rng);
    for (size_t i = 0; i < n; i++) grid[1][i] = grid[0][i]; /* the flags do not stream */

    CUdeviceptr d[2] = {wl_upload(&w, grid[0], bytes), wl_upload(&w, grid[1], bytes)};
    CUfunction kernel = wl_function(&w, "lbm_step");
    for (int i = 0; i < s.steps; i++) {
        CUdeviceptr from = d[i % 2] + (unsigned)margin * sizeof(float),
                    to = d[(i + 1) % 2] + (unsigned)margin * sizeof(float);
        void *args[] = {&from, &to, &row, &layer, &cells, &omega, &push};
        wl_launch(&w, kernel, (unsigned)s.ny, (unsigned)s.nz, (unsigned)s.nx, 1, args);
        for (int cell = 0; cell < layer * s.nz; cell++)
            lbm_cell(grid[i % 2] + margin, grid[(i + 1) % 2] + margin, cell, row, layer, cells, omega, push);
    }
    wl_output(&w, out, d[s.steps % 2], bytes);
    wl_compare_f32(&w, "value", out, grid[s.steps % 2], n);
    return wl_end(&w);
}
