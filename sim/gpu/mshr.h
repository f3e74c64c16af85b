/* Miss status holding registers: fully associative by line, each with a bounded list of merged requesters. */
#ifndef GPU_MSHR_H
#define GPU_MSHR_H
#include "tags.h"

#define MSHR_NO_LINE UINT32_MAX /* line number of a free entry */
struct mshrs {
    uint32_t *lines;   /* n, MSHR_NO_LINE where free: one compact array, so that the search is a few vector compares */
    uint32_t *targets; /* n x merge: what each merged requester is known by */
    uint8_t *counts;
    cycle_t *since;            /* when the miss was sent */
    struct tag_line **frames;  /* the reserved line, or NULL: a miss that may not pollute */
    uint32_t n, merge, used;
};
static inline void mshrs_init(struct mshrs *m, struct arena *arena, uint32_t n, uint32_t merge)
{
    m->n = n;
    m->merge = merge;
    m->used = 0;
    m->lines = ARENA_TAKE(arena, uint32_t, n);
    m->targets = ARENA_TAKE(arena, uint32_t, (size_t)n * merge);
    m->counts = ARENA_TAKE(arena, uint8_t, n);
    m->since = ARENA_TAKE(arena, cycle_t, n);
    m->frames = ARENA_TAKE(arena, struct tag_line *, n);
    if (m->lines)
        for (uint32_t i = 0; i < n; i++) m->lines[i] = MSHR_NO_LINE;
}
/* The entry that waits for `line`, or -1. mshrs_find(m, MSHR_NO_LINE) is a free entry. */
static inline int mshrs_find(const struct mshrs *m, uint32_t line) { return key_find(m->lines, m->n, line); }
static inline bool mshrs_full(const struct mshrs *m) { return m->used == m->n; }
static inline bool mshrs_can_merge(const struct mshrs *m, int entry) { return m->counts[entry] < m->merge; }
static inline void mshrs_merge(struct mshrs *m, int entry, uint32_t target)
{
    m->targets[(uint32_t)entry * m->merge + m->counts[entry]++] = target;
}
static inline int mshrs_take(struct mshrs *m, uint32_t line, uint32_t target, struct tag_line *frame, cycle_t now)
{
    const int entry = mshrs_find(m, MSHR_NO_LINE);
    m->lines[entry] = line;
    m->counts[entry] = 0;
    m->since[entry] = now;
    m->frames[entry] = frame;
    m->used++;
    mshrs_merge(m, entry, target);
    return entry;
}
static inline void mshrs_free(struct mshrs *m, int entry)
{
    m->lines[entry] = MSHR_NO_LINE;
    m->used--;
}
#endif
