/* privhist: a histogram in bins of each thread's own. */
#include "workload.h"

#define BINS 64u
#define BLOCK 128u
#define SHARE 128u /* threads whose bins a block of the second launch sums */

/* An image of width x height pixels, of which each thread counts `words` times four. */
struct sizes {
    uint32_t width, height, words;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {128, 128, 8},
    [WL_SMALL] = {1024, 512, 8},
    [WL_FULL] = {4096, 4096, 16},
    [WL_EVAL] = {2048, 1024, 8}, /* 512 blocks for the 256 places of 32 SMs */
};

/* Rows of a picture: brightness wanders a little from pixel to pixel and jumps where one thing ends. */
static void draw_image(struct wl_rng *rng, uint8_t *image, size_t n)
{
    uint32_t level = 128;
    for (size_t i = 0; i < n; i++) {
        if (wl_rng_below(rng, 48) == 0) level = wl_rng_below(rng, 256);
        uint32_t next = level + wl_rng_below(rng, 13) - 6;
        if (next < 256) level = next; /* else it stays within the range */
        image[i] = (uint8_t)level;
    }
}

static void reference(const uint8_t *image, size_t n, size_t per_thread, uint32_t *bins, uint32_t *histogram)
{
    for (size_t i = 0; i < n; i++) {
        bins[i / per_thread * BINS + image[i] / 4]++;
        histogram[image[i] / 4]++;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "privhist", .doc = "a histogram in bins of each thread's own", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.width * s.height, per_thread = 4 * s.words, threads = n / per_thread, n_bins = threads * BINS;
    uint8_t *image = WL_NEW(&w, uint8_t, n);
    uint32_t *bins = WL_NEW(&w, uint32_t, n_bins), *got = WL_NEW(&w, uint32_t, n_bins), histogram[BINS] = {0},
             share = SHARE;
    struct wl_rng rng = {64};
    draw_image(&rng, image, n);

    CUdeviceptr d_image = wl_upload(&w, image, n), d_bins = wl_alloc(&w, n_bins * sizeof *bins);
    CUdeviceptr d_histogram = wl_alloc(&w, sizeof histogram);
    void *count_args[] = {&d_image, &d_bins, &s.words}, *sum_args[] = {&d_bins, &d_histogram, &share};
    wl_launch(&w, wl_function(&w, "privhist_count"), (unsigned)(threads / BLOCK), 1, BLOCK, 1, count_args);
    wl_launch(&w, wl_function(&w, "privhist_sum"), (unsigned)(threads / SHARE), 1, BINS, 1, sum_args);

    reference(image, n, per_thread, bins, histogram);
    wl_output(&w, got, d_histogram, sizeof histogram);
    wl_compare_u32(&w, "histogram", got, histogram, BINS);
    wl_output(&w, got, d_bins, n_bins * sizeof *got);
    wl_compare_u32(&w, "bins", got, bins, n_bins);
    return wl_end(&w);
}
