/* The way of a load through L1: hit, merge, miss and fill, once for all organisations. It is compiled twice, chosen
 * once a run (`l1->path`): in l1.c for any cache, and in l1_ordinary.c for those of few ways, least recently used,
 * whose lines are taken when they miss. */
#include "cache/l1_parts.h"

#include <string.h>

static inline bool takes_at_fill(const struct l1 *l1)
{
    return tags_are_special(&l1->tags) && l1->tags.org->takes_at_fill;
}

/* A miss takes a line: its own, or that of the MSHR it merges into, which does not change for its sake. */
static inline bool fills_line(const struct l1 *l1, const struct l1_access *a, int entry)
{
    if (entry < 0) return a->may_pollute;
    const struct mshr *m = mshrs_at(&l1->mshrs, entry);
    return takes_at_fill(l1) ? m->fill_for != NO_WARP : m->frame != NO_FRAME;
}

/* The MSHR that waits for the line of an access that misses, or -1. In an L1 of whole lines a miss that fills none may
 * ask for the sectors it touches alone (hooks.h, `fetch`). */
static inline int waiting_entry(const struct l1 *l1, const struct l1_access *a, struct probe *p)
{
    const int entry = p->line && p->line->pending ? *tags_mshr(p->line) : mshrs_find(&l1->mshrs, a->line);
    if (l1->hooks->fetch == FETCH_SECTORS && !fills_line(l1, a, entry)) {
        p->missing &= a->sectors;
        p->fetch &= a->sectors;
    }
    return entry;
}

/* A miss on a line for which no MSHR waits needs a line (if it may pollute), an MSHR and room in the miss queue, in
 * this order. Which of them is not there, or L1_MISS; *room: the line, and what goes for it. */
static inline enum l1_outcome reserve(struct l1 *l1, const struct l1_access *a, const struct probe *p,
                                      struct room *room, uint32_t others[])
{
    *room = (struct room){.frame = NO_FRAME};
    if (p->line) {
        if (!takes_at_fill(l1)) room->frame = tags_index(&l1->tags, p->line);
    } else if (a->may_pollute && !takes_at_fill(l1)) {
        *room = org_reserve(&l1->tags, l1->known_set, a->line, others);
        if (room->frame == NO_FRAME) return L1_FAIL_LINE;
    }
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    return miss_has_room(l1, a, p->fetch, room->writes) ? L1_MISS : L1_FAIL_QUEUE;
}

/* The line of a miss is in its place, and waits for what is asked for. */
static inline void take_frame(struct l1 *l1, const struct l1_access *a, const struct room *room,
                              const uint32_t others[], uint32_t fetch, uint32_t entry, cycle_t now)
{
    make_room(l1, room, others, now);
    tags_reserve_for(&l1->tags, tags_line(&l1->tags, room->frame), a->line, a->warp, org_stored(&l1->tags, fetch),
                     entry);
    l1->tags.owners[room->frame] = (struct tag_owner){a->warp, a->pc};
}

static inline enum l1_outcome miss(struct l1 *l1, const struct l1_access *a, struct probe p, cycle_t now)
{
    uint32_t others[ORG_OTHERS];
    struct room room;
    const enum l1_outcome outcome = reserve(l1, a, &p, &room, others);
    if (outcome != L1_MISS) return outcome;
    const uint32_t entry =
        (uint32_t)mshrs_begin(&l1->mshrs, a->line, room.frame, a->load, p.missing, p.missing, p.fetch, now);
    l1->known = NO_LINE;
    if (takes_at_fill(l1)) {
        struct mshr *m = mshrs_at(&l1->mshrs, (int)entry);
        m->fill_for = a->may_pollute ? a->warp : NO_WARP;
        m->fill_pc = a->pc;
    } else if (p.line) {
        org_await(&l1->tags, p.line, p.fetch, entry);
    } else if (room.frame != NO_FRAME) {
        take_frame(l1, a, &room, others, p.fetch, entry, now);
    }
    l1->stats.l1d_misses++;
    if (p.line) l1->stats.l1d_sector_misses++;
    if (!a->may_pollute) l1->stats.l1d_no_allocate++;
    send_miss(l1, a, p.fetch, entry, now);
    return L1_MISS;
}

/* Other sectors than those on their way: they are asked for too, under the same MSHR. */
static APART enum l1_outcome miss_more(struct l1 *l1, int entry, const struct l1_access *a, struct probe p, cycle_t now)
{
    const uint32_t frame = mshrs_at(&l1->mshrs, entry)->frame;
    if (!miss_has_room(l1, a, p.fetch, 0)) return L1_FAIL_QUEUE;
    mshrs_merge(&l1->mshrs, entry, a->load, p.missing, p.missing);
    mshrs_issue(&l1->mshrs, entry, p.fetch, now);
    if (frame != NO_FRAME) org_await(&l1->tags, tags_line(&l1->tags, frame), p.fetch, (uint32_t)entry);
    l1->stats.l1d_misses++;
    l1->stats.l1d_sector_misses++;
    if (!fills_line(l1, a, entry)) l1->stats.l1d_no_allocate++;
    send_miss(l1, a, p.fetch, (uint32_t)entry, now);
    return L1_MISS;
}

