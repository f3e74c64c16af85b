/* Where a set-associative cache keeps its lines: frames in sets, each with the number of its line, and masks of the
 * chunks of it that are there, on their way, or dirty. How accesses use chunks is the organisation's part (org.h),
 * which line goes that of the replacement policy (replacement.h); L1, L2 and the read-only caches are made of these
 * three. Sets of many ways (a fully associative L1) are searched through a map; small ones by a few vector compares.
 *
 * State names a frame by its index among all sets' ways; a pointer to one lives as long as the function that works with
 * it. */
#ifndef GPU_TAGS_H
#define GPU_TAGS_H
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "cache/line_map.h"
#include "cache/order.h"
#include "net/msg.h"

struct tag_line {            /* what its number is, its key says */
    uint32_t valid, pending; /* chunks; a line without any of these is free, one with pending ones stays */
    uint32_t dirty;
    uint32_t last_use_warp; /* launch-unique warp that last touched it */
};
enum { TAGS_MAPPED = ORDER_AGED + 1 }; /* ways from which on the map is faster */
/* Four ways of a set, two lines of the host's cache: in the first is all that a search for a line or a victim reads. */
struct tag_four {
    _Alignas(128) uint32_t keys[4]; /* line numbers */
    uint32_t ages[4];  /* of the order of replacement (order.h); AGE_HELD while something of it is pending, which makes
                         * an age greater than any that may go */
    uint16_t mshrs[4]; /* while anything is pending: the MSHR that waits for it */
    _Alignas(64) struct tag_line lines[4];
};
_Static_assert(sizeof(struct tag_four) == 128, "a frame is found by masks and shifts");
struct tag_owner {
    uint32_t warp, pc;
}; /* that brought a line of L1: its launch-unique warp, and the load */
struct org_type;
struct tags {
    struct tag_four *fours;   /* sets x stride / 4 */
    struct tag_owner *owners; /* sets x stride: the caller's */
    uint32_t stamp;           /* order_memory.stamp of a cache that is not special */
    uint32_t stride;          /* ways, and those that are never used: to a multiple of four */
    bool is_sectored;
    bool is_special; /* any of these three, another policy than LRU, or lines are taken when their data comes */
    bool is_mapped;
    bool has_own_org;    /* the organisation has functions of its own */
    bool has_own_chunks; /* chunks are not sectors */
    uint32_t all;        /* every sector of a line, as messages name them, */
    uint32_t whole;      /* and those that any access asks for */
    uint32_t sets, ways;
    const struct org_type *org;
    uint32_t changes; /* how often other victims have been chosen without a hit, an insertion or a fill: who has asked
                       * asks again */
    /* For the line that comes next: where it begins in the order, and, where chunks have places of their own, which
     * frames' lines must stay, a bit each (l2_policy.h). */
    uint8_t fill_as; /* enum fill_as */
    bool some_stay;
    uint64_t *stay;
    uint32_t chunk_bytes;        /* what the masks of a line count in */
    void *own;                   /* of an organisation that places chunks itself, */
    uint32_t held_up;            /* and cycles in which L1 does nothing else, after the room that was taken last */
    struct line_map map;         /* mapped: line to index into lines */
    struct order order;          /* of frames; and, of an organisation that places chunks, */
    struct order *own_orders[2]; /* those of its places, or NULL: then frames are names alone */
    void *block;                 /* all of the above arrays, for copies */
    size_t bytes;
};
/* A file that is compiled for ordinary caches alone defines ORDINARY_CACHE: what special ones need costs it nothing
 * (l1_lines.h). */
static inline bool tags_are_special(const struct tags *t)
{
#ifdef ORDINARY_CACHE
    (void)t;
    return false;
#else
    return t->is_special;
#endif
}
/* `replacement` NULL: least recently used. */
void tags_init(struct tags *t, struct arena *arena, uint32_t sets, uint32_t ways, uint32_t line_bytes,
               const struct org_type *org, const struct replacement_type *replacement);
