/* gaussian: Gaussian elimination of a dense system, the host substitutes back. */
#include "workload.h"

#include <math.h>

/* Unknowns, and the columns that are eliminated: a system whose last column is left is solved. */
struct sizes {
    uint32_t n, columns;
};
static const char *const inputs[] = {
    "Rodinia's smaller system, 208 unknowns at size small",
    "its larger one, 1024 unknowns, of which size small eliminates the first 11 columns",
};
enum { INPUTS = sizeof inputs / sizeof *inputs };
static const struct sizes sizes[INPUTS][WL_N_SIZES] = {
    {[WL_TEST] = {20, 19}, [WL_SMALL] = {208, 207}, [WL_FULL] = {1024, 1023}},
    {[WL_TEST] = {128, 2}, [WL_SMALL] = {1024, 11}, [WL_FULL] = {1024, 1023}}};

static void reference(struct sizes s, float *m, float *a, float *b)
{
    const size_t n = s.n;
    for (size_t t = 0; t < s.columns; t++)
        for (size_t i = t + 1; i < n; i++) {
            float f = m[n * i + t] = a[n * i + t] / a[n * t + t];
            for (size_t j = t; j < n; j++) a[n * i + j] = fmaf(-f, a[n * t + j], a[n * i + j]);
            b[i] = fmaf(-f, b[t], b[i]);
        }
}

/* The largest |row of the given system . x - right side|: what an elimination is for. */
static float residual(size_t n, const float *given, const float *right, const float *a, const float *b, float *x)
{
    float largest = 0.0f;
    for (size_t i = n; i-- > 0;) {
        x[i] = b[i];
        for (size_t j = i + 1; j < n; j++) x[i] -= a[n * i + j] * x[j];
        x[i] /= a[n * i + i];
    }
    for (size_t i = 0; i < n; i++) {
        double sum = -(double)right[i];
        for (size_t j = 0; j < n; j++) sum += (double)given[n * i + j] * (double)x[j];
        largest = fmaxf(largest, (float)fabs(sum));
    }
    return largest;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "gaussian", .doc = "Gaussian elimination (Rodinia)", .inputs = inputs, .n_inputs = INPUTS};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const struct sizes s = sizes[w.input][w.size];
    uint32_t n = s.n;
    size_t cells = (size_t)n * n, bytes = cells * sizeof(float);
    float *given = WL_NEW(&w, float, cells), *right = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, cells),
          *got_b = WL_NEW(&w, float, n);
    float *a = WL_NEW(&w, float, cells), *b = WL_NEW(&w, float, n), *m = WL_NEW(&w, float, cells),
          *x = WL_NEW(&w, float, n);
    struct wl_rng rng = {25};
    for (size_t i = 0; i < cells; i++) a[i] = given[i] = wl_rng_unit(&rng) + (i % (n + 1) == 0 ? (float)n : 0.0f);
    for (size_t i = 0; i < n; i++) b[i] = right[i] = wl_rng_unit(&rng);

    CUdeviceptr d_m = wl_alloc(&w, bytes), d_a = wl_upload(&w, a, bytes), d_b = wl_upload(&w, b, n * sizeof *b);
    CUfunction multipliers = wl_function(&w, "gaussian_multipliers"), eliminate = wl_function(&w, "gaussian_eliminate");
    for (uint32_t t = 0; t < s.columns; t++) {
        void *multipliers_args[] = {&d_m, &d_a, &n, &t};
        void *eliminate_args[] = {&d_m, &d_a, &d_b, &n, &t};
        wl_launch(&w, multipliers, wl_blocks(n, 512), 1, 512, 1, multipliers_args);
        wl_launch(&w, eliminate, wl_blocks(n, 4), wl_blocks(n, 4), 4, 4, eliminate_args);
    }

    reference(s, m, a, b);
    wl_output(&w, got, d_a, bytes);
    wl_output(&w, got_b, d_b, n * sizeof *b);
    wl_compare_f32(&w, "a", got, a, cells);
    wl_compare_f32(&w, "b", got_b, b, n);
    if (s.columns + 1 == n)
        wl_expect(&w, residual(n, given, right, got, got_b, x) < 1e-4f, "the solution's residual", 0);
    return wl_end(&w);
}
