/* Replacement policies: which line of a set goes. A policy is a row of functions, and may keep 32 bits a line
 * (tags_policy) and the ages of tags.h.
 *
 *   lru        the least recently used, by ages: a vector minimum, inlined where it is asked
 *   lru_list   the same for sets of many ways, by a list a set
 *
 * A line of which something is on its way stays, whatever the policy says, and so does one that `may_evict` forbids. A
 * policy that changes its mind about who goes without a hit, an insertion or a fill adds one to tags.changes, so that
 * a request of L2 that waits with its victim chosen asks again. */
#ifndef GPU_REPLACEMENT_H
#define GPU_REPLACEMENT_H
#include "cache/tags.h"

struct replacement_type {
    const char *name;
    void (*init)(struct tags *, struct arena *);         /* optional: memory of its own, behind that of the tags */
    void (*on_hit)(struct tags *, struct tag_line *);    /* the line has been used */
    void (*on_insert)(struct tags *, struct tag_line *); /* the frame has been taken for another line */
    void (*on_free)(struct tags *, struct tag_line *);   /* optional: the frame holds nothing any more */
    uint32_t (*victim)(
        const struct tags *,
        uint32_t set); /* the frame to replace, a free one first, or NO_FRAME; optional: that of the least age */
    bool (*may_evict)(const struct tags *, const struct tag_line *); /* optional: this line may go */
};
extern const struct replacement_type replacement_lru, replacement_lru_list;
/* The order of use by ages is for each policy that wants it. */
void lru_touch_slowly(struct tags *t, struct tag_line *l); /* stamps may have run out */
uint32_t replacement_least(const struct tags *t, uint32_t set);

static inline void lru_touch(struct tags *t, struct tag_line *l)
{
    if (t->stamp == STAMP_LAST) {
        lru_touch_slowly(t, l);
        return;
    }
    t->stamp += AGE_STAMP;
    uint32_t *age = tags_age(l);
    *age = (*age & (AGE_HELD | (AGE_STAMP - 1))) | t->stamp;
}
/* Older than all others of its set, in an order by ages. */
static inline void lru_put_last(struct tag_line *l)
{
    uint32_t *age = tags_age(l);
    *age = (*age & (AGE_HELD | (AGE_STAMP - 1))) | AGE_FREE;
}
/* The least age of n ways, a multiple of four. */
static inline uint32_t least_age(const struct tag_four *fours, uint32_t n)
{
#ifdef __SSE2__
    __m128 least = _mm_load_ps((const float *)(const void *)fours->ages);
    for (uint32_t i = 1; i < n / 4; i++)
        least = _mm_min_ps(least, _mm_load_ps((const float *)(const void *)fours[i].ages));
    least = _mm_min_ps(least, _mm_movehl_ps(least, least));
    least = _mm_min_ss(least, _mm_shuffle_ps(least, least, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_castps_si128(least));
#else
    uint32_t least = fours->ages[0];
    for (uint32_t i = 1; i < n; i++) least = fours[i / 4].ages[i % 4] < least ? fours[i / 4].ages[i % 4] : least;
    return least;
#endif
}
static inline uint32_t lru_victim(const struct tags *t, uint32_t set)
{
    const uint32_t first = set * t->stride, age = least_age(t->fours + first / 4, t->stride);
    return age < AGE_HELD ? first + (age & (AGE_STAMP - 1)) : NO_FRAME; /* something is pending of all of them */
}

/* The line may go: nothing of it is on its way, and the policy has nothing against it. */
static inline bool line_may_go(const struct tags *t, const struct tag_line *l)
{
    return !l->pending && (!t->replacement->may_evict || t->replacement->may_evict(t, l));
}
/* The frame to replace: a free one, else the policy's choice; NO_FRAME if none may go. */
static inline uint32_t tags_victim(const struct tags *t, uint32_t set)
{
    if (!tags_are_special(t)) return lru_victim(t, set);
    return t->replacement->victim ? t->replacement->victim(t, set) : replacement_least(t, set);
}
/* `warp` has used the line. */
static inline void tags_touch(struct tags *t, struct tag_line *l, uint32_t warp)
{
    l->last_use_warp = warp;
    if (!tags_are_special(t)) lru_touch(t, l);
    else t->replacement->on_hit(t, l);
}
static inline void tags_insert(struct tags *t, struct tag_line *l)
{
    if (!tags_are_special(t)) lru_touch(t, l);
    else t->replacement->on_insert(t, l);
}
/* The frame becomes `line`, with nothing of it there yet: the caller says what is pending or valid. */
static inline void tags_reserve(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp)
{
    tags_rename(t, l, line);
    *l = (struct tag_line){.last_use_warp = warp};
    tags_insert(t, l);
}
/* The same for a line of which `fetch` is on its way, for which MSHR `mshr` waits. */
static inline void tags_reserve_for(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp, uint32_t fetch,
                                    uint32_t mshr)
{
    tags_rename(t, l, line);
    *l = (struct tag_line){.last_use_warp = warp, .pending = fetch};
    *tags_mshr(l) = (uint16_t)mshr;
    tags_hold(l);
    tags_insert(t, l);
}
static inline void tags_free(struct tags *t, struct tag_line *l)
{
    tags_rename(t, l, NO_LINE);
    tags_forget(l);
    *tags_age(l) = (*tags_age(l) & (AGE_HELD | (AGE_STAMP - 1))) | AGE_FREE;
    if (tags_are_special(t) && t->replacement->on_free) t->replacement->on_free(t, l);
}
#endif
