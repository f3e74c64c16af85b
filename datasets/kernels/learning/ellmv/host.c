/* ellmv: sparse matrix vector product, ELLPACK-R. */
#include "workload.h"

#include <math.h>

struct sizes {
    uint32_t rows, band;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1500, 100},
    [WL_SMALL] = {12288, 1000},
    [WL_FULL] = {13 * 12288, 8000},
    [WL_EVAL] = {13 * 12288, 8000},
};
#define BLOCK 256u
enum { LENGTH_MIN = 8, LENGTH_MAX = 64, REGION_MIN = 64, REGION_MAX = 1024, JITTER = 128, FAR = 8 };

/* Element k of row r is at [k * rows + r]. */
struct ell {
    uint32_t rows, *length, *column;
    float *value;
};

/* Rows come in regions, as a mesh's parts do: the rows of a region have about as many elements (between LENGTH_MIN and
 * LENGTH_MAX), at about the same distances from the diagonal within the band, each within +-JITTER. One element of FAR
 * is anywhere. */
static struct ell make_matrix(struct wl *w, struct sizes s, struct wl_rng *rng)
{
    struct ell a = {.rows = s.rows, .length = WL_NEW(w, uint32_t, s.rows)};
    a.column = WL_NEW(w, uint32_t, (size_t)s.rows * LENGTH_MAX);
    a.value = WL_NEW(w, float, (size_t)s.rows *LENGTH_MAX);
    uint32_t offset[LENGTH_MAX], spread = 2 * s.band + 1, typical = 0;
    for (uint32_t r = 0, region_end = 0; r < s.rows; r++) {
        if (r == region_end) {
            region_end += REGION_MIN + wl_rng_below(rng, REGION_MAX - REGION_MIN + 1);
            typical = LENGTH_MIN + wl_rng_below(rng, LENGTH_MAX - LENGTH_MIN + 1);
            for (int k = 0; k < LENGTH_MAX; k++) offset[k] = wl_rng_below(rng, spread);
        }
        uint32_t length = typical + wl_rng_below(rng, 5), first = s.rows - s.band % s.rows;
        length = length < LENGTH_MIN + 2 ? LENGTH_MIN : length - 2 > LENGTH_MAX ? LENGTH_MAX : length - 2;
        a.length[r] = length;
        for (size_t k = 0; k < length; k++) {
            uint32_t near = (r + first + offset[k] + wl_rng_below(rng, 2 * JITTER + 1) + s.rows - JITTER) % s.rows;
            a.column[k * s.rows + r] = wl_rng_below(rng, FAR) ? near : wl_rng_below(rng, s.rows);
            a.value[k * s.rows + r] = wl_rng_unit(rng) - 0.5f;
        }
    }
    return a;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "ellmv", .doc = "sparse matrix vector product, ELLPACK-R", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {73};
    struct ell a = make_matrix(&w, sizes[w.size], &rng);
    size_t n = a.rows, n_stored = n * LENGTH_MAX;
    float *x = WL_NEW(&w, float, n), *y = WL_NEW(&w, float, n), *out = WL_NEW(&w, float, n);
    wl_rng_fill(&rng, x, n);

    CUdeviceptr d_value = wl_upload(&w, a.value, n_stored * sizeof *a.value),
                d_column = wl_upload(&w, a.column, n_stored * sizeof *a.column);
    CUdeviceptr d_length = wl_upload(&w, a.length, n * sizeof *a.length), d_x = wl_upload(&w, x, n * sizeof *x);
    CUdeviceptr d_y = wl_alloc(&w, n * sizeof *y);
    void *args[] = {&d_value, &d_column, &d_length, &d_x, &d_y, &a.rows};
    wl_launch(&w, wl_function(&w, "ellmv"), wl_blocks(n, BLOCK), 1, BLOCK, 1, args);

    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < a.length[r]; k++) y[r] = fmaf(a.value[k * n + r], x[a.column[k * n + r]], y[r]);
    wl_output(&w, out, d_y, n * sizeof *out);
    wl_compare_f32(&w, "y", out, y, n);
    return wl_end(&w);
}
