/* bloom: which keys a Bloom filter may hold. */
#include "workload.h"
#include "hash.h"

/* A filter of 2^bits_log2 bits and `queries` keys, in batches of which each has its own share of members. */
struct sizes {
    uint32_t bits_log2, queries;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {16, 8000},
    [WL_SMALL] = {23, 49152},
    [WL_EVAL] = {23, 393216}, /* 1536 blocks of 256: eight times the places of 32 SMs */
    [WL_FULL] = {23, 16777216},
};
#define BITS_A_MEMBER 12u
#define BATCH 1024u
#define HOT 64u /* half of the queried members come from a part as small as this of all */

/* Keys of members and of others: an odd multiplier keeps different numbers different. */
static uint32_t member(uint32_t number) { return number * 2u * 2654435761u; }
static uint32_t stranger(uint32_t number) { return member(number) + 1u; }

static bool holds(const uint32_t *words, uint32_t bit_mask, uint32_t key)
{
    uint32_t first = bloom_first(key), step = bloom_step(key);
    for (uint32_t k = 0; k < BLOOM_PROBES; k++) {
        uint32_t at = (first + k * step) & bit_mask;
        if (!(words[at / 32] >> (at % 32) & 1)) return false;
    }
    return true;
}

static void draw_queries(struct sizes s, uint32_t members, uint32_t *keys, struct wl_rng *rng)
{
    uint32_t percent = 0;
    for (uint32_t i = 0; i < s.queries; i++) {
        if (i % BATCH == 0) percent = 10 + wl_rng_below(rng, 81);
        if (wl_rng_below(rng, 100) >= percent) keys[i] = stranger(wl_rng_below(rng, 1u << 30));
        else keys[i] = member(wl_rng_below(rng, wl_rng_below(rng, 2) ? members / HOT : members));
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "bloom", .doc = "queries of a Bloom filter", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n_bits = 1u << s.bits_log2, bit_mask = n_bits - 1, members = n_bits / BITS_A_MEMBER, n = s.queries;
    uint32_t *words = WL_NEW(&w, uint32_t, n_bits / 32), *keys = WL_NEW(&w, uint32_t, n);
    uint32_t *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    for (uint32_t m = 0; m < members; m++)
        for (uint32_t k = 0, bit = bloom_first(member(m)); k < BLOOM_PROBES; k++, bit += bloom_step(member(m)))
            words[(bit & bit_mask) / 32] |= 1u << (bit & 31);
    struct wl_rng rng = {62};
    draw_queries(s, members, keys, &rng);

    CUdeviceptr d_words = wl_upload(&w, words, n_bits / 8), d_keys = wl_upload(&w, keys, n * sizeof *keys);
    CUdeviceptr d_found = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_words, &bit_mask, &d_keys, &d_found, &n};
    wl_launch(&w, wl_function(&w, "bloom_query"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) want[i] = holds(words, bit_mask, keys[i]);
    wl_output(&w, got, d_found, n * sizeof *got);
    wl_compare_u32(&w, "found", got, want, n);
    return wl_end(&w);
}
