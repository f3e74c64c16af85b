/* Miss status holding registers: fully associative by line, each with a bounded list of merged requesters. A register knows which
 * sectors are on their way; a requester is answered when the last of those it needs has come. */
#ifndef GPU_MSHR_H
#define GPU_MSHR_H
#include "tags.h"

enum { MSHR_MAPPED = 65 }; /* entries from which on a map finds them */
struct mshrs {
    uint32_t *lines;   /* n, NO_LINE where free: one compact array, so that the search is a few vector compares */
    uint32_t *targets; /* n x merge: what each merged requester is known by */
    uint8_t *asked;    /* n x merge: the sectors it asked for */
    uint8_t *needs;    /* n x merge: those that have not come yet */
    uint8_t *counts;
    uint8_t *issued;   /* sectors on their way */
    cycle_t *since;    /* n x width, by the lowest sector of a request: when it was sent */
    struct tag_line **frames; /* the reserved line, or NULL */
    uint32_t *fill_for, *fill_pc; /* the warp for which a line may be taken when the data comes, or NO_WARP, and its load */
    struct line_map map; /* of line to entry, if is_mapped */
    uint16_t *free;     /* stack of free entries */
    uint32_t n, merge, used, width;
    uint32_t frameless; /* entries in use without a reserved line: only they need be looked for by line */
    bool is_mapped;
};
#define NO_WARP UINT32_MAX
/* width: sectors that may be asked for apart. is_searched: entries are looked up by line. */
static inline void mshrs_init(struct mshrs *m, struct arena *arena, uint32_t n, uint32_t merge, uint32_t width, bool is_searched)
{
    *m = (struct mshrs){.n = n, .merge = merge, .width = width, .is_mapped = is_searched && n >= MSHR_MAPPED};
    m->lines = ARENA_TAKE(arena, uint32_t, n);
    m->targets = ARENA_TAKE(arena, uint32_t, (size_t)n * merge);
    m->asked = ARENA_TAKE(arena, uint8_t, (size_t)n * merge);
    m->needs = ARENA_TAKE(arena, uint8_t, (size_t)n * merge);
    m->counts = ARENA_TAKE(arena, uint8_t, n);
    m->issued = ARENA_TAKE(arena, uint8_t, n);
    m->since = ARENA_TAKE(arena, cycle_t, (size_t)n * width);
    m->frames = ARENA_TAKE(arena, struct tag_line *, n);
    m->fill_for = ARENA_TAKE(arena, uint32_t, n);
    m->fill_pc = ARENA_TAKE(arena, uint32_t, n);
    m->free = ARENA_TAKE(arena, uint16_t, n);
    if (m->is_mapped) line_map_init(&m->map, arena, n);
    for (uint32_t i = 0; m->free && i < n; i++) {
        m->lines[i] = NO_LINE;
        m->free[i] = (uint16_t)(n - 1 - i);
    }
}
/* The entry without a frame that waits for `line`, or -1. One with a frame is known by the frame's tag. */
static inline int mshrs_find(const struct mshrs *m, uint32_t line)
{
    if (!m->frameless) return -1;
    return m->is_mapped ? line_map_find(&m->map, line) : key_find(m->lines, m->n, line);
}
static inline bool mshrs_full(const struct mshrs *m) { return m->used == m->n; }
static inline bool mshrs_can_merge(const struct mshrs *m, int entry) { return m->counts[entry] < m->merge; }
static inline void mshrs_merge(struct mshrs *m, int entry, uint32_t target, uint32_t asked, uint32_t needs)
{
    const uint32_t at = (uint32_t)entry * m->merge + m->counts[entry]++;
    m->targets[at] = target;
    m->asked[at] = (uint8_t)asked;
    m->needs[at] = (uint8_t)needs;
}
static inline void mshrs_issue(struct mshrs *m, int entry, uint32_t sectors, cycle_t now)
{
    m->issued[entry] |= (uint8_t)sectors;
    m->since[(uint32_t)entry * m->width + (m->width > 1 ? (uint32_t)__builtin_ctz(sectors) : 0)] = now;
}
static inline cycle_t mshrs_since(const struct mshrs *m, int entry, uint32_t sectors)
{
    return m->since[(uint32_t)entry * m->width + (m->width > 1 ? (uint32_t)__builtin_ctz(sectors) : 0)];
}
static inline int mshrs_take(struct mshrs *m, uint32_t line, struct tag_line *frame)
{
    const int entry = m->free[m->n - ++m->used];
    m->lines[entry] = line;
    m->counts[entry] = 0;
    m->issued[entry] = 0;
    m->frames[entry] = frame;
    m->frameless += !frame;
    if (m->is_mapped) line_map_add(&m->map, line, (uint32_t)entry);
    return entry;
}
static inline void mshrs_free(struct mshrs *m, int entry)
{
    if (m->is_mapped) line_map_remove(&m->map, m->lines[entry]);
    m->lines[entry] = NO_LINE;
    m->frameless -= !m->frames[entry];
    m->free[m->n - m->used--] = (uint16_t)entry;
}
/* `sectors` have come. Returns how many requesters now have all: they stand first, in their order; the others follow. */
static inline uint32_t mshrs_arrive(struct mshrs *m, int entry, uint32_t sectors)
{
    const uint32_t first = (uint32_t)entry * m->merge, n = m->counts[entry];
    m->issued[entry] &= (uint8_t)~sectors;
    if (!m->issued[entry]) return n;
    uint32_t done = 0;
    for (uint32_t i = 0; i < n; i++) {
        m->needs[first + i] &= (uint8_t)~sectors;
        if (m->needs[first + i]) continue;
        const uint32_t target = m->targets[first + i];
        const uint8_t asked = m->asked[first + i];
        for (uint32_t k = i; k > done; k--) {
            m->targets[first + k] = m->targets[first + k - 1];
            m->asked[first + k] = m->asked[first + k - 1];
            m->needs[first + k] = m->needs[first + k - 1];
        }
        m->targets[first + done] = target;
        m->asked[first + done] = asked;
        m->needs[first + done++] = 0;
    }
    return done;
}
/* The first `n` requesters have been answered: the entry is free when nothing is on its way, else the others move up. */
static inline void mshrs_answered(struct mshrs *m, int entry, uint32_t n)
{
    const uint32_t first = (uint32_t)entry * m->merge, left = m->counts[entry] - n;
    if (!m->issued[entry] && !left) {
        mshrs_free(m, entry);
        return;
    }
    for (uint32_t i = 0; i < left; i++) {
        m->targets[first + i] = m->targets[first + n + i];
        m->asked[first + i] = m->asked[first + n + i];
        m->needs[first + i] = m->needs[first + n + i];
    }
    m->counts[entry] = (uint8_t)left;
}
#endif
