/* zorder: one Jacobi step of a nine-point stencil on a grid in Morton order. */
#include <math.h>
#include "workload.h"

static const uint32_t bits[WL_N_SIZES] = {/* points: 1 << bits; x has the even ones */
                                          [WL_TEST] = 9,
                                          [WL_SMALL] = 18,
                                          [WL_EVAL] = 21,
                                          [WL_FULL] = 26};

/* The place of (x, y), bit by bit. */
static uint32_t interleave(uint32_t x, uint32_t y)
{
    uint32_t place = 0;
    for (uint32_t b = 0; b < 16; b++) place |= (x >> b & 1) << 2 * b | (y >> b & 1) << (2 * b + 1);
    return place;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "zorder", .doc = "a stencil's step on a grid in Morton order", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const uint32_t x_bits = (bits[w.size] + 1) / 2, y_bits = bits[w.size] / 2;
    uint32_t n = 1u << bits[w.size];
    float *in = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    float middle = 0.25f, side = 0.125f, corner = 0.0625f;
    struct wl_rng rng = {206};
    wl_rng_fill(&rng, in, n);

    CUdeviceptr d_in = wl_upload(&w, in, n * sizeof *in), d_out = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_in, &d_out, &middle, &side, &corner, &n};
    wl_launch(&w, wl_function(&w, "jacobi"), wl_blocks(n, 256), 1, 256, 1, args);

    static const int order[9][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    for (uint32_t y = 0; y < 1u << y_bits; y++)
        for (uint32_t x = 0; x < 1u << x_bits; x++) {
            const uint32_t place = interleave(x, y);
            want[place] = in[place] * middle;
            for (int k = 1; k < 9; k++) {
                const uint32_t at = interleave((x + (uint32_t)order[k][0]) & ((1u << x_bits) - 1),
                                               (y + (uint32_t)order[k][1]) & ((1u << y_bits) - 1));
                want[place] = fmaf(in[at], k < 5 ? side : corner, want[place]);
            }
        }
    wl_output(&w, got, d_out, n * sizeof *got);
    wl_compare_f32(&w, "points", got, want, n);
    return wl_end(&w);
}
