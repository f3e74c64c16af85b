/* Miss status holding registers: fully associative by line, each with a bounded list of merged requesters. A
 * register knows which sectors (or chunks of L1, l1_chunked.h) are on their way; a requester is answered when the last
 * of those it needs has come. */
#ifndef GPU_MSHR_H
#define GPU_MSHR_H
#include "cache/tags.h"

enum { MSHR_MAPPED = 65 }; /* entries from which on a map finds them */
/* A register's fields lie together, the requesters behind them, so that one with few of them is one cache line of
 * the host. */
struct mshr {
    uint32_t line;
    uint32_t frame;             /* where the line is reserved, or NO_FRAME */
    uint32_t fill_for, fill_pc; /* the warp for which a line may be taken when the data comes, or NO_WARP, and its
                                 * load */
    uint32_t issued;            /* sectors on their way */
    uint8_t count, more;        /* requesters, and places of the list that they take beyond one each */
    uint16_t skip;              /* while it is free: how many lie between it and the one taken after it; 0 in memory
                      * never touched */
    cycle_t since[];            /* width, by the lowest sector of a request: when it was sent. Behind it, merge
                      * each: */
    /* uint8_t asked[];     the sectors each merged requester asked for */
    /* uint32_t targets[];  what it is known by */
    /* uint8_t needs[];     of the sectors it waits for, those that have not come yet; uint32_t where there are more
     *                      than eight */
};
/* What every access needs stands last: where the tags follow, theirs stand next to it. */
struct mshrs {
    uint32_t *lines;     /* n to a multiple of four, of entries without a reserved line, else NO_LINE: one compact
                          * array, so that the search is a few vector compares */
    struct line_map map; /* of line to entry, if is_mapped */
    char *entries;       /* n of `stride` bytes */
    uint32_t n, used;
    uint32_t non_allocating; /* entries in use whose miss reserved no line: only they are looked for by address */
    uint16_t stride, asked_at, targets_at;
    uint16_t free; /* the entry that is taken next */
    uint8_t merge, width;
    bool is_mapped, is_wide; /* is_wide: more than eight sectors */
};
#define NO_WARP UINT32_MAX
static inline struct mshr *mshrs_at(const struct mshrs *m, int entry)
{
    return (struct mshr *)(void *)(m->entries + (size_t)entry * m->stride);
}
/* Its data will come soon: the host begins to fetch it. */
static inline void mshrs_prefetch(const struct mshrs *m, int entry) { __builtin_prefetch(mshrs_at(m, entry), 1); }
static inline void mshrs_prefetch_frame(const struct mshrs *m, const struct tags *t, int entry)
{
    __builtin_prefetch(tags_line(t, mshrs_at(m, entry)->frame), 1);
}
static inline uint8_t *mshr_asked(const struct mshrs *m, struct mshr *e) { return (uint8_t *)e + m->asked_at; }
static inline uint32_t *mshr_targets(const struct mshrs *m, struct mshr *e)
{
    return (uint32_t *)(void *)((char *)e + m->targets_at);
}
static inline void *mshr_needs(const struct mshrs *m, struct mshr *e) { return mshr_targets(m, e) + m->merge; }
static inline uint32_t mshr_need(const struct mshrs *m, struct mshr *e, uint32_t i)
{
    return m->is_wide ? ((const uint32_t *)mshr_needs(m, e))[i] : ((const uint8_t *)mshr_needs(m, e))[i];
}
static inline void mshr_set_need(const struct mshrs *m, struct mshr *e, uint32_t i, uint32_t needs)
{
    if (m->is_wide) ((uint32_t *)mshr_needs(m, e))[i] = needs;
    else ((uint8_t *)mshr_needs(m, e))[i] = (uint8_t)needs;
}
/* width: sectors that may be asked for apart. is_searched: entries are looked up by line. */
static inline void mshrs_init(struct mshrs *m, struct arena *arena, uint32_t n, uint32_t merge, uint32_t width,
                              bool is_searched)
{
    *m = (struct mshrs){.n = n,
                        .merge = (uint8_t)merge,
                        .width = (uint8_t)width,
                        .is_mapped = is_searched && n >= MSHR_MAPPED,
                        .is_wide = width > 8};
    m->asked_at = (uint16_t)(sizeof(struct mshr) + width * sizeof(cycle_t));
    m->targets_at = (uint16_t)((m->asked_at + merge + 3) / 4 * 4);
    m->stride = (uint16_t)((m->targets_at + merge * (4u + (m->is_wide ? 4 : 1)) + 63) / 64 * 64);
    m->entries = arena_take(arena, n, m->stride, 64);
    m->lines = ARENA_TAKE(arena, uint32_t, keys_room(n));
    if (m->is_mapped) line_map_init(&m->map, arena, n);
    for (uint32_t i = 0; m->lines && i < keys_room(n); i++) m->lines[i] = NO_LINE;
}
APART static int mshrs_search(const struct mshrs *m, uint32_t line)
{
    return m->is_mapped ? line_map_find(&m->map, line) : key_find(m->lines, keys_room(m->n), line);
}
/* The entry of a non-allocating miss that waits for `line`, or -1. An entry with a line is found by the line's tag. */
static inline int mshrs_find(const struct mshrs *m, uint32_t line)
{
    return m->non_allocating ? mshrs_search(m, line) : -1;
}
static inline bool mshrs_full(const struct mshrs *m) { return m->used == m->n; }
static inline bool mshrs_can_merge(const struct mshrs *m, int entry)
{
    return mshrs_at(m, entry)->count + mshrs_at(m, entry)->more < m->merge;
}
static inline void mshrs_merge(struct mshrs *m, int entry, uint32_t target, uint32_t asked, uint32_t needs)
{
    struct mshr *e = mshrs_at(m, entry);
    const uint32_t at = e->count++;
    mshr_targets(m, e)[at] = target;
    mshr_asked(m, e)[at] = (uint8_t)asked;
    mshr_set_need(m, e, at, needs);
}
/* When a request of these sectors was sent. */
static inline cycle_t *mshrs_since(const struct mshrs *m, struct mshr *e, uint32_t sectors)
{
    return &e->since[m->width > 1 ? (uint32_t)__builtin_ctz(sectors) : 0];
}
static inline void mshrs_issue(struct mshrs *m, int entry, uint32_t sectors, cycle_t now)
{
    struct mshr *e = mshrs_at(m, entry);
    e->issued |= sectors;
    *mshrs_since(m, e, sectors) = now;
}
/* An entry of a non-allocating miss will be looked for by its line. */
APART static void mshrs_note(struct mshrs *m, uint32_t line, int entry)
{
    m->non_allocating++;
    if (m->is_mapped) line_map_add(&m->map, line, (uint32_t)entry);
    else m->lines[entry] = line;
}
/* A free entry for the line; its requesters and what is on its way are the caller's. */
static inline int mshrs_claim(struct mshrs *m, uint32_t line, uint32_t frame)
{
    const int entry = m->free;
    struct mshr *e = mshrs_at(m, entry);
    m->free = (uint16_t)(entry + 1 + e->skip);
    m->used++;
    e->line = line;
    e->frame = frame;
    if (frame == NO_FRAME) mshrs_note(m, line, entry);
    return entry;
}
/* One for which nobody waits yet. */
static inline int mshrs_take(struct mshrs *m, uint32_t line, uint32_t frame)
{
    const int entry = mshrs_claim(m, line, frame);
    mshrs_at(m, entry)->count = mshrs_at(m, entry)->more = 0;
    mshrs_at(m, entry)->issued = 0;
    return entry;
}
/* The same for a miss with all that it begins with: its first requester, and what is asked for now. */
static inline int mshrs_begin(struct mshrs *m, uint32_t line, uint32_t frame, uint32_t target, uint32_t asked,
                              uint32_t needs, uint32_t fetch, cycle_t now)
{
    const int entry = mshrs_claim(m, line, frame);
    struct mshr *e = mshrs_at(m, entry);
    *mshrs_since(m, e, fetch) = now;
    *mshr_targets(m, e) = target;
    *mshr_asked(m, e) = (uint8_t)asked;
    mshr_set_need(m, e, 0, needs);
    e->count = 1;
    e->more = 0;
    e->issued = fetch;
    return entry;
}
/* The one requester stands for a requester a sector, each of which is asked for by itself. */
static inline void mshrs_begin_apart(const struct mshrs *m, int entry, uint32_t sectors, cycle_t now)
{
    struct mshr *e = mshrs_at(m, entry);
    for (uint32_t left = sectors; left; left &= left - 1) *mshrs_since(m, e, left & -left) = now;
    e->more = (uint8_t)(sector_count(sectors) - 1);
}
static inline void mshrs_free(struct mshrs *m, int entry)
{
    struct mshr *e = mshrs_at(m, entry);
    e->skip = (uint16_t)(m->free - entry - 1);
    m->free = (uint16_t)entry;
    m->used--;
    if (e->frame != NO_FRAME) return;
    m->non_allocating--;
    if (m->is_mapped) line_map_remove(&m->map, e->line);
    else m->lines[entry] = NO_LINE;
}
/* `sectors` have come. Returns how many requesters now have all: they stand first, in their order; the others
 * follow. */
