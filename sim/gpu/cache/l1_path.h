/* The way of a load through L1: hit, merge, miss and fill, once for all organisations. It is compiled twice, chosen
 * once a run (`l1->path`): in l1.c for any cache, and in l1_ordinary.c for those of few ways, least recently used,
 * whose lines are taken when they miss and hold the sectors that messages bring. */
#include "cache/l1_chunked.h"

#include <string.h>

static inline bool takes_at_fill(const struct l1 *l1)
{
    return tags_are_special(&l1->tags) && l1->tags.org->takes_at_fill;
}

/* ---- what an access finds ---- */

/* A miss takes a line: its own, or that of the MSHR it merges into, which does not change for its sake. */
static inline bool fills_line(const struct l1 *l1, const struct l1_access *a, int entry)
{
    if (entry < 0) return a->may_pollute;
    const struct mshr *m = mshrs_at(&l1->mshrs, entry);
    return takes_at_fill(l1) ? m->fill_for != NO_WARP : m->frame != NO_FRAME;
}

static inline struct look look_up(struct l1 *l1, const struct l1_access *a)
{
    struct tag_line *line = l1_find(l1, a->line);
    if (is_in_chunks(l1)) return l1_chunked_look(l1, a, line);
    const struct probe p = org_probe(&l1->tags, line, a->sectors);
    return (struct look){.line = p.line, .missing = p.missing, .fetch = p.fetch};
}

/* The MSHR that waits for the line of an access that misses, or -1. In an L1 of whole lines a miss that fills none may
 * ask for the sectors it touches alone (hooks.h, `fetch`). */
static inline int waiting_entry(const struct l1 *l1, const struct l1_access *a, struct look *k)
{
    const int entry = k->line && k->line->pending ? *tags_mshr(k->line) : mshrs_find(&l1->mshrs, a->line);
    const bool names_less = is_in_chunks(l1) && l1->tags.is_sectored; /* or more, where it fetches whole lines */
    if (l1->hooks->fetch == FETCH_SECTORS && !names_less && !fills_line(l1, a, entry)) {
        const uint32_t touched = is_in_chunks(l1) ? l1_chunked_touched(l1, a) : a->sectors;
        k->missing &= touched;
        k->fetch &= touched;
    }
    return entry;
}

/* ---- what a miss needs ---- */

static inline bool may_place(const struct l1 *l1, const struct l1_access *a, const struct look *k)
{
    return l1->tags.org->may_take(&l1->tags, l1->known_set, a->line, k->line, k->present, k->fetch);
}

/* Room on the way to L2 for a miss, and for `writes` lines that are written back for it. */
static inline bool may_ask(const struct l1 *l1, const struct l1_access *a, uint32_t fetch, uint32_t writes)
{
    const uint32_t requests = is_in_chunks(l1) ? l1_chunked_requests(l1, fetch) : 1;
    return requests == 1 ? miss_has_room(l1, a, fetch, writes) : queue_has_room(l1, requests + writes);
}

/* Where the line of a miss stands or would go, and what goes for it; false if none may. A frame that an organisation
 * chooses when it places chunks is not known yet. */
static inline bool may_get_line(const struct l1 *l1, const struct l1_access *a, const struct look *k, struct room *room,
                                uint32_t others[])
{
    *room = (struct room){.frame = NO_FRAME};
    if (takes_at_fill(l1)) return true;
    if (places_chunks(l1)) return !a->may_pollute || may_place(l1, a, k);
    if (k->line) {
        room->frame = tags_index(&l1->tags, k->line);
    } else if (a->may_pollute) {
        *room = org_reserve(&l1->tags, l1->known_set, a->line, others);
        return room->frame != NO_FRAME;
    }
    return true;
}

/* A miss on a line for which no MSHR waits needs a line (if it may pollute), an MSHR and room in the miss queue, in
 * this order. Which of them is not there, or L1_MISS; *room: the line, and what goes for it. */
static inline enum l1_outcome reserve(const struct l1 *l1, const struct l1_access *a, const struct look *k,
                                      struct room *room, uint32_t others[])
{
    if (!may_get_line(l1, a, k, room, others)) return L1_FAIL_LINE;
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    return may_ask(l1, a, k->fetch, room->writes) ? L1_MISS : L1_FAIL_QUEUE;
}

/* One on a line for which MSHR `entry` waits needs a place there, and room for what it asks for besides. *k: what is
 * on its way is not fetched again. */
