/* ii: inverted index of links. */
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

/* link_every: mean characters from link to link. slots: of the hash table, a power of two. */
struct sizes {
    uint32_t chunks, chunk_words, urls, slots, link_every;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1280, 24, 200, 512, 300},
    [WL_SMALL] = {51968, 24, 2000, 8192, 1000}, /* 203 blocks for the 192 places of 32 SMs */
    [WL_FULL] = {3145728, 32, 400000, 1048576, 100},
    [WL_EVAL] = {131072, 32, 16000, 65536, 100}, /* 512 blocks */
};
#define URL_CHARS 10u       /* at most, the end not counted */
#define DOCUMENT_CHUNKS 16u /* at most */

struct link {
    uint32_t key, document;
};
struct corpus {
    char *text, *urls; /* urls: URL_CHARS + 1 a URL, zero-ended */
    uint32_t *document_of, n_links;
    struct link *links; /* in the order of the text */
};

static uint32_t url_key(const char *url)
{
    uint32_t hash = 2166136261u;
    for (; *url; url++) {
        hash = (hash ^ (uint8_t)*url) * 16777619u;
        hash ^= hash >> 15;
    }
    return hash ? hash : 1;
}

/* URLs with distinct keys. */
static void make_urls(struct wl *w, struct sizes s, struct wl_rng *rng, char *urls)
{
    uint32_t *index = WL_NEW(w, uint32_t, s.slots);
    for (uint32_t i = 0; i < s.urls;) {
        char *url = urls + (size_t)i * (URL_CHARS + 1);
        uint32_t n = 5 + wl_rng_below(rng, URL_CHARS - 4);
        for (uint32_t k = 0; k < n; k++) url[k] = (char)('a' + wl_rng_below(rng, 26));
        url[n] = '\0';
        uint32_t key = url_key(url), slot = key & (s.slots - 1);
        if (mr_find(index, s.slots - 1, key) != s.slots) continue;
        while (index[slot]) slot = (slot + 1) & (s.slots - 1);
        index[slot] = key;
        i++;
    }
}

/* Words of letters, blanks and links '<url>'. A link may run from one chunk into the next, but not past a document. */
static struct corpus make_corpus(struct wl *w, struct sizes s, struct wl_rng *rng)
{
    size_t n_text = (size_t)s.chunks * s.chunk_words * 4;
    struct corpus c = {.text = WL_NEW(w, char, n_text),
                       .urls = WL_NEW(w, char, (size_t)s.urls *(URL_CHARS + 1)),
                       .document_of = WL_NEW(w, uint32_t, s.chunks),
                       .links = WL_NEW(w, struct link, n_text / 8)};
    make_urls(w, s, rng, c.urls);
    size_t at = 0;
    for (uint32_t chunk = 0, document = 0; chunk < s.chunks; document++) {
        uint32_t n_chunks = 1 + wl_rng_below(rng, DOCUMENT_CHUNKS);
        if (n_chunks > s.chunks - chunk) n_chunks = s.chunks - chunk;
        for (uint32_t i = 0; i < n_chunks; i++) c.document_of[chunk++] = document;
        size_t end = (size_t)chunk * s.chunk_words * 4;
        while (at < end) {
            if (end - at > URL_CHARS + 2 && wl_rng_below(rng, s.link_every) == 0) {
                const char *url = c.urls + (size_t)wl_rng_below(rng, s.urls) * (URL_CHARS + 1);
                size_t n = strlen(url);
                c.links[c.n_links++] = (struct link){.key = url_key(url), .document = document};
                c.text[at] = '<';
                memcpy(c.text + at + 1, url, n);
                c.text[at + n + 1] = '>';
                at += n + 2;
            } else {
                uint32_t r = wl_rng_below(rng, 31);
                c.text[at++] = r < 26 ? (char)('a' + r) : ' ';
            }
        }
    }
    return c;
}

