/* dfa: packets searched for patterns by a finite automaton. */
#include "workload.h"

#include <string.h>

/* The automaton has at most `states` states; a launch takes `words` of the up to 256 words of each packet. */
struct sizes {
    uint32_t states, packets, words, launches;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {512, 700, 16, 2},
    [WL_SMALL] = {4096, 2048, 64, 2},
    [WL_FULL] = {4096, 49152, 16, 16},
    [WL_EVAL] = {4096, 49152, 16, 16}, /* 192 blocks: all threads of 32 SMs */
};
#define BLOCK 256u
enum { SYMBOLS = 64, PATTERN_MIN = 6, PATTERN_MAX = 24, WORDS_MIN = 128, WORDS_MAX = 256 };

struct automaton {
    uint32_t n, accepting, *next;
};
struct patterns {
    uint32_t n, *length;
    uint8_t (*text)[PATTERN_MAX];
};
struct packets {
    uint32_t n, *start, *text;
};

/* Low symbols are frequent, as letters are: the eight most frequent of 64 make up 35 % of the text. */
static uint8_t draw_symbol(struct wl_rng *rng)
{
    float u = wl_rng_unit(rng);
    return (uint8_t)(u * u * (float)SYMBOLS);
}

static struct patterns draw_patterns(struct wl *w, uint32_t n, struct wl_rng *rng)
{
    struct patterns p = {.n = n, .length = WL_NEW(w, uint32_t, n)};
    p.text = wl_host(w, n, sizeof *p.text);
    for (uint32_t i = 0; i < n; i++) {
        p.length[i] = PATTERN_MIN + wl_rng_below(rng, PATTERN_MAX - PATTERN_MIN + 1);
        for (uint32_t k = 0; k < p.length[i]; k++) p.text[i][k] = draw_symbol(rng);
    }
    return p;
}

/* The trie of all patterns that fit in `limit` nodes; child 0: none, as the root is nobody's child. Returns its number
 * of nodes. */
static uint32_t make_trie(const struct patterns *p, uint32_t limit, uint32_t (*child)[SYMBOLS], uint8_t *ends)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < p->n && n + PATTERN_MAX <= limit; i++) {
        uint32_t node = 0;
        for (uint32_t k = 0; k < p->length[i]; k++) {
            uint32_t *to = &child[node][p->text[i][k]];
            if (!*to) *to = n++;
            node = *to;
        }
        ends[node] = 1;
    }
    return n;
}

/* Aho and Corasick's automaton: where a node has no child, it goes where the longest suffix of it that is a node goes.
 * States are numbered breadth first, those that end a pattern after all others. Entries are multiplied by SYMBOLS. */
static struct automaton make_automaton(struct wl *w, const struct patterns *p, uint32_t limit)
{
    uint32_t(*child)[SYMBOLS] = wl_host(w, limit, sizeof *child);
    uint32_t *suffix = WL_NEW(w, uint32_t, limit), *order = WL_NEW(w, uint32_t, limit),
             *number = WL_NEW(w, uint32_t, limit);
    uint8_t *ends = WL_NEW(w, uint8_t, limit);
    struct automaton a = {.n = make_trie(p, limit, child, ends)};
    for (uint32_t head = 0, tail = 1; head < tail; head++) { /* order[0] is the root */
        uint32_t node = order[head];
        for (uint32_t s = 0; s < SYMBOLS; s++) {
            uint32_t to = child[node][s], by_suffix = node ? child[suffix[node]][s] : 0;
            if (!to) child[node][s] = by_suffix;
            else {
                suffix[to] = by_suffix;
                ends[to] |= ends[by_suffix];
                order[tail++] = to;
            }
        }
    }
    for (int ending = 0, n = 0; ending < 2; ending++) {
        for (uint32_t i = 0; i < a.n; i++)
            if (ends[order[i]] == ending) number[order[i]] = (uint32_t)n++;
        if (!ending) a.accepting = (uint32_t)n * SYMBOLS;
    }
    a.next = WL_NEW(w, uint32_t, (size_t)a.n * SYMBOLS);
    for (uint32_t node = 0; node < a.n; node++)
        for (uint32_t s = 0; s < SYMBOLS; s++) a.next[number[node] * SYMBOLS + s] = number[child[node][s]] * SYMBOLS;
    return a;
}

