/* kmeans: k-means clustering as Rodinia's; the device assigns, the host moves the centres. */
#include "workload.h"

#include <math.h>
#include <string.h>

/* At most `rounds` assignments; it also ends when no point changes its cluster. */
struct sizes {
    uint32_t points, features, clusters, rounds;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1536, 34, 3, 2},
    [WL_SMALL] = {20480, 34, 2, 1},  /* 80 blocks, two or three an SM */
    [WL_FULL] = {494020, 34, 5, 20}, /* Rodinia's kdd_cup */
    [WL_EVAL] = {494020, 34, 5, 1},
};
enum { CENTRES_MAX = 1088, BLOCK = 256 }; /* the first as in kernel.cu */

static void invert(struct sizes s, const float *rows, float *columns)
{
    for (size_t p = 0; p < s.points; p++)
        for (size_t f = 0; f < s.features; f++) columns[f * s.points + p] = rows[p * s.features + f];
}

static void assign(struct sizes s, const float *rows, const float *centres, uint32_t *membership)
{
    for (size_t p = 0; p < s.points; p++) {
        float nearest = 3.4e38f;
        for (uint32_t c = 0; c < s.clusters; c++) {
            float distance = 0.0f;
            for (size_t f = 0; f < s.features; f++) {
                const float d = rows[p * s.features + f] - centres[c * s.features + f];
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
static void move_centres(struct sizes s, const float *rows, const uint32_t *membership, float *centres)
{
    float sums[CENTRES_MAX] = {0};
    uint32_t counts[CENTRES_MAX] = {0};
    for (size_t p = 0; p < s.points; p++) {
        const uint32_t c = membership[p];
        counts[c]++;
        for (size_t f = 0; f < s.features; f++) sums[c * s.features + f] += rows[p * s.features + f];
    }
    for (uint32_t c = 0; c < s.clusters; c++)
        for (size_t f = 0; counts[c] && f < s.features; f++)
            centres[c * s.features + f] = sums[c * s.features + f] / (float)counts[c];
}

/* The blocks for n threads in a square grid, as Rodinia has them: its side. */
static unsigned grid_side(uint32_t n)
{
    unsigned side = 1;
    while (side * side < wl_blocks(n, BLOCK)) side++;
    return side;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "kmeans", .doc = "k-means clustering (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const size_t n_values = (size_t)s.points * s.features, n_centres = (size_t)s.clusters * s.features;
    float *rows = WL_NEW(&w, float, n_values), *want_columns = WL_NEW(&w, float, n_values);
    float *columns = WL_NEW(&w, float, n_values), *centres = WL_NEW(&w, float, n_centres);
    uint32_t *got = WL_NEW(&w, uint32_t, s.points), *want = WL_NEW(&w, uint32_t, s.points);
    uint32_t *last = WL_NEW(&w, uint32_t, s.points);
    struct wl_rng rng = {12};
    wl_rng_fill(&rng, rows, n_values);
    memcpy(centres, rows, n_centres * sizeof *centres); /* the first points are the first centres */

    CUdeviceptr d_rows = wl_upload(&w, rows, n_values * sizeof *rows);
    CUdeviceptr d_columns = wl_alloc(&w, n_values * sizeof *columns);
    CUdeviceptr d_membership = wl_alloc(&w, s.points * sizeof *got);
    const unsigned side = grid_side(s.points);
    void *invert_args[] = {&d_rows, &d_columns, &s.points, &s.features};
    wl_launch(&w, wl_function(&w, "kmeans_invert"), side * side, 1, BLOCK, 1, invert_args);
    invert(s, rows, want_columns);
    wl_output(&w, columns, d_columns, n_values * sizeof *columns);
    wl_compare_f32(&w, "column", columns, want_columns, n_values);

    CUtexObject texture = wl_texture(&w, d_columns, n_values);
    void *assign_args[] = {&texture, &d_membership, &s.features, &s.points, &s.clusters};
    CUfunction kernel = wl_function(&w, "kmeans_assign");
    for (uint32_t round = 0; round < s.rounds; round++) {
        wl_symbol(&w, "kmeans_centres", centres, n_centres * sizeof *centres);
        wl_launch(&w, kernel, side, side, BLOCK, 1, assign_args);
        assign(s, rows, centres, want);
        wl_output(&w, got, d_membership, s.points * sizeof *got);
        wl_compare_u32(&w, "membership", got, want, s.points);
        if (round > 0 && memcmp(want, last, s.points * sizeof *want) == 0) break;
        memcpy(last, want, s.points * sizeof *want);
        move_centres(s, rows, want, centres);
    }
    WL_CU(&w, cuTexObjectDestroy(texture));
    return wl_end(&w);
}
