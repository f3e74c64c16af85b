/* The straight way through L1: loads of a plain L1 of few ways that takes its lines when they miss, which most machines have. All else, and what
 * few accesses are, goes through l1.c, which knows every organisation; both leave and count the same. */
#ifndef GPU_L1_STRAIGHT_H
#define GPU_L1_STRAIGHT_H
#include "cache/l1.h"

/* The line of the set that a miss takes and what else it needs, or which of it is not there: a line, an MSHR, room in the miss queue, in this
 * order. */
static inline enum l1_outcome l1_reserve_straight(struct l1 *l1, struct tag_line **frame)
{
    *frame = tags_least(&l1->tags, l1->known_set);
    if (!*frame) return L1_FAIL_LINE;
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    return l1->to_xbar.count + 1 + ((*frame)->dirty != 0) <= l1->to_xbar.capacity ? L1_MISS : L1_FAIL_QUEUE;
}
static inline enum l1_outcome l1_load_straight(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    struct tag_line *l = l1_find(l1, a->line);
    if (!l) return l1->mshrs.frameless || !a->may_pollute ? l1_load_any(l1, a, now) : l1_miss_straight(l1, a, now);
    if (!l->valid) return l1_merge_straight(l1, l, a);
    l1->stats.l1d_load_hits++;
    l1->stats.l1d_intra_warp_hits += l->toucher == a->warp;
    l1->stats.l1d_own_fill_hits += tags_owner(&l1->tags, l)->warp == a->warp;
    tags_touch(&l1->tags, l, a->warp);
    return L1_HIT;
}
static inline enum l1_outcome l1_load(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    return l1->is_straight ? l1_load_straight(l1, a, now) : l1_load_any(l1, a, now);
}
/* What l1_load would return now, if that is L1_FAIL_*; else L1_HIT. Changes nothing; does not ask who and where from. */
static inline enum l1_outcome l1_load_fails(struct l1 *l1, const struct l1_access *a)
{
    struct tag_line *l;
    if (!l1->is_straight || l1->mshrs.frameless || !a->may_pollute) return l1_load_fails_any(l1, a);
    if ((l = l1_find(l1, a->line)) != NULL) return l->valid || mshrs_can_merge(&l1->mshrs, l->mshr) ? L1_HIT : L1_FAIL_MERGE;
    const enum l1_outcome outcome = l1_reserve_straight(l1, &l);
    return outcome == L1_MISS ? L1_HIT : outcome;
}
static inline uint32_t l1_fill_straight(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    struct mshr *e = mshrs_at(&l1->mshrs, reply->token);
    struct tag_line *frame = e->frame;
    if (!frame) return l1_fill_any(l1, reply, targets, now);
    l1->progress[L1_A_FILL]++;
    l1->progress[L1_A_FILL_OR_ROOM]++;
    frame->valid = reply->sectors & SECTORS;
    frame->pending = 0;
    *tags_age(frame) &= ~(uint32_t)AGE_HELD;
    l1->progress[L1_A_FILL_OF_THE_SET] += tags_is_in(&l1->tags, frame, l1->known_set);
    if (l1->hooks->on_fill.n) l1_tell_fill(l1, frame, now);
    l1_count_latency(l1, reply, now - e->since[0]);
    *targets = mshr_targets(&l1->mshrs, e);
    mshrs_free(&l1->mshrs, reply->token);
    return e->count;
}
/* The reply to a miss. *targets points at the loads that now have their data; valid until the next access. */
static inline uint32_t l1_fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    return l1->is_straight ? l1_fill_straight(l1, reply, targets, now) : l1_fill_any(l1, reply, targets, now);
}
#endif
