/* subsets: the cheapest division of each set of terminals into two. */
#include "workload.h"

struct sizes {
    uint32_t bits, vertices; /* terminals */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {6, 4},
    [WL_SMALL] = {8, 48},
    [WL_EVAL] = {10, 48}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {13, 1024},
};

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "subsets", .doc = "the cheapest division of each set into two", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.vertices << s.bits;
    uint32_t *cost = WL_NEW(&w, uint32_t, n), *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {209};
    /* More terminals cost more, with a drawn part. */
    for (uint32_t i = 0; i < n; i++)
        cost[i] = 100 * (uint32_t)__builtin_popcount(i & ((1u << s.bits) - 1)) + wl_rng_below(&rng, 400);

    CUdeviceptr d_cost = wl_upload(&w, cost, n * sizeof *cost), d_least = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_cost, &d_least, &s.bits, &n};
    wl_launch(&w, wl_function(&w, "divide"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t set = i & ((1u << s.bits) - 1), *at = cost + (i - set);
        want[i] = at[set];
        for (uint32_t part = 1; part < set; part++) {
            if ((part & set) != part) continue;
            const uint32_t both = at[part] + at[set ^ part];
            if (both < want[i]) want[i] = both;
        }
    }
    wl_output(&w, got, d_least, n * sizeof *got);
    wl_compare_u32(&w, "costs", got, want, n);
    return wl_end(&w);
}
