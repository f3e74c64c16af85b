/* nn: the records nearest to a place; the device computes distances, the host selects. */
#include "workload.h"

#include <math.h>

enum { NEAREST = 10 };
struct place {
    float latitude, longitude;
};
static const uint32_t sizes[WL_N_SIZES] = {[WL_TEST] = 16384, [WL_SMALL] = 131072, [WL_FULL] = 1048576};

/* The NEAREST smallest, in order; ties go to the smaller index. */
static void select_nearest(const float *distances, size_t n, uint32_t out[NEAREST])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = count;
        while (at > 0 && distances[i] < distances[out[at - 1]]) at--;
        if (at == NEAREST) continue;
        if (count < NEAREST) count++;
        for (uint32_t k = count - 1; k > at; k--) out[k] = out[k - 1];
        out[at] = i;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "nn", .doc = "nearest neighbours among records of places (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    uint32_t n = sizes[w.size], blocks = wl_blocks(n, 256), rows = blocks > 65535 ? wl_blocks(blocks, 65535) : 1;
    struct place *records = WL_NEW(&w, struct place, n), here = {30.0f, 90.0f};
    float *want = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n);
    struct wl_rng rng = {29};
    for (uint32_t i = 0; i < n; i++) {
        records[i] = (struct place){7.0f + 56.0f * wl_rng_unit(&rng), 359.0f * wl_rng_unit(&rng)};
        float dy = here.latitude - records[i].latitude, dx = here.longitude - records[i].longitude;
        want[i] = sqrtf(fmaf(dx, dx, dy * dy));
    }

    CUdeviceptr d_records = wl_upload(&w, records, n * sizeof *records), d_distances = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_records, &d_distances, &n, &here.latitude, &here.longitude};
    wl_launch(&w, wl_function(&w, "nn_distance"), wl_blocks(blocks, rows), rows, 256, 1, args);

    uint32_t nearest[NEAREST], expected[NEAREST];
    wl_output(&w, got, d_distances, n * sizeof *got);
    wl_compare_f32(&w, "distance", got, want, n);
    select_nearest(got, n, nearest);
    select_nearest(want, n, expected);
    wl_compare_u32(&w, "nearest", nearest, expected, NEAREST);
    return wl_end(&w);
}
