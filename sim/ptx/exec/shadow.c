#include "exec/shadow.h"
#include "exec/extent.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LANE_COUNT 32u
#define EVERY_READ 0x0101010101010101u
#define EVERY_WRITTEN 0x0202020202020202u

/* ---- copies ---- */

static void shadow_free(struct shadow *x)
{
    if (!x) return;
    if (x->bytes) munmap(x->bytes, x->map_bytes);
    free(x->states);
    free(x->pages);
    free(x);
}

static struct shadow *shadow_new(const struct ptx_extent *real)
{
    struct shadow *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    const size_t n = (real->hi - real->lo + SHADOW_PAGE - 1) / SHADOW_PAGE, half = n * SHADOW_PAGE;
    x->map_bytes = 2 * half;
    x->states = calloc(n, 1);
    x->pages = n <= UINT32_MAX ? malloc(n * sizeof *x->pages) : NULL;
    void *at = mmap(NULL, x->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) x->bytes = at, x->marks = x->bytes + half;
    if (x->bytes && x->states && x->pages) return x;
    shadow_free(x);
    return NULL;
}

static const unsigned char *real_page(const struct touched *t, uint32_t page, size_t *size)
{
    const uint64_t at = (uint64_t)page * SHADOW_PAGE, all = t->real.hi - t->real.lo;
    *size = all - at < SHADOW_PAGE ? (size_t)(all - at) : SHADOW_PAGE;
    return t->real.host + at;
}

int shadows_init(struct shadows *s, const struct ptx_memory *memory, size_t n_code)
{
    *s = (struct shadows){.memory = memory, .n_code = n_code};
    s->views = calloc(n_code + 1, sizeof *s->views);
    return s->views ? 0 : -1;
}

static void log_free(struct store_log *log)
{
    if (log) store_log_fini(log);
    free(log);
}

void shadows_forget_all(struct shadows *s)
{
    for (size_t i = 0; i < s->n; i++) {
        shadow_free(s->touched[i].shadow);
        log_free(s->touched[i].log);
    }
    s->n = s->n_pages = 0;
    s->gives_up = false;
    if (s->views) memset(s->views, 0, (s->n_code + 1) * sizeof *s->views);
}

void shadows_fini(struct shadows *s)
{
    shadows_forget_all(s);
    free(s->views);
    free(s->touched);
}

void shadows_forget_marks(struct shadows *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct shadow *x = s->touched[i].shadow;
        if (s->touched[i].log) store_log_clear(s->touched[i].log);
        if (!x) continue;
        x->n_kept += x->n_pages;
        const bool is_given_back =
            x->n_kept > SHADOW_PAGES_KEPT && madvise(x->bytes, x->map_bytes, MADV_DONTNEED) == 0; /* zero again */
        for (size_t k = 0; k < x->n_pages; k++) {
            x->states[x->pages[k]] = 0;
            if (!is_given_back) memset(x->marks + (size_t)x->pages[k] * SHADOW_PAGE, 0, SHADOW_PAGE);
        }
        x->n_pages = 0;
        if (is_given_back) x->n_kept = 0;
    }
    s->n_pages = 0;
}

/* ---- which allocation ---- */

/* The place of an allocation that begins at lo, or where it would be. */
static size_t place_of(const struct shadows *s, uint64_t lo)
{
    size_t from = 0, to = s->n;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        if (s->touched[mid].real.lo < lo) from = mid + 1;
        else to = mid;
    }
    return from;
}

static const struct touched *find_touched(const struct shadows *s, uint64_t lo)
{
    const size_t i = place_of(s, lo);
    return i < s->n && s->touched[i].real.lo == lo ? &s->touched[i] : NULL;
}

static struct touched *take_touched(struct shadows *s, const struct ptx_extent *real)
{
    const size_t i = place_of(s, real->lo);
    if (i < s->n && s->touched[i].real.lo == real->lo) return &s->touched[i];
    if (s->n == s->cap) {
        const size_t cap = s->cap ? 2 * s->cap : 16;
        struct touched *more = realloc(s->touched, cap * sizeof *more);
        if (!more) return NULL;
        s->touched = more;
        s->cap = cap;
    }
    memmove(s->touched + i + 1, s->touched + i, (s->n - i) * sizeof *s->touched);
    s->touched[i] = (struct touched){.real = *real};
    if (!real->host) s->touched[i].real.host = s->memory->host + (real->lo - s->memory->base);
    s->n++;
    return &s->touched[i];
}

