/* gaussian: Gaussian elimination of a dense system, the host substitutes back; see README.md. */
#include "workload.h"

#include <math.h>

static const uint32_t sizes[WL_N_SIZES] = {[WL_TEST] = 20, [WL_SMALL] = 208, [WL_FULL] = 1024};

static void reference(size_t n, float *m, float *a, float *b)
{
    for (size_t t = 0; t + 1 < n; t++)
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
    static const struct wl_spec spec = {.name = "gaussian", .doc = "Gaussian elimination (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = sizes[w.size];
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
    for (uint32_t t = 0; t + 1 < n; t++) {
        void *multipliers_args[] = {&d_m, &d_a, &n, &t};
        void *eliminate_args[] = {&d_m, &d_a, &d_b, &n, &t};
        wl_launch(&w, multipliers, wl_blocks(n, 512), 1, 512, 1, multipliers_args);
        wl_launch(&w, eliminate, wl_blocks(n, 4), wl_blocks(n, 4), 4, 4, eliminate_args);
    }

    reference(n, m, a, b);
    wl_output(&w, got, d_a, bytes);
    wl_output(&w, got_b, d_b, n * sizeof *b);
    wl_compare_f32(&w, "a", got, a, cells);
    wl_compare_f32(&w, "b", got_b, b, n);
    wl_expect(&w, residual(n, given, right, got, got_b, x) < 1e-4f, "the solution's residual", 0);
    return wl_end(&w);
}
