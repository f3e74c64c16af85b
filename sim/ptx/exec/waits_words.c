/* Words that may be waited for, by their addresses. An atomic touches many that no loop ever reads and that do not
 * change: of these one bit is kept; the others are numbered. */
#include <stdlib.h>
#include "exec/extent.h"
#include "exec/waits.h"
#include "poise/arena.h"

#define PAGE_BITS 12
#define SHARED_PAGES 8 /* bits of the number of a page of shared memory, of which a CTA has 256 KiB at most */

int waits_words_init(struct waits *x)
{
    x->low = UINT64_MAX;
    x->cap_table = x->cap_page_table = 1024;
    x->table = calloc(x->cap_table, sizeof *x->table);
    x->page_table = calloc(x->cap_page_table, sizeof *x->page_table);
    return x->table && x->page_table ? 0 : -1;
}

void waits_words_fini(struct waits *x)
{
    free(x->words);
    free(x->pages);
    free(x->table);
    free(x->page_table);
}

bool waits_room(struct waits *x, void *pointer, size_t *cap, size_t n, size_t most, size_t item)
{
    void **at = pointer;
    if (n < *cap && n < most) return true;
    if (n >= most) {
        x->gives_up = true;
        return false;
    }
    void *more = array_grow(*at, cap, 256, item);
    if (!more) {
        x->gives_up = x->lacks_memory = true;
        return false;
    }
    *at = more;
    return true;
}

static uint64_t scatter_bits(uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 20; }

/* An empty table of twice the size in place of one that is half full; the caller fills it. */
static bool double_table(struct waits *x, uint32_t **table, size_t *cap)
{
    uint32_t *more = calloc(2 * *cap, sizeof *more);
    if (!more) {
        x->gives_up = x->lacks_memory = true;
        return false;
    }
    free(*table);
    *table = more;
    *cap *= 2;
    return true;
}

/* ---- which are known ---- */

static uint32_t *place_of_page(const struct waits *x, uint64_t key)
{
    for (uint64_t at = scatter_bits(key);; at++) {
        uint32_t *place = &x->page_table[at & (x->cap_page_table - 1)];
        if (!*place || x->pages[*place - 1].key == key) return place;
    }
}

/* The page with the key; NULL: there is none, and none is wanted or there is no room. */
static struct known_page *page_of(struct waits *x, uint64_t key, bool is_new_too)
{
    uint32_t *place = place_of_page(x, key);
    if (*place) return &x->pages[*place - 1];
    if (!is_new_too || !waits_room(x, &x->pages, &x->cap_pages, x->n_pages, PAGES_MOST, sizeof *x->pages)) return NULL;
    struct known_page *page = &x->pages[x->n_pages++];
    *page = (struct known_page){.key = key};
    *place = (uint32_t)x->n_pages;
    if (2 * x->n_pages <= x->cap_page_table) return page;
    if (!double_table(x, &x->page_table, &x->cap_page_table)) return NULL;
    for (size_t i = 0; i < x->n_pages; i++) *place_of_page(x, x->pages[i].key) = (uint32_t)i + 1;
    return page;
}

bool waits_misses_words(const struct waits *x, const uint64_t addresses[LANES], uint32_t bytes)
{
    const uint64_t least = x->low > bytes ? x->low - bytes + 1 : 0, n = x->high + 4 - least;
    uint64_t inside = 0;
    if (x->has_shared) return false;
    if (!x->n_pages) return true;
    for (uint32_t l = 0; l < LANES; l++) inside |= (uint64_t)(addresses[l] - least < n);
    return !inside;
}

/* Where the host has the word; NULL: it lies in no allocation. */
static unsigned char *host_of(const struct run *r, const struct uop *u, uint64_t address)
{
    const uint64_t offset = address - PTX_SHARED_WINDOW;
    if (offset <= UINT32_MAX) return offset + 4 <= r->shared_bytes ? r->shared + offset : NULL;
    struct ptx_extent *e = &r->extents[u - r->kernel->code];
    if (!extent_holds(e->lo, e->hi, address, 4)) {
        const struct ptx_extent found = r->memory->find(r->memory->self, address);
        if (!extent_holds(found.lo, found.hi, address, 4)) return NULL;
        *e = found;
    }
    return (unsigned char *)(uintptr_t)(address + extent_shift(r->memory, e, address));
}

unsigned char *waits_host_of_word(struct run *r, const struct uop *u, uint64_t address, bool is_new_too)
{
    struct waits *x = r->waits;
    const uint64_t offset = address - PTX_SHARED_WINDOW;
    const bool is_shared = offset <= UINT32_MAX;
    if (!is_new_too && (is_shared ? !x->has_shared : address < x->low || address > x->high)) return NULL;
    const uint64_t key =
        is_shared ? (uint64_t)1 << 63 | r->cta_index << SHARED_PAGES | offset >> PAGE_BITS : address >> PAGE_BITS;
    const uint32_t word = (uint32_t)(address >> 2) & ((1u << (PAGE_BITS - 2)) - 1);
    unsigned char *host = host_of(r, u, address);
    struct known_page *page = host ? page_of(x, key, is_new_too) : NULL;
    if (!page) return NULL;
    uint64_t *bits = &page->bits[word / 64];
    const uint64_t bit = (uint64_t)1 << word % 64;
    if (*bits & bit) return host;
    if (!is_new_too) return NULL;
    *bits |= bit;
    x->has_shared |= is_shared;
    if (!is_shared && address < x->low) x->low = address;
    if (!is_shared && address > x->high) x->high = address;
    return host;
}

/* ---- those that have a number ---- */

static uint32_t *place_of(const struct waits *x, uint64_t address, uint32_t cta)
{
    for (uint64_t at = scatter_bits(address ^ (uint64_t)cta << 40);; at++) {
        uint32_t *place = &x->table[at & (x->cap_table - 1)];
        if (!*place || (x->words[*place - 1].address == address && x->words[*place - 1].cta == cta)) return place;
    }
}

struct word *waits_word(struct run *r, const struct touched_word *t)
{
    struct waits *x = r->waits;
    const uint32_t cta = t->address - PTX_SHARED_WINDOW <= UINT32_MAX ? (uint32_t)r->cta_index : 0;
    uint32_t *place = place_of(x, t->address, cta);
    if (*place) return &x->words[*place - 1];
    if (!waits_room(x, &x->words, &x->cap_words, x->n_words, WORDS_MOST, sizeof *x->words)) return NULL;
    x->words[x->n_words] = (struct word){.address = t->address, .cta = cta, .last = NO_ENTRY, .host = t->host};
    *place = (uint32_t)++x->n_words;
    if (2 * x->n_words > x->cap_table) {
        if (!double_table(x, &x->table, &x->cap_table)) return NULL;
        for (size_t i = 0; i < x->n_words; i++) *place_of(x, x->words[i].address, x->words[i].cta) = (uint32_t)i + 1;
    }
    return &x->words[x->n_words - 1];
}
