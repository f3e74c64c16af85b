/* Tags of a set-associative cache with LRU replacement. A line knows which of its 32-byte sectors are there and which are on their
 * way; how sectors are asked for is the organisation's part (org.h). Sets of many ways (a fully associative L1) are searched through
 * a map and keep their lines in a list by last use; small ones are a few vector compares: of line numbers to find one, of ages to replace one. */
#ifndef GPU_TAGS_H
#define GPU_TAGS_H
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "cache/line_map.h"
#include "net/msg.h"

struct tag_line { /* what its number is, its key says */
    uint32_t toucher;   /* launch-unique warp that last touched it */
    uint16_t mshr;      /* while anything is pending: the MSHR that waits for it */
    uint8_t valid : 4, pending : 4; /* sectors; a line without any of these is free, one with pending ones stays */
    uint8_t dirty;
};
#define SECTORS 15u /* a line has up to four */
enum { TAGS_MAPPED = 65 }; /* ways from which on the map is faster */
/* A line's age: its way in the low bits, the stamp of its last use (AGE_FREE: it is free), and AGE_HELD while something of it is pending, which
 * makes it greater than any that may go. The least age of a set is the victim and says where it stands. Ages are the bits of positive normal
 * floats, whose order is the same: of floats, every x86-64 has the minimum of four at once. */
enum { AGE_STAMP = 64, AGE_FREE = 0x00800000, AGE_HELD = 0x40000000, AGE_NO_WAY = 0x7f7fffff, STAMP_LAST = 0x3f7fffc0 };
/* Four ways of a set: all that is searched, or changed by a fill, in one line of the host's cache. */
struct tag_four {
    _Alignas(64) uint32_t keys[4]; /* line numbers */
    uint32_t ages[4];              /* unless mapped */
    struct tag_line lines[4];
};
struct tag_owner { uint32_t warp, pc; }; /* that brought a line of L1: its launch-unique warp, and the load */
struct tags {
    struct tag_four *fours;   /* sets x stride / 4 */
    struct tag_owner *owners; /* sets x stride: the caller's */
    uint32_t stamp;
    uint32_t stride;        /* ways, and those that are never used: to a multiple of four */
    bool is_mapped, is_sectored;
    uint8_t all;            /* every sector of a line */
    uint32_t sets, ways;
    struct line_map map;    /* mapped: line to index into lines */
    uint32_t *newer, *older;   /* mapped: neighbours in the order of last use, free lines oldest */
    uint32_t *newest, *oldest; /* mapped: ends of each set's order */
    void *block;            /* all of the above arrays, for copies */
    size_t bytes;
};
void tags_init(struct tags *t, struct arena *arena, uint32_t sets, uint32_t ways, uint32_t line_bytes, bool is_sectored);
/* Stamps have run out: the order within each set is kept, by small ones. */
void tags_renumber(struct tags *t);
/* Mapped sets' parts, tags.c. */
struct tag_line *tags_oldest(struct tags *t, uint32_t set); /* that may go, or NULL */
void tags_move_newest(struct tags *t, uint32_t index);
void tags_move_oldest(struct tags *t, uint32_t index);
void tags_map(struct tags *t, uint32_t index, uint32_t line); /* in place of the line that was there */

static inline bool line_is_free(const struct tag_line *l) { return !(l->valid | l->pending); }
/* Four compares at once, as a mask: every x86-64 has SSE2; elsewhere the compiler does what it can. */
static inline uint32_t keys_equal(const uint32_t keys[4], uint32_t key)
{
#ifdef __SSE2__
    const __m128i equal = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)keys), _mm_set1_epi32((int)key));
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(equal));
#else
    return (uint32_t)(keys[0] == key) | (uint32_t)(keys[1] == key) << 1 | (uint32_t)(keys[2] == key) << 2 | (uint32_t)(keys[3] == key) << 3;
