/* ss: cosine similarity of all pairs of documents. */
#include "mapreduce.h"

#include <math.h>

/* A vector has `features` elements and starts every `pitch` elements. */
struct sizes {
    uint32_t documents, features, pitch;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {40, 24, 32},
    [WL_SMALL] = {352, 24, 32}, /* 61776 pairs: 242 blocks for the 192 places of 32 SMs */
    [WL_FULL] = {2048, 128, 128},
    [WL_EVAL] = {384, 128, 128}, /* 73,536 pairs: 288 blocks */
};
#define THRESHOLD 0.8f

/* Returns how many pairs reach the threshold. */
static uint32_t reference(struct sizes s, const float *vectors, float *norms, float *scores, uint32_t *emitted)
{
    uint32_t pair = 0, n_emitted = 0;
    for (uint32_t i = 0; i < s.documents; i++) {
        float sum = 0.0f;
        for (uint32_t f = 0; f < s.features; f++) sum = fmaf(vectors[i * s.pitch + f], vectors[i * s.pitch + f], sum);
        norms[i] = sqrtf(sum);
    }
    for (uint32_t i = 0; i < s.documents; i++)
        for (uint32_t j = i + 1; j < s.documents; j++, pair++) {
            float dot = 0.0f;
            for (uint32_t f = 0; f < s.features; f++)
                dot = fmaf(vectors[i * s.pitch + f], vectors[j * s.pitch + f], dot);
            scores[pair] = dot / (norms[i] * norms[j]);
            if (scores[pair] >= THRESHOLD) emitted[n_emitted++] = pair;
        }
    return n_emitted;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "ss", .doc = "similarity score of document pairs (Mars)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.documents * (s.documents - 1) / 2, pair = 0;
    size_t n_v = (size_t)s.documents * s.pitch;
    float threshold = THRESHOLD;
    float *vectors = WL_NEW(&w, float, n_v), *norms = WL_NEW(&w, float, s.documents);
    float *scores = WL_NEW(&w, float, n), *got_scores = WL_NEW(&w, float, n);
    uint32_t *pairs = WL_NEW(&w, uint32_t, 2 * (size_t)n), *emitted = WL_NEW(&w, uint32_t, n),
             *got = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {8};
    wl_rng_fill(&rng, vectors, n_v);
    for (uint32_t i = 0; i < s.documents; i++)
        for (uint32_t j = i + 1; j < s.documents; j++, pair++) {
            pairs[2 * pair] = i;
            pairs[2 * pair + 1] = j;
        }

    CUdeviceptr d_vectors = wl_upload(&w, vectors, n_v * sizeof *vectors),
                d_norms = wl_alloc(&w, s.documents * sizeof *norms);
    CUdeviceptr d_pairs = wl_upload(&w, pairs, 2 * (size_t)n * sizeof *pairs),
                d_scores = wl_alloc(&w, n * sizeof *scores);
    CUdeviceptr d_counts = wl_alloc(&w, (n + 1) * sizeof(uint32_t)),
                d_offsets = wl_alloc(&w, (n + 1) * sizeof(uint32_t));
    CUdeviceptr d_emitted = wl_alloc(&w, n * sizeof *emitted);
    unsigned grid = wl_blocks(n, 256);
    void *norms_args[] = {&d_vectors, &d_norms, &s.features, &s.pitch, &s.documents};
    wl_launch(&w, wl_function(&w, "ss_norms"), wl_blocks(s.documents, 32), 1, 32, 1, norms_args);
    void *map[] = {&d_vectors, &d_norms, &s.features, &s.pitch, &d_pairs, &d_scores, &n};
    wl_launch(&w, wl_function(&w, "ss_map"), grid, 1, 256, 1, map);
    void *count[] = {&d_scores, &threshold, &d_counts, &n};
    wl_launch(&w, wl_function(&w, "ss_count"), grid, 1, 256, 1, count);
    mr_scan(&w, d_counts, d_offsets, n + 1);
    void *emit[] = {&d_counts, &d_offsets, &d_emitted, &n};
    wl_launch(&w, wl_function(&w, "ss_emit"), grid, 1, 256, 1, emit);

    uint32_t n_emitted = reference(s, vectors, norms, scores, emitted), n_got = 0;
    wl_output(&w, got_scores, d_scores, n * sizeof *scores);
    wl_compare_f32(&w, "score", got_scores, scores, n);
    wl_output(&w, &n_got, d_offsets + n * sizeof(uint32_t), sizeof n_got);
    wl_compare_u32(&w, "emitted pairs", &n_got, &n_emitted, 1);
    wl_output(&w, got, d_emitted, n_emitted * sizeof *emitted);
    wl_compare_u32(&w, "emitted", got, emitted, n_emitted);
    return wl_end(&w);
}
