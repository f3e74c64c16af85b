/* reduction: sums by atomics. */
#include "workload.h"

struct sizes {
    uint32_t n, blocks;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {8192, 8},
    [WL_SMALL] = {262144, 192}, /* every SM full */
    [WL_FULL] = {16777216, 192},
};
#define WORDS 64u
#define LINE_WORDS 32u

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "reduction",
                                        .doc = "sums by atomics on one word, on 64 lines, and one a block"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t *in = WL_NEW(&w, uint32_t, s.n), want[2 + WORDS] = {0}, got[2 + WORDS] = {0}, words = WORDS;
    uint32_t *spread = WL_NEW(&w, uint32_t, WORDS * LINE_WORDS);
    struct wl_rng rng = {62};
    for (uint32_t i = 0; i < s.n; i++) {
        in[i] = wl_rng_below(&rng, 1000);
        want[0] += in[i];
        want[1] += in[i];
        want[2 + i % (s.blocks * 256) % WORDS] += in[i];
    }

    CUdeviceptr d_in = wl_upload(&w, in, s.n * sizeof *in), d_one = wl_alloc(&w, sizeof *in),
                d_block = wl_alloc(&w, sizeof *in);
    CUdeviceptr d_spread = wl_alloc(&w, WORDS * LINE_WORDS * sizeof *in);
    void *one[] = {&d_in, &s.n, &d_one}, *many[] = {&d_in, &s.n, &d_spread, &words}, *block[] = {&d_in, &s.n, &d_block};
    wl_launch(&w, wl_function(&w, "reduction_one"), s.blocks, 1, 256, 1, one);
    wl_launch(&w, wl_function(&w, "reduction_spread"), s.blocks, 1, 256, 1, many);
    wl_launch(&w, wl_function(&w, "reduction_block"), s.blocks, 1, 256, 1, block);

    wl_output(&w, spread, d_spread, WORDS * LINE_WORDS * sizeof *spread);
    wl_output(&w, &got[0], d_one, sizeof *got);
    wl_output(&w, &got[1], d_block, sizeof *got);
    for (uint32_t i = 0; i < WORDS; i++) got[2 + i] = spread[i * LINE_WORDS];
    for (uint32_t i = 0; i < WORDS * LINE_WORDS; i++)
        wl_expect(&w, i % LINE_WORDS == 0 || spread[i] == 0, "word between the sums", i);
    wl_compare_u32(&w, "sum", got, want, 2 + WORDS);
    return wl_end(&w);
}
