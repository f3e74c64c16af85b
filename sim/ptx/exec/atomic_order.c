/* The order of atomics that a launch is to follow: each line's atomics one after another as they are listed. An entry
 * is known by its warp, line and instruction, as a warp's atomics on a line are listed in the order of its program.
 *
 * Entries of a line are a list, and so are those of a warp on a line; both begin in one hash table. An entry that waits
 * may have operations that its warp has left there: they are performed when it is the line's turn, and the warp, which
 * reads nothing of them, has gone on. */
#include "exec/atomic_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "poise/number.h"

#define NOBODY UINT32_MAX /* next of the last; and no such slot */
#define EVERY_WARP UINT64_MAX
#define EVERY_LINE UINT64_MAX
#define ENTRIES_MAX ((uint64_t)1 << 30)

struct entry {
    uint64_t line;
    uint32_t warp, pc; /* pc: PTX_ORDER_ANY_PC where it is not known */
    uint32_t next_of_line, next_own;
    uint32_t first_op; /* kept for it; NOBODY: none */
    bool is_over;      /* performed, or left out */
};
struct kept {
    struct atomic_op op;
    uint32_t next; /* of the same entry */
};
struct place {
    uint64_t line, warp; /* warp: EVERY_WARP for the line's own list; line: EVERY_LINE for what is known of a warp */
    uint32_t first;      /* NOBODY: the place is free */
    uint32_t deferred;   /* of a warp: operations that wait */
};
struct ptx_order {
    struct ptx_order_counts counts;
    struct entry *entries;
    struct place *places;
    struct kept *kept;
    uint64_t n_places; /* a power of two */
    uint64_t n, first_open, over;
    uint32_t n_kept, cap_kept, line_bytes;
};

/* ---- reading ---- */

struct text {
    const char *name, *at, *end;
    long line;
};

static int bad(const struct text *t, const char *what, struct error *err)
{
    error_set(err, ERR_INPUT, "%s: line %ld: %s", t->name, t->line, what);
    return error_at(err, t->name, (int)t->line, -1, "an order of atomics is what 'poise sim --check' writes");
}

/* The next line without its end, cut into words; how many, or -1 at the end of the text. */
static int next_line(struct text *t, char *copy, size_t size, char *words[], int most)
{
    if (t->at == t->end) return -1;
    const char *stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
    if (!stop) stop = t->end;
    size_t n = (size_t)(stop - t->at);
    if (n >= size) n = size - 1;
    memcpy(copy, t->at, n);
    copy[n] = '\0';
    t->at = stop == t->end ? stop : stop + 1;
    t->line++;
    int found = 0;
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (found++ < most) words[found - 1] = word;
    return found;
}

static int read_head(struct text *t, uint64_t *line_bytes, uint64_t *n, struct error *err)
{
    char copy[100], *words[4];
    if (next_line(t, copy, sizeof copy, words, 4) != 3 || strcmp(words[0], "poise") || strcmp(words[1], "order") ||
        strcmp(words[2], "1"))
        return bad(t, "'poise order 1' was expected", err);
    if (next_line(t, copy, sizeof copy, words, 4) != 2 || strcmp(words[0], "line") ||
        !whole_parse(words[1], 4, 4096, line_bytes) || (*line_bytes & (*line_bytes - 1)))
        return bad(t, "'line BYTES' was expected, a power of two from 4 to 4096", err);
    if (next_line(t, copy, sizeof copy, words, 4) != 2 || strcmp(words[0], "atomics") ||
        !whole_parse(words[1], 0, ENTRIES_MAX, n))
        return bad(t, "'atomics N' was expected", err);
    if (*n > (uint64_t)(t->end - t->at) / 6 + 1) return bad(t, "there are fewer lines than atomics", err);
    return 0;
}

