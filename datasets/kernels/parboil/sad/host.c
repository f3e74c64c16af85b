/* sad: sums of absolute differences for motion estimation. */
#include "workload.h"

struct sizes {
    int width, height, range;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {16, 32, 3},
    [WL_SMALL] = {64, 64, 5}, /* 256 blocks of 64 threads */
    [WL_FULL] = {176, 144, 16},
};
static int clamp(int v, int end) { return v < 0 ? 0 : v >= end ? end - 1 : v; }

/* The block kinds: width and height in pixels, numbered within a macroblock by 8 x 8 part first, as the kernels do. */
enum { KIND_4X4, KIND_8X4, KIND_4X8, KIND_8X8, KIND_16X8, KIND_8X16, KIND_16X16, N_KINDS };
static const struct kind {
    int wide, high, n;
} kinds[N_KINDS] = {{4, 4, 16}, {8, 4, 8}, {4, 8, 8}, {8, 8, 4}, {16, 8, 2}, {8, 16, 2}, {16, 16, 1}};

/* Where block i of a kind starts within its macroblock. */
static void origin(int kind, int i, int *x, int *y)
{
    const struct kind *k = &kinds[kind];
    bool by_part = kind == KIND_8X4 || kind == KIND_4X8;
    int part = by_part ? i / 2 : 0, across = by_part ? 8 / k->wide : 16 / k->wide;
    if (by_part) i %= 2;
    *x = part % 2 * 8 + i % across * k->wide;
    *y = part / 2 * 8 + i / across * k->high;
}

static uint32_t difference(struct sizes s, const uint8_t *current, const uint8_t *reference, int x, int y, int wide,
                           int high, int dx, int dy)
{
    uint32_t sum = 0;
    for (int j = y; j < y + high; j++)
        for (int i = x; i < x + wide; i++) {
            int d = reference[clamp(j + dy, s.height) * s.width + clamp(i + dx, s.width)] - current[j * s.width + i];
            sum += (uint32_t)(d < 0 ? -d : d);
        }
    return sum;
}

static void verify(struct wl *w, struct sizes s, const uint8_t *current, const uint8_t *reference, int kind,
                   uint32_t stride, CUdeviceptr from)
{
    int across = s.width / 16, n_macro = across * (s.height / 16), side = 2 * s.range + 1;
    size_t n = (size_t)(n_macro * kinds[kind].n) * stride;
    uint16_t *got = WL_NEW(w, uint16_t, n);
    wl_output(w, got, from, n * sizeof *got);
    for (int macro = 0; macro < n_macro; macro++)
        for (int i = 0; i < kinds[kind].n; i++) {
            int x, y;
            origin(kind, i, &x, &y);
            x += macro % across * 16;
            y += macro / across * 16;
            for (int p = 0; p < (int)stride; p++) {
                size_t at = (size_t)(macro * kinds[kind].n + i) * stride + (size_t)p;
                uint32_t want = p < side * side ? difference(s, current, reference, x, y, kinds[kind].wide,
                                                             kinds[kind].high, p % side - s.range, p / side - s.range)
                                                : 0; /* padding */
                wl_expect(w, got[at] == want, "sum", at);
            }
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "sad",
                                        .doc = "sums of absolute differences for motion estimation (Parboil)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_pixels = (size_t)(s.width * s.height);
    uint8_t *current = WL_NEW(&w, uint8_t, n_pixels), *reference = WL_NEW(&w, uint8_t, n_pixels);
    struct wl_rng rng = {48};
    for (size_t i = 0; i < n_pixels; i++) reference[i] = (uint8_t)wl_rng_below(&rng, 256);
    for (int y = 0; y < s.height; y++) /* moved by (2, 1), with noise */
        for (int x = 0; x < s.width; x++)
            current[y * s.width + x] = (uint8_t)((reference[clamp(y + 1, s.height) * s.width + clamp(x + 2, s.width)] +
                                                  (int)wl_rng_below(&rng, 5)) &
                                                 255);

    uint32_t side = 2 * (uint32_t)s.range + 1, stride = (side * side + 1) & ~1u, words = stride / 2;
    unsigned macro_x = (unsigned)s.width / 16, macro_y = (unsigned)s.height / 16;
    CUdeviceptr d_current = wl_upload(&w, current, n_pixels), d_reference = wl_upload(&w, reference, n_pixels),
                sums[N_KINDS];
    for (int kind = 0; kind < N_KINDS; kind++)
        sums[kind] = wl_alloc(&w, (size_t)macro_x * macro_y * (unsigned)kinds[kind].n * stride * 2);
    void *small_args[] = {&d_current, &d_reference, &sums[KIND_4X4], &s.width, &s.height, &s.range, &stride};
    void *middle_args[] = {&sums[KIND_4X4], &sums[KIND_8X4], &sums[KIND_4X8], &sums[KIND_8X8], &words};
    void *large_args[] = {&sums[KIND_8X8], &sums[KIND_16X8], &sums[KIND_8X16], &sums[KIND_16X16], &words};
    wl_launch(&w, wl_function(&w, "sad_4x4"), macro_x * 4, macro_y * 4, 64, 1, small_args);
    wl_launch(&w, wl_function(&w, "sad_8x8"), macro_x, macro_y, 32, 4, middle_args);
    wl_launch(&w, wl_function(&w, "sad_16x16"), macro_x, macro_y, 32, 1, large_args);
    for (int kind = 0; kind < N_KINDS; kind++) verify(&w, s, current, reference, kind, stride, sums[kind]);
    return wl_end(&w);
}
