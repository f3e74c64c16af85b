/* tpacf: two-point angular correlation function. */
#include "workload.h"

#include <math.h>

#define BINS 20

struct sizes {
    uint32_t points, sets;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {40, 3},
    [WL_SMALL] = {32, 41},
    [WL_FULL] = {4096, 101},
    [WL_EVAL] = {212, 101},
};

/* Points on the sphere by rejection; half of the data's points keep close to the one before. */
static void make_points(float *x, uint32_t n, bool is_data, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < n;) {
        float p[3], length = 0.0f;
        for (int c = 0; c < 3; c++) {
            p[c] = 2.0f * wl_rng_unit(rng) - 1.0f;
            if (is_data && i % 2) p[c] = x[(uint32_t)c * n + i - 1] + 0.1f * p[c];
            length = fmaf(p[c], p[c], length);
        }
        if (length > 2.0f || length < 0.01f || (!(is_data && i % 2) && length > 1.0f)) continue;
        length = sqrtf(length);
        for (int c = 0; c < 3; c++) x[(uint32_t)c * n + i] = p[c] / length;
        i++;
    }
}

static void count(const float *a, const float *b, uint32_t n, const float *bounds, uint32_t *bins)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = a == b ? i + 1 : 0; j < n; j++) {
            float product = fmaf(b[j], a[i], fmaf(b[n + j], a[n + i], b[2 * n + j] * a[2 * n + i]));
            for (uint32_t k = 0; k < BINS; k++)
                if (product < bounds[k] && product >= bounds[k + 1]) bins[k]++;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "tpacf", .doc = "two-point angular correlation function (Parboil)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.points, n_bins = s.sets * 2 * BINS, *want = WL_NEW(&w, uint32_t, n_bins),
             *out = WL_NEW(&w, uint32_t, n_bins);
    size_t n_words = (size_t)s.sets * n * 3;
    float *points = WL_NEW(&w, float, n_words), bounds[BINS + 1];
    struct wl_rng rng = {46};
    for (uint32_t set = 0; set < s.sets; set++) make_points(points + (size_t)set * n * 3, n, set == 0, &rng);
    for (int k = 0; k <= BINS; k++) { /* cosines of angles that grow by the same factor, by 1 - cos a = a a / 2 */
        bounds[k] = k ? 1.0f - 2.0f / (float)(1u << (BINS - k)) : 1.5f;
    }

    CUdeviceptr d_points = wl_upload(&w, points, n_words * sizeof *points), d_out = wl_alloc(&w, n_bins * sizeof *out);
    wl_symbol(&w, "tpacf_bounds", bounds, sizeof bounds);
    void *args[] = {&d_points, &n, &d_out};
    wl_launch(&w, wl_function(&w, "tpacf_count"), s.sets, 1, 256, 1, args);

    for (uint32_t set = 0; set < s.sets; set++) {
        const float *own = points + (size_t)set * n * 3;
        count(own, own, n, bounds, want + (size_t)set * 2 * BINS);
        if (set) count(own, points, n, bounds, want + (size_t)set * 2 * BINS + BINS);
    }
    wl_output(&w, out, d_out, n_bins * sizeof *out);
    wl_compare_u32(&w, "bin", out, want, n_bins);
    return wl_end(&w);
}