static bool is_written(const struct shadows *s, uint64_t lo)
{
    for (size_t i = 0; i < s->n_written; i++)
        if (s->written[i].lo == lo) return true;
    return false;
}

/* ---- marks ---- */

static inline uint64_t marked(uint64_t m, unsigned kind)
{
    if (kind & MARK_READ) m |= ~(m >> 1) & EVERY_READ;
    if (kind & MARK_WRITTEN) m |= EVERY_WRITTEN;
    return m;
}

static inline void mark(unsigned char *marks, uint32_t n, unsigned kind)
{
    uint64_t m;
    for (; n >= 8; n -= 8, marks += 8) {
        memcpy(&m, marks, 8);
        m = marked(m, kind);
        memcpy(marks, &m, 8);
    }
    for (uint32_t part = 4; part; part /= 2) {
        if (!(n & part)) continue;
        m = 0;
        memcpy(&m, marks, part);
        m = marked(m, kind);
        memcpy(marks, &m, part);
        marks += part;
    }
}

static void copy_page(struct shadows *s, const struct touched *t, uint32_t page)
{
    struct shadow *x = t->shadow;
    size_t size;
    const unsigned char *from = real_page(t, page, &size);
    memcpy(x->bytes + (size_t)page * SHADOW_PAGE, from, size);
    x->states[page] = PAGE_PRESENT;
    x->pages[x->n_pages++] = page;
    s->gives_up |= ++s->n_pages > SHADOW_PAGES_MOST;
}

static inline void touch(struct shadows *s, uint64_t lo, struct shadow *x, uint64_t offset, uint32_t n, unsigned kind)
{
    const uint32_t first = (uint32_t)(offset / SHADOW_PAGE), last = (uint32_t)((offset + n - 1) / SHADOW_PAGE);
    for (uint32_t page = first; page <= last; page++) {
        if (!x->states[page]) copy_page(s, find_touched(s, lo), page);
        x->states[page] |= (uint8_t)kind;
    }
    mark(x->marks + offset, n, kind);
}

/* ---- how an instruction sees an allocation ---- */

/* The allocation is read and written from now on: it is copied. Stores that were kept alone go to the copy. */
static int take_shadow(struct shadows *s, struct touched *t)
{
    t->shadow = shadow_new(&t->real);
    if (!t->shadow) return -1;
    memset(s->views, 0, (s->n_code + 1) * sizeof *s->views); /* some may see the allocation itself */
    if (!t->log) return 0;
    struct store_place place = store_log_begin(t->log);
    for (const struct store_entry *e; (e = store_log_next(t->log, &place));) {
        const unsigned char *values = store_values(e);
        const bool is_row = e->n_offsets == 1;
        for (uint32_t left = e->mask; left; left &= left - 1) {
            const uint32_t l = (uint32_t)__builtin_ctz(left);
            const uint64_t at = is_row ? e->offsets[0] + (uint64_t)l * e->bytes : e->offsets[l];
            touch(s, t->real.lo, t->shadow, at, e->bytes, MARK_WRITTEN);
            memcpy(t->shadow->bytes + at, values + (size_t)l * e->bytes, e->bytes);
        }
    }
    log_free(t->log);
    t->log = NULL;
    return 0;
}

/* It is written, and not read so far: its stores are kept. */
static int take_log(struct shadows *s, struct touched *t)
{
    t->log = calloc(1, sizeof *t->log);
    if (!t->log) return -1;
    memset(s->views, 0, (s->n_code + 1) * sizeof *s->views);
    return 0;
}

/* Offsets of stores have 32 bits. */
static bool is_only_written(const struct touched *t, unsigned kind)
{
    return kind == MARK_WRITTEN && !t->is_read_unmarked && t->real.hi - t->real.lo <= UINT32_MAX;
}

/* How the instruction sees the allocation that holds the bytes, from now on. */
static struct view *look_up(struct shadows *s, struct view *v, unsigned kind, uint64_t address, uint32_t bytes)
{
    if (extent_holds(v->lo, v->hi, address, bytes)) return v;
    const struct ptx_extent real = s->memory->find(s->memory->self, address);
    if (!extent_holds(real.lo, real.hi, address, bytes)) return NULL;
    struct touched *t = take_touched(s, &real);
    if (!t) return NULL;
    if (!t->shadow && is_only_written(t, kind)) {
        if (!t->log && take_log(s, t) < 0) return NULL;
    } else if (!t->shadow && (kind & MARK_WRITTEN || t->log || is_written(s, real.lo))) {
        if (take_shadow(s, t) < 0) return NULL;
    }
    t->is_read_unmarked |= !t->shadow && !t->log;
    const unsigned char *at = t->shadow ? t->shadow->bytes : t->real.host;
    *v = (struct view){real.lo, real.hi, (uint64_t)(uintptr_t)at - real.lo, t->shadow, t->log};
    return v;
}