static int read_entry(struct text *t, struct entry *e, struct error *err)
{
    char copy[100], *words[4];
    uint64_t warp, pc = PTX_ORDER_ANY_PC;
    const int n = next_line(t, copy, sizeof copy, words, 4);
    if (n < 0) return bad(t, "the text ends before the last atomic", err);
    if (n != 3 || !whole_parse(words[0], 0, UINT32_MAX - 1, &warp) ||
        !whole_parse(words[1], 0, UINT64_MAX - 1, &e->line) ||
        (strcmp(words[2], "-") != 0 && !whole_parse(words[2], 0, PTX_ORDER_ANY_PC - 1, &pc)))
        return bad(t, "'WARP LINE PC' was expected, whole numbers, or - for a PC that is not known", err);
    e->warp = (uint32_t)warp;
    e->pc = (uint32_t)pc;
    e->next_of_line = e->next_own = e->first_op = NOBODY;
    return 0;
}

/* ---- the two lists ---- */

static struct place *place_of(const struct ptx_order *o, uint64_t line, uint64_t warp)
{
    uint64_t at = (line * 0x9e3779b97f4a7c15u ^ (warp + 1) * 0xc2b2ae3d27d4eb4fu);
    for (at ^= at >> 29;; at++) {
        struct place *p = &o->places[at & (o->n_places - 1)];
        if (p->first == NOBODY || (p->line == line && p->warp == warp)) return p;
    }
}

static uint32_t put_first(const struct ptx_order *o, uint64_t line, uint64_t warp, uint32_t entry)
{
    struct place *p = place_of(o, line, warp);
    const uint32_t next = p->first;
    *p = (struct place){line, warp, entry, 0};
    return next;
}

static int build(struct ptx_order *o, struct error *err)
{
    for (o->n_places = 16; o->n_places < 6 * o->n; o->n_places *= 2) continue;
    o->places = malloc(o->n_places * sizeof *o->places);
    if (!o->places) return error_set(err, ERR_MEMORY, "no memory for an order of atomics");
    for (uint64_t i = 0; i < o->n_places; i++) o->places[i].first = NOBODY;
    for (uint64_t i = o->n; i-- > 0;) {
        struct entry *e = &o->entries[i];
        e->next_of_line = put_first(o, e->line, EVERY_WARP, (uint32_t)i);
        e->next_own = put_first(o, e->line, e->warp, (uint32_t)i);
        put_first(o, EVERY_LINE, e->warp, (uint32_t)i);
    }
    return 0;
}

int ptx_order_parse(struct ptx_order **out, const char *name, const char *text, size_t size, struct error *err)
{
    struct text t = {name, text, text + size, 0};
    uint64_t line_bytes = 0, n = 0;
    *out = NULL;
    if (read_head(&t, &line_bytes, &n, err) < 0) return -1;
    struct ptx_order *o = calloc(1, sizeof *o);
    if (!o || !(o->entries = calloc(n + 1, sizeof *o->entries))) {
        free(o);
        return error_set(err, ERR_MEMORY, "%s: no memory for %" PRIu64 " atomics", name, n);
    }
    o->n = o->counts.listed = n;
    o->line_bytes = (uint32_t)line_bytes;
    int result = 0;
    for (uint64_t i = 0; i < n && result == 0; i++) result = read_entry(&t, &o->entries[i], err);
    if (result == 0 && t.at != t.end) t.line++, result = bad(&t, "there are more lines than atomics", err);
    if (result == 0) result = build(o, err);
    if (result == 0) *out = o;
    else ptx_order_free(o);
    return result;
}

void ptx_order_free(struct ptx_order *o)
{
    if (!o) return;
    free(o->entries);
    free(o->places);
    free(o->kept);
    free(o);
}

struct ptx_order_counts ptx_order_counts(const struct ptx_order *o)
{
    struct ptx_order_counts counts = o->counts;
    counts.left_out += o->n - o->over;
    return counts;
}

/* ---- following it ---- */

/* The first entry of a list that is not over; NOBODY: all are. A list that has come to its end keeps its last entry, as
 * others are found past its place. */
static uint32_t look(const struct ptx_order *o, uint64_t line, uint64_t warp)
{
    struct place *p = place_of(o, line, warp);
    while (p->first != NOBODY && o->entries[p->first].is_over) {
        const struct entry *e = &o->entries[p->first];
        const uint32_t next = warp == EVERY_WARP ? e->next_of_line : e->next_own;
        if (next == NOBODY) return NOBODY;
        p->first = next;
    }
    return p->first;
}

