/* hamming: how many codes differ from each in one bit or two. */
#include "workload.h"

struct sizes {
    uint32_t bits, distance, queries; /* distance: 1 or 2 */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {6, 2, 200},
    [WL_SMALL] = {12, 2, 12288},
    [WL_EVAL] = {16, 1, 49152}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {20, 2, 1u << 20},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "hamming", .doc = "codes that differ from each in one bit or two", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const uint32_t bits = sizes[w.size].bits, n_codes = 1u << bits;
    const bool is_two = sizes[w.size].distance == 2;
    uint32_t n = sizes[w.size].queries, n_masks = 1 + bits + (is_two ? bits * (bits - 1) / 2 : 0);
    uint32_t *table = WL_NEW(&w, uint32_t, n_codes), *codes = WL_NEW(&w, uint32_t, n),
             *masks = WL_NEW(&w, uint32_t, n_masks), *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {211};
    for (uint32_t i = 0; i < n_codes; i++) table[i] = wl_rng_below(&rng, 4);
    for (uint32_t i = 0; i < n; i++) codes[i] = wl_rng_below(&rng, n_codes);
    for (uint32_t a = 0, k = 1; a < bits; a++) {
        masks[k++] = 1u << a;
        for (uint32_t b = 0; b < a && is_two; b++) masks[k++] = 1u << a | 1u << b;
    }

    CUdeviceptr d_table = wl_upload(&w, table, n_codes * sizeof *table),
                d_codes = wl_upload(&w, codes, n * sizeof *codes),
                d_masks = wl_upload(&w, masks, n_masks * sizeof *masks), d_near = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_table, &d_codes, &d_masks, &d_near, &n_masks, &n};
    wl_launch(&w, wl_function(&w, "count_near"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n_masks; k++) want[i] += table[codes[i] ^ masks[k]];
    wl_output(&w, got, d_near, n * sizeof *got);
    wl_compare_u32(&w, "counts", got, want, n);
    return wl_end(&w);
}
