/* embedding: sums of rows of a table, drawn with Zipf's law. */
#include "workload.h"

#include <math.h>

#define WIDTH 64u      /* floats a row */
#define PER_SAMPLE 16u /* rows a sample */
#define BLOCK 256u

struct sizes {
    uint32_t rows, samples;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1000, 300},
    [WL_SMALL] = {20000, 1600},
    [WL_FULL] = {100000, 131072},
    [WL_EVAL] = {100000, 26624}, /* 3328 blocks of 8 samples */
};

/* n numbers below `rows`: the r-th most popular row with a probability in proportion to 1 / sqrt(r). Which row that is,
 * is shuffled. */
static void draw_rows(struct wl *w, struct wl_rng *rng, uint32_t rows, uint32_t *to, size_t n)
{
    uint32_t *row = WL_NEW(w, uint32_t, rows);
    double *below = WL_NEW(w, double, rows), sum = 0.0; /* the weights up to this one */
    for (uint32_t r = 0; r < rows; r++) {
        below[r] = sum += 1.0 / sqrt((double)(r + 1));
        uint32_t k = wl_rng_below(rng, r + 1);
        row[r] = row[k];
        row[k] = r;
    }
    for (size_t i = 0; i < n; i++) {
        double drawn = (double)wl_rng_unit(rng) * sum;
        uint32_t low = 0, high = rows - 1;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (below[middle] > drawn) high = middle;
            else low = middle + 1;
        }
        to[i] = row[low];
    }
}

static void reference(struct sizes s, const float *table, const uint32_t *rows, float *sums)
{
    for (size_t i = 0; i < s.samples; i++)
        for (size_t k = 0; k < PER_SAMPLE; k++)
            for (size_t c = 0; c < WIDTH; c++) sums[i * WIDTH + c] += table[rows[i * PER_SAMPLE + k] * WIDTH + c];
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "embedding", .doc = "sums of rows of a table, by lists of rows", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_table = (size_t)s.rows * WIDTH, n_rows = (size_t)s.samples * PER_SAMPLE,
           n_sums = (size_t)s.samples * WIDTH;
    float *table = WL_NEW(&w, float, n_table), *sums = WL_NEW(&w, float, n_sums), *got = WL_NEW(&w, float, n_sums);
    uint32_t *rows = WL_NEW(&w, uint32_t, n_rows);
    struct wl_rng rng = {61};
    wl_rng_fill(&rng, table, n_table);
    draw_rows(&w, &rng, s.rows, rows, n_rows);

    CUdeviceptr d_table = wl_upload(&w, table, n_table * sizeof *table),
                d_rows = wl_upload(&w, rows, n_rows * sizeof *rows);
    CUdeviceptr d_sums = wl_alloc(&w, n_sums * sizeof *sums);
    void *args[] = {&d_table, &d_rows, &d_sums, &s.samples};
    wl_launch(&w, wl_function(&w, "embedding_sum"), wl_blocks((size_t)s.samples * 32, BLOCK), 1, BLOCK, 1, args);

    reference(s, table, rows, sums);
    wl_output(&w, got, d_sums, n_sums * sizeof *got);
    wl_compare_f32(&w, "sums", got, sums, n_sums);
    return wl_end(&w);
}