/* Packets of 512 to 1024 symbols, a quarter of which carry fragments of patterns in half of their text; the others are
 * drawn symbols. */
static struct packets draw_packets(struct wl *w, uint32_t n, const struct patterns *p, struct wl_rng *rng)
{
    struct packets packets = {.n = n, .start = WL_NEW(w, uint32_t, n + 1)};
    for (uint32_t i = 0; i < n; i++)
        packets.start[i + 1] = packets.start[i] + WORDS_MIN + wl_rng_below(rng, WORDS_MAX - WORDS_MIN + 1);
    packets.text = WL_NEW(w, uint32_t, packets.start[n]);
    for (uint32_t i = 0; i < n; i++) {
        bool carries = wl_rng_below(rng, 4) == 0;
        uint32_t end = 4 * packets.start[i + 1];
        for (uint32_t at = 4 * packets.start[i]; at < end;) {
            uint32_t which = wl_rng_below(rng, p->n), length = 1 + wl_rng_below(rng, p->length[which]);
            bool fragment = carries && wl_rng_below(rng, 2);
            for (uint32_t k = 0; k < length && at < end; k++, at++)
                packets.text[at / 4] |= (uint32_t)(fragment ? p->text[which][k] : draw_symbol(rng)) << at % 4 * 8;
        }
    }
    return packets;
}

/* Words first .. first + words of every packet. */
static void scan(const struct automaton *a, const struct packets *p, uint32_t first, uint32_t words, uint32_t *states,
                 uint32_t *matches)
{
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t at = p->start[i] + first, end = p->start[i + 1] < at + words ? p->start[i + 1] : at + words;
        for (uint32_t k = 4 * at; at < end && k < 4 * end; k++) {
            states[i] = a->next[states[i] + (p->text[k / 4] >> k % 4 * 8 & (SYMBOLS - 1))];
            if (states[i] >= a->accepting) matches[i]++;
        }
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "dfa", .doc = "packets searched for patterns by an automaton", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {75};
    struct patterns patterns = draw_patterns(&w, s.states / 12, &rng);
    struct automaton a = make_automaton(&w, &patterns, s.states);
    struct packets p = draw_packets(&w, s.packets, &patterns, &rng);
    uint32_t *states = WL_NEW(&w, uint32_t, p.n), *matches = WL_NEW(&w, uint32_t, p.n),
             *got = WL_NEW(&w, uint32_t, p.n);

    CUdeviceptr d_text = wl_upload(&w, p.text, p.start[p.n] * sizeof *p.text),
                d_start = wl_upload(&w, p.start, (p.n + 1) * sizeof *p.start);
    CUdeviceptr d_next = wl_upload(&w, a.next, (size_t)a.n * SYMBOLS * sizeof *a.next);
    CUdeviceptr d_states = wl_alloc(&w, p.n * sizeof *states), d_matches = wl_alloc(&w, p.n * sizeof *matches);
    CUfunction kernel = wl_function(&w, "dfa_scan");
    for (uint32_t launch = 0; launch < s.launches; launch++) {
        uint32_t first = launch * s.words;
        void *args[] = {&d_text, &d_start, &d_next, &d_states, &d_matches, &first, &s.words, &a.accepting, &p.n};
        wl_launch(&w, kernel, wl_blocks(p.n, BLOCK), 1, BLOCK, 1, args);
        scan(&a, &p, first, s.words, states, matches);
    }
    wl_output(&w, got, d_matches, p.n * sizeof *got);
    wl_compare_u32(&w, "matches", got, matches, p.n);
    wl_output(&w, got, d_states, p.n * sizeof *got);
    wl_compare_u32(&w, "states", got, states, p.n);
    return wl_end(&w);
}
