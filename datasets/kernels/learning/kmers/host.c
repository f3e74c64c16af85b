/* kmers: which 11-mers of reads are rare. */
#include "workload.h"

/* Reads of 16 `words` bases from a genome of so many. */
struct sizes {
    uint32_t genome, reads, words;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2000, 400, 3},
    [WL_SMALL] = {1u << 16, 8192, 6},
    [WL_EVAL] = {1u << 18, 49152, 6}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {1u << 22, 1u << 20, 6},
};
enum { K = 11, N_KEYS = 1 << 2 * K, RARE = 3, WRONG = 100 };

static uint32_t base_of(const uint32_t *read, uint32_t i) { return read[i / 16] >> 2 * (i % 16) & 3; }

static uint32_t key_at(const uint32_t *read, uint32_t first)
{
    uint32_t key = 0;
    for (uint32_t i = first; i < first + K; i++) key = key << 2 | base_of(read, i);
    return key;
}

/* Reads from anywhere in a random genome, one base of a hundred wrong. */
static void draw_reads(struct wl *w, struct sizes s, uint32_t *reads, struct wl_rng *rng)
{
    uint8_t *genome = WL_NEW(w, uint8_t, s.genome);
    uint32_t bases = 16 * s.words;
    for (uint32_t i = 0; i < s.genome; i++) genome[i] = (uint8_t)wl_rng_below(rng, 4);
    for (uint32_t r = 0; r < s.reads; r++) {
        uint32_t from = wl_rng_below(rng, s.genome - bases);
        for (uint32_t i = 0; i < bases; i++) {
            uint32_t base = wl_rng_below(rng, WRONG) == 0 ? wl_rng_below(rng, 4) : genome[from + i];
            reads[(size_t)r * s.words + i / 16] |= base << 2 * (i % 16);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "kmers", .doc = "rare 11-mers of reads", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.reads, keys = 16 * s.words - K + 1;
    size_t n_words = (size_t)n * s.words;
    uint32_t *reads = WL_NEW(&w, uint32_t, n_words), *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    uint8_t *counts = WL_NEW(&w, uint8_t, N_KEYS);
    struct wl_rng rng = {89};
    draw_reads(&w, s, reads, &rng);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t i = 0; i < keys; i++) {
            uint8_t *count = &counts[key_at(reads + (size_t)r * s.words, i)];
            *count = (uint8_t)(*count + (*count < 255));
        }

    CUdeviceptr d_reads = wl_upload(&w, reads, n_words * sizeof *reads), d_counts = wl_upload(&w, counts, N_KEYS);
    CUdeviceptr d_rare = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_reads, &d_counts, &d_rare, &s.words, &n};
    wl_launch(&w, wl_function(&w, "kmers_rare"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t r = 0; r < n; r++) {
        uint32_t number = 0, run = 0, longest = 0;
        for (uint32_t i = 0; i < keys; i++) {
            bool is_rare = counts[key_at(reads + (size_t)r * s.words, i)] < RARE;
            number += is_rare;
            run = is_rare ? run + 1 : 0;
            if (run > longest) longest = run;
        }
        want[r] = number | longest << 16;
    }
    wl_output(&w, got, d_rare, n * sizeof *got);
    wl_compare_u32(&w, "rare", got, want, n);
    return wl_end(&w);
}
