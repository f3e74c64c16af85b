/* Cache organisations: how a set stores and finds the bytes of lines. L1, L2 and the read-only caches speak to them
 * through four calls, and neither they nor mechanisms care which is behind. [DESIGN §3.3]
 *
 *   plain               a line is fetched whole, whatever was asked for
 *   sectored            one tag for four sectors, which are fetched one by one; another tag replaces all of them
 *                       [ELASTIC §2]
 *   streaming           as plain, but a line is taken when its data comes, not when it is asked for: no miss waits for
 *                       a line [ELASTIC §2]
 *   streaming_sectored  both
 *
 * An organisation is a row. Three sizes are apart: an access names, and a message brings, sectors of 32 bytes; a line
 * is stored in chunks of the row's own size; a plain line is asked for as a whole. A member that is NULL is the
 * ordinary one below, which is inlined: chunks are sectors, a line is in one frame.
 *
 * In an L1 of its own granularity (l1_chunked.h) accesses name the chunks of the configuration, and what is present or
 * pending of a line its frame says, whatever the organisation. One that places each chunk by itself has `may_take`,
 * `take` and `use`: its frames are names of lines, with one for each that its set can hold chunks of, and where the
 * chunks stand is its own affair (`tags.own`). */
#ifndef GPU_ORG_H
#define GPU_ORG_H
#include "cache/replacement.h"

enum { SECTOR_BYTES = 32, ORG_OTHERS = 3 };
struct probe {
    struct tag_line *line; /* of which something is present or pending, or NULL */
    uint32_t missing;      /* sectors asked for that are not there: 0 is a hit */
    uint32_t fetch;        /* what a miss must ask for: neither there nor on its way */
};
/* What a line that is not there would take: a frame (NO_FRAME: none is taken now), and with what that holds, the lines
 * of `others` frames. `writes`: of all that go, those that must be written back. */
struct room {
    uint32_t frame, others, writes;
};
typedef void org_gone(void *self, const struct tag_line *line);
/* What it took to look chunks up, where that depends on where they stand. */
struct org_search {
    uint32_t probes;      /* chunk tags that were read, a bank at a time, */
    uint32_t conflicts;   /* and cycles in which one of them, or data, waited for its bank */
    uint32_t word_misses; /* chunks asked for where a line with their common tag is present */
    bool is_partial;      /* an access to all of a line that found some of it */
};
struct org_type {
    const char *name;
    bool is_sectored;      /* an access asks for what it touches, not for the line */
    bool takes_at_fill;    /* a line is taken when its data comes */
    uint8_t chunk_bytes;   /* 8 to 128: what is stored, valid or dirty as one; a line has at most 32 */
    uint8_t lookup_cycles; /* that a hit in L1 takes longer than l1.hit_latency */
    uint8_t most_others;   /* lines that may go besides that in the frame: at most ORG_OTHERS */
    /* Optional, of an organisation of a plug-in: the frames of a set that has room for so many whole lines of so many
     * chunks (NULL: as many as lines), and memory of its own, `tags.own`, after the tags have been laid out. `arena`
     * may only measure: then what is taken is NULL. What must live on with the cache's lines is taken first, and
     * tags_extend() told; it holds no pointers. */
    uint32_t (*set_frames)(uint32_t lines, uint32_t chunks);
    void (*init)(struct tags *, uint32_t lines, uint32_t chunks, struct arena *);
    /* What of an access to `sectors` of a line is not there; `line` is what the line's number finds, or NULL. Changes
     * nothing. */
    struct probe (*probe)(const struct tags *, struct tag_line *line, uint32_t sectors);
    /* Where a line that is not there would go; its `others` are put into the array. Changes nothing; NO_FRAME: nothing
     * of the set may go. */
    struct room (*reserve)(const struct tags *, uint32_t set, uint32_t line, uint32_t others[]);
    void (*fill)(struct tags *, struct tag_line *, uint32_t sectors); /* these have come */
    void (*invalidate)(struct tags *, struct tag_line *); /* what is there goes; what is on its way still comes */
    /* Chunks of a line can get room now, where `l` (or NULL) has some of it already; `read`: of these, those that the
     * access finds, which stay. Nothing pending is ever a victim. Changes nothing. */
    bool (*may_take)(const struct tags *, uint32_t set, uint32_t line, const struct tag_line *l, uint32_t read,
                     uint32_t chunks);
    /* They get it. Lines of which nothing is left are told to `gone`, then freed. Returns the frame: that of `l`, or a
     * free one, which the caller names and makes pending. */
    uint32_t (*take)(struct tags *, uint32_t set, uint32_t line, struct tag_line *l, uint32_t read, uint32_t chunks,
                     org_gone *gone, void *self);
    void (*use)(struct tags *, struct tag_line *, uint32_t chunks); /* optional: these have been read */
    /* Optional: a load looks for these chunks, in line `l` or NULL, and asks for `fetch` of them. */
    struct org_search (*search)(struct tags *, uint32_t set, uint32_t line, const struct tag_line *l, uint32_t chunks,
                                uint32_t fetch, cycle_t now);
    /* Optional, of one with two modes: accesses to this set fetch whole lines in this cycle; a miss has caused so many
     * packets; whether the cycle begins with another mode than the last one that was asked about. */
    bool (*is_coarse)(const struct tags *, uint32_t set);
    void (*on_miss)(struct tags *, uint32_t set, uint32_t packets, cycle_t now);
    bool (*note)(struct tags *, cycle_t now);
    /* Optional, of one that predicts: a miss on this line fetches all of it; a load has touched these chunks of it. */
    bool (*fetches_line)(const struct tags *, uint32_t line);
    void (*touched)(struct tags *, uint32_t line, uint32_t chunks);
};
extern const struct org_type org_plain, org_streaming;
const struct org_type *org_of(bool is_sectored, bool is_streaming);
/* Parts of `from` bytes that are set, as parts of `to` bytes that they overlap. */
uint32_t masks_overlap(uint32_t mask, uint32_t from, uint32_t to);
/* The chunks that sectors lie in, and the sectors that chunks lie in. */
uint32_t org_chunks(const struct tags *t, uint32_t sectors);
uint32_t org_sectors(const struct tags *t, uint32_t chunks);

