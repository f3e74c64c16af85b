/* mm: MapReduce matrix multiplication. */
#include "mapreduce.h"

#include <math.h>

/* Rows of A and columns of B have k elements and start every `pitch` elements. */
struct sizes {
    uint32_t rows, columns, k, pitch;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {8, 96, 24, 32},
    [WL_SMALL] = {188, 384, 16, 32}, /* 282 blocks for the 192 places of 32 SMs */
    [WL_FULL] = {1024, 1024, 1024, 1024},
    [WL_EVAL] = {48, 1024, 128, 1024}, /* 192 blocks, all threads of 32 SMs */
};

static void reference(struct sizes s, const float *a, const float *b, uint32_t *keys, float *values)
{
    for (uint32_t i = 0; i < s.rows; i++)
        for (uint32_t j = 0; j < s.columns; j++) {
            size_t at = (size_t)i * s.columns + j;
            keys[2 * at] = i;
            keys[2 * at + 1] = j;
            for (size_t k = 0; k < s.k; k++) values[at] = fmaf(a[i * s.pitch + k], b[j * s.pitch + k], values[at]);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "mm", .doc = "MapReduce matrix multiplication (Mars)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.rows * s.columns;
    size_t n_a = (size_t)s.rows * s.pitch, n_b = (size_t)s.columns * s.pitch;
    float *a = WL_NEW(&w, float, n_a), *b = WL_NEW(&w, float, n_b);
    uint32_t *tasks = WL_NEW(&w, uint32_t, 2 * (size_t)n), *keys = WL_NEW(&w, uint32_t, 2 * (size_t)n);
    float *values = WL_NEW(&w, float, n), *got_values = WL_NEW(&w, float, n);
    uint32_t *got_keys = WL_NEW(&w, uint32_t, 2 * (size_t)n);
    struct wl_rng rng = {7};
    wl_rng_fill(&rng, a, n_a);
    wl_rng_fill(&rng, b, n_b);
    for (uint32_t i = 0; i < n; i++) {
        tasks[2 * i] = i / s.columns;
        tasks[2 * i + 1] = i % s.columns;
    }

    CUdeviceptr d_a = wl_upload(&w, a, n_a * sizeof *a), d_b = wl_upload(&w, b, n_b * sizeof *b);
    CUdeviceptr d_tasks = wl_upload(&w, tasks, 2 * (size_t)n * sizeof *tasks);
    CUdeviceptr d_counts = wl_alloc(&w, n * sizeof(uint32_t)), d_offsets = wl_alloc(&w, n * sizeof(uint32_t));
    CUdeviceptr d_keys = wl_alloc(&w, 2 * (size_t)n * sizeof *keys), d_values = wl_alloc(&w, n * sizeof *values);
    void *map[] = {&d_a, &d_b, &s.k, &s.pitch, &d_tasks, &d_offsets, &d_keys, &d_values, &n};
    void *count[] = {&d_counts, &n};
    wl_launch(&w, wl_function(&w, "mm_map_count"), wl_blocks(n, 256), 1, 256, 1, count);
    mr_scan(&w, d_counts, d_offsets, n);
    wl_launch(&w, wl_function(&w, "mm_map"), wl_blocks(n, 256), 1, 256, 1, map);

    reference(s, a, b, keys, values);
    wl_output(&w, got_values, d_values, n * sizeof *values);
    wl_compare_f32(&w, "value", got_values, values, n);
    wl_output(&w, got_keys, d_keys, 2 * (size_t)n * sizeof *keys);
    wl_compare_u32(&w, "key", got_keys, keys, 2 * (size_t)n);
    return wl_end(&w);
}
