/* interp3d: trilinear interpolation at points in random and in sorted order. */
#include "workload.h"

#include <math.h>
#include <string.h>

/* `batches` of BATCH points in a grid of side^3 values. */
struct sizes {
    uint32_t side, batches;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {24, 3},
    [WL_SMALL] = {96, 24},
    [WL_EVAL] = {96, 240}, /* 3840 blocks of 256: 24 times the places of 32 SMs */
    [WL_FULL] = {96, 4096},
};
#define BATCH 4096u

struct point {
    float x[3];
};

static uint32_t cell_of(struct sizes s, const struct point *p)
{
    return ((uint32_t)p->x[2] * s.side + (uint32_t)p->x[1]) * s.side + (uint32_t)p->x[0];
}

/* Points anywhere in the grid. */
static void draw_points(struct sizes s, struct point *points, size_t n, struct wl_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) points[i].x[a] = wl_rng_unit(rng) * (float)(s.side - 1);
}

/* By counting: in the order of their cells. */
static void sort_points(struct wl *w, struct sizes s, struct point *points, size_t n)
{
    uint32_t cells = s.side * s.side * s.side, *start = WL_NEW(w, uint32_t, cells + 1);
    struct point *sorted = WL_NEW(w, struct point, n + 1);
    for (size_t i = 0; i < n; i++) start[cell_of(s, &points[i]) + 1]++;
    for (uint32_t c = 0; c < cells; c++) start[c + 1] += start[c];
    for (size_t i = 0; i < n; i++) sorted[start[cell_of(s, &points[i])]++] = points[i];
    memcpy(points, sorted, n * sizeof *points);
}

static float between(float a, float b, float share) { return fmaf(share, b - a, a); }

static float reference(struct sizes s, const float *grid, const struct point *p)
{
    const float *near = grid + cell_of(s, p), *far = near + (size_t)s.side * s.side;
    float x = p->x[0] - (float)(uint32_t)p->x[0], y = p->x[1] - (float)(uint32_t)p->x[1],
          z = p->x[2] - (float)(uint32_t)p->x[2];
    float low = between(between(near[0], near[1], x), between(near[s.side], near[s.side + 1], x), y);
    float high = between(between(far[0], far[1], x), between(far[s.side], far[s.side + 1], x), y);
    return between(low, high, z);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "interp3d", .doc = "trilinear interpolation at many points", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.batches * BATCH, n_sorted = 0;
    size_t n_grid = (size_t)s.side * s.side * s.side;
    float *grid = WL_NEW(&w, float, n_grid), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    float *axes[3] = {WL_NEW(&w, float, n), WL_NEW(&w, float, n), WL_NEW(&w, float, n)};
    struct point *points = WL_NEW(&w, struct point, n), *sorted = WL_NEW(&w, struct point, n);
    bool *is_sorted = WL_NEW(&w, bool, s.batches);
    struct wl_rng rng = {68};
    wl_rng_fill(&rng, grid, n_grid);
    for (uint32_t b = 0; b < s.batches; b++) n_sorted += is_sorted[b] = wl_rng_below(&rng, 2) != 0;
    draw_points(s, points, n, &rng);
    draw_points(s, sorted, (size_t)n_sorted * BATCH, &rng);
    sort_points(&w, s, sorted, (size_t)n_sorted * BATCH);
    for (uint32_t b = 0; b < s.batches; b++) {
        if (!is_sorted[b]) continue;
        memcpy(points + (size_t)b * BATCH, sorted, BATCH * sizeof *points);
        sorted += BATCH;
    }
    for (uint32_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) axes[a][i] = points[i].x[a];

    CUdeviceptr d_grid = wl_upload(&w, grid, n_grid * sizeof *grid), d_x = wl_upload(&w, axes[0], n * sizeof **axes);
    CUdeviceptr d_y = wl_upload(&w, axes[1], n * sizeof **axes), d_z = wl_upload(&w, axes[2], n * sizeof **axes);
    CUdeviceptr d_out = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_grid, &d_x, &d_y, &d_z, &d_out, &s.side, &n};
    wl_launch(&w, wl_function(&w, "interp3d"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) want[i] = reference(s, grid, &points[i]);
    wl_output(&w, got, d_out, n * sizeof *got);
    wl_compare_f32(&w, "value", got, want, n);
    return wl_end(&w);
}
