#include "cache/l1_parts.h"
#include "plan/plan.h"

#include <string.h>

/* ---- the way of a miss, if it is not to L2 ---- */

static struct miss_event event_of(const struct l1 *l1, const struct l1_access *a, uint32_t chunks)
{
    return (struct miss_event){
        .sm = l1->told_as, .machine = &l1->hooks->ports, .miss = {.line = a->line, .chunks = chunks, .op = a->op}};
}

bool l1_has_other_way(const struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t writes)
{
    const struct miss_ops *ops = l1->hooks->miss_route.call;
    if (!ops || line_is_local(a->line) || !queue_has_room(l1, writes)) return false;
    const struct miss_event event = event_of(l1, a, chunks);
    return ops->has_room(l1->hooks->miss_route.self, &event);
}

bool l1_leaves_otherwise(const struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t token, cycle_t now)
{
    if (line_is_local(a->line)) return false;
    struct miss_event event = event_of(l1, a, chunks);
    event.now = now;
    event.miss.token = (uint16_t)token;
    return l1->hooks->miss_route.call->take(l1->hooks->miss_route.self, &event);
}

/* ---- lines ---- */

struct tag_line *l1_search(struct l1 *l1, uint32_t line)
{
    l1->known = line;
    l1->known_set = l1_set_of(l1, line);
    struct tag_line *l = tags_find(&l1->tags, l1->known_set, line);
    l1->known_frame = l ? tags_index(&l1->tags, l) : NO_FRAME;
    return l;
}

static struct line_event line_event(const struct l1 *l1, const struct tag_line *l, bool by_store, cycle_t now)
{
    const struct tag_owner *owner = tags_owner(&l1->tags, l);
    return (struct line_event){.sm = l1->told_as,
                               .line = *tags_key(l),
                               .allocator = owner->warp,
                               .last_use_warp = l->last_use_warp,
                               .pc = owner->pc,
                               .by_store = by_store,
                               .now = now,
                               .ask_at = l1->ask_at};
}

void l1_tell_evict(const struct l1 *l1, const struct tag_line *l, bool by_store, cycle_t now)
{
    const struct line_event event = line_event(l1, l, by_store, now);
    hook_on_evict(l1->hooks, &event);
}

void l1_tell_fill(const struct l1 *l1, const struct tag_line *l, cycle_t now)
{
    const struct line_event event = line_event(l1, l, false, now);
    hook_on_fill(l1->hooks, &event);
}

void l1_write_back(struct l1 *l1, const struct tag_line *l)
{
    l1->stats.l1d_writebacks++;
    send(l1, REQUEST_WRITEBACK, &(struct l1_access){.line = *tags_key(l)}, org_dirty_sectors(&l1->tags, l), 0, false);
}

void l1_evict_others(struct l1 *l1, const uint32_t others[], uint32_t n, cycle_t now)
{
    for (uint32_t i = 0; i < n; i++) {
        struct tag_line *l = tags_line(&l1->tags, others[i]);
        evict(l1, l, now);
        org_invalidate(&l1->tags, l);
    }
}

struct tag_line *l1_find_present(struct l1 *l1, uint32_t line)
{
    struct tag_line *l = tags_find(&l1->tags, l1_set_of(l1, line), line);
    return l && l->valid ? l : NULL;
}

void l1_lose(struct l1 *l1, struct tag_line *l, cycle_t now)
{
    if (l1->hooks->on_evict.n) l1_tell_evict(l1, l, true, now);
    org_invalidate(&l1->tags, l);
}

void l1_discard(struct l1 *l1, uint32_t line, cycle_t now)
{
    struct tag_line *l = l1_find_present(l1, line);
    if (!l) return;
    l1_lose(l1, l, now);
    l1->stats.l1d_store_evicts++;
}

/* Of its line a store leaves its sectors, of whole lines all or nothing. */
enum l1_outcome l1_keep_store(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    struct tags *t = &l1->tags;
    struct tag_line *l = l1_find(l1, a->line);
    if (org_wanted(t, a->sectors) != a->sectors) return L1_HIT;
    if (!l && mshrs_find(&l1->mshrs, a->line) >= 0) return L1_HIT;
    if (!l) {
        uint32_t others[ORG_OTHERS];
        const struct room room = org_reserve(t, l1->known_set, a->line, others);
        if (room.frame == NO_FRAME) return L1_FAIL_LINE;
        if (!queue_has_room(l1, 1 + room.writes)) return L1_FAIL_QUEUE;
        l = tags_line(t, room.frame);
        l1->known = NO_LINE;
        make_room(l1, &room, others, now);
        tags_reserve(t, l, a->line, a->warp);
        t->owners[room.frame] = (struct tag_owner){a->warp, a->pc};
    }
    org_write(t, l, a->sectors & ~l->pending, false);
    return L1_HIT;
}

uint32_t l1_answer_some(struct l1 *l1, int entry, uint32_t chunks, const uint32_t **targets)
{
    struct mshrs *m = &l1->mshrs;
    const uint32_t n = mshrs_arrive(m, entry, chunks);
    if (!n) return 0; /* everybody waits for more */
    memcpy(l1->answered, mshr_targets(m, mshrs_at(m, entry)), n * sizeof **targets);
    *targets = l1->answered;
    mshrs_answered(m, entry, n);
    return n;
}
