/* xslookup: macroscopic cross sections of drawn particles. */
#include "workload.h"

#include <math.h>

struct sizes {
    uint32_t particles;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1000},
    [WL_SMALL] = {8192},
    [WL_EVAL] = {65536}, /* 256 blocks of 256: twice the places of 32 SMs */
    [WL_FULL] = {15000000},
};
#define ENERGIES 1024u
#define NUCLIDES 64u
#define CHANNELS 4u
#define MATERIALS 12u

/* After the reactor of Hoogenboom and Martin, as XSBench has it small; particles in a thousand. Fuel, the first, has
 * most nuclides. */
static const struct material {
    uint32_t nuclides, particles;
} materials[MATERIALS] = {
    {34, 140}, {5, 50},  {4, 280}, {4, 130}, {27, 150}, {21, 65},
    {21, 65},  {21, 55}, {21, 10}, {21, 15}, {9, 25},   {9, 15},
};

struct library {
    float *energies, *rows, *densities;
    uint32_t *start, *nuclides;
};

/* Energies rise by drawn steps that grow with them; a material's nuclides are drawn without one twice. */
static struct library draw_library(struct wl *w, struct wl_rng *rng)
{
    struct library l = {.energies = WL_NEW(w, float, ENERGIES),
                        .rows = WL_NEW(w, float, NUCLIDES *ENERGIES *CHANNELS),
                        .start = WL_NEW(w, uint32_t, MATERIALS + 1),
                        .nuclides = WL_NEW(w, uint32_t, MATERIALS * NUCLIDES),
                        .densities = WL_NEW(w, float, MATERIALS *NUCLIDES)};
    l.energies[0] = 1e-5f;
    for (uint32_t j = 1; j < ENERGIES; j++) l.energies[j] = l.energies[j - 1] * (1.005f + 0.03f * wl_rng_unit(rng));
    wl_rng_fill(rng, l.rows, NUCLIDES * ENERGIES * CHANNELS);
    for (uint32_t m = 0; m < MATERIALS; m++) {
        uint32_t at = l.start[m], left = materials[m].nuclides;
        for (uint32_t nuclide = 0; nuclide < NUCLIDES && left; nuclide++) {
            if (wl_rng_below(rng, NUCLIDES - nuclide) >= left) continue;
            l.nuclides[at] = nuclide;
            l.densities[at++] = wl_rng_unit(rng);
            left--;
        }
        l.start[m + 1] = at;
    }
    return l;
}

/* The lower of two drawn places in the table: slow particles are more than fast ones. */
static void draw_particles(const struct library *l, uint32_t n, float *energies, uint32_t *which, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = wl_rng_below(rng, ENERGIES - 1), other = wl_rng_below(rng, ENERGIES - 1);
        if (other < j) j = other;
        energies[i] = l->energies[j] + wl_rng_unit(rng) * (l->energies[j + 1] - l->energies[j]);
        uint32_t share = wl_rng_below(rng, 1000);
        while (share >= materials[which[i]].particles) share -= materials[which[i]++].particles;
    }
}

static void lookup(const struct library *l, float energy, uint32_t material, float *sum)
{
    uint32_t low = 0; /* the last energy that is not above the particle's, but never the last of all */
    while (low + 2 < ENERGIES && l->energies[low + 1] <= energy) low++;
    float share = (energy - l->energies[low]) / (l->energies[low + 1] - l->energies[low]);
    for (uint32_t k = l->start[material]; k < l->start[material + 1]; k++) {
        const float *a = l->rows + (l->nuclides[k] * ENERGIES + low) * CHANNELS, *b = a + CHANNELS;
        for (uint32_t c = 0; c < CHANNELS; c++) sum[c] = fmaf(l->densities[k], fmaf(share, b[c] - a[c], a[c]), sum[c]);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "xslookup", .doc = "macroscopic cross sections of particles", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = sizes[w.size].particles;
    struct wl_rng rng = {64};
    struct library l = draw_library(&w, &rng);
    float *energies = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, (size_t)n *CHANNELS),
          *want = WL_NEW(&w, float, (size_t)n *CHANNELS);
    uint32_t *which = WL_NEW(&w, uint32_t, n), n_listed = l.start[MATERIALS];
    draw_particles(&l, n, energies, which, &rng);

    CUdeviceptr d_energies = wl_upload(&w, l.energies, ENERGIES * sizeof(float));
    CUdeviceptr d_rows = wl_upload(&w, l.rows, NUCLIDES * ENERGIES * CHANNELS * sizeof(float));
    CUdeviceptr d_start = wl_upload(&w, l.start, (MATERIALS + 1) * sizeof(uint32_t));
    CUdeviceptr d_nuclides = wl_upload(&w, l.nuclides, n_listed * sizeof(uint32_t));
    CUdeviceptr d_densities = wl_upload(&w, l.densities, n_listed * sizeof(float));
    CUdeviceptr d_energy_of = wl_upload(&w, energies, n * sizeof *energies),
                d_which = wl_upload(&w, which, n * sizeof *which);
    CUdeviceptr d_out = wl_alloc(&w, (size_t)n * CHANNELS * sizeof *got);
    void *args[] = {&d_energies, &d_rows, &d_start, &d_nuclides, &d_densities, &d_energy_of, &d_which, &d_out, &n};
    wl_launch(&w, wl_function(&w, "xs_lookup"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) lookup(&l, energies[i], which[i], want + (size_t)i * CHANNELS);
    wl_output(&w, got, d_out, (size_t)n * CHANNELS * sizeof *got);
    wl_compare_f32(&w, "cross section", got, want, (size_t)n * CHANNELS);
    return wl_end(&w);
}
