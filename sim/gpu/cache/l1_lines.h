/* An L1 of ordinary lines: the plain one, to be read first. A miss takes its line at once, and what is missing comes
 * into it.
 *
 *   load:   look up ---- all is there ----> hit
 *              |------ an MSHR waits -----> merge: a place there; what is not on its way yet is asked for besides
 *              `------ none does ---------> miss: a line (if it may pollute), an MSHR, room in the miss queue
 *   reply:  the line is filled; loads that now have all they wait for are answered
 *
 * What cannot get all that it needs fails, and changes nothing. Whole lines and sectors differ in what org_probe()
 * finds missing. Compiled twice, chosen once a run: for ordinary caches, of few ways, least recently used, stored as
 * messages bring it (l1_ordinary.c), and for any (l1_lines.c). */
#include "cache/l1_parts.h"

/* ---- what a load finds ---- */

static inline struct probe look_up(struct l1 *l1, const struct l1_access *a)
{
    return org_probe(&l1->tags, l1_find(l1, a->line), a->sectors);
}

/* A miss fills a line: its own, or that of the MSHR it merges into, which does not change for its sake. */
static inline bool fills_line(const struct l1 *l1, const struct l1_access *a, int entry)
{
    return entry < 0 ? a->may_pollute : mshrs_at(&l1->mshrs, entry)->frame != NO_FRAME;
}

/* The MSHR that waits for the line of a load that misses, or -1. A miss that fills no line may ask for the sectors it
 * touches alone (hooks.h, `fetch`). */
static inline int waiting_entry(const struct l1 *l1, const struct l1_access *a, struct probe *p)
{
    const int entry = p->line && p->line->pending ? *tags_mshr(p->line) : mshrs_find(&l1->mshrs, a->line);
    if (l1->hooks->fetch == FETCH_SECTORS && !fills_line(l1, a, entry)) probe_less(p, a->sectors);
    return entry;
}

/* ---- a miss ---- */

/* What it needs, in this order. The first that is not there, or L1_MISS; *room: its line, and what goes for it. */
static inline enum l1_outcome reserve(const struct l1 *l1, const struct l1_access *a, const struct probe *p,
                                      struct room *room, uint32_t others[])
{
    *room = (struct room){.frame = p->line ? tags_index(&l1->tags, p->line) : NO_FRAME};
    if (!p->line && a->may_pollute) {
        *room = org_reserve(&l1->tags, l1->known_set, a->line, others);
        if (room->frame == NO_FRAME) return L1_FAIL_LINE;
    }
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    return miss_has_room(l1, a, p->fetch, room->writes) ? L1_MISS : L1_FAIL_QUEUE;
}

/* Its line is in its place, and waits for what is asked for. */
static inline void take_line(struct l1 *l1, const struct l1_access *a, const struct room *room, const uint32_t others[],
                             uint32_t fetch, uint32_t entry, cycle_t now)
{
    make_room(l1, room, others, now);
    tags_reserve_for(&l1->tags, tags_line(&l1->tags, room->frame), a->line, a->warp, org_stored(&l1->tags, fetch),
                     entry);
    l1->tags.owners[room->frame] = (struct tag_owner){a->warp, a->pc};
}

static inline enum l1_outcome miss(struct l1 *l1, const struct l1_access *a, const struct probe *p, cycle_t now)
{
    uint32_t others[ORG_OTHERS];
    struct room room;
    const enum l1_outcome outcome = reserve(l1, a, p, &room, others);
    if (outcome != L1_MISS) return outcome;
    const uint32_t entry =
        (uint32_t)mshrs_begin(&l1->mshrs, a->line, room.frame, a->load, p->missing, p->missing, p->fetch, now);
    l1->known = NO_LINE;
    if (p->line) org_await(&l1->tags, p->line, p->fetch, entry);
    else if (room.frame != NO_FRAME) take_line(l1, a, &room, others, p->fetch, entry, now);
    l1_count_miss(l1, p->line != NULL, a->may_pollute);
    send_miss(l1, a, p->fetch, entry, now);
    return L1_MISS;
}

/* ---- a merge: an MSHR waits for the line ---- */

/* Other sectors than those on their way are asked for too, under the same MSHR. */
static APART void miss_more(struct l1 *l1, int entry, const struct l1_access *a, uint32_t fetch, cycle_t now)
{
    const uint32_t frame = mshrs_at(&l1->mshrs, entry)->frame;
    mshrs_issue(&l1->mshrs, entry, fetch, now);
    if (frame != NO_FRAME) org_await(&l1->tags, tags_line(&l1->tags, frame), fetch, (uint32_t)entry);
    l1_count_miss(l1, true, frame != NO_FRAME);
    send_miss(l1, a, fetch, (uint32_t)entry, now);
}

