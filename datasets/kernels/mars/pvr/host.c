/* pvr: page view rank over a web log. */
#include "mapreduce.h"

#include <stdlib.h>

/* record_words 0: records are packed one after another. skew s: a page of a popular part of the list is viewed 1 /
 * (1 - s) times as often as the mean. slots: of the hash table, a power of two. */
struct sizes {
    uint32_t records, record_words, url_min, url_max, pages, slots, value_words;
    float skew;
};
static const char *const inputs[] = {
    "64 B records, URLs of 2 to 5 words",
    "128 B records, URLs of 2 to 4 words, few hot pages",
    "32 B records, URLs of 2 to 4 words, no hot pages",
    "packed records, URLs of 2 to 6 words",
    "48 B records, URLs of 3 to 5 words",
    "96 B records, URLs of 3 words",
    "40 B records, URLs of 1 to 3 words",
    "80 B records, URLs of 1 to 6 words",
    "160 B records, URLs of 2 or 3 words",
    "56 B records, URLs of 1 to 4 words",
    "packed records, URLs of 4 or 5 words, few hot pages",
    "44 B records, URLs of 3 words",
};
#define N_INPUTS 12
static const struct sizes small[N_INPUTS] = {
    {28672, 16, 2, 5, 16000, 32768, 4, 0.5f}, {24576, 32, 2, 4, 14000, 32768, 8, 0.9f},
    {24576, 8, 2, 4, 14000, 32768, 4, 0.0f},  {26624, 0, 2, 6, 16000, 32768, 8, 0.3f},
    {28672, 12, 3, 5, 18000, 32768, 3, 0.7f}, {26624, 24, 3, 3, 16000, 32768, 16, 0.0f},
    {28672, 10, 1, 3, 18000, 32768, 3, 0.4f}, {24576, 20, 1, 6, 14000, 32768, 4, 0.2f},
    {24576, 40, 2, 3, 14000, 32768, 4, 0.0f}, {24576, 14, 1, 4, 14000, 32768, 4, 0.6f},
    {25600, 0, 4, 5, 14000, 32768, 8, 0.8f},  {30720, 11, 3, 3, 18000, 32768, 3, 0.1f},
};
#define N_BINS 2048u /* a page with more views ranks first, among others that have */

struct page {
    uint32_t key, url, url_words, views, bytes, last_visitor;
    bool seen;
};
struct log {
    uint32_t *words, *first, n_words, n_valid;
};

/* For training sets: drawn with the input's number as the seed. */
static struct sizes draw_sizes(uint32_t number)
{
    static const uint32_t values[] = {3, 4, 8, 16};
    struct wl_rng rng = {0x5eed0000 + (uint64_t)number};
    struct sizes s = {.records = 256 * (48 + wl_rng_below(&rng, 129))};
    s.url_min = 1 + wl_rng_below(&rng, 4);
    s.url_max = s.url_min + wl_rng_below(&rng, 4);
    s.record_words = wl_rng_below(&rng, 3) ? 4 + s.url_max + wl_rng_below(&rng, 16) : 0;
    s.pages = s.records / (1 + wl_rng_below(&rng, 3));
    for (s.slots = 1024; s.slots < s.pages + s.pages / 2;) s.slots *= 2;
    s.value_words = values[wl_rng_below(&rng, 4)];
    s.skew = 0.9f * wl_rng_unit(&rng);
    return s;
}

static struct sizes sizes_of(const struct wl *w)
{
    struct sizes s = w->input < N_INPUTS ? small[w->input] : draw_sizes((uint32_t)w->input);
    if (w->size == WL_TEST) {
        s.records = 640;
        s.pages = 300;
        s.slots = 512;
    } else if (w->size == WL_FULL || w->size == WL_EVAL) {
        s.records *= 32;
        s.pages *= 32;
        s.slots *= 32;
    }
    return s;
}

static uint32_t url_key(const uint32_t *url, uint32_t n)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < n; i++) hash = (hash ^ url[i]) * 16777619u;
    hash ^= hash >> 15;
    return hash ? hash : 1;
}

