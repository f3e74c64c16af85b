/* gridsync: producers and consumers with a barrier over the grid. */
#include "workload.h"

#include <string.h>

#define THREADS 256u
struct sizes {
    uint32_t blocks, rounds;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {8, 4},
    [WL_SMALL] = {192, 24}, /* every SM of kepler32 full */
    [WL_FULL] = {192, 1024},
};

/* One round: what each block writes. */
static void step(uint32_t *to, const uint32_t *from, uint32_t blocks, uint32_t round)
{
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t t = 0; t < THREADS; t++)
            to[b * THREADS + t] = from[(b + round + 1) % blocks * THREADS + t] * 3 + b;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "gridsync",
                                        .doc = "producers and consumers with a barrier over the grid"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.blocks * THREADS, arrived, *both = WL_NEW(&w, uint32_t, 2 * n), *want = WL_NEW(&w, uint32_t, 2 * n),
             *out = WL_NEW(&w, uint32_t, 2 * n);
    struct wl_rng rng = {67};
    for (uint32_t i = 0; i < n; i++) both[i] = wl_rng_below(&rng, UINT32_MAX);
    CUdeviceptr d_both = wl_upload(&w, both, 2 * n * sizeof *both), d_arrived = wl_alloc(&w, sizeof arrived);
    void *args[] = {&d_both, &d_arrived, &s.rounds};
    wl_launch(&w, wl_function(&w, "gridsync"), s.blocks, 1, THREADS, 1, args);

    memcpy(want, both, 2 * n * sizeof *want);
    for (uint32_t r = 0; r < s.rounds; r++) step(want + (r + 1) % 2 * n, want + r % 2 * n, s.blocks, r);
    wl_output(&w, out, d_both, 2 * n * sizeof *out);
    wl_compare_u32(&w, "word", out, want, 2 * n);
    wl_output(&w, &arrived, d_arrived, sizeof arrived);
    wl_compare_u32(&w, "arrivals", &arrived, &(uint32_t){s.blocks * s.rounds}, 1);
    return wl_end(&w);
}
