/* deformconv: one output channel of a deformable convolution. */
#include "workload.h"

#include <math.h>

struct sizes {
    uint32_t side, channels, images;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {12, 3, 1},
    [WL_SMALL] = {32, 8, 12},
    [WL_EVAL] = {64, 24, 12}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {128, 256, 16},
};

/* Offsets of a tap vary slowly over the image, as learned ones do: drawn on a grid of every eighth pixel. */
static void draw_offsets(struct sizes s, float (*offsets)[2], struct wl *w, struct wl_rng *rng)
{
    const uint32_t plane = s.side * s.side, coarse = s.side / 8 + 2;
    float *grid = WL_NEW(w, float, coarse *coarse);
    for (uint32_t field = 0; field < 9 * s.images; field++)
        for (int axis = 0; axis < 2; axis++) {
            for (uint32_t i = 0; i < coarse * coarse; i++) grid[i] = 8.0f * (wl_rng_unit(rng) - 0.5f);
            for (uint32_t i = 0; i < plane; i++) {
                const uint32_t x = i % s.side, y = i / s.side;
                const float *at = grid + y / 8 * coarse + x / 8;
                const float fx = (float)(x % 8) / 8.0f, fy = (float)(y % 8) / 8.0f;
                const float above = fmaf(fx, at[1] - at[0], at[0]),
                            below = fmaf(fx, at[coarse + 1] - at[coarse], at[coarse]);
                offsets[(size_t)field * plane + i][axis] = fmaf(fy, below - above, above);
            }
        }
}

static float clamp(float x, float last) { return x < 0.0f ? 0.0f : x > last ? last : x; }

static float convolve(struct sizes s, const float *maps, float (*offsets)[2], const float *weights, uint32_t thread)
{
    const uint32_t plane = s.side * s.side, pixel = thread % plane, n = plane * s.images;
    float sum = 0.0f;
    for (uint32_t tap = 0; tap < 9; tap++) {
        const float *offset = offsets[(size_t)tap * n + thread], last = (float)s.side - 1.001f;
        const float x = clamp((float)(pixel % s.side + tap % 3) - 1.0f + offset[0], last),
                    y = clamp((float)(pixel / s.side + tap / 3) - 1.0f + offset[1], last);
        const float fx = x - (float)(uint32_t)x, fy = y - (float)(uint32_t)y;
        const float *at = maps + (size_t)(thread / plane) * s.channels * plane + (uint32_t)y * s.side + (uint32_t)x;
        for (uint32_t c = 0; c < s.channels; c++, at += plane) {
            const float above = fmaf(fx, at[1] - at[0], at[0]),
                        below = fmaf(fx, at[s.side + 1] - at[s.side], at[s.side]);
            sum = fmaf(weights[tap * s.channels + c], fmaf(fy, below - above, above), sum);
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "deformconv", .doc = "one output channel of a deformable convolution", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const uint32_t plane = s.side * s.side, n = plane * s.images;
    const size_t n_maps = (size_t)n * s.channels;
    float *maps = WL_NEW(&w, float, n_maps), *weights = WL_NEW(&w, float, 9 * s.channels);
    float *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    float(*offsets)[2] = wl_host(&w, (size_t)9 * n, sizeof *offsets);
    struct wl_rng rng = {114};
    wl_rng_fill(&rng, maps, n_maps);
    wl_rng_fill(&rng, weights, 9 * s.channels);
    draw_offsets(s, offsets, &w, &rng);

    wl_symbol(&w, "weights", weights, 9 * s.channels * sizeof *weights);
    CUdeviceptr d_maps = wl_upload(&w, maps, n_maps * sizeof *maps),
                d_offsets = wl_upload(&w, offsets, (size_t)9 * n * sizeof *offsets);
    CUdeviceptr d_out = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_maps, &d_offsets, &d_out, &s.side, &s.channels, (void *)&n};
    wl_launch(&w, wl_function(&w, "deformable"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) want[i] = convolve(s, maps, offsets, weights, i);
    wl_output(&w, got, d_out, n * sizeof *got);
    wl_compare_f32(&w, "out", got, want, n);
    return wl_end(&w);
}
