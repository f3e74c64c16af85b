/* mri-gridding: samples spread over a grid. */
#include "mapreduce.h"

#include <math.h>

#define THREADS 256u
#define TILE 4u
#define TABLE 256
#define RADIUS2 9.0f

struct sizes {
    uint32_t nx, ny, nz, samples;
}; /* tiles of the grid along each side */
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {3, 3, 2, 24},
    [WL_SMALL] = {8, 8, 3, 120}, /* 192 blocks in the last kernel */
    [WL_FULL] = {32, 32, 32, 2655910},
};
struct sample {
    float x, y, z, re, im, density;
};

/* A Kaiser-Bessel window, I0(beta sqrt(1 - r2)) / I0(beta), by the series of I0: additions and products alone. */
static void make_window(float *window)
{
    const double beta = 6.0;
    double top = 1.0;
    for (int i = 0; i < TABLE; i++) {
        double quarter = beta * beta * (1.0 - i / (double)TABLE) / 4.0, term = 1.0, sum = 1.0;
        for (int k = 1; k < 40; k++) sum += term *= quarter / ((double)k * k);
        if (i == 0) top = sum;
        window[i] = (float)(sum / top);
    }
}

/* Dense in the middle, as trajectories through the centre of k-space are. */
static void make_samples(struct sizes s, struct sample *samples, struct wl_rng *rng)
{
    const float sides[3] = {(float)(s.nx * TILE), (float)(s.ny * TILE), (float)(s.nz * TILE)};
    for (uint32_t i = 0; i < s.samples; i++) {
        float u[3];
        for (int c = 0; c < 3; c++) u[c] = (wl_rng_unit(rng) + (i % 2 ? wl_rng_unit(rng) : 0.5f)) * 0.5f * sides[c];
        samples[i] = (struct sample){u[0], u[1], u[2], wl_rng_unit(rng), wl_rng_unit(rng), 0.5f + wl_rng_unit(rng)};
    }
}

/* Sorted by bin, equal ones in order: by counting. starts has one entry more than there are bins. */
static void sort_samples(struct wl *w, struct sizes s, const struct sample *samples, struct sample *sorted,
                         uint32_t *starts)
{
    uint32_t n_bins = s.nx * s.ny * s.nz, *bin = WL_NEW(w, uint32_t, s.samples), *next = WL_NEW(w, uint32_t, n_bins);
    for (uint32_t i = 0; i < s.samples; i++) {
        bin[i] = (uint32_t)samples[i].x / TILE +
                 s.nx * ((uint32_t)samples[i].y / TILE + s.ny * ((uint32_t)samples[i].z / TILE));
        starts[bin[i] + 1]++;
    }
    for (uint32_t b = 0; b < n_bins; b++) starts[b + 1] += next[b] = starts[b];
    for (uint32_t i = 0; i < s.samples; i++) sorted[next[bin[i]]++] = samples[i];
}

static void gather(struct sizes s, const struct sample *sorted, const uint32_t *starts, const float *window,
                   uint32_t px, uint32_t py, uint32_t pz, float *re, float *im)
{
    int bx = (int)(px / TILE), by = (int)(py / TILE), bz = (int)(pz / TILE);
    *re = *im = 0.0f;
    for (int z = bz - 1; z <= bz + 1; z++)
        for (int y = by - 1; y <= by + 1; y++)
            for (int x = bx - 1; x <= bx + 1; x++) {
                if (x < 0 || x >= (int)s.nx || y < 0 || y >= (int)s.ny || z < 0 || z >= (int)s.nz) continue;
                uint32_t bin = (uint32_t)x + s.nx * ((uint32_t)y + s.ny * (uint32_t)z);
                for (uint32_t i = starts[bin]; i < starts[bin + 1]; i++) {
                    float dx = sorted[i].x - (float)px, dy = sorted[i].y - (float)py, dz = sorted[i].z - (float)pz;
                    float distance2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
                    if (distance2 >= RADIUS2) continue;
                    float weight = window[(uint32_t)(distance2 * ((float)TABLE / RADIUS2))] * sorted[i].density;
                    *re = fmaf(weight, sorted[i].re, *re);
                    *im = fmaf(weight, sorted[i].im, *im);
                }
            }
}