static inline uint32_t mshrs_arrive(struct mshrs *m, int entry, uint32_t sectors)
{
    struct mshr *e = mshrs_at(m, entry);
    const uint32_t n = e->count;
    e->issued &= ~sectors;
    if (!e->issued) return n;
    uint32_t done = 0, *targets = mshr_targets(m, e);
    uint8_t *asked = mshr_asked(m, e);
    const bool is_joined = e->more; /* each of the others stands for a requester a sector, which come one by one */
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t needed = mshr_need(m, e, i), needs = needed & ~sectors;
        mshr_set_need(m, e, i, needs);
        if (needs) {
            if (is_joined) e->more = (uint8_t)(e->more - (needs != needed));
            continue;
        }
        const uint32_t target = targets[i];
        const uint8_t sectors_asked = asked[i];
        for (uint32_t k = i; k > done; k--) {
            targets[k] = targets[k - 1];
            asked[k] = asked[k - 1];
            mshr_set_need(m, e, k, mshr_need(m, e, k - 1));
        }
        targets[done] = target;
        asked[done] = sectors_asked;
        mshr_set_need(m, e, done++, 0);
    }
    return done;
}
/* The first `n` requesters have been answered: the entry is free when nothing is on its way, else the others move
 * up. */
static inline void mshrs_answered(struct mshrs *m, int entry, uint32_t n)
{
    struct mshr *e = mshrs_at(m, entry);
    const uint32_t left = e->count - n;
    if (!e->issued && !left) {
        mshrs_free(m, entry);
        return;
    }
    uint32_t *targets = mshr_targets(m, e);
    uint8_t *asked = mshr_asked(m, e);
    for (uint32_t i = 0; i < left; i++) {
        targets[i] = targets[n + i];
        asked[i] = asked[n + i];
        mshr_set_need(m, e, i, mshr_need(m, e, n + i));
    }
    e->count = (uint8_t)left;
}
#endif