/* Pages with distinct keys; *index is the table that mr_find searches, page_of tells the page of a slot of it. */
static struct page *make_pages(struct wl *w, struct sizes s, struct wl_rng *rng, uint32_t *urls, uint32_t *index,
                               uint32_t *page_of)
{
    struct page *pages = WL_NEW(w, struct page, s.pages);
    for (uint32_t i = 0; i < s.pages;) {
        struct page *page = &pages[i];
        page->url = i * s.url_max;
        page->url_words = s.url_min + wl_rng_below(rng, s.url_max - s.url_min + 1);
        for (uint32_t k = 0; k < page->url_words; k++) urls[page->url + k] = 1 + wl_rng_below(rng, UINT32_MAX);
        page->key = url_key(urls + page->url, page->url_words);
        if (mr_find(index, s.slots - 1, page->key) != s.slots) continue; /* taken by another URL: draw again */
        uint32_t slot = page->key & (s.slots - 1);
        while (index[slot]) slot = (slot + 1) & (s.slots - 1);
        index[slot] = page->key;
        page_of[slot] = i++;
    }
    return pages;
}

/* Writes the log, and on the way counts what the pipeline must find. */
static struct log make_log(struct wl *w, struct sizes s, struct wl_rng *rng, struct page *pages, const uint32_t *urls)
{
    uint32_t stride = s.record_words ? s.record_words : 3 + s.url_max + 1;
    struct log log = {.words = WL_NEW(w, uint32_t, (size_t)s.records * stride),
                      .first = WL_NEW(w, uint32_t, s.records)};
    for (uint32_t i = 0; i < s.records; i++) {
        float u = wl_rng_unit(rng);
        uint32_t p = (uint32_t)((float)s.pages * (u * (1.0f - s.skew) + u * u * s.skew));
        struct page *page = &pages[p < s.pages ? p : s.pages - 1];
        log.first[i] = s.record_words ? i * stride : log.n_words;
        uint32_t *record = log.words + log.first[i];
        record[0] = 1 + wl_rng_below(rng, 1000000);
        record[1] = wl_rng_below(rng, 16) ? 200 : 404;
        record[2] = 100 + wl_rng_below(rng, 60000);
        for (uint32_t k = 0; k < page->url_words; k++) record[3 + k] = urls[page->url + k];
        log.n_words = log.first[i] + (s.record_words ? stride : 3 + page->url_words + 1);
        if (record[1] != 200) continue;
        log.n_valid++;
        page->views++;
        page->bytes += record[2];
        if (record[0] > page->last_visitor) page->last_visitor = record[0];
    }
    return log;
}

struct device {
    CUdeviceptr keys, values, views, bytes, last_visitor, ranking;
    struct mr_groups groups;
    uint32_t n_emitted;
};

static void run_map(struct wl *w, struct sizes s, const struct log *log, struct device *d)
{
    uint32_t n = s.records;
    CUdeviceptr words = wl_upload(w, log->words, log->n_words * sizeof(uint32_t));
    CUdeviceptr first = wl_upload(w, log->first, n * sizeof(uint32_t));
    CUdeviceptr counts = wl_alloc(w, (n + 1) * sizeof(uint32_t)), offsets = wl_alloc(w, (n + 1) * sizeof(uint32_t));
    void *count[] = {&words, &first, &s.url_max, &counts, &n};
    wl_launch(w, wl_function(w, "pvr_count"), wl_blocks(n, 256), 1, 256, 1, count);
    mr_scan(w, counts, offsets, n + 1);
    wl_read(w, &d->n_emitted, offsets + n * sizeof(uint32_t), sizeof d->n_emitted);
    if (d->n_emitted > n) wl_fail(w, "%u records emitted %u pairs", n, d->n_emitted);
    d->keys = wl_alloc(w, (d->n_emitted + 1) * sizeof(uint32_t));
    d->values = wl_alloc(w, (size_t)(d->n_emitted + 1) * s.value_words * sizeof(uint32_t));
    void *emit[] = {&words, &first, &counts, &offsets, &d->keys, &d->values, &s.value_words, &n};
    wl_launch(w, wl_function(w, "pvr_emit"), wl_blocks(n, 256), 1, 256, 1, emit);
}

