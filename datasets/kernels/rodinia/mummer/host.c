/* mummer: longest matches of queries with a reference over its suffix tree. */
#include "workload.h"

enum { LETTERS = 5, END = 4 };
struct sizes {
    uint32_t reference, queries, length, least, block;
};
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {2000, 512, 22, 20, 64},
                                               [WL_SMALL] = {65536, 6144, 22, 21, 64},
                                               [WL_FULL] = {1000000, 50000, 25, 20, 256},
                                               [WL_EVAL] = {1000000, 16384, 25, 20, 256}}; /* 64 blocks */

struct node {
    uint32_t parent, link, start, end, child[LETTERS];
};
struct tree {
    struct node *nodes;
    uint32_t *depth, n_nodes, n; /* n letters, the last of which is END */
    const uint8_t *text;
};

static uint32_t add(struct tree *t, uint32_t parent, uint32_t start, uint32_t end)
{
    uint32_t at = t->n_nodes++;
    t->nodes[at] = (struct node){.parent = parent, .start = start, .end = end};
    t->depth[at] = t->depth[parent] + end - start;
    t->nodes[parent].child[t->text[start]] = at;
    return at;
}

/* Suffix by suffix from the root: a path is about log4 n letters in a random text. */
static void insert(struct tree *t, uint32_t suffix)
{
    for (uint32_t at = 0, i = suffix;;) {
        uint32_t child = t->nodes[at].child[t->text[i]], k = 0;
        if (child == 0) {
            add(t, at, i, t->n);
            return;
        }
        struct node *c = &t->nodes[child];
        while (k < c->end - c->start && t->text[c->start + k] == t->text[i + k]) k++;
        if (k < c->end - c->start) { /* split the edge */
            uint32_t start = c->start;
            c->start += k;
            uint32_t middle = add(t, at, start, start + k);
            c->parent = middle;
            t->nodes[middle].child[t->text[start + k]] = child;
            child = middle;
        }
        at = child;
        i += k;
    }
}

/* The node below the path text[from .. from + letters), which exists. */
static uint32_t skip(const struct tree *t, uint32_t from, uint32_t letters)
{
    uint32_t at = 0;
    while (t->depth[at] < letters) at = t->nodes[at].child[t->text[from + t->depth[at]]];
    return at;
}

static struct tree build(struct wl *w, const uint8_t *text, uint32_t n)
{
    struct tree t = {.nodes = WL_NEW(w, struct node, 2 * (size_t)n),
                     .depth = WL_NEW(w, uint32_t, 2 * (size_t)n),
                     .n = n,
                     .text = text,
                     .n_nodes = 1};
    for (uint32_t suffix = 0; suffix < n; suffix++) insert(&t, suffix);
    for (uint32_t i = 1; i < t.n_nodes; i++) {
        struct node *node = &t.nodes[i];
        /* leaves need none */
        if (node->end < n) node->link = skip(&t, node->start - t.depth[node->parent] + 1, t.depth[i] - 1);
    }
    return t;
}

/* The longest match of query letters [0, length) from the root. */
static uint32_t longest(const struct tree *t, const uint8_t *query, uint32_t length, uint32_t *place)
{
    uint32_t at = 0, matched = 0;
    for (;;) {
        uint32_t child = matched < length ? t->nodes[at].child[query[matched]] : 0;
        if (child == 0) return *place = at, matched;
        const struct node *c = &t->nodes[child];
        for (uint32_t k = c->start; k < c->end; k++, matched++)
            if (matched == length || t->text[k] != query[matched]) return *place = child, matched;
        at = child;
    }
}

static void reference(const struct tree *t, struct sizes s, const uint8_t *queries, uint32_t *places, uint32_t *lengths)
{
    for (uint32_t q = 0; q < s.queries; q++)
        for (uint32_t i = 0; i + s.least <= s.length; i++) {
            size_t at = (size_t)q * s.length + i;
            lengths[at] = longest(t, queries + at, s.length - i, &places[at]);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "mummer", .doc = "longest matches over a suffix tree (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.queries * s.length, bytes = n * sizeof(uint32_t);
    uint8_t *text = WL_NEW(&w, uint8_t, s.reference), *queries = WL_NEW(&w, uint8_t, n);
    uint32_t *places = WL_NEW(&w, uint32_t, n), *lengths = WL_NEW(&w, uint32_t, n), *got = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {40};
    for (uint32_t i = 0; i < s.reference - 1; i++) text[i] = (uint8_t)wl_rng_below(&rng, 4);
    text[s.reference - 1] = END;
    for (uint32_t q = 0; q < s.queries; q++) { /* pieces of the reference with a wrong letter in a hundred */
        uint32_t from = wl_rng_below(&rng, s.reference - s.length);
        for (uint32_t i = 0; i < s.length; i++)
            queries[(size_t)q * s.length + i] =
                (uint8_t)(wl_rng_below(&rng, 100) == 0 ? wl_rng_below(&rng, 4) : text[from + i]);
    }
    struct tree t = build(&w, text, s.reference);

    CUdeviceptr d_nodes = wl_upload(&w, t.nodes, t.n_nodes * sizeof *t.nodes),
                d_text = wl_upload(&w, text, s.reference);
    CUdeviceptr d_queries = wl_upload(&w, queries, n), d_places = wl_alloc(&w, bytes), d_lengths = wl_alloc(&w, bytes);
    void *args[] = {&d_nodes, &d_text, &d_queries, &s.queries, &s.length, &s.least, &d_places, &d_lengths};
    wl_launch(&w, wl_function(&w, "mummer_match"), wl_blocks(s.queries, s.block), 1, s.block, 1, args);

    reference(&t, s, queries, places, lengths);
    wl_output(&w, got, d_lengths, bytes);
    wl_compare_u32(&w, "length", got, lengths, n);
    wl_output(&w, got, d_places, bytes);
    wl_compare_u32(&w, "place", got, places, n);
    return wl_end(&w);
}
