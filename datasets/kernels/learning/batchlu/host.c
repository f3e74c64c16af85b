/* batchlu: LU factors of many small matrices. */
#include "workload.h"

#include <math.h>

/* `n` matrices of `smallest` to `largest` rows. */
struct sizes {
    uint32_t n, smallest, largest;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {700, 5, 8},
    [WL_SMALL] = {4096, 8, 16},
    [WL_FULL] = {32768, 8, 16},
    [WL_EVAL] = {32768, 8, 16}, /* 256 blocks: all places of 32 SMs */
};

/* A matrix has `order` rows of a whole number of quads, and begins at quad `start`. */
struct place {
    uint32_t start, order;
};
static uint32_t pitch_of(struct place p) { return (p.order + 3) / 4 * 4; }

/* Runs of 32 to 256 matrices have one order, as elements of one degree lie together in a mesh; low orders are more
 * frequent (the least of three drawn). Returns the number of floats. */
static size_t draw_places(struct sizes s, struct wl_rng *rng, struct place *places)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < s.n;) {
        uint32_t end = i + 32 + wl_rng_below(rng, 225), order = s.largest;
        for (int draw = 0; draw < 3; draw++) {
            uint32_t drawn = s.smallest + wl_rng_below(rng, s.largest - s.smallest + 1);
            if (drawn < order) order = drawn;
        }
        for (; i < end && i < s.n; i++) {
            places[i] = (struct place){start, order};
            start += order * pitch_of(places[i]) / 4;
        }
    }
    return (size_t)start * 4;
}

/* Diagonally dominant, so that no rows need be exchanged. */
static void draw_matrix(struct place p, struct wl_rng *rng, float *a)
{
    for (uint32_t i = 0; i < p.order; i++)
        for (uint32_t j = 0; j < p.order; j++)
            a[i * pitch_of(p) + j] = (i == j ? (float)p.order : 0.0f) + wl_rng_unit(rng) - 0.5f;
}

/* The diagonal of the result holds reciprocals. */
static void factor(struct place p, float *a)
{
    uint32_t n = pitch_of(p);
    for (uint32_t i = 0; i < p.order; i++) {
        for (uint32_t j = 0; j < p.order; j++) {
            float sum = a[i * n + j];
            for (uint32_t k = 0; k < i && k < j; k++) sum = fmaf(-a[i * n + k], a[k * n + j], sum);
            a[i * n + j] = j < i ? sum * a[j * n + j] : sum;
        }
        a[i * n + i] = 1.0f / a[i * n + i];
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "batchlu", .doc = "LU factors of many small matrices", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {101};
    struct place *places = WL_NEW(&w, struct place, s.n);
    size_t n = draw_places(s, &rng, places);
    float *a = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n);
    for (uint32_t i = 0; i < s.n; i++) draw_matrix(places[i], &rng, a + (size_t)places[i].start * 4);

    CUdeviceptr d_a = wl_upload(&w, a, n * sizeof *a), d_places = wl_upload(&w, places, s.n * sizeof *places);
    void *args[] = {&d_a, &d_places, &s.n};
    wl_launch(&w, wl_function(&w, "batchlu_factor"), wl_blocks(s.n, 128), 1, 128, 1, args);

    for (uint32_t i = 0; i < s.n; i++) factor(places[i], a + (size_t)places[i].start * 4);
    wl_output(&w, got, d_a, n * sizeof *got);
    wl_compare_f32(&w, "factors", got, a, n);
    return wl_end(&w);
}
