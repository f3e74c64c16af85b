/* roipool: maxima of the bins of regions of interest. */
#include "workload.h"

enum { BINS = 7 };
struct sizes {
    uint32_t channels, regions;
    int height, width;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {4, 3, 14, 20},
    [WL_SMALL] = {64, 24, 38, 50},
    [WL_EVAL] = {512, 96, 38, 50}, /* 4,704 blocks of 512 */
    [WL_FULL] = {512, 300, 38, 63},
};
struct region {
    int x0, y0, width, height;
};

static int at_least(int a, int b) { return a > b ? a : b; }
static int at_most(int a, int b) { return a < b ? a : b; }

/* Regions of all sizes from 4 x 4 on; some reach over the edge of the map, as a network's proposals do. */
static void draw_regions(struct sizes s, struct region *regions, struct wl_rng *rng)
{
    for (uint32_t i = 0; i < s.regions; i++) {
        struct region *r = &regions[i];
        r->width = 4 + (int)wl_rng_below(rng, (uint32_t)s.width / 2);
        r->height = 4 + (int)wl_rng_below(rng, (uint32_t)s.height / 2);
        r->x0 = (int)wl_rng_below(rng, (uint32_t)s.width) - r->width / 4;
        r->y0 = (int)wl_rng_below(rng, (uint32_t)s.height) - r->height / 4;
    }
}

/* The ends of bins in double precision, as the paper divides a region. */
static void pool_bin(const float *map, struct sizes s, struct region r, int bin_x, int bin_y, float *most,
                     uint32_t *place)
{
    double step_x = r.width / (double)BINS, step_y = r.height / (double)BINS;
    int x_first = r.x0 + (int)(bin_x * step_x + 1e-9), y_first = r.y0 + (int)(bin_y * step_y + 1e-9);
    int x_end = r.x0 + r.width - (int)((BINS - 1 - bin_x) * step_x + 1e-9);
    int y_end = r.y0 + r.height - (int)((BINS - 1 - bin_y) * step_y + 1e-9);
    *place = UINT32_MAX;
    *most = 0.0f;
    for (int y = at_least(y_first, 0); y < at_most(y_end, s.height); y++)
        for (int x = at_least(x_first, 0); x < at_most(x_end, s.width); x++)
            if (*place == UINT32_MAX || map[y * s.width + x] > *most) {
                *place = (uint32_t)(y * s.width + x);
                *most = map[*place];
            }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "roipool", .doc = "maxima of the bins of regions of interest", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t of_map = (size_t)(s.height * s.width), n_maps = of_map * s.channels;
    uint32_t n = s.regions * s.channels * BINS * BINS;
    float *maps = WL_NEW(&w, float, n_maps), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    uint32_t *got_places = WL_NEW(&w, uint32_t, n), *want_places = WL_NEW(&w, uint32_t, n);
    struct region *regions = WL_NEW(&w, struct region, s.regions);
    struct wl_rng rng = {100};
    for (size_t i = 0; i < n_maps; i++) { /* a rectified layer: half of it is zero */
        float drawn = wl_rng_unit(&rng) - 0.5f;
        maps[i] = drawn > 0.0f ? drawn : 0.0f;
    }
    draw_regions(s, regions, &rng);

    CUdeviceptr d_maps = wl_upload(&w, maps, n_maps * sizeof *maps);
    CUdeviceptr d_regions = wl_upload(&w, regions, s.regions * sizeof *regions);
    CUdeviceptr d_maxima = wl_alloc(&w, n * sizeof *got), d_places = wl_alloc(&w, n * sizeof *got_places);
    void *args[] = {&d_maps, &d_regions, &d_maxima, &d_places, &s.channels, &s.height, &s.width, &n};
    wl_launch(&w, wl_function(&w, "roi_pool"), wl_blocks(n, 512), 1, 512, 1, args);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t rest = i / (BINS * BINS);
        pool_bin(maps + rest % s.channels * of_map, s, regions[rest / s.channels], (int)(i % BINS),
                 (int)(i / BINS % BINS), &want[i], &want_places[i]);
    }
    wl_output(&w, got, d_maxima, n * sizeof *got);
    wl_output(&w, got_places, d_places, n * sizeof *got_places);
    wl_compare_f32(&w, "maxima", got, want, n);
    wl_compare_u32(&w, "places", got_places, want_places, n);
    return wl_end(&w);
}
