/* lookup: bisection in a sorted array for many keys. */
#include "workload.h"

/* 2^bits sorted keys and `queries` searches by `blocks` blocks of 256. */
struct sizes {
    uint32_t bits, queries, blocks;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {12, 7000, 8},
    [WL_SMALL] = {16, 40960, 64},
    [WL_FULL] = {20, 6 * 49152, 192},
    [WL_EVAL] = {20, 6 * 49152, 192}, /* 192 blocks: all threads of 32 SMs */
};
#define BLOCK 256u
enum { RUN_MAX = 256 };

/* Half of the queries are drawn at random from the range of the array, present or not; the other half come in runs of 2
 * to RUN_MAX keys, each at most 4 places after the one before, as where a log that is nearly in order is joined with a
 * table. */
static void make_queries(struct wl_rng *rng, const uint32_t *sorted, uint32_t n, uint32_t *queries, uint32_t n_queries)
{
    for (uint32_t i = 0; i < n_queries;) {
        uint32_t length = 2 + wl_rng_below(rng, RUN_MAX - 1), at = wl_rng_below(rng, n);
        bool run = wl_rng_below(rng, 2) != 0;
        for (uint32_t k = 0; k < length && i < n_queries; k++, i++) {
            at = run ? (at + wl_rng_below(rng, 5)) % n : wl_rng_below(rng, n);
            queries[i] = sorted[at] + wl_rng_below(rng, 2);
        }
    }
}

/* How many of the sorted keys are below `key`. */
static uint32_t below(const uint32_t *sorted, uint32_t n, uint32_t key)
{
    uint32_t first = 0;
    for (uint32_t left = n; left > 0;) {
        uint32_t half = left / 2;
        if (sorted[first + half] < key) {
            first += half + 1;
            left -= half + 1;
        } else left = half;
    }
    return first;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "lookup", .doc = "bisection in a sorted array", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = 1u << s.bits;
    uint32_t *sorted = WL_NEW(&w, uint32_t, n), *queries = WL_NEW(&w, uint32_t, s.queries);
    uint32_t *want = WL_NEW(&w, uint32_t, s.queries), *got = WL_NEW(&w, uint32_t, s.queries);
    struct wl_rng rng = {72};
    sorted[0] = wl_rng_below(&rng, 4000);
    for (uint32_t i = 1; i < n; i++)
        sorted[i] = sorted[i - 1] + wl_rng_below(&rng, 4000); /* sums stay below 2^32; some keys are equal */
    make_queries(&rng, sorted, n, queries, s.queries);

    CUdeviceptr d_sorted = wl_upload(&w, sorted, n * sizeof *sorted),
                d_queries = wl_upload(&w, queries, s.queries * sizeof *queries);
    CUdeviceptr d_positions = wl_alloc(&w, s.queries * sizeof *got);
    void *args[] = {&d_sorted, &d_queries, &d_positions, &n, &s.queries};
    wl_launch(&w, wl_function(&w, "lookup"), s.blocks, 1, BLOCK, 1, args);

    for (uint32_t i = 0; i < s.queries; i++) want[i] = below(sorted, n, queries[i]);
    wl_output(&w, got, d_positions, s.queries * sizeof *got);
    wl_compare_u32(&w, "positions", got, want, s.queries);
    return wl_end(&w);
}
