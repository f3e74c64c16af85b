/* Which line of a set goes: the order of replacement (order.h) over the frames of a cache. Of ordinary caches, few ways
 * and least recently used, it is inlined: an age is the stamp of the last use, and the victim a vector minimum. Others
 * tell their policy.
 *
 * A line of which something is on its way stays, whatever the policy says. A policy that changes its mind about who
 * goes without a hit, an insertion or a fill adds one to tags.changes, so that a request of L2 that waits with its
 * victim chosen asks again. */
#ifndef GPU_REPLACEMENT_H
#define GPU_REPLACEMENT_H
#include "cache/tags.h"

void lru_touch_slowly(struct tags *t, struct tag_line *l); /* stamps may have run out */

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

/* Of those frames that are neither pending nor of `stay` (a bit a way, or NULL): the one to take. */
uint32_t tags_victim_but(const struct tags *t, uint32_t set, const uint64_t *stay);
/* The frame to replace: a free one, else the policy's choice; NO_FRAME if none may go. */
static inline uint32_t tags_victim(const struct tags *t, uint32_t set)
{
    if (!tags_are_special(t) || !(t->is_mapped || t->order.type->find)) return lru_victim(t, set);
    return tags_victim_but(t, set, NULL);
}
/* `warp` has used the line. `is_there`: what it asks for; else it waits for that. */
static inline void tags_use(struct tags *t, struct tag_line *l, uint32_t warp, bool is_there)
{
    l->last_use_warp = warp;
    if (!tags_are_special(t)) {
        lru_touch(t, l);
        return;
    }
    const uint32_t frame = tags_index(t, l);
    if (is_there) order_hit(&t->order, frame);
    else order_wait(&t->order, frame);
    order_settle(&t->order, frame / t->stride);
}
static inline void tags_touch(struct tags *t, struct tag_line *l, uint32_t warp) { tags_use(t, l, warp, true); }
static inline void tags_wait(struct tags *t, struct tag_line *l, uint32_t warp) { tags_use(t, l, warp, false); }
/* The policy has chosen the line, which is still there. */
static inline void tags_evict(struct tags *t, const struct tag_line *l)
{
    if (tags_are_special(t) && !line_is_free(l)) order_evict(&t->order, tags_index(t, l));
}
static inline void tags_insert(struct tags *t, struct tag_line *l)
{
    if (!tags_are_special(t)) {
        lru_touch(t, l);
        return;
    }
    const uint32_t frame = tags_index(t, l);
    order_fill(&t->order, frame, t->fill_as);
    order_settle(&t->order, frame / t->stride);
}
/* The frame becomes `line`, with nothing of it there yet: the caller says what is pending or valid. */
static inline void tags_reserve(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp)
{
    tags_evict(t, l);
    tags_rename(t, l, line);
    *l = (struct tag_line){.last_use_warp = warp};
    tags_insert(t, l);
}
/* The same for a line of which `fetch` is on its way, for which MSHR `mshr` waits. */
static inline void tags_reserve_for(struct tags *t, struct tag_line *l, uint32_t line, uint32_t warp, uint32_t fetch,
                                    uint32_t mshr)
{
    tags_evict(t, l);
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
    if (tags_are_special(t)) order_free(&t->order, tags_index(t, l));
    else *tags_age(l) = (*tags_age(l) & (AGE_HELD | (AGE_STAMP - 1))) | AGE_FREE;
}
/* In a cache that is not special: the line has come in place of another, and begins in the order as `as` says. */
static inline void tags_begin_as(const struct tag_line *l, enum fill_as as)
{
    if (as == FILL_FIRST) *tags_age(l) = (*tags_age(l) & (AGE_HELD | (AGE_STAMP - 1))) | (AGE_FREE + AGE_STAMP);
}
/* Where chunks have places of their own: those of this frame's line must stay. */
static inline bool tags_stays(const struct tags *t, uint32_t way)
{
    return t->some_stay && t->stay[way / 64] >> way % 64 & 1;
}
#endif
