/* Cache organisations: how a set stores and finds the bytes of lines. L1 and L2 speak to them in masks of 32-byte sectors and four
 * verbs, and neither they nor mechanisms care which is behind. [DESIGN §3.4]
 *
 *   plain     a line is fetched whole, whatever was asked for
 *   sectored  one tag for four sectors, which are fetched one by one; another tag replaces all of them [ELASTIC §2]
 *
 * Calls are inline and the organisation is a flag of the tags: the plain cache pays a mask and a predicted branch. */
#ifndef GPU_ORG_H
#define GPU_ORG_H
#include "cache/tags.h"

struct probe {
    struct tag_line *line; /* of which something is present or pending, or NULL */
    uint8_t missing;       /* sectors asked for that are not there: 0 is a hit */
    uint8_t fetch;         /* what a miss must ask for: neither there nor on its way */
};
static inline struct probe org_probe_line(const struct tags *t, struct tag_line *l, uint32_t sectors)
{
    const uint32_t wanted = t->is_sectored ? sectors : t->all, there = l ? l->valid : 0, coming = l ? l->pending : 0;
    return (struct probe){l, (uint8_t)(wanted & ~there), (uint8_t)(wanted & ~there & ~coming)};
}
static inline struct probe org_probe(struct tags *t, uint32_t set, uint32_t line, uint32_t sectors)
{
    return org_probe_line(t, tags_find(t, set, line), sectors);
}
/* The line awaits `fetch`, which MSHR `mshr` has asked for. */
static inline void org_await(struct tags *t, struct tag_line *l, uint32_t fetch, uint32_t mshr)
{
    l->pending = (l->pending | fetch) & SECTORS;
    l->mshr = (uint16_t)mshr;
    tags_hold(t, l);
}
static inline void org_fill(struct tags *t, struct tag_line *frame, uint32_t sectors)
{
    frame->valid = (frame->valid | sectors) & SECTORS;
    frame->pending = frame->pending & ~sectors & SECTORS;
    if (!frame->pending) tags_release(t, frame);
}
/* What is there goes; what is on its way still comes. */
static inline void org_invalidate(struct tags *t, struct tag_line *l)
{
    if (l->pending) tags_forget(l);
    else tags_free(t, l);
}
#endif