static void leave_out(struct ptx_order *o, uint32_t entry)
{
    o->entries[entry].is_over = true;
    o->counts.left_out++;
    o->over++;
}

/* Performs what is kept for an entry. */
static bool perform_kept(struct ptx_order *o, struct entry *e)
{
    bool changed = false;
    for (uint32_t i = e->first_op; i != NOBODY; i = o->kept[i].next) {
        uint64_t old;
        changed |= atomic_perform(&o->kept[i].op, &old);
        place_of(o, EVERY_LINE, e->warp)->deferred--;
    }
    e->first_op = NOBODY;
    return changed;
}

/* The line's next entries, as far as their operations are there. */
static bool perform_next(struct ptx_order *o, uint64_t line)
{
    bool changed = false;
    for (uint32_t i; (i = look(o, line, EVERY_WARP)) != NOBODY && o->entries[i].first_op != NOBODY;) {
        changed |= perform_kept(o, &o->entries[i]);
        o->entries[i].is_over = true;
        o->counts.in_order++;
        o->over++;
    }
    return changed;
}

bool ptx_order_on_one_line(const struct ptx_order *o, uint64_t a, uint64_t b)
{
    return a / o->line_bytes == b / o->line_bytes;
}

int64_t ptx_order_find(struct ptx_order *o, uint64_t warp, uint64_t address, uint32_t pc)
{
    const uint64_t line = address / o->line_bytes;
    uint32_t found = look(o, line, warp);
    while (found != NOBODY) {
        const struct entry *e = &o->entries[found];
        const bool is_free = !e->is_over && e->first_op == NOBODY;
        if (is_free && (e->pc == pc || e->pc == PTX_ORDER_ANY_PC)) break;
        found = e->next_own;
    }
    if (found == NOBODY) return ORDER_NONE;
    for (uint32_t i = look(o, line, warp); i != found; i = o->entries[i].next_own)
        if (!o->entries[i].is_over && o->entries[i].first_op == NOBODY) leave_out(o, i);
    return found;
}

bool ptx_order_is_next(struct ptx_order *o, int64_t entry)
{
    return look(o, o->entries[entry].line, EVERY_WARP) == (uint32_t)entry;
}

int ptx_order_defer(struct ptx_order *o, int64_t entry, const struct atomic_op *op)
{
    if (o->n_kept == o->cap_kept) {
        const uint32_t cap = o->cap_kept ? 2 * o->cap_kept : 1024;
        struct kept *more = realloc(o->kept, cap * sizeof *more);
        if (!more) return -1;
        o->kept = more;
        o->cap_kept = cap;
    }
    struct entry *e = &o->entries[entry];
    uint32_t *last = &e->first_op;
    while (*last != NOBODY) last = &o->kept[*last].next;
    *last = o->n_kept;
    o->kept[o->n_kept++] = (struct kept){*op, NOBODY};
    place_of(o, EVERY_LINE, e->warp)->deferred++;
    return 0;
}

bool ptx_order_done(struct ptx_order *o, int64_t entry)
{
    struct entry *e = &o->entries[entry];
    e->is_over = true;
    o->counts.in_order++;
    o->over++;
    return perform_next(o, e->line);
}

bool ptx_order_has_deferred(const struct ptx_order *o, uint64_t warp)
{
    const struct place *p = place_of(o, EVERY_LINE, warp);
    return p->first != NOBODY && p->deferred > 0;
}

void ptx_order_beyond(struct ptx_order *o) { o->counts.beyond++; }

int64_t ptx_order_next_warp(struct ptx_order *o)
{
    while (o->first_open < o->n && o->entries[o->first_open].is_over) o->first_open++;
    return o->first_open < o->n ? (int64_t)o->entries[o->first_open].warp : -1;
}

bool ptx_order_drop(struct ptx_order *o)
{
    if (ptx_order_next_warp(o) < 0) return false;
    struct entry *e = &o->entries[o->first_open];
    const bool changed = perform_kept(o, e);
    leave_out(o, (uint32_t)o->first_open);
    return perform_next(o, e->line) || changed;
}

uint64_t ptx_order_progress(const struct ptx_order *o) { return o->over; }
