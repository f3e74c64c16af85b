/* exchange: the exchange matrix of a Hartree-Fock step. */
#include "workload.h"

#include <math.h>

/* Orbitals; the sum over the first index of the density is cut into so many parts. */
struct sizes {
    uint32_t n, parts;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {12, 3},
    [WL_SMALL] = {32, 8},
    [WL_EVAL] = {48, 24}, /* 216 blocks of 16 x 16 */
    [WL_FULL] = {128, 16},
};

static size_t packed(size_t a, size_t b) { return a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a; }

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "exchange", .doc = "a Hartree-Fock exchange matrix", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.n, of_k = (n + s.parts - 1) / s.parts;
    size_t n_pairs = packed(n, 0), n_integrals = packed(n_pairs, 0), n_matrix = (size_t)n * n,
           n_out = n_matrix * s.parts;
    float *integrals = WL_NEW(&w, float, n_integrals), *density = WL_NEW(&w, float, n_matrix);
    float *got = WL_NEW(&w, float, n_out), *want = WL_NEW(&w, float, n_out);
    struct wl_rng rng = {99};
    wl_rng_fill(&rng, integrals, n_integrals);
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l <= k; l++) density[k * n + l] = density[l * n + k] = wl_rng_unit(&rng) - 0.5f;

    CUdeviceptr d_integrals = wl_upload(&w, integrals, n_integrals * sizeof *integrals);
    CUdeviceptr d_density = wl_upload(&w, density, n_matrix * sizeof *density),
                d_parts = wl_alloc(&w, n_out * sizeof *got);
    unsigned blocks = wl_blocks(n, 16);
    void *args[] = {&d_integrals, &d_density, &d_parts, &n, &of_k};
    wl_launch(&w, wl_function(&w, "exchange_matrix"), blocks * s.parts, blocks, 16, 16, args);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++) {
                    float *sum = &want[(k / of_k * n + i) * n + j];
                    *sum = fmaf(density[k * n + l], integrals[packed(packed(i, k), packed(j, l))], *sum);
                }
    wl_output(&w, got, d_parts, n_out * sizeof *got);
    wl_compare_f32(&w, "exchange matrix, in parts", got, want, n_out);
    return wl_end(&w);
}
