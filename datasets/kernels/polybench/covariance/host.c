/* covariance: covariances of the columns of a table (Polybench). */
#include "workload.h"

#include <math.h>

/* `rows` x COLUMNS numbers. A launch takes a strip of `width` columns; the strips go from the right to the left, and
 * `strips` of them are computed. */
struct sizes {
    uint32_t rows, width, strips;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {8, 2, 2},
    [WL_SMALL] = {32, 16, 1},
    [WL_FULL] = {2048, 64, 32},
    [WL_EVAL] = {512, 20, 1}, /* 20 x 8 blocks for the 160 places of 32 SMs */
};
/* As in kernel.cu: rows and columns count from 1. */
#define COLUMNS 2048u
#define PITCH (COLUMNS + 1)
#define BLOCK 256u

static void reference_centre(uint32_t rows, double *data, double *mean)
{
    for (uint32_t i = 1; i <= rows; i++)
        for (uint32_t j = 1; j <= COLUMNS; j++) mean[j] += data[(size_t)i * PITCH + j];
    for (uint32_t j = 1; j <= COLUMNS; j++) mean[j] /= (double)rows;
    for (uint32_t i = 1; i <= rows; i++)
        for (uint32_t j = 1; j <= COLUMNS; j++) data[(size_t)i * PITCH + j] -= mean[j];
}

/* `width` columns from `first` on with all columns up to them. */
static void reference_pairs(uint32_t rows, const double *data, double *covariance, uint32_t first, uint32_t width)
{
    for (uint32_t other = first; other < first + width; other++) {
        double *line = covariance + (size_t)other * PITCH;
        for (uint32_t i = 1; i <= rows; i++)
            for (uint32_t column = 1; column <= other; column++)
                line[column] = fma(data[(size_t)i * PITCH + column], data[(size_t)i * PITCH + other], line[column]);
        for (uint32_t column = 1; column < other; column++) covariance[(size_t)column * PITCH + other] = line[column];
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "covariance", .doc = "covariances of the columns of a table (Polybench)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_data = (size_t)(s.rows + 1) * PITCH, n_pairs = (size_t)PITCH * PITCH;
    double *data = WL_NEW(&w, double, n_data), *mean = WL_NEW(&w, double, PITCH),
           *covariance = WL_NEW(&w, double, n_pairs);
    double *got_mean = WL_NEW(&w, double, PITCH), *got = WL_NEW(&w, double, n_pairs);
    struct wl_rng rng = {74};
    for (size_t i = 0; i < n_data; i++) data[i] = (double)wl_rng_unit(&rng) - 0.5;

    CUdeviceptr d_data = wl_upload(&w, data, n_data * sizeof *data), d_mean = wl_alloc(&w, PITCH * sizeof *mean);
    CUdeviceptr d_covariance = wl_alloc(&w, n_pairs * sizeof *covariance);
    void *means[] = {&d_data, &d_mean, &s.rows};
    wl_launch(&w, wl_function(&w, "covariance_mean"), COLUMNS / BLOCK, 1, BLOCK, 1, means);
    void *centre[] = {&d_data, &d_mean, &s.rows};
    wl_launch(&w, wl_function(&w, "covariance_centre"), COLUMNS / 32, wl_blocks(s.rows, 8), 32, 8, centre);
    reference_centre(s.rows, data, mean);
    CUfunction kernel = wl_function(&w, "covariance_pairs");
    for (uint32_t strip = 1; strip <= s.strips; strip++) {
        uint32_t first = COLUMNS + 1 - strip * s.width;
        void *pairs[] = {&d_data, &d_covariance, &first, &s.rows};
        wl_launch(&w, kernel, s.width, COLUMNS / BLOCK, BLOCK, 1, pairs);
        reference_pairs(s.rows, data, covariance, first, s.width);
    }

    wl_output(&w, got_mean, d_mean, PITCH * sizeof *got_mean);
    wl_compare_f64(&w, "mean", got_mean, mean, PITCH);
    wl_output(&w, got, d_covariance, n_pairs * sizeof *got);
    wl_compare_f64(&w, "covariance", got, covariance, n_pairs);
    return wl_end(&w);
}