/* Of the sectors that an access touches, those that it asks for. */
static inline uint32_t org_wanted(const struct tags *t, uint32_t sectors) { return t->whole | sectors; }
static inline struct probe org_probe(const struct tags *t, struct tag_line *l, uint32_t sectors)
{
    if (tags_are_special(t) && t->has_own_org && t->org->probe) return t->org->probe(t, l, sectors);
    const uint32_t wanted = org_wanted(t, sectors), there = l ? l->valid : 0, coming = l ? l->pending : 0;
    return (struct probe){l, wanted & ~there, wanted & ~there & ~coming};
}
static inline struct room org_reserve(const struct tags *t, uint32_t set, uint32_t line, uint32_t others[ORG_OTHERS])
{
    if (tags_are_special(t) && t->has_own_org && t->org->reserve) return t->org->reserve(t, set, line, others);
    const uint32_t frame = tags_victim(t, set);
    return (struct room){frame, 0, frame != NO_FRAME && tags_line(t, frame)->dirty};
}
static inline void org_fill(struct tags *t, struct tag_line *l, uint32_t sectors)
{
    if (tags_are_special(t) && t->has_own_org && t->org->fill) {
        t->org->fill(t, l, sectors);
        return;
    }
    l->valid |= sectors;
    l->pending &= ~sectors;
    if (!l->pending) tags_release(l);
}
static inline void org_invalidate(struct tags *t, struct tag_line *l)
{
    if (tags_are_special(t) && t->has_own_org && t->org->invalidate) t->org->invalidate(t, l);
    else if (l->pending) tags_forget(l);
    else tags_free(t, l);
}
/* Masks of sectors as masks of what is stored, and back. */
static inline uint32_t org_stored(const struct tags *t, uint32_t sectors)
{
    return tags_are_special(t) && t->has_own_chunks ? org_chunks(t, sectors) : sectors;
}
static inline uint32_t org_dirty_sectors(const struct tags *t, const struct tag_line *l)
{
    return tags_are_special(t) && t->has_own_chunks ? org_sectors(t, l->dirty) : l->dirty;
}
/* A store leaves these sectors there, and dirty unless it is written on at once. */
static inline void org_write(const struct tags *t, struct tag_line *l, uint32_t sectors, bool is_dirty)
{
    const uint32_t chunks = org_stored(t, sectors);
    l->valid |= chunks;
    if (is_dirty) l->dirty |= chunks;
}
/* The line awaits `fetch`, which MSHR `mshr` has asked for. */
static inline void org_await(const struct tags *t, struct tag_line *l, uint32_t fetch, uint32_t mshr)
{
    l->pending |= org_stored(t, fetch);
    *tags_mshr(l) = (uint16_t)mshr;
    tags_hold(l);
}
/* A line that has come whole takes its place at once: in caches that hold nothing dirty. */
static inline void org_take_whole(struct tags *t, uint32_t set, uint32_t line)
{
    uint32_t others[ORG_OTHERS];
    const struct room room = org_reserve(t, set, line, others);
    if (room.frame == NO_FRAME) return;
    struct tag_line *l = tags_line(t, room.frame);
    tags_reserve(t, l, line, 0);
    org_fill(t, l, t->all);
}
#endif
