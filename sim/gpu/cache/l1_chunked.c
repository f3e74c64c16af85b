/* The way of a load through an L1 in chunks (l1_chunked.h). It is that of one of ordinary lines (l1_lines.h), but that
 * what is missing takes room by the chunk, and may take several requests. */
#include "cache/l1_chunked.h"

void l1_chunked_init(struct l1 *l1, const struct gpu_params *params, struct arena *arena)
{
    struct l1_chunked measured, *in_arena = ARENA_TAKE(arena, struct l1_chunked, 1),
                                *c = in_arena ? in_arena : &measured;
    const struct l1_params *p = &params->l1;
    const uint32_t l2_bytes = l2_line_bytes(params), n = p->line_bytes / p->chunk_bytes;
    const uint32_t part = send_bytes(params) / p->chunk_bytes, lines = p->chunk_bytes / send_bytes(params);
    const struct org_type *org = l1->tags.org;
    const struct l1_room *room = org->may_take ? &l1_room_placed : &l1_room_in_frame;
    *c = (struct l1_chunked){.room = room,
                             .at_miss = org->takes_at_fill ? &l1_room_nowhere : room,
                             .at_fill = org->takes_at_fill ? room : &l1_room_nowhere,
                             .n_chunks = n,
                             .all = (uint32_t)((1ull << n) - 1),
                             .whole = org->is_sectored ? 0 : (uint32_t)((1ull << n) - 1),
                             .part_chunks = part ? part : 1,
                             .chunk_bytes = (uint8_t)p->chunk_bytes,
                             .named_bytes = (uint8_t)plan_chunk_bytes(params),
                             .has_names = plan_names_chunks(params),
                             .line_sectors = (uint8_t)(send_bytes(params) / SECTOR_BYTES),
                             .chunk_lines = (uint8_t)(lines ? lines : 1),
                             .asks_apart = p->organisation == L1_ELASTIC && p->elastic_requests == ELASTIC_APART,
                             .is_compact = p->chunk_bytes < SECTOR_BYTES && params->l2.organisation == L2_PLAIN};
    c->up = (uint8_t)(p->line_bytes > l2_bytes ? __builtin_ctz(p->line_bytes / l2_bytes) : 0);
    c->down = (uint8_t)__builtin_ctz(l1_lines_of_l2(params));
    c->fetched = ARENA_TAKE(arena, uint32_t, (size_t)l1->mshrs.n * n);
    c->left = ARENA_TAKE(arena, uint8_t, (size_t)l1->mshrs.n * n);
    l1->chunked = c;
    l1->tags.is_special = true;
    l1->type = &l1_in_chunks;
}

/* ---- what a load finds ---- */

struct look {
    struct tag_line *line;    /* of which something is present or pending, or NULL */
    uint32_t missing;         /* what it waits for; 0 is a hit */
    uint32_t fetch;           /* what a miss must ask for */
    uint32_t wanted, present; /* all that it wants, and of these what is there */
};

static inline uint32_t named(const struct l1_chunked *c, const struct l1_access *a)
{
    return c->has_names ? a->chunks : a->sectors;
}

uint32_t l1_chunked_touched(const struct l1 *l1, const struct l1_access *a)
{
    const struct l1_chunked *c = l1->chunked;
    return renamed(named(c, a), c->named_bytes, c->chunk_bytes);
}

static struct look look_up(struct l1 *l1, const struct l1_access *a)
{
    const struct tags *t = &l1->tags;
    struct tag_line *line = l1_find(l1, a->line);
    const uint32_t there = line ? line->valid : 0;
    uint32_t waits = l1->chunked->whole ? l1->chunked->whole : l1_chunked_touched(l1, a), wanted = waits;
    if (t->org->is_coarse && t->org->is_coarse(t, l1->known_set)) {
        wanted = l1->chunked->all;
        if (l1->params->tsc_coarse_waits == TSC_WAITS_LINE) waits = wanted;
    }
    if (t->org->fetches_line && waits & ~there && t->org->fetches_line(t, a->line)) wanted = l1->chunked->all;
    return (struct look){
        .line = line, .missing = waits & ~there, .fetch = wanted & ~there, .wanted = wanted, .present = wanted & there};
}

