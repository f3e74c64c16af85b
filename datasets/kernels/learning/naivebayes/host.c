/* naivebayes: counts of attributes' values by class, in counters of each thread's own. */
#include "workload.h"

#define ATTRIBUTES 7u
#define VALUES 8u
#define CLASSES 2u
#define COUNTERS (CLASSES * ATTRIBUTES * VALUES)
#define BLOCK 256u
#define SHARE 128u /* threads whose counters a block of the second launch sums */

struct record {
    uint8_t class, value[ATTRIBUTES];
};
struct sizes {
    uint32_t threads, per_thread;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1024, 4}, [WL_SMALL] = {16384, 4}, [WL_FULL] = {65536, 64}, [WL_EVAL] = {32768, 10}, /* 128 blocks,
                                                                                                       * four for each
                                                                                                       * of 32 SMs */
};

/* Records come in runs of one class, as from a log; small values are frequent, and how much so depends on class and
 * attribute. */
static void draw_records(struct wl_rng *rng, struct record *records, size_t n)
{
    uint8_t class = 0;
    for (size_t i = 0; i < n; i++) {
        if (wl_rng_below(rng, 8) == 0) class = wl_rng_below(rng, 4) == 0;
        records[i].class = class;
        for (uint32_t a = 0; a < ATTRIBUTES; a++) {
            uint32_t first = wl_rng_below(rng, VALUES), second = wl_rng_below(rng, VALUES);
            records[i].value[a] = (uint8_t)((a + class) % 2 ? first : first * second / VALUES);
        }
    }
}

static void reference(const struct record *records, size_t n, size_t per_thread, uint32_t *counters, uint32_t *counts)
{
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < ATTRIBUTES; a++) {
            size_t counter = (records[i].class * ATTRIBUTES + a) * VALUES + records[i].value[a];
            counters[i / per_thread * COUNTERS + counter]++;
            counts[counter]++;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "naivebayes", .doc = "counts of attributes' values by class", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.threads * s.per_thread, n_counters = (size_t)s.threads * COUNTERS;
    struct record *records = WL_NEW(&w, struct record, n);
    uint32_t *counters = WL_NEW(&w, uint32_t, n_counters), *got = WL_NEW(&w, uint32_t, n_counters),
             counts[COUNTERS] = {0}, share = SHARE;
    struct wl_rng rng = {65};
    draw_records(&rng, records, n);

    CUdeviceptr d_records = wl_upload(&w, records, n * sizeof *records),
                d_counters = wl_alloc(&w, n_counters * sizeof *counters);
    CUdeviceptr d_counts = wl_alloc(&w, sizeof counts);
    void *count_args[] = {&d_records, &d_counters, &s.per_thread}, *sum_args[] = {&d_counters, &d_counts, &share};
    wl_launch(&w, wl_function(&w, "naivebayes_count"), s.threads / BLOCK, 1, BLOCK, 1, count_args);
    wl_launch(&w, wl_function(&w, "naivebayes_sum"), s.threads / SHARE, 1, COUNTERS, 1, sum_args);

    reference(records, n, s.per_thread, counters, counts);
    wl_output(&w, got, d_counts, sizeof counts);
    wl_compare_u32(&w, "counts", got, counts, COUNTERS);
    wl_output(&w, got, d_counters, n_counters * sizeof *got);
    wl_compare_u32(&w, "counters", got, counters, n_counters);
    return wl_end(&w);
}
