/* km: k-means as MapReduce. */
#include "mapreduce.h"

struct sizes {
    uint32_t points, features, centres, slots, rounds;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {384, 4, 6, 16, 3},
    [WL_SMALL] = {24576, 3, 8, 16, 3}, /* 96 blocks */
    [WL_FULL] = {1048576, 3, 24, 64, 20},
};

static void reference(struct wl *w, struct sizes s, const int32_t *points, int32_t *centres, uint32_t *nearest,
                      uint32_t rounds)
{
    int32_t *sum = WL_NEW(w, int32_t, (size_t)s.centres * s.features);
    uint32_t *count = WL_NEW(w, uint32_t, s.centres);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < s.centres * s.features; i++) sum[i] = 0;
        for (uint32_t c = 0; c < s.centres; c++) count[c] = 0;
        for (uint32_t p = 0; p < s.points; p++) {
            uint32_t least = UINT32_MAX;
            for (uint32_t c = 0; c < s.centres; c++) {
                uint32_t distance = 0;
                for (uint32_t f = 0; f < s.features; f++) {
                    int32_t d = points[p * s.features + f] - centres[c * s.features + f];
                    distance += (uint32_t)(d * d);
                }
                if (distance >= least) continue;
                least = distance;
                nearest[p] = c + 1;
            }
            uint32_t c = nearest[p] - 1;
            count[c]++;
            for (uint32_t f = 0; f < s.features; f++) sum[c * s.features + f] += points[p * s.features + f];
        }
        for (uint32_t i = 0; i < s.centres * s.features; i++)
            if (count[i / s.features]) centres[i] = sum[i] / (int32_t)count[i / s.features];
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "km", .doc = "k-means, a MapReduce pipeline (Mars)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.points, n_coordinates = n * s.features, n_centre_words = s.centres * s.features, changed = 1,
             rounds = 0;
    int32_t *points = WL_NEW(&w, int32_t, n_coordinates), *centres = WL_NEW(&w, int32_t, n_centre_words);
    uint32_t *nearest = WL_NEW(&w, uint32_t, n), *out = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {50};
    for (uint32_t i = 0; i < n_coordinates; i++) /* clusters by the point's number */
        points[i] = (int32_t)(100 * (i / s.features % s.centres) + wl_rng_below(&rng, 150));
    for (uint32_t i = 0; i < n_centre_words; i++) centres[i] = points[i];

    CUdeviceptr d_points = wl_upload(&w, points, n_coordinates * sizeof *points);
    CUdeviceptr d_centres = wl_upload(&w, centres, n_centre_words * sizeof *centres);
    CUdeviceptr d_keys = wl_alloc(&w, n * sizeof(uint32_t)), d_changed = wl_alloc(&w, sizeof changed);
    for (; changed && rounds < s.rounds; rounds++) {
        changed = 0;
        wl_write(&w, d_changed, &changed, sizeof changed);
        void *map[] = {&d_points, &d_centres, &s.features, &s.centres, &d_keys, &d_changed, &n};
        wl_launch(&w, wl_function(&w, "km_map"), wl_blocks(n, 256), 1, 256, 1, map);
        struct mr_groups g = mr_group(&w, d_keys, n, s.slots);
        void *reduce[] = {&g.table, &g.start, &g.order, &d_points, &d_centres, &s.features, &s.slots};
        wl_launch(&w, wl_function(&w, "km_reduce"), wl_blocks(s.slots * s.features, 64), 1, 64, 1, reduce);
        wl_read(&w, &changed, d_changed, sizeof changed);
    }

    reference(&w, s, points, centres, nearest, rounds);
    uint32_t *got_centres = WL_NEW(&w, uint32_t, n_centre_words);
    wl_output(&w, out, d_keys, n * sizeof *out);
    wl_compare_u32(&w, "nearest centre", out, nearest, n);
    wl_output(&w, got_centres, d_centres, n_centre_words * sizeof *got_centres);
    wl_compare_u32(&w, "coordinate of a centre", got_centres, (const uint32_t *)centres, n_centre_words);
    return wl_end(&w);
}
