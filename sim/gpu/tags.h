/* Tags of a set-associative cache with LRU replacement and lines that are reserved while their fill is pending. */
#ifndef GPU_TAGS_H
#define GPU_TAGS_H
#include "msg.h"
#include "poise/arena.h"

enum line_state { LINE_INVALID, LINE_RESERVED, LINE_VALID };
struct tag_line {
    uint32_t line;      /* line number */
    uint32_t last_use;  /* LRU stamp */
    uint32_t toucher;   /* launch-unique warp that last touched it */
    uint32_t allocator; /* warp that brought it */
    uint32_t pc;        /* of the load that brought it (L1) */
    uint16_t mshr;      /* while reserved: the MSHR that waits for the fill */
    uint8_t state, is_dirty;
};
#define TAG_NONE UINT32_MAX /* key of an invalid line */
struct tags {
    uint32_t *keys;         /* sets x ways: line numbers, in one compact array so that a set is a few vector compares */
    struct tag_line *lines; /* sets x ways */
    uint32_t sets, ways, stamp;
};
static inline void tags_init(struct tags *t, struct arena *arena, uint32_t sets, uint32_t ways)
{
    const size_t n = (size_t)sets * ways;
    t->sets = sets;
    t->ways = ways;
    t->stamp = 0;
    t->keys = ARENA_TAKE(arena, uint32_t, n);
    t->lines = ARENA_TAKE(arena, struct tag_line, n);
    for (size_t i = 0; t->keys && i < n; i++) t->keys[i] = TAG_NONE;
}
/* Where `key` stands among n, or -1. Groups of four and eight become vector compares. */
static inline int key_find(const uint32_t *keys, uint32_t n, uint32_t key)
{
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const uint32_t any = (uint32_t)(keys[i] == key) | (uint32_t)(keys[i + 1] == key) << 1 | (uint32_t)(keys[i + 2] == key) << 2 |
                             (uint32_t)(keys[i + 3] == key) << 3;
        if (any) return (int)(i + (uint32_t)__builtin_ctz(any));
    }
    for (; i < n; i++)
        if (keys[i] == key) return (int)i;
    return -1;
}
/* The line if it is present or reserved, else NULL. Does not touch LRU. */
static inline struct tag_line *tags_find(struct tags *t, uint32_t set, uint32_t line)
{
    const size_t first = (size_t)set * t->ways;
    const int way = key_find(t->keys + first, t->ways, line);
    return way < 0 ? NULL : t->lines + first + (uint32_t)way;
}
/* The line to replace: an invalid one, else the least recently used that is not reserved; NULL if all are reserved. */
static inline struct tag_line *tags_victim(struct tags *t, uint32_t set)
{
    struct tag_line *l = t->lines + (size_t)set * t->ways, *best = NULL;
    for (uint32_t w = 0; w < t->ways; w++, l++) {
        if (l->state == LINE_INVALID) return l;
        if (l->state == LINE_VALID && (!best || (int32_t)(l->last_use - best->last_use) < 0)) best = l;
    }
    return best;
}
static inline void tags_touch(struct tags *t, struct tag_line *l, uint32_t warp)
{
    l->last_use = ++t->stamp;
    l->toucher = warp;
}
static inline void tags_reserve(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp, uint32_t mshr)
{
    t->keys[l - t->lines] = line;
    l->line = line;
    l->state = LINE_RESERVED;
    l->is_dirty = 0;
    l->mshr = (uint16_t)mshr;
    l->allocator = warp;
    tags_touch(t, l, warp);
}
static inline void tags_invalidate(struct tags *t, struct tag_line *l)
{
    t->keys[l - t->lines] = TAG_NONE;
    l->state = LINE_INVALID;
}
/* XOR of all groups of log2(sets) bits of the line number. [BUCL Tab. II, TSC Tab. 2: XOR set index] */
static inline uint32_t hash_index(uint32_t line, uint32_t sets)
{
    const uint32_t bits = (uint32_t)__builtin_ctz(sets);
    uint32_t set = 0;
    for (; bits && line; line >>= bits) set ^= line;
    return set & (sets - 1);
}
#endif
