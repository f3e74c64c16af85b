/* wc: word count. */
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

struct sizes {
    uint32_t chunks, chunk, words, slots;
}; /* chunk: characters; words: different ones */
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {384, 16, 100, 256},
    [WL_SMALL] = {36864, 16, 1500, 4096}, /* 144 blocks */
    [WL_FULL] = {1048576, 64, 100000, 262144},
    [WL_EVAL] = {98304, 64, 10000, 32768}, /* 384 blocks */
};
#define WORD_CHARS 8u /* at most */

static uint32_t word_key(const char *word)
{
    uint32_t hash = 2166136261u;
    for (; *word && *word != ' '; word++) hash = (hash ^ (uint8_t)*word) * 16777619u;
    hash ^= hash >> 15;
    return hash ? hash : 1;
}

/* Words with distinct keys; index is the table that mr_find searches, word_of tells the word of a slot of it. */
static void make_words(struct sizes s, struct wl_rng *rng, char (*words)[WORD_CHARS + 1], uint32_t *index,
                       uint32_t *word_of)
{
    for (uint32_t i = 0; i < s.words;) {
        uint32_t length = 2 + wl_rng_below(rng, WORD_CHARS - 1);
        for (uint32_t k = 0; k < length; k++) words[i][k] = (char)('a' + wl_rng_below(rng, 26));
        words[i][length] = '\0';
        uint32_t key = word_key(words[i]), slot = key & (s.slots - 1);
        if (mr_find(index, s.slots - 1, key) != s.slots) continue;
        while (index[slot]) slot = (slot + 1) & (s.slots - 1);
        index[slot] = key;
        word_of[slot] = i++;
    }
}

/* Small numbers are common words: the product of two uniform draws. */
static uint32_t make_text(struct sizes s, struct wl_rng *rng, char (*words)[WORD_CHARS + 1], char *text,
                          uint32_t *count)
{
    uint32_t n_text = s.chunks * s.chunk, n = 0;
    memset(text, ' ', n_text);
    for (uint32_t at = 0;;) {
        uint32_t word = (uint32_t)((float)s.words * wl_rng_unit(rng) * wl_rng_unit(rng)),
                 length = (uint32_t)strlen(words[word]);
        if (at + length + 1 > n_text) return n;
        memcpy(text + at, words[word], length);
        count[word]++;
        n++;
        at += length + 1 + (wl_rng_below(rng, 8) == 0);
    }
}

static void verify(struct wl *w, struct sizes s, const struct mr_groups *g, CUdeviceptr totals, const uint32_t *index,
                   const uint32_t *word_of, const uint32_t *count)
{
    uint32_t *table = WL_NEW(w, uint32_t, s.slots), *out = WL_NEW(w, uint32_t, s.slots), n_found = 0, n_used = 0;
    wl_output(w, table, g->table, s.slots * sizeof *table);
    wl_output(w, out, totals, s.slots * sizeof *out);
    for (uint32_t slot = 0; slot < s.slots; slot++) {
        uint32_t at = table[slot] ? mr_find(index, s.slots - 1, table[slot]) : s.slots;
        bool is_word = table[slot] == 0 || at < s.slots;
        wl_expect(w, is_word && out[slot] == (table[slot] ? count[word_of[at]] : 0), "count of slot", slot);
        n_found += table[slot] != 0;
    }
    for (uint32_t i = 0; i < s.words; i++) n_used += count[i] > 0;
    wl_expect(w, n_found == n_used, "number of words", 0);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "wc", .doc = "word count, a MapReduce pipeline (Mars)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.chunks, n_words = 0, *count = WL_NEW(&w, uint32_t, s.words);
    char(*words)[WORD_CHARS + 1] = wl_host(&w, s.words, sizeof *words), *text = WL_NEW(&w, char, (size_t)n *s.chunk);
    uint32_t *index = WL_NEW(&w, uint32_t, s.slots), *word_of = WL_NEW(&w, uint32_t, s.slots);
    struct wl_rng rng = {52};
    make_words(s, &rng, words, index, word_of);
    uint32_t n_want = make_text(s, &rng, words, text, count);

    CUdeviceptr d_text = wl_upload(&w, text, (size_t)n * s.chunk);
    CUdeviceptr d_counts = wl_alloc(&w, (n + 1) * sizeof(uint32_t)),
                d_offsets = wl_alloc(&w, (n + 1) * sizeof(uint32_t));
    void *count_args[] = {&d_text, &s.chunk, &d_counts, &n};
    wl_launch(&w, wl_function(&w, "wc_count"), wl_blocks(n, 256), 1, 256, 1, count_args);
    mr_scan(&w, d_counts, d_offsets, n + 1);
    wl_read(&w, &n_words, d_offsets + n * sizeof(uint32_t), sizeof n_words);
    wl_expect(&w, n_words == n_want, "number of words in the text", 0);
    if (n_words != n_want) return wl_end(&w);

    CUdeviceptr d_keys = wl_alloc(&w, n_words * sizeof(uint32_t)), d_totals = wl_alloc(&w, s.slots * sizeof(uint32_t));
    void *emit[] = {&d_text, &s.chunk, &d_counts, &d_offsets, &d_keys, &n};
    wl_launch(&w, wl_function(&w, "wc_emit"), wl_blocks(n, 256), 1, 256, 1, emit);
    struct mr_groups g = mr_group(&w, d_keys, n_words, s.slots);
    void *reduce[] = {&g.start, &g.order, &d_totals, &s.slots};
    wl_launch(&w, wl_function(&w, "wc_reduce"), wl_blocks(s.slots, 256), 1, 256, 1, reduce);
    verify(&w, s, &g, d_totals, index, word_of, count);
    return wl_end(&w);
}
