/* A streaming L1: as one of ordinary lines (l1_lines.h), but a miss takes an MSHR alone, and its line is taken when the
 * data comes. So nothing is ever on its way in a line, no miss waits for one, and a fill may find no room.
 * [ELASTIC §2] */
#include "cache/l1_parts.h"

/* ---- what a load finds ---- */

static inline struct probe look_up(struct l1 *l1, const struct l1_access *a)
{
    return org_probe(&l1->tags, l1_find(l1, a->line), a->sectors);
}

/* A line will be taken for the miss: for its own sake, or for that of the MSHR it merges into. */
static inline bool fills_line(const struct l1 *l1, const struct l1_access *a, int entry)
{
    return entry < 0 ? a->may_pollute : mshrs_at(&l1->mshrs, entry)->fill_for != NO_WARP;
}

static inline int waiting_entry(const struct l1 *l1, const struct l1_access *a, struct probe *p)
{
    const int entry = mshrs_find(&l1->mshrs, a->line);
    if (l1->hooks->fetch == FETCH_SECTORS && !fills_line(l1, a, entry)) probe_less(p, a->sectors);
    return entry;
}

/* ---- a miss, and a merge ---- */

static inline enum l1_outcome reserve(const struct l1 *l1, const struct l1_access *a, const struct probe *p)
{
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    return miss_has_room(l1, a, p->fetch, 0) ? L1_MISS : L1_FAIL_QUEUE;
}

static inline enum l1_outcome miss(struct l1 *l1, const struct l1_access *a, const struct probe *p, cycle_t now)
{
    const enum l1_outcome outcome = reserve(l1, a, p);
    if (outcome != L1_MISS) return outcome;
    const int entry = mshrs_begin(&l1->mshrs, a->line, NO_FRAME, a->load, p->missing, p->missing, p->fetch, now);
    struct mshr *e = mshrs_at(&l1->mshrs, entry);
    e->fill_for = a->may_pollute ? a->warp : NO_WARP;
    e->fill_pc = a->pc;
    l1_count_miss(l1, p->line != NULL, a->may_pollute);
    send_miss(l1, a, p->fetch, (uint32_t)entry, now);
    return L1_MISS;
}

/* The tags do not show a miss yet to a load this close behind it: it asks L2 too, if it can, and waits for its own
 * data. A GPU's counters call it a hit. Shared memory, which has no tags, answers 9 cycles sooner on Volta.
 * [l1.tag_cycles] */
static APART void ask_again(struct l1 *l1, const struct l1_access *a, uint32_t sectors, cycle_t now)
{
    send(l1, REQUEST_BYPASS, a, sectors, bypasses_take(&l1->bypasses, a->load, now), true);
    l1->stats.l1d_asked_again++;
    l1->stats.l1d_mshr_merges++;
}

static bool asks_again(const struct l1 *l1, int entry, uint32_t sectors, cycle_t now)
{
    if (!l1->tag_cycles || !l1_may_bypass(l1)) return false;
    return now - *mshrs_since(&l1->mshrs, mshrs_at(&l1->mshrs, entry), sectors) < l1->tag_cycles;
}

static APART HOT enum l1_outcome merge(struct l1 *l1, int entry, const struct l1_access *a, struct probe p, cycle_t now)
{
    const enum l1_outcome outcome = l1_reserve_more(l1, a, entry, &p.fetch);
    if (outcome >= L1_FAIL_LINE) return outcome;
    if (outcome == L1_MERGED && asks_again(l1, entry, p.missing, now)) {
        ask_again(l1, a, p.missing, now);
        return L1_MERGED;
    }
    mshrs_merge(&l1->mshrs, entry, a->load, p.missing, p.missing);
    if (outcome == L1_MISS) {
        mshrs_issue(&l1->mshrs, entry, p.fetch, now);
        l1_count_miss(l1, true, fills_line(l1, a, entry));
        send_miss(l1, a, p.fetch, (uint32_t)entry, now);
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

static HOT enum l1_outcome load_fails(struct l1 *l1, const struct l1_access *a)
{
    struct probe p = look_up(l1, a);
    if (!p.missing) return L1_HIT;
    const int entry = waiting_entry(l1, a, &p);
    const enum l1_outcome outcome = entry < 0 ? reserve(l1, a, &p) : l1_reserve_more(l1, a, entry, &p.fetch);
    return outcome >= L1_FAIL_LINE ? outcome : L1_HIT;
}

/* ---- a reply ---- */

/* The line for data that has come: where some of it is already, else in place of another. NO_FRAME if none is to be
 * taken or none may go, or if the victim's write-back finds no room: the data is used and not kept. */
static inline uint32_t take_line(struct l1 *l1, const struct mshr *e, cycle_t now)
{
    struct tags *t = &l1->tags;
    const uint32_t set = l1_set_of(l1, e->line), warp = e->fill_for;
    const struct tag_line *l = tags_find(t, set, e->line);
    if (l) return tags_index(t, l);
    if (warp == NO_WARP) return NO_FRAME;
    uint32_t others[ORG_OTHERS];
    const struct room room = org_reserve(t, set, e->line, others);
    if (room.frame == NO_FRAME || !queue_has_room(l1, room.writes)) return NO_FRAME;
    make_room(l1, &room, others, now);
    l1->known = NO_LINE;
    tags_reserve(t, tags_line(t, room.frame), e->line, warp);
    t->owners[room.frame] = (struct tag_owner){warp, e->fill_pc};
    return room.frame;
}

static HOT uint32_t fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    struct mshr *e = mshrs_at(&l1->mshrs, reply->token);
    const uint32_t frame = take_line(l1, e, now);
    if (frame != NO_FRAME) l1_put(l1, frame, reply->sectors, now);
    count_latency(l1, reply, now - *mshrs_since(&l1->mshrs, e, reply->sectors));
    return l1_answer(l1, reply->token, reply->sectors, targets);
}

const struct l1_type l1_streaming = {load, NULL, load_fails, fill, l1_keep_store};
