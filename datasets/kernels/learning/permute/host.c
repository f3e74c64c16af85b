/* permute: records in the order of a permutation. */
#include "workload.h"

/* `n` records; the permutation moves a record within its block of `block` records. */
struct sizes {
    uint32_t n, block;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {5000, 1024},
    [WL_SMALL] = {1u << 18, 1u << 14},
    [WL_FULL] = {1u << 22, 1u << 14},
    [WL_EVAL] = {1u << 20, 1u << 14},
};
enum { WORDS = 8 }; /* of a record */

/* Fisher and Yates, block by block. */
static void draw_permutation(struct sizes s, struct wl_rng *rng, uint32_t *permutation)
{
    for (uint32_t first = 0; first < s.n; first += s.block) {
        uint32_t length = s.n - first < s.block ? s.n - first : s.block;
        for (uint32_t i = 0; i < length; i++) {
            uint32_t j = wl_rng_below(rng, i + 1);
            permutation[first + i] = permutation[first + j];
            permutation[first + j] = first + i;
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "permute", .doc = "records in the order of a permutation", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.n * WORDS, bytes = n * sizeof(uint32_t);
    uint32_t *in = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n), *got = WL_NEW(&w, uint32_t, n);
    uint32_t *permutation = WL_NEW(&w, uint32_t, s.n);
    struct wl_rng rng = {89};
    for (size_t i = 0; i < n; i++) in[i] = (uint32_t)wl_rng_next(&rng);
    draw_permutation(s, &rng, permutation);

    CUdeviceptr d_in = wl_upload(&w, in, bytes), d_permutation = wl_upload(&w, permutation, s.n * sizeof *permutation);
    CUdeviceptr d_out = wl_alloc(&w, bytes);
    void *args[] = {&d_in, &d_permutation, &d_out, &s.n};
    wl_launch(&w, wl_function(&w, "permute_gather"), wl_blocks(s.n, 256), 1, 256, 1, args);

    for (size_t i = 0; i < s.n; i++)
        for (size_t k = 0; k < WORDS; k++) want[i * WORDS + k] = in[(size_t)permutation[i] * WORDS + k];
    wl_output(&w, got, d_out, bytes);
    wl_compare_u32(&w, "records", got, want, n);
    return wl_end(&w);
}