static void run_reduce(struct wl *w, struct sizes s, struct device *d)
{
    uint32_t n = s.slots, n_bins = N_BINS;
    unsigned grid = wl_blocks(n, 256);
    size_t bytes = n * sizeof(uint32_t);
    d->views = wl_alloc(w, bytes);
    d->bytes = wl_alloc(w, bytes);
    d->last_visitor = wl_alloc(w, bytes);
    d->ranking = wl_alloc(w, bytes);
    CUdeviceptr bins = wl_alloc(w, n_bins * sizeof(uint32_t)), bin_start = wl_alloc(w, n_bins * sizeof(uint32_t));
    struct mr_groups *g = &d->groups;
    void *reduce[] = {&g->start, &g->order, &d->values, &s.value_words, &d->views, &d->bytes, &d->last_visitor, &n};
    wl_launch(w, wl_function(w, "pvr_reduce"), grid, 1, 256, 1, reduce);
    void *count[] = {&d->views, &bins, &n_bins, &n};
    wl_launch(w, wl_function(w, "pvr_rank_count"), grid, 1, 256, 1, count);
    mr_scan(w, bins, bin_start, n_bins);
    void *place[] = {&d->views, &g->table, &bins, &bin_start, &n_bins, &d->ranking, &n};
    wl_launch(w, wl_function(w, "pvr_rank_place"), grid, 1, 256, 1, place);
}

static void verify(struct wl *w, struct sizes s, const struct device *d, struct page *pages, const uint32_t *index,
                   const uint32_t *page_of)
{
    uint32_t n = s.slots, n_ranked = 0, last = UINT32_MAX;
    uint32_t *out[4]; /* table, views, bytes, last visitor */
    const CUdeviceptr from[4] = {d->groups.table, d->views, d->bytes, d->last_visitor};
    for (int k = 0; k < 4; k++) {
        out[k] = WL_NEW(w, uint32_t, n);
        wl_output(w, out[k], from[k], n * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < n; i++) { /* which slot a key has depends on the order of insertion; what it holds does
                                        * not */
        static const struct page none;
        uint32_t key = out[0][i], at = key ? mr_find(index, n - 1, key) : n;
        const struct page *page = at < n ? &pages[page_of[at]] : &none;
        wl_expect(w, key == page->key, "key of slot", i);
        wl_expect(w, out[1][i] == page->views && (key == 0 || page->views > 0), "views of slot", i);
        wl_expect(w, out[2][i] == page->bytes, "bytes of slot", i);
        wl_expect(w, out[3][i] == page->last_visitor, "last visitor of slot", i);
    }
    for (uint32_t i = 0; i < s.pages; i++) n_ranked += pages[i].views > 0;
    uint32_t *ranking = WL_NEW(w, uint32_t, n);
    wl_output(w, ranking, d->ranking, n_ranked * sizeof(uint32_t));
    for (uint32_t i = 0; i < n_ranked; i++) {
        uint32_t at = ranking[i] ? mr_find(index, n - 1, ranking[i]) : n;
        struct page *page = at < n ? &pages[page_of[at]] : NULL;
        wl_expect(w, page && !page->seen && page->views > 0 && (page->views <= last || page->views >= N_BINS), "rank",
                  i);
        if (!page) continue;
        page->seen = true;
        last = page->views;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "pvr",
                                        .doc = "page view rank, a MapReduce pipeline (Mars)",
                                        .inputs = inputs,
                                        .n_inputs = N_INPUTS,
                                        .n_drawn = 988,
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes_of(&w);
    struct wl_rng rng = {100 + (uint64_t)w.input};
    uint32_t *urls = WL_NEW(&w, uint32_t, (size_t)s.pages * s.url_max);
    uint32_t *index = WL_NEW(&w, uint32_t, s.slots), *page_of = WL_NEW(&w, uint32_t, s.slots);
    struct page *pages = make_pages(&w, s, &rng, urls, index, page_of);
    struct log log = make_log(&w, s, &rng, pages, urls);

    struct device d = {0};
    run_map(&w, s, &log, &d);
    wl_expect(&w, d.n_emitted == log.n_valid, "number of emitted pairs", 0);
    if (d.n_emitted == log.n_valid) {
        d.groups = mr_group(&w, d.keys, d.n_emitted, s.slots);
        run_reduce(&w, s, &d);
        verify(&w, s, &d, pages, index, page_of);
    }
    return wl_end(&w);
}