static int by_key_and_document(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* Every slot that holds a key must hold exactly its documents, ascending; all links must be found once. */
static void verify(struct wl *w, struct sizes s, const struct mr_groups *g, struct corpus *c)
{
    uint32_t *table = WL_NEW(w, uint32_t, s.slots), *start = WL_NEW(w, uint32_t, s.slots + 1);
    uint32_t *postings = WL_NEW(w, uint32_t, c->n_links);
    wl_output(w, postings, g->order, c->n_links * sizeof *postings);
    wl_output(w, table, g->table, s.slots * sizeof *table);
    wl_output(w, start, g->start, (s.slots + 1) * sizeof *start);
    qsort(c->links, c->n_links, sizeof *c->links, by_key_and_document);
    uint32_t n_slots = 0, n_urls = 0, at = 0;
    for (uint32_t slot = 0; slot < s.slots; slot++) { /* start must tell the sizes of the lists one after another */
        n_slots += table[slot] != 0;
        wl_expect(w, start[slot] == at, "start of slot", slot);
        for (uint32_t i = 0; table[slot] && i < c->n_links; i++) {
            struct link want = {.key = table[slot]};
            uint32_t lo = 0, hi = c->n_links;
            while (lo < hi) { /* the first link with this key */
                uint32_t middle = lo + (hi - lo) / 2;
                if (c->links[middle].key < want.key) lo = middle + 1;
                else hi = middle;
            }
            if (lo + i >= c->n_links || c->links[lo + i].key != want.key) {
                wl_expect(w, i > 0, "URL of slot", slot);
                break;
            }
            wl_expect(w, at < c->n_links && postings[at] == c->links[lo + i].document, "posting", at);
            at++;
        }
    }
    wl_expect(w, start[s.slots] == c->n_links && at == c->n_links, "number of postings", 0);
    for (uint32_t i = 0; i < c->n_links; i++) n_urls += i == 0 || c->links[i].key != c->links[i - 1].key;
    wl_expect(w, n_slots == n_urls, "number of URLs", 0);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "ii", .doc = "inverted index of links, a MapReduce pipeline (Mars)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct wl_rng rng = {9};
    struct corpus c = make_corpus(&w, s, &rng);

    uint32_t n = s.chunks, n_links = 0;
    CUdeviceptr d_text = wl_upload(&w, c.text, (size_t)n * s.chunk_words * 4);
    CUdeviceptr d_document_of = wl_upload(&w, c.document_of, n * sizeof(uint32_t));
    CUdeviceptr d_counts = wl_alloc(&w, (n + 1) * sizeof(uint32_t)),
                d_offsets = wl_alloc(&w, (n + 1) * sizeof(uint32_t));
    void *count[] = {&d_text, &s.chunk_words, &d_counts, &n};
    wl_launch(&w, wl_function(&w, "ii_count"), wl_blocks(n, 256), 1, 256, 1, count);
    mr_scan(&w, d_counts, d_offsets, n + 1);
    wl_output(&w, &n_links, d_offsets + n * sizeof(uint32_t), sizeof n_links);
    wl_compare_u32(&w, "number of links", &n_links, &c.n_links, 1);
    if (n_links != c.n_links || n_links == 0) return wl_end(&w);

    CUdeviceptr d_positions = wl_alloc(&w, n_links * sizeof(uint32_t)),
                d_documents = wl_alloc(&w, n_links * sizeof(uint32_t));
    CUdeviceptr d_keys = wl_alloc(&w, n_links * sizeof(uint32_t));
    void *emit[] = {&d_text, &s.chunk_words, &d_counts, &d_offsets, &d_document_of, &d_positions, &d_documents, &n};
    wl_launch(&w, wl_function(&w, "ii_emit"), wl_blocks(n, 256), 1, 256, 1, emit);
    void *hash[] = {&d_text, &d_positions, &d_keys, &n_links};
    wl_launch(&w, wl_function(&w, "ii_hash"), wl_blocks(n_links, 256), 1, 256, 1, hash);
    struct mr_groups groups = mr_group(&w, d_keys, n_links, s.slots);
    void *sort[] = {&groups.start, &groups.order, &d_documents, &s.slots};
    wl_launch(&w, wl_function(&w, "ii_sort"), wl_blocks(s.slots, 256), 1, 256, 1, sort);
    verify(&w, s, &groups, &c);
    return wl_end(&w);
}
