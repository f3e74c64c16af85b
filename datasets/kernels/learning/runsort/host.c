/* runsort: many short buckets put in order by insertion. */
#include "workload.h"

struct sizes {
    uint32_t size, buckets, moves;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {12, 200, 4},
    [WL_SMALL] = {32, 8192, 8},
    [WL_EVAL] = {80, 49152, 16}, /* 384 blocks of 128: the places of 32 SMs */
    [WL_FULL] = {128, 1u << 18, 16},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "runsort", .doc = "many short buckets put in order by insertion", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.buckets;
    const size_t count = (size_t)s.size * n;
    uint32_t *keys = WL_NEW(&w, uint32_t, count), *want = WL_NEW(&w, uint32_t, count);
    struct wl_rng rng = {113};
    /* Neighbours are 64 apart on average, and each key has moved by up to so many places. */
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = 0; i < s.size; i++)
            keys[(size_t)i * n + b] = want[(size_t)i * n + b] = 64 * i + wl_rng_below(&rng, 64 * s.moves);

    CUdeviceptr d_keys = wl_upload(&w, keys, count * sizeof *keys);
    void *args[] = {&d_keys, &s.size, &n};
    wl_launch(&w, wl_function(&w, "insertion_sort"), wl_blocks(n, 128), 1, 128, 1, args);

    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = 1; i < s.size; i++) {
            const uint32_t key = want[(size_t)i * n + b];
            uint32_t j = i;
            for (; j != 0 && want[(size_t)(j - 1) * n + b] > key; j--)
                want[(size_t)j * n + b] = want[(size_t)(j - 1) * n + b];
            want[(size_t)j * n + b] = key;
        }
    wl_output(&w, keys, d_keys, count * sizeof *keys);
    wl_compare_u32(&w, "keys", keys, want, count);
    return wl_end(&w);
}