/* The i-th order in which things go, or NULL. */
enum { TAGS_ORDERS = 2 };
static inline struct order *tags_order(const struct tags *t, uint32_t i)
{
    if (t->own_orders[0]) return t->own_orders[i];
    return i ? NULL : (struct order *)&t->order;
}
/* Some policy learns for several caches. */
static inline bool tags_learn_together(const struct tags *t)
{
    bool learns = false;
    for (uint32_t i = 0; i < TAGS_ORDERS && tags_order(t, i); i++) learns |= tags_order(t, i)->type->learns;
    return learns;
}
/* Another policy from now on. */
void tags_replace_by(struct tags *t, const struct replacement_type *type);
/* What an organisation has taken from the arena right after that is copied with the tags: no pointers. */
void tags_extend(struct tags *t, const struct arena *arena);
/* Mapped sets: in place of the line that was there. */
void tags_map(struct tags *t, uint32_t index, uint32_t line);

static inline bool line_is_free(const struct tag_line *l) { return !(l->valid | l->pending); }
/* Four compares at once, as a mask: every x86-64 has SSE2; elsewhere the compiler does what it can. */
static inline uint32_t keys_equal(const uint32_t keys[4], uint32_t key)
{
#ifdef __SSE2__
    const __m128i equal =
        _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)keys), _mm_set1_epi32((int)key));
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(equal));
#else
    return (uint32_t)(keys[0] == key) | (uint32_t)(keys[1] == key) << 1 | (uint32_t)(keys[2] == key) << 2 |
           (uint32_t)(keys[3] == key) << 3;
#endif
}
/* The four that the line is one of, and which. */
static inline struct tag_four *tags_four(const struct tag_line *l)
{
    return (struct tag_four *)((uintptr_t)l & -(uintptr_t)sizeof(struct tag_four));
}
static inline uint32_t tags_way(const struct tag_line *l) { return (uint32_t)((uintptr_t)l / sizeof *l) % 4; }
/* The line that stands at `index` of all sets' ways, and where a line stands. */
static inline struct tag_line *tags_line(const struct tags *t, size_t index)
{
    return &t->fours[index / 4].lines[index % 4];
}
static inline uint32_t tags_index(const struct tags *t, const struct tag_line *l)
{
    return (uint32_t)(4 * (tags_four(l) - t->fours)) + tags_way(l);
}
/* The frame is one of this set. */
static inline bool tags_is_in(const struct tags *t, uint32_t frame, uint32_t set)
{
    return frame - set * t->stride < t->stride;
}
static inline struct tag_owner *tags_owner(const struct tags *t, const struct tag_line *l)
{
    return &t->owners[tags_index(t, l)];
}
static inline uint32_t *tags_key(const struct tag_line *l) { return &tags_four(l)->keys[tags_way(l)]; }
static inline uint32_t *tags_age(const struct tag_line *l) { return &tags_four(l)->ages[tags_way(l)]; }
static inline uint16_t *tags_mshr(const struct tag_line *l) { return &tags_four(l)->mshrs[tags_way(l)]; }
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
/* The line if any of it is present or pending, else NULL. Does not ask or tell the policy. */
static inline struct tag_line *tags_find(const struct tags *t, uint32_t set, uint32_t line)
{
    if (tags_are_special(t) && t->is_mapped) {
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
    if (tags_are_special(t) && t->is_mapped) return;
    const struct tag_four *four = t->fours + (size_t)set * (t->stride / 4);
    for (const struct tag_four *end = four + t->stride / 4; four < end; four++) {
        __builtin_prefetch(four->keys);
        __builtin_prefetch(four->lines);
    }
}
/* Something of the line is on its way, or nothing any more. */
static inline void tags_hold(const struct tag_line *l) { *tags_age(l) |= AGE_HELD; }
static inline void tags_release(const struct tag_line *l) { *tags_age(l) &= ~(uint32_t)AGE_HELD; }
static inline void tags_rename(struct tags *t, struct tag_line *l, uint32_t line)
{
    if (tags_are_special(t) && t->is_mapped) tags_map(t, tags_index(t, l), line);
    *tags_key(l) = line;
}
/* What is there of it is gone. */
static inline void tags_forget(struct tag_line *l)
{
    l->valid = 0;
    l->dirty = 0;
}
#endif