/* What comes for the MSHR is kept. */
static inline bool is_kept(const struct mshr *e) { return e->frame != NO_FRAME || e->fill_for != NO_WARP; }

/* The MSHR that waits for the line of a load that misses, or -1. In an L1 of whole lines a miss that fills none may ask
 * for the chunks it touches alone (hooks.h, `fetch`): where these are there, nothing is missing. */
static int waiting_entry(const struct l1 *l1, const struct l1_access *a, struct look *k)
{
    const int entry = k->line && k->line->pending ? *tags_mshr(k->line) : mshrs_find(&l1->mshrs, a->line);
    const bool fills_line = entry < 0 ? a->may_pollute : is_kept(mshrs_at(&l1->mshrs, entry));
    if (l1->hooks->fetch == FETCH_SECTORS && l1->chunked->whole && !fills_line) {
        const uint32_t touched = l1_chunked_touched(l1, a);
        k->missing &= touched;
        k->fetch &= touched;
    }
    return entry;
}

/* ---- a miss ---- */

static struct room_wanted room_of(const struct l1 *l1, const struct l1_access *a, const struct look *k, bool is_kept)
{
    return (struct room_wanted){.line = a->line,
                                .set = l1->known_set,
                                .l = k->line,
                                .is_kept = is_kept,
                                .read = k->present,
                                .chunks = k->fetch};
}

static bool may_ask(const struct l1 *l1, const struct l1_access *a, uint32_t fetch)
{
    const uint32_t requests = l1_chunked_requests(l1, fetch);
    return requests == 1 ? miss_has_room(l1, a, fetch, 0) : queue_has_room(l1, requests);
}

