/* blockpairs: pairs that block a matching. */
#include "workload.h"

struct sizes {
    uint32_t size, markets;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {16, 12},
    [WL_SMALL] = {64, 128},
    [WL_EVAL] = {128, 384}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {512, 1024},
};

static void shuffle(uint16_t *list, uint32_t size, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < size; i++) list[i] = (uint16_t)i;
    for (uint32_t left = size; left > 1; left--) {
        const uint32_t drawn = wl_rng_below(rng, left);
        const uint16_t last = list[left - 1];
        list[left - 1] = list[drawn];
        list[drawn] = last;
    }
}

/* One market: lists of applicants, places' ranks of them, who was given what, and the rank of him who has it. */
static void draw_market(uint32_t first, uint32_t size, uint32_t n, uint16_t *lists, uint16_t *ranks, uint16_t *given,
                        uint16_t *held, uint16_t *list, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < size; i++) {
        shuffle(list, size, rng);
        for (uint32_t k = 0; k < size; k++) lists[(size_t)k * n + first + i] = list[k];
        shuffle(ranks + (size_t)(first + i) * size, size, rng);
    }
    shuffle(given + first, size, rng);
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t place = first + given[first + i];
        held[place] = ranks[(size_t)place * size + i];
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "blockpairs", .doc = "pairs that block a matching", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const uint32_t n = s.size * s.markets;
    const size_t n_ranks = (size_t)n * s.size;
    uint16_t *lists = WL_NEW(&w, uint16_t, n_ranks), *ranks = WL_NEW(&w, uint16_t, n_ranks);
    uint16_t *given = WL_NEW(&w, uint16_t, n), *held = WL_NEW(&w, uint16_t, n), *list = WL_NEW(&w, uint16_t, s.size);
    uint32_t *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {115};
    for (uint32_t m = 0; m < s.markets; m++) draw_market(m * s.size, s.size, n, lists, ranks, given, held, list, &rng);

    CUdeviceptr d_lists = wl_upload(&w, lists, n_ranks * sizeof *lists),
                d_ranks = wl_upload(&w, ranks, n_ranks * sizeof *ranks);
    CUdeviceptr d_given = wl_upload(&w, given, n * sizeof *given), d_held = wl_upload(&w, held, n * sizeof *held);
    CUdeviceptr d_counts = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_lists, &d_ranks, &d_given, &d_held, &d_counts, &s.size, (void *)&n};
    wl_launch(&w, wl_function(&w, "blocking_pairs"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t t = 0; t < n; t++) {
        const uint32_t first = t / s.size * s.size;
        for (uint32_t i = 0; lists[(size_t)i * n + t] != given[t]; i++) {
            const uint32_t place = first + lists[(size_t)i * n + t];
            want[t] += ranks[(size_t)place * s.size + t - first] < held[place];
        }
    }
    wl_output(&w, got, d_counts, n * sizeof *got);
    wl_compare_u32(&w, "counts", got, want, n);
    return wl_end(&w);
}