/* An MSHR waits for the line. */
static APART HOT enum l1_outcome merge(struct l1 *l1, int entry, const struct l1_access *a, struct probe p, cycle_t now)
{
    if (!mshrs_can_merge(&l1->mshrs, entry)) return L1_FAIL_MERGE;
    p.fetch &= (uint8_t)~mshrs_at(&l1->mshrs, entry)->issued;
    if (p.fetch) return miss_more(l1, entry, a, p, now);
    mshrs_merge(&l1->mshrs, entry, a->load, p.missing, p.missing);
    if (p.line) tags_touch(&l1->tags, p.line, a->warp);
    l1->stats.l1d_mshr_merges++;
    return L1_MERGED;
}

static inline enum l1_outcome missing(struct l1 *l1, const struct l1_access *a, struct probe p, cycle_t now)
{
    const int entry = waiting_entry(l1, a, &p);
    return entry < 0 ? miss(l1, a, p, now) : merge(l1, entry, a, p, now);
}

static HOT enum l1_outcome load(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    const struct probe p = org_probe(&l1->tags, l1_find(l1, a->line), a->sectors);
    if (p.missing) return missing(l1, a, p, now);
    l1->stats.l1d_load_hits++;
    l1->stats.l1d_intra_warp_hits += p.line->toucher == a->warp;
    l1->stats.l1d_own_fill_hits += tags_owner(&l1->tags, p.line)->warp == a->warp;
    tags_touch(&l1->tags, p.line, a->warp);
    return L1_HIT;
}

static HOT enum l1_outcome load_fails(struct l1 *l1, const struct l1_access *a)
{
    struct probe p = org_probe(&l1->tags, l1_find(l1, a->line), a->sectors);
    uint32_t others[ORG_OTHERS];
    struct room room;
    if (!p.missing) return L1_HIT;
    const int entry = waiting_entry(l1, a, &p);
    if (entry < 0) {
        const enum l1_outcome outcome = reserve(l1, a, &p, &room, others);
        return outcome == L1_MISS ? L1_HIT : outcome;
    }
    if (!mshrs_can_merge(&l1->mshrs, entry)) return L1_FAIL_MERGE;
    const uint32_t fetch = p.fetch & ~(uint32_t)mshrs_at(&l1->mshrs, entry)->issued;
    return fetch && !miss_has_room(l1, a, fetch, 0) ? L1_FAIL_QUEUE : L1_HIT;
}

/* The line is taken when its data comes. NO_FRAME if none may be, or if the victim's write-back finds no room: the data
 * is used and not kept. */
static APART uint32_t take_line(struct l1 *l1, int entry, cycle_t now)
{
    const struct mshr *m = mshrs_at(&l1->mshrs, entry);
    const uint32_t line = m->line, warp = m->fill_for, set = l1_set_of(l1, line);
    struct tag_line *l = tags_find(&l1->tags, set, line);
    if (l) return tags_index(&l1->tags, l);
    if (warp == NO_WARP) return NO_FRAME;
    uint32_t others[ORG_OTHERS];
    const struct room room = org_reserve(&l1->tags, set, line, others);
    if (room.frame == NO_FRAME || !queue_has_room(l1, room.writes)) return NO_FRAME;
    l1->known = NO_LINE;
    make_room(l1, &room, others, now);
    tags_reserve(&l1->tags, tags_line(&l1->tags, room.frame), line, warp);
    l1->tags.owners[room.frame] = (struct tag_owner){warp, m->fill_pc};
    return room.frame;
}

/* Other sectors are still on their way: those that wait for them stay and move up. */
static APART uint32_t fill_some(struct l1 *l1, const struct reply *reply, const uint32_t **targets)
{
    struct mshrs *m = &l1->mshrs;
    const uint32_t n = mshrs_arrive(m, reply->token, reply->sectors);
    memcpy(l1->answered, mshr_targets(m, mshrs_at(m, reply->token)), n * sizeof **targets);
    *targets = l1->answered;
    mshrs_answered(m, reply->token, n);
    return n;
}

static HOT uint32_t fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    struct mshrs *m = &l1->mshrs;
    const int entry = reply->token;
    note_fill(l1);
    struct mshr *e = mshrs_at(m, entry);
    const uint32_t frame = takes_at_fill(l1) ? take_line(l1, entry, now) : e->frame;
    if (frame != NO_FRAME) {
        struct tag_line *l = tags_line(&l1->tags, frame);
        org_fill(&l1->tags, l, reply->sectors);
        l1->progress[L1_A_FILL_OF_THE_SET] += tags_is_in(&l1->tags, frame, l1->known_set);
        if (l1->hooks->on_fill.n) l1_tell_fill(l1, l, now);
    }
    count_latency(l1, reply, now - *mshrs_since(m, e, reply->sectors));
    if (e->issued & ~reply->sectors) return fill_some(l1, reply, targets);
    const uint32_t *all = mshr_targets(m, e);
    mshrs_free(m, entry);
    *targets = all;
    return e->count;
}
