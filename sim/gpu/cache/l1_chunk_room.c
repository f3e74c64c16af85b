/* Where the chunks of a line of L1 go. */
#include "cache/l1_chunked.h"

/* ---- into the frame of their line: a line has one to itself, which it takes as a whole ---- */

static bool frame_may_take(const struct l1 *l1, const struct room_wanted *w)
{
    uint32_t others[ORG_OTHERS];
    return w->l || !w->is_kept || org_reserve(&l1->tags, w->set, w->line, others).frame != NO_FRAME;
}

static uint32_t frame_take(struct l1 *l1, const struct room_wanted *w, cycle_t now)
{
    uint32_t others[ORG_OTHERS];
    if (w->l) return tags_index(&l1->tags, w->l);
    if (!w->is_kept) return NO_FRAME;
    const struct room room = org_reserve(&l1->tags, w->set, w->line, others);
    make_room(l1, &room, others, now);
    return room.frame;
}

const struct l1_room l1_room_in_frame = {frame_may_take, frame_take};

/* ---- where the organisation places them: a frame is the name of a line alone ---- */

static bool placed_may_take(const struct l1 *l1, const struct room_wanted *w)
{
    return !w->is_kept || l1->tags.org->may_take(&l1->tags, w->set, w->line, w->l, w->read, w->chunks);
}

struct eviction {
    struct l1 *l1;
    cycle_t now;
};
static void tell_gone(void *self, const struct tag_line *l)
{
    const struct eviction *e = self;
    evict(e->l1, l, e->now);
}

static uint32_t placed_take(struct l1 *l1, const struct room_wanted *w, cycle_t now)
{
    struct eviction eviction = {l1, now};
    if (!w->is_kept) return NO_FRAME;
    return l1->tags.org->take(&l1->tags, w->set, w->line, w->l, w->read, w->chunks, tell_gone, &eviction);
}

const struct l1_room l1_room_placed = {placed_may_take, placed_take};

/* ---- nowhere: it is not the time for that ---- */

static bool nowhere_may_take(const struct l1 *l1, const struct room_wanted *w)
{
    (void)l1, (void)w;
    return true;
}

static uint32_t nowhere_take(struct l1 *l1, const struct room_wanted *w, cycle_t now)
{
    (void)l1, (void)w, (void)now;
    return NO_FRAME;
}

const struct l1_room l1_room_nowhere = {nowhere_may_take, nowhere_take};