/* ---- lanes ---- */

/* All lanes side by side, or all at one address: how many bytes from the first one's on; else 0. */
static uint32_t bytes_of_row(const uint64_t addresses[LANE_COUNT], uint32_t bytes)
{
    uint64_t apart = 0, differ = 0;
    for (uint32_t l = 0; l < LANE_COUNT; l++) {
        apart |= addresses[l] - addresses[0] - (uint64_t)l * bytes;
        differ |= addresses[l] - addresses[0];
    }
    return !differ ? bytes : !apart ? LANE_COUNT * bytes : 0;
}

/* Addresses become places of the log. */
static bool lanes_to_log(struct shadows *s, const struct view *v, uint32_t mask, uint32_t bytes,
                         uint64_t addresses[LANE_COUNT])
{
    const bool is_row = mask == UINT32_MAX && bytes_of_row(addresses, bytes) == LANE_COUNT * bytes;
    unsigned char *values = store_log_add(v->log, v->lo, is_row, mask, bytes, addresses);
    s->gives_up |= !values;
    for (uint32_t l = 0; l < LANE_COUNT && values; l++)
        addresses[l] = (uint64_t)(uintptr_t)(values + (size_t)l * bytes);
    return values != NULL;
}

static bool all_in_view(const struct view *v, const uint64_t addresses[LANE_COUNT], uint32_t bytes)
{
    const uint64_t size = v->hi - v->lo;
    if (size < bytes || size > INT64_MAX) return false;
    const uint64_t last = size - bytes;
    uint64_t outside = 0;
    for (uint32_t l = 0; l < LANE_COUNT; l++) outside |= (addresses[l] - v->lo) | (last - (addresses[l] - v->lo));
    return outside >> 63 == 0;
}

/* Lanes of several allocations, or of another than the last. */
static bool lanes_apart(struct shadows *s, struct view *v, unsigned kind, uint32_t mask, uint32_t bytes,
                        uint64_t addresses[LANE_COUNT])
{
    uint64_t found[LANE_COUNT];
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        if (!look_up(s, v, kind, addresses[l], bytes)) {
            s->gives_up = true;
            return false;
        }
        if (v->log) {
            uint64_t one[LANE_COUNT];
            for (uint32_t k = 0; k < LANE_COUNT; k++) one[k] = addresses[l];
            if (!lanes_to_log(s, v, 1u << l, bytes, one)) return false;
            found[l] = one[l];
            continue;
        }
        if (v->shadow) touch(s, v->lo, v->shadow, addresses[l] - v->lo, bytes, kind);
        found[l] = addresses[l] + v->shift;
    }
    for (uint32_t l = 0; l < LANE_COUNT; l++) addresses[l] = found[mask >> l & 1 ? l : first];
    return true;
}

bool shadows_lanes(struct shadows *s, size_t instruction, unsigned kind, uint32_t mask, uint32_t bytes,
                   uint64_t addresses[LANE_COUNT])
{
    struct view *v = &s->views[instruction];
    if (s->gives_up) return false;
    if (!all_in_view(v, addresses, bytes)) return lanes_apart(s, v, kind, mask, bytes, addresses);
    if (v->log) return lanes_to_log(s, v, mask, bytes, addresses);
    const uint32_t row = v->shadow && mask == UINT32_MAX ? bytes_of_row(addresses, bytes) : 0;
    if (row) touch(s, v->lo, v->shadow, addresses[0] - v->lo, row, kind);
    else if (v->shadow)
        for (uint32_t left = mask; left; left &= left - 1)
            touch(s, v->lo, v->shadow, addresses[__builtin_ctz(left)] - v->lo, bytes, kind);
    for (uint32_t l = 0; l < LANE_COUNT; l++) addresses[l] += v->shift;
    return true;
}

/* ---- what it comes to ---- */

static bool pages_overlap(const unsigned char *before, const unsigned char *after)
{
    uint64_t both = 0;
    for (size_t i = 0; i < SHADOW_PAGE; i += 8) {
        uint64_t wrote, read;
        memcpy(&wrote, before + i, 8);
        memcpy(&read, after + i, 8);
        both |= wrote >> 1 & read & EVERY_READ;
    }
    return both != 0;
}