static inline enum l1_outcome reserve_more(const struct l1 *l1, const struct l1_access *a, struct look *k, int entry)
{
    if (!mshrs_can_merge(&l1->mshrs, entry)) return L1_FAIL_MERGE;
    k->fetch &= ~mshrs_at(&l1->mshrs, entry)->issued;
    if (!k->fetch) return L1_MERGED;
    if (places_chunks(l1) && !takes_at_fill(l1) && fills_line(l1, a, entry) && !may_place(l1, a, k))
        return L1_FAIL_LINE;
    return may_ask(l1, a, k->fetch, 0) ? L1_MISS : L1_FAIL_QUEUE;
}

/* ---- what it does ---- */

static inline void ask(struct l1 *l1, const struct l1_access *a, const struct look *k, uint32_t entry, cycle_t now)
{
    if (is_in_chunks(l1)) {
        l1_chunked_ask(l1, a, k->fetch, entry, now);
        l1_chunked_missed(l1, k, k->fetch, now);
    } else {
        send_miss(l1, a, k->fetch, entry, now);
    }
}

/* The line of a miss is in its place, and waits for what is asked for. */
static inline void take_frame(struct l1 *l1, const struct l1_access *a, const struct room *room,
                              const uint32_t others[], uint32_t fetch, uint32_t entry, cycle_t now)
{
    if (!places_chunks(l1)) make_room(l1, room, others, now);
    tags_reserve_for(&l1->tags, tags_line(&l1->tags, room->frame), a->line, a->warp, org_stored(&l1->tags, fetch),
                     entry);
    l1->tags.owners[room->frame] = (struct tag_owner){a->warp, a->pc};
}

static inline enum l1_outcome miss(struct l1 *l1, const struct l1_access *a, const struct look *k, cycle_t now)
{
    uint32_t others[ORG_OTHERS];
    struct room room;
    const enum l1_outcome outcome = reserve(l1, a, k, &room, others);
    if (outcome != L1_MISS) return outcome;
    if (is_in_chunks(l1)) l1_chunked_let_in(l1, a, k, now);
    if (places_chunks(l1) && a->may_pollute && !takes_at_fill(l1))
        room.frame = l1_chunked_take(l1, l1->known_set, a->line, k->line, k->present, k->fetch, now);
    const uint32_t entry =
        (uint32_t)mshrs_begin(&l1->mshrs, a->line, room.frame, a->load, k->missing, k->missing, k->fetch, now);
    l1->known = NO_LINE;
    if (takes_at_fill(l1)) {
        struct mshr *m = mshrs_at(&l1->mshrs, (int)entry);
        m->fill_for = a->may_pollute ? a->warp : NO_WARP;
        m->fill_pc = a->pc;
    } else if (room.frame != NO_FRAME) {
        if (k->line) org_await(&l1->tags, k->line, k->fetch, entry);
        else take_frame(l1, a, &room, others, k->fetch, entry, now);
    }
    l1->stats.l1d_misses++;
    if (k->line) l1->stats.l1d_sector_misses++;
    if (!a->may_pollute) l1->stats.l1d_no_allocate++;
    ask(l1, a, k, entry, now);
    return L1_MISS;
}

/* Other sectors than those on their way: they are asked for too, under the same MSHR. */
static APART void miss_more(struct l1 *l1, int entry, const struct l1_access *a, const struct look *k, cycle_t now)
{
    const uint32_t frame = mshrs_at(&l1->mshrs, entry)->frame;
    if (places_chunks(l1) && frame != NO_FRAME) {
        l1_chunked_take(l1, l1->known_set, a->line, k->line, k->present, k->fetch, now);
        l1->known = NO_LINE;
    }
    mshrs_issue(&l1->mshrs, entry, k->fetch, now);
    if (frame != NO_FRAME) org_await(&l1->tags, tags_line(&l1->tags, frame), k->fetch, (uint32_t)entry);
    l1->stats.l1d_misses++;
    l1->stats.l1d_sector_misses++;
    if (!fills_line(l1, a, entry)) l1->stats.l1d_no_allocate++;
    ask(l1, a, k, (uint32_t)entry, now);
}

/* An MSHR waits for the line. */
static APART HOT enum l1_outcome merge(struct l1 *l1, int entry, const struct l1_access *a, struct look k, cycle_t now)
{
    const enum l1_outcome outcome = reserve_more(l1, a, &k, entry);
    if (outcome >= L1_FAIL_LINE) return outcome;
    if (is_in_chunks(l1)) l1_chunked_let_in(l1, a, &k, now);
    mshrs_merge(&l1->mshrs, entry, a->load, k.missing, k.missing);
    if (outcome == L1_MISS) {
        miss_more(l1, entry, a, &k, now);
        return L1_MISS;
    }
    if (k.line) tags_wait(&l1->tags, k.line, a->warp);
    l1->stats.l1d_mshr_merges++;
    if (is_in_chunks(l1)) l1_chunked_missed(l1, &k, 0, now);
    return L1_MERGED;
}

