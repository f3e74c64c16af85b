/* convlayer: a convolutional layer of a neural network, computed directly. */
#include "workload.h"

#include <math.h>

#define SIDE 28u
#define PITCH (SIDE + 2u)

struct sizes {
    uint32_t images, channels, filters;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2, 5, 3},
    [WL_SMALL] = {1, 32, 8},
    [WL_EVAL] = {3, 32, 32}, /* 294 blocks of 256 for the 192 places of 32 SMs */
    [WL_FULL] = {64, 32, 32},
};

static float output(struct sizes s, const float *image, const float *weight, float sum, uint32_t y, uint32_t x)
{
    for (uint32_t c = 0; c < s.channels; c++, image += PITCH * PITCH)
        for (uint32_t dy = 0; dy < 3; dy++)
            for (uint32_t dx = 0; dx < 3; dx++) sum = fmaf(image[(y + dy) * PITCH + x + dx], *weight++, sum);
    return sum > 0.0f ? sum : 0.0f;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "convlayer", .doc = "a convolutional layer, computed directly", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t image_size = (size_t)s.channels * PITCH * PITCH, n_images = s.images * image_size;
    size_t n_weights = (size_t)s.filters * s.channels * 9;
    uint32_t n = s.images * s.filters * SIDE * SIDE;
    float *images = WL_NEW(&w, float, n_images), *weights = WL_NEW(&w, float, n_weights),
          *bias = WL_NEW(&w, float, s.filters);
    float *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {66};
    for (size_t plane = 0; plane < (size_t)s.images * s.channels; plane++)
        for (uint32_t y = 1; y <= SIDE; y++) wl_rng_fill(&rng, images + plane * PITCH * PITCH + y * PITCH + 1, SIDE);
    for (size_t k = 0; k < n_weights; k++) weights[k] = wl_rng_unit(&rng) - 0.5f;
    for (uint32_t f = 0; f < s.filters; f++) bias[f] = wl_rng_unit(&rng) - 0.5f;

    CUdeviceptr d_images = wl_upload(&w, images, n_images * sizeof *images);
    CUdeviceptr d_weights = wl_upload(&w, weights, n_weights * sizeof *weights);
    CUdeviceptr d_bias = wl_upload(&w, bias, s.filters * sizeof *bias), d_out = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_images, &d_weights, &d_bias, &d_out, &s.channels, &s.filters, &n};
    wl_launch(&w, wl_function(&w, "convlayer"), wl_blocks(n, 256), 1, 256, 1, args);

    float *to = want;
    for (uint32_t image = 0; image < s.images; image++)
        for (uint32_t f = 0; f < s.filters; f++)
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++)
                    *to++ = output(s, images + image * image_size, weights + (size_t)f * s.channels * 9, bias[f], y, x);
    wl_output(&w, got, d_out, n * sizeof *got);
    wl_compare_f32(&w, "out", got, want, n);
    return wl_end(&w);
}