/* Leaves the samples in the order of their bins in *sorted. */
static void sort_on_device(struct wl *w, struct sizes s, CUdeviceptr samples, CUdeviceptr sorted, CUdeviceptr starts)
{
    uint32_t n = s.samples, blocks = wl_blocks(n, THREADS), n_bins = s.nx * s.ny * s.nz;
    size_t bytes = n * sizeof(uint32_t), count_bytes = (size_t)blocks * 16 * sizeof(uint32_t);
    CUdeviceptr keys[2] = {wl_alloc(w, bytes), wl_alloc(w, bytes)}, order[2] = {wl_alloc(w, bytes), wl_alloc(w, bytes)};
    CUdeviceptr counts = wl_alloc(w, count_bytes), places = wl_alloc(w, count_bytes);
    void *bins[] = {&samples, &keys[0], &order[0], &s.nx, &s.ny, &n};
    wl_launch(w, wl_function(w, "grid_bins"), blocks, 1, THREADS, 1, bins);
    int from = 0;
    for (uint32_t shift = 0; shift < 32 && (n_bins - 1) >> shift; shift += 4, from = !from) {
        void *digits[] = {&keys[from], &shift, &counts, &n};
        void *scatter[] = {&keys[from], &order[from], &places, &shift, &keys[!from], &order[!from], &n};
        wl_launch(w, wl_function(w, "grid_digits"), blocks, 1, THREADS, 1, digits);
        mr_scan(w, counts, places, blocks * 16);
        wl_launch(w, wl_function(w, "grid_scatter"), blocks, 1, THREADS, 1, scatter);
    }
    void *reorder[] = {&samples, &keys[from], &order[from], &sorted, &starts, &n_bins, &n};
    wl_launch(w, wl_function(w, "grid_reorder"), blocks, 1, THREADS, 1, reorder);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "mri-gridding",
                                        .doc = "samples of an MRI scan spread over a grid (Parboil)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n_bins = s.nx * s.ny * s.nz, n_points = n_bins * TILE * TILE * TILE,
             *starts = WL_NEW(&w, uint32_t, n_bins + 1);
    struct sample *samples = WL_NEW(&w, struct sample, s.samples), *sorted = WL_NEW(&w, struct sample, s.samples);
    float window[TABLE], radius2 = RADIUS2;
    struct wl_rng rng = {53};
    make_window(window);
    make_samples(s, samples, &rng);
    sort_samples(&w, s, samples, sorted, starts);

    CUdeviceptr d_samples = wl_upload(&w, samples, s.samples * sizeof *samples),
                d_sorted = wl_alloc(&w, s.samples * sizeof *samples);
    CUdeviceptr d_starts = wl_alloc(&w, (n_bins + 1) * sizeof *starts);
    CUdeviceptr d_re = wl_alloc(&w, n_points * sizeof(float)), d_im = wl_alloc(&w, n_points * sizeof(float));
    wl_symbol(&w, "grid_window", window, sizeof window);
    sort_on_device(&w, s, d_samples, d_sorted, d_starts);
    void *args[] = {&d_sorted, &d_starts, &d_re, &d_im, &s.nx, &s.ny, &s.nz, &radius2};
    wl_launch(&w, wl_function(&w, "grid_gather"), s.nx, s.ny * s.nz, TILE * TILE * TILE, 1, args);

    float *want[2] = {WL_NEW(&w, float, n_points), WL_NEW(&w, float, n_points)}, *out = WL_NEW(&w, float, n_points);
    uint32_t *got_starts = WL_NEW(&w, uint32_t, n_bins + 1), row = s.nx * TILE, layer = row * s.ny * TILE;
    for (uint32_t i = 0; i < n_points; i++)
        gather(s, sorted, starts, window, i % row, i % layer / row, i / layer, &want[0][i], &want[1][i]);
    wl_output(&w, out, d_re, n_points * sizeof *out);
    wl_compare_f32(&w, "real part", out, want[0], n_points);
    wl_output(&w, out, d_im, n_points * sizeof *out);
    wl_compare_f32(&w, "imaginary part", out, want[1], n_points);
    wl_output(&w, got_starts, d_starts, (n_bins + 1) * sizeof *starts);
    wl_compare_u32(&w, "start of bin", got_starts, starts, n_bins + 1);
    return wl_end(&w);
}