#endif
}
/* The four that the line is one of, and which. */
static inline struct tag_four *tags_four(const struct tag_line *l) { return (struct tag_four *)((uintptr_t)l & -(uintptr_t)sizeof(struct tag_four)); }
static inline uint32_t tags_way(const struct tag_line *l) { return (uint32_t)(l - tags_four(l)->lines); }
/* The line that stands at `index` of all sets' ways, and where a line stands. */
static inline struct tag_line *tags_line(const struct tags *t, size_t index) { return &t->fours[index / 4].lines[index % 4]; }
static inline uint32_t tags_index(const struct tags *t, const struct tag_line *l) { return (uint32_t)(4 * (tags_four(l) - t->fours)) + tags_way(l); }
/* The line is one of this set. */
static inline bool tags_is_in(const struct tags *t, const struct tag_line *l, uint32_t set) { return tags_index(t, l) - set * t->stride < t->stride; }
static inline struct tag_owner *tags_owner(const struct tags *t, const struct tag_line *l) { return &t->owners[tags_index(t, l)]; }
/* Room for n keys or ages that are searched in fours. */
static inline uint32_t keys_room(uint32_t n) { return (n + 3) / 4 * 4; }
/* Where `key` stands among n, a multiple of four; or -1. */
static inline int key_find(const uint32_t *keys, uint32_t n, uint32_t key)
{
    for (uint32_t i = 0; i < n; i += 4) {
        const uint32_t any = keys_equal(keys + i, key);
        if (any) return (int)(i + (uint32_t)__builtin_ctz(any));
    }
    return -1;
}
static inline uint32_t *tags_key(const struct tag_line *l) { return &tags_four(l)->keys[tags_way(l)]; }
static inline uint32_t *tags_age(const struct tag_line *l) { return &tags_four(l)->ages[tags_way(l)]; }
/* The line if any of it is present or pending, else NULL. Does not touch LRU. */
static inline struct tag_line *tags_find(struct tags *t, uint32_t set, uint32_t line)
{
    if (t->is_mapped) {
        const int index = line_map_find(&t->map, line);
        return index < 0 ? NULL : tags_line(t, (uint32_t)index);
    }
    struct tag_four *four = t->fours + (size_t)set * (t->stride / 4);
    for (const struct tag_four *end = four + t->stride / 4; four < end; four++) {
        const uint32_t any = keys_equal(four->keys, line);
        if (any) return &four->lines[__builtin_ctz(any)];
    }
    return NULL;
}
/* It will be looked for soon: the host begins to fetch what is searched. */
static inline void tags_prefetch(const struct tags *t, uint32_t set)
{
    if (t->is_mapped) return;
    const struct tag_four *four = t->fours + (size_t)set * (t->stride / 4);
    for (const struct tag_four *end = four + t->stride / 4; four < end; four++) __builtin_prefetch(four);
}
/* The least age of n ways, a multiple of four. */
static inline uint32_t least_age(const struct tag_four *fours, uint32_t n)
{
#ifdef __SSE2__
    __m128 least = _mm_load_ps((const float *)(const void *)fours->ages);
    for (uint32_t i = 1; i < n / 4; i++) least = _mm_min_ps(least, _mm_load_ps((const float *)(const void *)fours[i].ages));
    least = _mm_min_ps(least, _mm_movehl_ps(least, least));
    least = _mm_min_ss(least, _mm_shuffle_ps(least, least, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_castps_si128(least));
#else
    uint32_t least = fours->ages[0];
    for (uint32_t i = 1; i < n; i++) least = fours[i / 4].ages[i % 4] < least ? fours[i / 4].ages[i % 4] : least;
    return least;
#endif
}
/* The same as tags_victim for sets that are not mapped. */
static inline struct tag_line *tags_least(const struct tags *t, uint32_t set)
{
    const size_t first = (size_t)set * t->stride;
    const uint32_t age = least_age(t->fours + first / 4, t->stride);
    return age < AGE_HELD ? tags_line(t, first + (age & (AGE_STAMP - 1))) : NULL; /* something is pending of all of them */
}
/* The line to replace: a free one, else the least recently used of which nothing is pending; NULL if there is none. */
static inline struct tag_line *tags_victim(struct tags *t, uint32_t set)
{
    if (t->is_mapped) return tags_oldest(t, set);
    return tags_least(t, set);
}
/* Whether there is one. */
static inline bool tags_has_victim(struct tags *t, uint32_t set)
{
    if (t->is_mapped) return tags_oldest(t, set) != NULL;
    return least_age(t->fours + (size_t)set * t->stride / 4, t->stride) < AGE_HELD;
}
static inline bool tags_must_renumber(const struct tags *t) { return t->stamp == STAMP_LAST; }
static inline void tags_touch(struct tags *t, struct tag_line *l, uint32_t warp)
{
    l->toucher = warp;
    if (t->is_mapped) {
        tags_move_newest(t, tags_index(t, l));
        return;
    }
    if (tags_must_renumber(t)) tags_renumber(t);
    t->stamp += AGE_STAMP;
    uint32_t *age = tags_age(l);
    *age = (*age & (AGE_HELD | (AGE_STAMP - 1))) | t->stamp;
}
/* Something of the line is on its way, or nothing any more. */
static inline void tags_hold(struct tags *t, const struct tag_line *l)
{
    if (!t->is_mapped) *tags_age(l) |= AGE_HELD;
}
static inline void tags_release(struct tags *t, const struct tag_line *l)
{
    if (!t->is_mapped) *tags_age(l) &= ~(uint32_t)AGE_HELD;
}
static inline void tags_rename(struct tags *t, struct tag_line *l, uint32_t line)
{
    if (t->is_mapped) tags_map(t, tags_index(t, l), line);
    *tags_key(l) = line;
}
/* The frame becomes `line`, with nothing of it there yet: the caller says what is pending or valid. */
static inline void tags_reserve(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp)
{
    tags_rename(t, l, line);
    l->valid = 0;
    l->pending = 0;
    l->dirty = 0;
    tags_touch(t, l, warp);
}
/* The same for a line of which `fetch` is on its way, for which MSHR `mshr` waits; in sets that are not mapped and while there are stamps, */
static inline void tags_take(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp, uint32_t fetch, uint32_t mshr)
{
    struct tag_four *four = tags_four(l);
    const uint32_t way = tags_way(l);
    t->stamp += AGE_STAMP;
    four->keys[way] = line;
    four->ages[way] = (four->ages[way] & (AGE_STAMP - 1)) | AGE_HELD | t->stamp;
    *l = (struct tag_line){.toucher = warp, .mshr = (uint16_t)mshr, .pending = fetch & SECTORS};
}
/* and in all. */
static inline void tags_reserve_for(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp, uint32_t fetch, uint32_t mshr)
{
    if (t->is_mapped) {
        tags_map(t, tags_index(t, l), line);
        tags_move_newest(t, tags_index(t, l));
    }
    if (tags_must_renumber(t)) tags_renumber(t);
    tags_take(t, l, line, warp, fetch, mshr);
}
/* What is there of it is gone. */
static inline void tags_forget(struct tag_line *l)
{
    l->valid = 0;
    l->dirty = 0;
}
static inline void tags_free(struct tags *t, struct tag_line *l)
{
    tags_rename(t, l, NO_LINE);
    tags_forget(l);
    if (t->is_mapped) tags_move_oldest(t, tags_index(t, l));
    else *tags_age(l) = (*tags_age(l) & (AGE_HELD | (AGE_STAMP - 1))) | AGE_FREE;
}
#endif