static APART HOT enum l1_outcome merge(struct l1 *l1, int entry, const struct l1_access *a, struct probe p, cycle_t now)
{
    const enum l1_outcome outcome = l1_reserve_more(l1, a, entry, &p.fetch);
    if (outcome >= L1_FAIL_LINE) return outcome;
    mshrs_merge(&l1->mshrs, entry, a->load, p.missing, p.missing);
    if (outcome == L1_MISS) {
        miss_more(l1, entry, a, p.fetch, now);
        return L1_MISS;
    }
    if (p.line) tags_wait(&l1->tags, p.line, a->warp);
    l1->stats.l1d_mshr_merges++;
    return L1_MERGED;
}

/* ---- a load ---- */

static HOT enum l1_outcome load(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    struct probe p = look_up(l1, a);
    if (p.missing) {
        const int entry = waiting_entry(l1, a, &p);
        return entry < 0 ? miss(l1, a, &p, now) : merge(l1, entry, a, p, now);
    }
    l1_count_hits(l1, p.line, a->warp, 1);
    tags_touch(&l1->tags, p.line, a->warp);
    return L1_HIT;
}

/* ---- sectors of a line that a load asks for one by one, in one cycle ---- */

/* The first request takes the line and the MSHR, the others join it: what all of them need, and do. */
static inline enum l1_outcome miss_apart(struct l1 *l1, const struct l1_access *a, const struct probe *p, uint32_t n,
                                         cycle_t now)
{
    uint32_t others[ORG_OTHERS];
    struct room room;
    if (reserve(l1, a, p, &room, others) != L1_MISS) return L1_APART;
    if (!queue_has_room(l1, n + room.writes) || n > l1->mshrs.merge) return L1_APART;
    const int entry = mshrs_begin(&l1->mshrs, a->line, room.frame, a->load, a->sectors, a->sectors, a->sectors, now);
    mshrs_begin_apart(&l1->mshrs, entry, a->sectors, now);
    l1->known = NO_LINE;
    if (p->line) org_await(&l1->tags, p->line, a->sectors, (uint32_t)entry);
    else if (room.frame != NO_FRAME) take_line(l1, a, &room, others, a->sectors, (uint32_t)entry, now);
    for (uint32_t left = a->sectors; left; left &= left - 1) {
        const bool is_first = left == a->sectors;
        l1_count_miss(l1, !is_first || p->line, is_first ? a->may_pollute : room.frame != NO_FRAME);
        send(l1, REQUEST_READ, a, left & -left, (uint32_t)entry, true);
    }
    return L1_MISS;
}

static HOT enum l1_outcome load_apart(struct l1 *l1, const struct l1_access *a, uint32_t n, cycle_t now)
{
    struct probe p = look_up(l1, a);
    if (!p.missing) {
        l1_count_hits(l1, p.line, a->warp, n);
        for (uint32_t i = 0; i < n; i++) tags_touch(&l1->tags, p.line, a->warp);
        return L1_HIT;
    }
    if (p.fetch != a->sectors || l1->hooks->miss_route.call || waiting_entry(l1, a, &p) >= 0) return L1_APART;
    return miss_apart(l1, a, &p, n, now);
}

static HOT enum l1_outcome load_fails(struct l1 *l1, const struct l1_access *a)
{
    struct probe p = look_up(l1, a);
    uint32_t others[ORG_OTHERS];
    struct room room;
    if (!p.missing) return L1_HIT;
    const int entry = waiting_entry(l1, a, &p);
    const enum l1_outcome outcome =
        entry < 0 ? reserve(l1, a, &p, &room, others) : l1_reserve_more(l1, a, entry, &p.fetch);
    return outcome >= L1_FAIL_LINE ? outcome : L1_HIT;
}

/* ---- a reply ---- */

static HOT uint32_t fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    struct mshr *e = mshrs_at(&l1->mshrs, reply->token);
    if (e->frame != NO_FRAME) l1_put(l1, e->frame, reply->sectors, now);
    count_latency(l1, reply, now - *mshrs_since(&l1->mshrs, e, reply->sectors));
    return l1_answer(l1, reply->token, reply->sectors, targets);
}