static HOT enum l1_outcome load(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    struct look k = look_up(l1, a);
    if (k.missing) {
        const int entry = waiting_entry(l1, a, &k);
        return entry < 0 ? miss(l1, a, &k, now) : merge(l1, entry, a, k, now);
    }
    l1->stats.l1d_load_hits++;
    l1->stats.l1d_intra_warp_hits += k.line->last_use_warp == a->warp;
    l1->stats.l1d_own_fill_hits += tags_owner(&l1->tags, k.line)->warp == a->warp;
    if (is_in_chunks(l1)) l1_chunked_let_in(l1, a, &k, now);
    tags_touch(&l1->tags, k.line, a->warp);
    return L1_HIT;
}

static HOT enum l1_outcome load_fails(struct l1 *l1, const struct l1_access *a)
{
    struct look k = look_up(l1, a);
    uint32_t others[ORG_OTHERS];
    struct room room;
    if (!k.missing) return L1_HIT;
    const int entry = waiting_entry(l1, a, &k);
    const enum l1_outcome outcome = entry < 0 ? reserve(l1, a, &k, &room, others) : reserve_more(l1, a, &k, entry);
    return outcome >= L1_FAIL_LINE ? outcome : L1_HIT;
}

/* ---- what a reply does ---- */

/* The line is taken when its data comes. NO_FRAME if none may be, or if the victim's write-back finds no room: the data
 * is used and not kept. */
static APART uint32_t take_line(struct l1 *l1, int entry, uint32_t chunks, cycle_t now)
{
    const struct mshr *m = mshrs_at(&l1->mshrs, entry);
    struct tags *t = &l1->tags;
    const uint32_t line = m->line, warp = m->fill_for, set = l1_set_of(l1, line);
    struct tag_line *l = tags_find(t, set, line);
    const bool places = places_chunks(l1);
    if (l && !places) return tags_index(t, l);
    if (warp == NO_WARP) return NO_FRAME;
    uint32_t others[ORG_OTHERS];
    struct room room = {.frame = NO_FRAME};
    if (places) {
        if (!t->org->may_take(t, set, line, l, 0, chunks)) return NO_FRAME;
        room.frame = l1_chunked_take(l1, set, line, l, 0, chunks, now);
    } else {
        room = org_reserve(t, set, line, others);
        if (room.frame == NO_FRAME || !queue_has_room(l1, room.writes)) return NO_FRAME;
        make_room(l1, &room, others, now);
    }
    l1->known = NO_LINE;
    if (l) return room.frame;
    tags_reserve(t, tags_line(t, room.frame), line, warp);
    t->owners[room.frame] = (struct tag_owner){warp, m->fill_pc};
    return room.frame;
}

/* Other sectors are still on their way: those that wait for them stay and move up. */
static APART uint32_t fill_some(struct l1 *l1, int entry, uint32_t chunks, const uint32_t **targets)
{
    struct mshrs *m = &l1->mshrs;
    const uint32_t n = mshrs_arrive(m, entry, chunks);
    memcpy(l1->answered, mshr_targets(m, mshrs_at(m, entry)), n * sizeof **targets);
    *targets = l1->answered;
    mshrs_answered(m, entry, n);
    return n;
}

static HOT uint32_t fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    struct mshrs *m = &l1->mshrs;
    int entry = reply->token;
    const uint32_t chunks = is_in_chunks(l1) ? l1_chunked_arrived(l1, reply->token, &entry) : reply->sectors;
    l1->progress[L1_A_FILL]++;
    struct mshr *e = mshrs_at(m, entry);
    if (is_in_chunks(l1) && !l1_chunked_is_whole(l1, reply->token)) {
        count_latency(l1, reply, now - *mshrs_since(m, e, chunks));
        return 0;
    }
    const uint32_t frame = takes_at_fill(l1) ? take_line(l1, entry, chunks, now) : e->frame;
    if (frame != NO_FRAME) {
        struct tag_line *l = tags_line(&l1->tags, frame);
        org_fill(&l1->tags, l, chunks);
        l1->progress[L1_A_FILL_OF_THE_SET] += tags_is_in(&l1->tags, frame, l1->known_set);
        if (l1->hooks->on_fill.n) l1_tell_fill(l1, l, now);
    }
    count_latency(l1, reply, now - *mshrs_since(m, e, chunks));
    if (e->issued & ~chunks) return fill_some(l1, entry, chunks, targets);
    const uint32_t *all = mshr_targets(m, e);
    mshrs_free(m, entry);
    *targets = all;
    return e->count;
}
