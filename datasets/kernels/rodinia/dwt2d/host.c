/* dwt2d: two-dimensional wavelet transform of a picture. */
#include "workload.h"

#include <string.h>

enum { WIDTH = 64, HEIGHT = 8, STEPS = 2, COLOURS = 3 };
struct sizes {
    uint32_t n, levels;
};
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {64, 1}, [WL_SMALL] = {352, 3}, [WL_FULL] = {1024, 3}};

static int32_t line_at(const int32_t *line, int32_t n, int32_t i)
{
    i = i < 0 ? -i : i;
    return line[i >= n ? 2 * (n - 1) - i : i];
}

/* One line of n values, n even: the high half tells what the even neighbours do not, the low half is smoothed. */
static void lift(int32_t *line, int32_t *out, int32_t n)
{
    int32_t *low = out, *high = out + n / 2;
    for (int32_t i = 0; i < n / 2; i++) high[i] = line[2 * i + 1] - ((line[2 * i] + line_at(line, n, 2 * i + 2)) >> 1);
    for (int32_t i = 0; i < n / 2; i++) low[i] = line[2 * i] + ((high[i > 0 ? i - 1 : 0] + high[i] + 2) >> 2);
}

static void reference(int32_t *image, int32_t *line, int32_t n, size_t pitch)
{
    for (int32_t y = 0; y < n; y++) {
        lift(image + (size_t)y * pitch, line, n);
        memcpy(image + (size_t)y * pitch, line, (size_t)n * sizeof *line);
    }
    for (int32_t x = 0; x < n; x++) {
        for (int32_t y = 0; y < n; y++) line[n + y] = image[(size_t)y * pitch + (size_t)x];
        lift(line + n, line, n);
        for (int32_t y = 0; y < n; y++) image[(size_t)y * pitch + (size_t)x] = line[y];
    }
}

/* A picture that is smooth in places. */
static void draw(uint8_t *colours, uint32_t n)
{
    struct wl_rng rng = {39};
    for (uint32_t i = 0; i < n * n; i++)
        for (uint32_t k = 0; k < COLOURS; k++)
            colours[COLOURS * i + k] =
                (uint8_t)((i / n * (k + 1) + i % n * 3 + ((i % n / 32 + i / n / 32) % 2 ? wl_rng_below(&rng, 64) : 0)) &
                          255);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "dwt2d", .doc = "two-dimensional 5/3 wavelet transform (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t cells = s.n * s.n, steps = STEPS;
    size_t bytes = cells * sizeof(int32_t);
    uint8_t *colours = WL_NEW(&w, uint8_t, COLOURS * cells);
    int32_t *image = WL_NEW(&w, int32_t, cells), *line = WL_NEW(&w, int32_t, 2 * s.n),
            *got = WL_NEW(&w, int32_t, cells);
    draw(colours, s.n);
    CUdeviceptr d_colours = wl_upload(&w, colours, COLOURS * cells), d_component[COLOURS],
                d_other = wl_alloc(&w, bytes);
    for (int k = 0; k < COLOURS; k++) d_component[k] = wl_alloc(&w, bytes);
    void *split_args[] = {&d_colours, &d_component[0], &d_component[1], &d_component[2], &cells};
    wl_launch(&w, wl_function(&w, "dwt_split"), wl_blocks(cells, 256), 1, 256, 1, split_args);
    CUfunction forward = wl_function(&w, "dwt_forward");
    for (size_t k = 0; k < COLOURS; k++) {
        CUdeviceptr from = d_component[k], to = d_other;
        for (uint32_t i = 0; i < cells; i++) image[i] = (int32_t)colours[COLOURS * i + k] - 128;
        for (uint32_t level = 0; level < s.levels; level++) { /* the next level transforms the low quarter */
            uint32_t n = s.n >> level;
            void *args[] = {&from, &to, &n, &n, &s.n, &steps};
            wl_launch(&w, forward, wl_blocks(n, WIDTH), wl_blocks(n, HEIGHT * STEPS), WIDTH, 1, args);
            reference(image, line, (int32_t)n, s.n);
            wl_output(&w, got, to, bytes);
            for (uint32_t y = 0; y < n; y++)
                wl_compare_u32(&w, "coefficient", (uint32_t *)got + y * s.n, (uint32_t *)image + y * s.n, n);
            CUdeviceptr swap = from;
            from = to;
            to = swap;
        }
    }
    return wl_end(&w);
}
