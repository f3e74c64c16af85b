/* lud: LU decomposition in place. */
#include "workload.h"

#include <math.h>

enum { SIDE = 16 };
struct sizes {
    uint32_t n, steps;
}; /* steps: block rows that are factorised; the rest is then the Schur complement */
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 4}, [WL_SMALL] = {256, 16}, [WL_FULL] = {2048, 128}, [WL_EVAL] = {2880, 1}};

/* Cell (i, j) once all cells with a smaller least index, up to `done`, are done. The sums are those of the blocked
 * kernels: a block's products are added up and taken away together, but in the cell's own block one by one. */
static float cell(const float *m, size_t n, size_t done, size_t i, size_t j)
{
    size_t least = i < j ? i : j, own = least / SIDE * SIDE, end = own < done ? own : done;
    float value = m[i * n + j];
    for (size_t first = 0; first < end; first += SIDE) {
        float sum = 0.0f;
        for (size_t k = first; k < first + SIDE; k++) sum = fmaf(m[i * n + k], m[k * n + j], sum);
        value -= sum;
    }
    if (least >= done) return value;
    for (size_t k = own; k < least; k++) value = fmaf(-m[i * n + k], m[k * n + j], value);
    return i > j ? value / m[j * n + j] : value;
}

static void reference(float *m, size_t n, size_t done)
{
    for (size_t least = 0; least < done; least++) {
        for (size_t j = least; j < n; j++) m[least * n + j] = cell(m, n, done, least, j);
        for (size_t i = least + 1; i < n; i++) m[i * n + least] = cell(m, n, done, i, least);
    }
    for (size_t i = done; i < n; i++)
        for (size_t j = done; j < n; j++) m[i * n + j] = cell(m, n, done, i, j);
}

/* The largest |L U - given| in a sample of cells; L and U end at `done`, and what is left there is added. */
static float residual(const float *lu, const float *given, size_t n, size_t done)
{
    float largest = 0.0f;
    for (size_t at = 0; at < n * n; at += 37) {
        size_t i = at / n, j = at % n;
        double sum = i <= j || j >= done ? (double)lu[at] : 0.0; /* L has ones on its diagonal */
        for (size_t k = 0; k < i && k <= j && k < done; k++) sum += (double)lu[i * n + k] * (double)lu[k * n + j];
        largest = fmaxf(largest, (float)fabs(sum - (double)given[at]));
    }
    return largest;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "lud", .doc = "LU decomposition (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = sizes[w.size].n, done = sizes[w.size].steps * SIDE, offset = 0;
    size_t cells = (size_t)n * n, bytes = cells * sizeof(float);
    float *m = WL_NEW(&w, float, cells), *given = WL_NEW(&w, float, cells), *got = WL_NEW(&w, float, cells);
    struct wl_rng rng = {32};
    for (size_t i = 0; i < cells; i++) m[i] = given[i] = wl_rng_unit(&rng) + (i % (n + 1) == 0 ? (float)n / 4 : 0.0f);

    CUdeviceptr d_m = wl_upload(&w, m, bytes);
    CUfunction diagonal = wl_function(&w, "lud_diagonal"), perimeter = wl_function(&w, "lud_perimeter"),
               internal = wl_function(&w, "lud_internal");
    void *args[] = {&d_m, &n, &offset};
    for (; offset < done; offset += SIDE) {
        uint32_t rest = (n - offset) / SIDE - 1;
        wl_launch(&w, diagonal, 1, 1, SIDE, 1, args);
        if (rest == 0) break;
        wl_launch(&w, perimeter, rest, 1, 2 * SIDE, 1, args);
        wl_launch(&w, internal, rest, rest, SIDE, SIDE, args);
    }

    reference(m, n, done);
    wl_output(&w, got, d_m, bytes);
    wl_compare_f32(&w, "lu", got, m, cells);
    wl_expect(&w, residual(got, given, n, done) < 1e-3f, "L U - given", 0);
    return wl_end(&w);
}
