/* cutcp: Coulombic potential with a cutoff. */
#include "workload.h"

#include <math.h>

#define DEPTH 8
#define MAX_NEIGHBOURS 256
#define SPACING 0.5f
#define BIN (8.0f * SPACING) /* a bin is as large as a region */

/* nx x ny x nz regions; `fill` atoms of 16 places in eight bins, on average. */
struct sizes {
    int nx, ny, nz, reach;
    uint32_t fill;
    float cutoff;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2, 2, 1, 1, 8, 4.0f},
    [WL_SMALL] = {4, 4, 2, 1, 8, 4.0f},
    [WL_FULL] = {26, 26, 26, 3, 24, 9.75f}, /* 251 neighbouring bins; the suite's 12 would be 311, more than the
                                             * kernel's table */
};
struct offset {
    int x, y, z;
};

/* Offsets of the bins within reach of any point of a region, in the order of the kernel. */
static uint32_t list_neighbours(const struct wl *w, struct sizes s, struct offset *out)
{
    uint32_t n = 0;
    for (int z = -s.reach; z <= s.reach; z++)
        for (int y = -s.reach; y <= s.reach; y++)
            for (int x = -s.reach; x <= s.reach; x++) {
                int gap2 = 0, gaps[3] = {x, y, z};
                for (int c = 0; c < 3; c++) {
                    int gap = (gaps[c] < 0 ? -gaps[c] : gaps[c]) - 1;
                    if (gap > 0) gap2 += gap * gap;
                }
                if ((float)gap2 * BIN * BIN >= s.cutoff * s.cutoff) continue;
                if (n == MAX_NEIGHBOURS) wl_fail(w, "more than %d neighbouring bins", MAX_NEIGHBOURS);
                out[n++] = (struct offset){x, y, z};
            }
    return n;
}

static float potential(struct sizes s, const float *bins, const struct offset *neighbours, uint32_t n_neighbours, int x,
                       int y, int z)
{
    int wide = s.nx + 2 * s.reach, high = s.ny + 2 * s.reach;
    /* As the kernel's: the distance in y is taken from the thread's first point, two spacings a step. */
    int steps = y % 8 / 2;
    float px = (float)x * SPACING, py = (float)(y - 2 * steps) * SPACING, pz = (float)z * SPACING;
    float energy = 0.0f, cutoff2 = s.cutoff * s.cutoff, inverse = 1.0f / cutoff2;
    for (uint32_t k = 0; k < n_neighbours; k++) {
        const struct offset *o = &neighbours[k];
        int bin = x / 8 + s.reach + o->x + wide * (y / 8 + s.reach + o->y + high * (z / 8 + s.reach + o->z));
        for (const float *a = bins + (size_t)bin * DEPTH * 4, *end = a + DEPTH * 4; a != end && a[3] != 0.0f; a += 4) {
            float dx = a[0] - px, dy = a[1] - py, dz = a[2] - pz;
            for (int i = 0; i < steps; i++) dy -= 2.0f * SPACING;
            float r2 = fmaf(dy, dy, fmaf(dx, dx, dz * dz));
            if (r2 >= cutoff2) continue;
            float t = fmaf(-r2, inverse, 1.0f);
            energy = fmaf(a[3] / sqrtf(r2) * t, t, energy);
        }
    }
    return energy;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "cutcp", .doc = "Coulombic potential with a cutoff (Parboil)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct offset neighbours[MAX_NEIGHBOURS];
    uint32_t n_neighbours = list_neighbours(&w, s, neighbours);
    int wide = s.nx + 2 * s.reach, high = s.ny + 2 * s.reach, deep = s.nz + 2 * s.reach;
    size_t n_bins = (size_t)wide * (size_t)high * (size_t)deep, n = (size_t)(s.nx * s.ny * s.nz) * 512;
    float *bins = WL_NEW(&w, float, n_bins *DEPTH * 4), *want = WL_NEW(&w, float, n), *out = WL_NEW(&w, float, n);
    struct wl_rng rng = {47};
    for (size_t bin = 0; bin < n_bins; bin++) {
        int at[3] = {(int)(bin % (size_t)wide), (int)(bin / (size_t)wide % (size_t)high),
                     (int)(bin / (size_t)(wide * high))};
        uint32_t atoms = wl_rng_below(&rng, s.fill / 4 + 1);
        for (uint32_t i = 0; i < atoms; i++) {
            float *atom = bins + (bin * DEPTH + i) * 4;
            for (int c = 0; c < 3; c++) atom[c] = ((float)(at[c] - s.reach) + 0.01f + 0.98f * wl_rng_unit(&rng)) * BIN;
            atom[3] = 0.25f + wl_rng_unit(&rng);
        }
    }

    CUdeviceptr d_bins = wl_upload(&w, bins, n_bins * DEPTH * 4 * sizeof *bins), d_out = wl_alloc(&w, n * sizeof *out);
    wl_symbol(&w, "cutcp_neighbours", neighbours, n_neighbours * sizeof *neighbours);
    float spacing = SPACING, cutoff2 = s.cutoff * s.cutoff;
    void *args[] = {&d_bins, &d_out, &n_neighbours, &s.reach, &s.nx, &s.ny, &s.nz, &spacing, &cutoff2};
    wl_launch(&w, wl_function(&w, "cutcp_lattice"), (unsigned)s.nx, (unsigned)(s.ny * s.nz), 8, 16, args);

    for (size_t i = 0; i < n; i++) {
        size_t row = 8 * (size_t)s.nx, layer = row * 8 * (size_t)s.ny;
        want[i] =
            potential(s, bins, neighbours, n_neighbours, (int)(i % row), (int)(i % layer / row), (int)(i / layer));
    }
    wl_output(&w, out, d_out, n * sizeof *out);
    wl_compare_f32(&w, "potential", out, want, n);
    return wl_end(&w);
}
