/* pqscan: distances of product-quantised vectors to queries. */
#include "workload.h"

/* `lists` of `n` vectors of `parts` bytes; each query probes one of them. */
struct sizes {
    uint32_t n, parts, lists, queries;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {300, 16, 3, 4},
    [WL_SMALL] = {2048, 32, 8, 24},
    [WL_EVAL] = {4096, 64, 16, 48}, /* 768 blocks of 256: four times the places of 32 SMs */
    [WL_FULL] = {16384, 64, 256, 1024},
};

/* Vectors of a list are near each other: in each part a few centroids are more frequent than the others. */
static void draw_codes(struct sizes s, uint8_t *codes, struct wl_rng *rng)
{
    uint8_t frequent[256][16];
    for (uint32_t list = 0; list < s.lists; list++) {
        for (uint32_t m = 0; m < s.parts; m++)
            for (int k = 0; k < 16; k++) frequent[m][k] = (uint8_t)wl_rng_below(rng, 256);
        for (uint32_t i = 0; i < s.n; i++)
            for (uint32_t m = 0; m < s.parts; m++)
                *codes++ = wl_rng_below(rng, 2) ? frequent[m][wl_rng_below(rng, 16)] : (uint8_t)wl_rng_below(rng, 256);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "pqscan", .doc = "distances of product-quantised vectors", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_codes = (size_t)s.lists * s.n * s.parts, n_table = (size_t)s.queries * s.parts * 256,
           n_out = (size_t)s.queries * s.n;
    uint8_t *codes = WL_NEW(&w, uint8_t, n_codes);
    uint32_t *probes = WL_NEW(&w, uint32_t, s.queries);
    float *tables = WL_NEW(&w, float, n_table), *got = WL_NEW(&w, float, n_out), *want = WL_NEW(&w, float, n_out);
    struct wl_rng rng = {87};
    draw_codes(s, codes, &rng);
    wl_rng_fill(&rng, tables, n_table);
    for (uint32_t q = 0; q < s.queries; q++) probes[q] = wl_rng_below(&rng, s.lists);

    CUdeviceptr d_tables = wl_upload(&w, tables, n_table * sizeof *tables), d_codes = wl_upload(&w, codes, n_codes);
    CUdeviceptr d_probes = wl_upload(&w, probes, s.queries * sizeof *probes);
    CUdeviceptr d_distances = wl_alloc(&w, n_out * sizeof *got);
    void *args[] = {&d_tables, &d_codes, &d_probes, &d_distances, &s.n, &s.parts};
    wl_launch(&w, wl_function(&w, "pq_scan"), wl_blocks(s.n, 256), s.queries, 256, 1, args);

    for (uint32_t q = 0; q < s.queries; q++)
        for (uint32_t i = 0; i < s.n; i++) {
            const uint8_t *code = codes + ((size_t)probes[q] * s.n + i) * s.parts;
            float sum = 0.0f;
            for (uint32_t m = 0; m < s.parts; m++) sum += tables[((size_t)q * s.parts + m) * 256 + code[m]];
            want[(size_t)q * s.n + i] = sum;
        }
    wl_output(&w, got, d_distances, n_out * sizeof *got);
    wl_compare_f32(&w, "distances", got, want, n_out);
    return wl_end(&w);
}