static bool has_written(const struct touched *t)
{
    const struct shadow *x = t->shadow;
    if (!x) return t->log && t->log->used > 0;
    for (size_t k = 0; k < x->n_pages; k++)
        if (x->states[x->pages[k]] & MARK_WRITTEN) return true;
    return false;
}

static bool is_read(const struct shadow *x, uint64_t at, uint32_t n)
{
    unsigned char any = 0;
    if (!(x->states[at / SHADOW_PAGE] & MARK_READ)) return false;
    for (uint32_t i = 0; i < n; i++) any |= x->marks[at + i];
    return any & MARK_READ;
}

static bool log_overlaps(const struct store_log *log, const struct shadow *x)
{
    struct store_place place = store_log_begin(log);
    for (const struct store_entry *e; (e = store_log_next(log, &place));)
        for (uint32_t left = e->mask; left; left &= left - 1) {
            const uint32_t l = (uint32_t)__builtin_ctz(left);
            const uint64_t at = e->n_offsets == 1 ? e->offsets[0] + (uint64_t)l * e->bytes : e->offsets[l];
            if (is_read(x, at, e->bytes)) return true;
        }
    return false;
}

static bool has_read(const struct shadow *x)
{
    for (size_t k = 0; k < x->n_pages; k++)
        if (x->states[x->pages[k]] & MARK_READ) return true;
    return false;
}

bool shadows_overlap(const struct shadows *before, const struct shadows *after, bool *unmarked)
{
    for (size_t i = 0; i < after->n; i++) {
        const struct touched *t = &after->touched[i], *other = find_touched(before, t->real.lo);
        const struct shadow *x = t->shadow, *y = other ? other->shadow : NULL;
        if (!other || (!y && !other->log)) continue;
        if (t->is_read_unmarked && has_written(other)) {
            *unmarked = true;
            return true;
        }
        if (x && other->log && has_read(x) && log_overlaps(other->log, x)) return true;
        for (size_t k = 0; x && y && k < x->n_pages; k++) {
            const size_t page = x->pages[k];
            if (!(x->states[page] & MARK_READ) || !(y->states[page] & MARK_WRITTEN)) continue;
            if (pages_overlap(y->marks + page * SHADOW_PAGE, x->marks + page * SHADOW_PAGE)) return true;
        }
    }
    return false;
}

/* Stores the written bytes alone: what lies between them may be written by another thread of the program. */
static void merge_page(unsigned char *to, const unsigned char *bytes, const unsigned char *marks, size_t size)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t m;
        memcpy(&m, marks + i, 8);
        m &= EVERY_WRITTEN;
        if (m == EVERY_WRITTEN) memcpy(to + i, bytes + i, 8);
        else
            for (size_t k = 0; m; k++, m >>= 8)
                if (m & MARK_WRITTEN) to[i + k] = bytes[i + k];
    }
    for (; i < size; i++)
        if (marks[i] & MARK_WRITTEN) to[i] = bytes[i];
}

void shadows_merge(const struct shadows *s, unsigned share, unsigned of)
{
    struct store_shares shares;
    for (uint32_t i = 0; i < STORE_PAGES; i++) shares.of[i] = (uint8_t)(i % of);
    for (size_t i = 0; i < s->n; i++) {
        const struct touched *t = &s->touched[i];
        const struct shadow *x = t->shadow;
        if (t->log) store_log_apply(t->log, (unsigned char *)(uintptr_t)t->real.host, &shares, share);
        for (size_t k = 0; x && k < x->n_pages; k++) {
            const uint32_t page = x->pages[k];
            size_t size;
            if (!(x->states[page] & MARK_WRITTEN) || shares.of[page % STORE_PAGES] != share) continue;
            unsigned char *to = (unsigned char *)(uintptr_t)real_page(t, page, &size);
            merge_page(to, x->bytes + (size_t)page * SHADOW_PAGE, x->marks + (size_t)page * SHADOW_PAGE, size);
        }
    }
}

int shadows_list_copied(const struct shadows *s, struct ptx_extent **list, size_t *n)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t k = 0;
        while (k < *n && (*list)[k].lo != s->touched[i].real.lo) k++;
        if ((!s->touched[i].shadow && !s->touched[i].log) || k < *n) continue;
        struct ptx_extent *more = realloc(*list, (*n + 1) * sizeof *more);
        if (!more) return -1;
        *list = more;
        more[(*n)++] = s->touched[i].real;
    }
    return 0;
}
