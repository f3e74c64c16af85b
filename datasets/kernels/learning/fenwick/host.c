/* fenwick: sums over ranges by a binary indexed tree. */
#include "workload.h"

struct sizes {
    uint32_t counters, ranges;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {4096, 3000},
    [WL_SMALL] = {1u << 18, 49152},
    [WL_EVAL] = {1u << 20, 393216}, /* 1536 blocks of 256: eight times the places of 32 SMs */
    [WL_FULL] = {1u << 24, 16777216},
};
#define RUN 256u /* so many ranges are asked for together */

/* Half of the runs are anywhere; the ranges of the others follow each other with little between them. */
static void draw_ranges(struct sizes s, uint32_t *first, uint32_t *end, struct wl_rng *rng)
{
    uint32_t at = 0, longest = 0;
    bool is_near = false;
    for (uint32_t i = 0; i < s.ranges; i++) {
        if (i % RUN == 0) {
            is_near = wl_rng_below(rng, 2);
            at = wl_rng_below(rng, s.counters);
            longest = 16u << wl_rng_below(rng, 6);
        }
        uint32_t a = is_near ? at : wl_rng_below(rng, s.counters + 1);
        uint32_t b = is_near ? at + wl_rng_below(rng, longest) : wl_rng_below(rng, s.counters + 1);
        if (b > s.counters) b = s.counters;
        if (is_near) at = (b + wl_rng_below(rng, 8)) % s.counters;
        first[i] = a < b ? a : b;
        end[i] = a < b ? b : a;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "fenwick", .doc = "sums over ranges by a Fenwick tree", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.ranges, n_nodes = s.counters + 1;
    uint32_t *prefix = WL_NEW(&w, uint32_t, n_nodes), *tree = WL_NEW(&w, uint32_t, n_nodes);
    uint32_t *first = WL_NEW(&w, uint32_t, n), *end = WL_NEW(&w, uint32_t, n);
    uint32_t *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {83};
    for (uint32_t i = 1; i < n_nodes; i++) prefix[i] = prefix[i - 1] + wl_rng_below(&rng, 1000);
    for (uint32_t i = 1; i < n_nodes; i++) tree[i] = prefix[i] - prefix[i & (i - 1)];
    draw_ranges(s, first, end, &rng);

    CUdeviceptr d_tree = wl_upload(&w, tree, n_nodes * sizeof *tree);
    CUdeviceptr d_first = wl_upload(&w, first, n * sizeof *first), d_end = wl_upload(&w, end, n * sizeof *end);
    CUdeviceptr d_sums = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_tree, &d_first, &d_end, &d_sums, &n};
    wl_launch(&w, wl_function(&w, "fenwick_sums"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) want[i] = prefix[end[i]] - prefix[first[i]];
    wl_output(&w, got, d_sums, n * sizeof *got);
    wl_compare_u32(&w, "sums", got, want, n);
    return wl_end(&w);
}