/* What it needs, in this order. The first that is not there, or L1_MISS. */
static enum l1_outcome reserve(const struct l1 *l1, const struct l1_access *a, const struct look *k)
{
    const struct room_wanted wanted = room_of(l1, a, k, a->may_pollute);
    if (!l1->chunked->at_miss->may_take(l1, &wanted)) return L1_FAIL_LINE;
    if (mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    return may_ask(l1, a, k->fetch) ? L1_MISS : L1_FAIL_QUEUE;
}

/* The organisation is told of a load that is let in: what it looks for, and what of it is read. */
static void let_in(struct l1 *l1, const struct l1_access *a, const struct look *k, cycle_t now)
{
    struct tags *t = &l1->tags;
    if (t->org->search) {
        const struct org_search s = t->org->search(t, l1->known_set, a->line, k->line, k->wanted, k->fetch, now);
        l1->stats.l1d_chunk_probes += s.probes;
        l1->stats.l1d_chunk_conflicts += s.conflicts;
        l1->stats.l1d_word_misses += s.word_misses;
        l1->stats.l1d_partial_misses += s.is_partial;
    }
    if (k->line && k->present && t->org->use) t->org->use(t, k->line, k->present);
    if (t->org->touched) t->org->touched(t, a->line, l1_chunked_touched(l1, a));
}

/* And that a miss asked for `fetch`, or has merged if that is 0. One packet asks, the others bring the chunks. [TSC
 * §3.5] */
static void tell_missed(struct l1 *l1, const struct look *k, uint32_t fetch, cycle_t now)
{
    const uint32_t sampled = l1->params->tsc_samples == TSC_SAMPLES_MISSES ? k->missing : fetch;
    if (!sampled || !l1->tags.org->on_miss) return;
    const uint32_t bytes = (uint32_t)__builtin_popcount(sampled) * l1->chunked->chunk_bytes;
    l1->tags.org->on_miss(&l1->tags, l1->known_set, 1 + (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, now);
}

static void ask(struct l1 *l1, const struct l1_access *a, const struct look *k, uint32_t entry, cycle_t now)
{
    l1_chunked_ask(l1, a, k->fetch, entry, now);
    tell_missed(l1, k, k->fetch, now);
}

static enum l1_outcome miss(struct l1 *l1, const struct l1_access *a, const struct look *k, cycle_t now)
{
    struct tags *t = &l1->tags;
    const enum l1_outcome outcome = reserve(l1, a, k);
    if (outcome != L1_MISS) return outcome;
    let_in(l1, a, k, now);
    const struct room_wanted wanted = room_of(l1, a, k, a->may_pollute);
    const uint32_t frame = l1->chunked->at_miss->take(l1, &wanted, now);
    const int entry = mshrs_begin(&l1->mshrs, a->line, frame, a->load, k->missing, k->missing, k->fetch, now);
    struct mshr *e = mshrs_at(&l1->mshrs, entry);
    e->fill_for = a->may_pollute ? a->warp : NO_WARP;
    e->fill_pc = a->pc;
    l1->known = NO_LINE;
    if (frame != NO_FRAME && k->line) {
        org_await(t, k->line, k->fetch, (uint32_t)entry);
    } else if (frame != NO_FRAME) {
        tags_reserve_for(t, tags_line(t, frame), a->line, a->warp, org_stored(t, k->fetch), (uint32_t)entry);
        t->owners[frame] = (struct tag_owner){a->warp, a->pc};
    }
    l1_count_miss(l1, k->line != NULL, a->may_pollute);
    ask(l1, a, k, (uint32_t)entry, now);
    return L1_MISS;
}

/* ---- a merge: an MSHR waits for the line ---- */

/* *k: what is on its way is not fetched again. */
static enum l1_outcome reserve_other(const struct l1 *l1, const struct l1_access *a, struct look *k, int entry)
{
    const struct mshr *e = mshrs_at(&l1->mshrs, entry);
    if (!mshrs_can_merge(&l1->mshrs, entry)) return L1_FAIL_MERGE;
    k->fetch &= ~e->issued;
    if (!k->fetch) return L1_MERGED;
    const struct room_wanted wanted = room_of(l1, a, k, is_kept(e));
    if (!l1->chunked->at_miss->may_take(l1, &wanted)) return L1_FAIL_LINE;
    return may_ask(l1, a, k->fetch) ? L1_MISS : L1_FAIL_QUEUE;
}

/* Other chunks than those on their way are asked for too, under the same MSHR. */
static void miss_more(struct l1 *l1, int entry, const struct l1_access *a, const struct look *k, cycle_t now)
{
    const struct mshr *e = mshrs_at(&l1->mshrs, entry);
    const struct room_wanted wanted = room_of(l1, a, k, is_kept(e));
    const uint32_t frame = l1->chunked->at_miss->take(l1, &wanted, now);
    l1->known = NO_LINE;
    mshrs_issue(&l1->mshrs, entry, k->fetch, now);
    if (frame != NO_FRAME) org_await(&l1->tags, tags_line(&l1->tags, frame), k->fetch, (uint32_t)entry);
    l1_count_miss(l1, true, is_kept(e));
    ask(l1, a, k, (uint32_t)entry, now);
}

static enum l1_outcome merge(struct l1 *l1, int entry, const struct l1_access *a, struct look k, cycle_t now)
{
    const enum l1_outcome outcome = reserve_other(l1, a, &k, entry);
    if (outcome >= L1_FAIL_LINE) return outcome;
    let_in(l1, a, &k, now);
    mshrs_merge(&l1->mshrs, entry, a->load, k.missing, k.missing);
    if (outcome == L1_MISS) {
        miss_more(l1, entry, a, &k, now);
        return L1_MISS;
    }
    if (k.line) tags_wait(&l1->tags, k.line, a->warp);
    l1->stats.l1d_mshr_merges++;
    tell_missed(l1, &k, 0, now);
    return L1_MERGED;
}

/* ---- a load ---- */

static enum l1_outcome load(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    struct look k = look_up(l1, a);
    const int entry = k.missing ? waiting_entry(l1, a, &k) : -1;
    if (k.missing) return entry < 0 ? miss(l1, a, &k, now) : merge(l1, entry, a, k, now);
    l1_count_hits(l1, k.line, a->warp, 1);
    let_in(l1, a, &k, now);
    tags_touch(&l1->tags, k.line, a->warp);
    return L1_HIT;
}

static enum l1_outcome load_fails(struct l1 *l1, const struct l1_access *a)
{
    struct look k = look_up(l1, a);
    const int entry = k.missing ? waiting_entry(l1, a, &k) : -1;
    if (!k.missing) return L1_HIT;
    const enum l1_outcome outcome = entry < 0 ? reserve(l1, a, &k) : reserve_other(l1, a, &k, entry);
    return outcome >= L1_FAIL_LINE ? outcome : L1_HIT;
}

/* ---- a reply ---- */

/* The frame of the line that data has come for; NO_FRAME: the data is used and not kept. */
static uint32_t frame_for(struct l1 *l1, const struct mshr *e, uint32_t chunks, cycle_t now)
{
    struct tags *t = &l1->tags;
    if (e->frame != NO_FRAME) return e->frame;
    const struct l1_room *room = l1->chunked->at_fill;
    struct room_wanted wanted = {
        .line = e->line, .set = l1_set_of(l1, e->line), .is_kept = e->fill_for != NO_WARP, .chunks = chunks};
    wanted.l = tags_find(t, wanted.set, e->line);
    if (!room->may_take(l1, &wanted)) return NO_FRAME;
    const uint32_t frame = room->take(l1, &wanted, now);
    if (frame == NO_FRAME || wanted.l) return frame;
    l1->known = NO_LINE;
    tags_reserve(t, tags_line(t, frame), e->line, e->fill_for);
    t->owners[frame] = (struct tag_owner){e->fill_for, e->fill_pc};
    return frame;
}

static uint32_t fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    int entry;
    const uint32_t chunks = l1_chunked_arrived(l1, reply->token, &entry);
    struct mshr *e = mshrs_at(&l1->mshrs, entry);
    const bool is_whole = l1_chunked_is_whole(l1, reply->token);
    if (is_whole) {
        const uint32_t frame = frame_for(l1, e, chunks, now);
        if (frame != NO_FRAME) l1_put(l1, frame, chunks, now);
    }
    count_latency(l1, reply, now - *mshrs_since(&l1->mshrs, e, chunks));
    return is_whole ? l1_answer(l1, entry, chunks, targets) : 0;
}

/* ---- a store that its line is taken for ---- */

/* The chunks that it leaves there: those that it covers, of whole lines all or nothing. */
static uint32_t left_by_store(const struct l1 *l1, const struct l1_access *a)
{
    const struct l1_chunked *c = l1->chunked;
    const uint32_t names = (uint32_t)((1ull << c->n_chunks * c->chunk_bytes / c->named_bytes) - 1);
    if (c->whole) return a->sectors == l1->tags.all ? l1->tags.all : 0;
    return c->all & ~renamed(names & ~named(c, a), c->named_bytes, c->chunk_bytes);
}

/* Of these, what is neither there nor on its way gets room. */
static enum l1_outcome keep_store(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    struct tags *t = &l1->tags;
    struct tag_line *l = l1_find(l1, a->line);
    const uint32_t stored = left_by_store(l1, a), chunks = stored & ~(l ? l->valid | l->pending : 0);
    if (!stored) return L1_HIT;
    if ((!l || t->org->takes_at_fill) && mshrs_find(&l1->mshrs, a->line) >= 0) return L1_HIT;
    if (chunks) {
        const struct room_wanted wanted = {
            .line = a->line, .set = l1->known_set, .l = l, .is_kept = true, .chunks = chunks};
        if (!l1->chunked->room->may_take(l1, &wanted)) return L1_FAIL_LINE;
        const uint32_t frame = l1->chunked->room->take(l1, &wanted, now);
        l1->known = NO_LINE;
        if (!l) {
            tags_reserve(t, tags_line(t, frame), a->line, a->warp);
            t->owners[frame] = (struct tag_owner){a->warp, a->pc};
        }
        l = tags_line(t, frame);
    }
    org_write(t, l, stored & ~l->pending, false);
    return L1_HIT;
}

const struct l1_type l1_in_chunks = {load, NULL, load_fails, fill, keep_store};
