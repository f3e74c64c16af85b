/* kmeans: k-means clustering; the device assigns, the host moves the centres, as in Rodinia. */
#include "workload.h"

#include <math.h>
#include <string.h>

/* A point has `attributes`, of which the first `features` count. At most `rounds` assignments; it also ends when no
 * point changes its cluster. */
struct sizes {
    uint32_t points, attributes, features, clusters, rounds;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1536, 34, 8, 3, 2},
    [WL_SMALL] = {61440, 34, 8, 2, 1},   /* 240 blocks for the 192 places of 32 SMs */
    [WL_FULL] = {494020, 36, 36, 5, 20}, /* the size of Rodinia's kdd_cup */
    [WL_EVAL] = {49152, 36, 36, 5, 1},   /* its points cut to all threads of 32 SMs */
};

static void assign(struct sizes s, const float *points, const float *centres, uint32_t *membership)
{
    for (size_t p = 0; p < s.points; p++) {
        float nearest = 3.4e38f;
        for (uint32_t c = 0; c < s.clusters; c++) {
            float distance = 0.0f;
            for (size_t f = 0; f < s.features; f++) {
                float d = points[p * s.attributes + f] - centres[c * s.features + f];
                distance = fmaf(d, d, distance);
            }
            if (distance < nearest) {
                nearest = distance;
                membership[p] = c;
            }
        }
    }
}

/* The mean of each cluster's points; an empty cluster keeps its centre. */
static void move_centres(struct sizes s, const float *points, const uint32_t *membership, float *centres, float *sums,
                         uint32_t *counts)
{
    memset(sums, 0, (size_t)s.clusters * s.features * sizeof *sums);
    memset(counts, 0, s.clusters * sizeof *counts);
    for (size_t p = 0; p < s.points; p++) {
        uint32_t c = membership[p];
        counts[c]++;
        for (size_t f = 0; f < s.features; f++) sums[c * s.features + f] += points[p * s.attributes + f];
    }
    for (uint32_t c = 0; c < s.clusters; c++)
        for (size_t f = 0; counts[c] && f < s.features; f++)
            centres[c * s.features + f] = sums[c * s.features + f] / (float)counts[c];
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "kmeans-rows", .doc = "k-means clustering (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_p = (size_t)s.points * s.attributes, n_c = (size_t)s.clusters * s.features;
    float *points = WL_NEW(&w, float, n_p), *centres = WL_NEW(&w, float, n_c), *sums = WL_NEW(&w, float, n_c);
    uint32_t *counts = WL_NEW(&w, uint32_t, s.clusters), *got = WL_NEW(&w, uint32_t, s.points);
    uint32_t *want = WL_NEW(&w, uint32_t, s.points), *last = WL_NEW(&w, uint32_t, s.points);
    struct wl_rng rng = {12};
    wl_rng_fill(&rng, points, n_p);
    for (uint32_t c = 0; c < s.clusters; c++) /* the first points are the first centres */
        memcpy(centres + (size_t)c * s.features, points + (size_t)c * s.attributes, s.features * sizeof *centres);

    CUdeviceptr d_points = wl_upload(&w, points, n_p * sizeof *points), d_centres = wl_alloc(&w, n_c * sizeof *centres);
    CUdeviceptr d_membership = wl_alloc(&w, s.points * sizeof *got);
    void *args[] = {&d_points, &d_centres, &d_membership, &s.points, &s.attributes, &s.features, &s.clusters};
    CUfunction kernel = wl_function(&w, "kmeans_assign");
    for (uint32_t round = 0; round < s.rounds; round++) {
        wl_write(&w, d_centres, centres, n_c * sizeof *centres);
        wl_launch(&w, kernel, wl_blocks(s.points, 256), 1, 256, 1, args);
        assign(s, points, centres, want);
        wl_output(&w, got, d_membership, s.points * sizeof *got);
        wl_compare_u32(&w, "membership", got, want, s.points);
        if (round > 0 && memcmp(want, last, s.points * sizeof *want) == 0) break;
        memcpy(last, want, s.points * sizeof *want);
        move_centres(s, points, want, centres, sums, counts);
    }
    return wl_end(&w);
}
