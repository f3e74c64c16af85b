#include "cache/l1_chunked.h"

/* Parts of `from` bytes that are set, as parts of `to` bytes that they overlap. */
static inline uint32_t renamed(uint32_t mask, uint32_t from, uint32_t to)
{
    return from == to ? mask : masks_overlap(mask, from, to);
}

void l1_chunked_init(struct l1 *l1, const struct gpu_params *params, struct arena *arena)
{
    struct l1_chunked measured, *in_arena = ARENA_TAKE(arena, struct l1_chunked, 1),
                                *c = in_arena ? in_arena : &measured;
    const struct l1_params *p = &params->l1;
    const uint32_t l2_bytes = l2_line_bytes(params), n = p->line_bytes / p->chunk_bytes;
    const uint32_t part = send_bytes(params) / p->chunk_bytes;
    *c = (struct l1_chunked){.n_chunks = n,
                             .all = (uint32_t)((1ull << n) - 1),
                             .part_chunks = part ? part : 1,
                             .chunk_bytes = (uint8_t)p->chunk_bytes,
                             .named_bytes = (uint8_t)plan_chunk_bytes(params),
                             .merge = (uint8_t)p->mshr_merge,
                             .asks_apart = p->organisation == L1_ELASTIC && p->elastic_requests == ELASTIC_APART,
                             .is_compact = p->chunk_bytes < SECTOR_BYTES && params->l2.organisation == L2_PLAIN};
    c->up = (uint8_t)(p->line_bytes > l2_bytes);
    c->down = (uint8_t)__builtin_ctz(l1_lines_of_l2(params));
    const size_t mshrs = l1->mshrs.n;
    c->issued = ARENA_TAKE(arena, uint32_t, mshrs);
    c->fetched = ARENA_TAKE(arena, uint32_t, mshrs * n);
    c->needs = ARENA_TAKE(arena, uint32_t, mshrs * p->mshr_merge);
    l1->chunked = c;
    l1->tags.is_special = true;
    l1->path = &l1_path_chunked;
}

void l1_chunked_place(const struct l1 *l1, uint32_t *line, uint32_t *sectors)
{
    const struct l1_chunked *c = l1->chunked;
    const uint32_t l1_sectors = c->n_chunks * c->chunk_bytes / SECTOR_BYTES, in_line = *line & ((1u << c->down) - 1);
    *line >>= c->down;
    *sectors <<= in_line * l1_sectors;
    if (!c->up) return;
    const uint32_t half = l1_sectors / 2, is_upper = *sectors >> half != 0;
    *line = *line << 1 | is_upper;
    *sectors >>= is_upper * half;
}

/* ---- what an access finds ---- */

struct look {
    struct tag_line *line;    /* of which something is present or pending, or NULL */
    uint32_t wanted, present; /* the chunks that it wants, and of these what is there; */
    uint32_t needs, fetch;    /* what it waits for, and what a miss asks L2 for */
    int entry;                /* the MSHR that waits for the line, or -1 */
};

static inline bool places(const struct l1 *l1) { return l1->tags.org->may_take != NULL; }
static inline bool takes_at_fill(const struct l1 *l1) { return l1->tags.org->takes_at_fill; }

/* It takes room for what it fetches, now or when it comes, or a line for it: its own, or that of the MSHR it merges
 * into. */
static bool takes_room(const struct l1 *l1, const struct l1_access *a, int entry)
{
    if (entry < 0) return a->may_pollute;
    const struct mshr *e = mshrs_at(&l1->mshrs, entry);
    return takes_at_fill(l1) ? e->fill_for != NO_WARP : e->frame != NO_FRAME;
}

uint32_t l1_chunked_touched(const struct l1 *l1, const struct l1_access *a)
{
    const struct l1_chunked *c = l1->chunked;
    const uint32_t named = c->named_bytes < SECTOR_BYTES || c->n_chunks > 4 ? a->chunks : a->sectors;
    return renamed(named, c->named_bytes, c->chunk_bytes);
}

static struct look look_up(struct l1 *l1, const struct l1_access *a)
{
    const struct l1_chunked *c = l1->chunked;
    const struct tags *t = &l1->tags;
    const uint32_t touched = l1_chunked_touched(l1, a);
    struct look k = {.line = l1_find(l1, a->line)};
    uint32_t waits = t->is_sectored ? touched : c->all, wanted = waits;
    const uint32_t there = k.line ? k.line->valid : 0;
    if (t->org->is_coarse && t->org->is_coarse(t, l1->known_set)) {
        wanted = c->all;
        if (l1->params->tsc_coarse_waits == TSC_WAITS_LINE) waits = wanted;
    }
    k.entry = k.line && k.line->pending ? *tags_mshr(k.line) : mshrs_find(&l1->mshrs, a->line);
    if (l1->hooks->fetch == FETCH_SECTORS && !t->is_sectored && !takes_room(l1, a, k.entry)) waits = wanted = touched;
    k.wanted = wanted;
    k.present = wanted & there;
    k.needs = waits & ~there;
    k.fetch = wanted & ~there & ~(k.entry < 0 ? 0 : c->issued[k.entry]);
    return k;
}

/* ---- requests ---- */

static uint32_t parts_of(const struct l1_chunked *c, uint32_t chunks)
{
    if (c->asks_apart && chunks != c->all) return (uint32_t)__builtin_popcount(chunks);
    const uint32_t first = (uint32_t)((1ull << c->part_chunks) - 1);
    return (uint32_t)((chunks & first) != 0) + (uint32_t)((chunks & ~first) != 0);
}

/* As many sectors, of those that these chunks lie in, as their bytes fill. */
static uint32_t compact(const struct l1_chunked *c, uint32_t chunks, uint32_t sectors)
{
    uint32_t n = ((uint32_t)__builtin_popcount(chunks) * c->chunk_bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, kept = 0;
    for (; n; n--, sectors &= sectors - 1) kept |= sectors & -sectors;
    return kept;
}

void l1_chunked_name(const struct l1 *l1, uint32_t chunks, uint32_t *line, uint32_t *sectors)
{
    const struct l1_chunked *c = l1->chunked;
    *sectors = renamed(chunks, c->chunk_bytes, SECTOR_BYTES);
    if (c->is_compact) *sectors = compact(c, chunks, *sectors);
    l1_chunked_place(l1, line, sectors);
}

/* Asks for chunks, under an MSHR: L2, or who takes misses on the way there. The caller has seen that there is room. */
static void ask(struct l1 *l1, const struct l1_access *a, uint32_t entry, uint32_t chunks, cycle_t now)
{
    struct l1_chunked *c = l1->chunked;
    struct mshr *e = mshrs_at(&l1->mshrs, (int)entry);
    const bool apart = c->asks_apart && chunks != c->all;
    c->issued[entry] |= chunks;
    while (chunks) {
        const uint32_t lowest = (uint32_t)__builtin_ctz(chunks), first = lowest / c->part_chunks * c->part_chunks;
        const uint32_t part = apart ? chunks & -chunks : chunks & (uint32_t)(((1ull << c->part_chunks) - 1) << first);
        const uint32_t token = entry | lowest << CHUNK_TOKEN_SHIFT;
        c->fetched[entry * c->n_chunks + lowest] = part;
        e->since[lowest] = now;
        chunks &= ~part;
        if (l1->hooks->miss_route.call && l1_leaves_otherwise(l1, a, part, token, now)) continue;
        struct l1_access of_l2 = *a;
        uint32_t sectors;
        l1_chunked_name(l1, part, &of_l2.line, &sectors);
        send(l1, REQUEST_READ, &of_l2, sectors, token, true);
    }
}

static void join(struct l1 *l1, const struct l1_access *a, int entry, uint32_t needs)
{
    struct mshr *e = mshrs_at(&l1->mshrs, entry);
    l1->chunked->needs[(uint32_t)entry * l1->chunked->merge + e->count] = needs;
    mshr_targets(&l1->mshrs, e)[e->count++] = a->load;
}

/* ---- room ---- */

/* What a miss, or one more request of it, cannot get, or L1_MISS. Changes nothing. *frame: of a line that takes a frame
 * of its own. */
static enum l1_outcome lacks(struct l1 *l1, const struct l1_access *a, const struct look *k, uint32_t *frame)
{
    const struct tags *t = &l1->tags;
    uint32_t others[ORG_OTHERS];
    *frame = NO_FRAME;
    if (k->entry >= 0 && !mshrs_can_merge(&l1->mshrs, k->entry)) return L1_FAIL_MERGE;
    if (k->fetch && !takes_at_fill(l1) && takes_room(l1, a, k->entry)) {
        if (places(l1)) {
            if (!t->org->may_take(t, l1->known_set, a->line, k->line, k->present, k->fetch)) return L1_FAIL_LINE;
        } else if (!k->line && k->entry < 0) {
            *frame = org_reserve(t, l1->known_set, a->line, others).frame;
            if (*frame == NO_FRAME) return L1_FAIL_LINE;
        }
    }
    if (k->entry < 0 && mshrs_full(&l1->mshrs)) return L1_FAIL_MSHR;
    const uint32_t parts = parts_of(l1->chunked, k->fetch);
    const bool has_room = parts == 1 ? miss_has_room(l1, a, k->fetch, 0) : queue_has_room(l1, parts);
    return has_room ? L1_MISS : L1_FAIL_QUEUE;
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

/* The chunks get their room: where the organisation places them, or in the line's frame. Returns the frame of the line.
 */
static uint32_t take_room(struct l1 *l1, const struct l1_access *a, const struct look *k, uint32_t frame,
                          uint32_t entry, cycle_t now)
{
    struct tags *t = &l1->tags;
    struct eviction eviction = {l1, now};
    if (places(l1)) {
        frame = t->org->take(t, l1->known_set, a->line, k->line, k->present, k->fetch, tell_gone, &eviction);
    } else if (k->line) {
        frame = tags_index(t, k->line);
    } else if (tags_line(t, frame)->valid) {
        evict(l1, tags_line(t, frame), now);
    }
    struct tag_line *l = tags_line(t, frame);
    if (k->line) {
        l->pending |= k->fetch;
        *tags_mshr(l) = (uint16_t)entry;
        tags_hold(l);
    } else {
        tags_reserve_for(t, l, a->line, a->warp, k->fetch, entry);
        t->owners[frame] = (struct tag_owner){a->warp, a->pc};
    }
    return frame;
}

/* ---- the way of a load ---- */

/* One packet asks, the others bring the chunks. [TSC §3.5] */
static void tell_miss(struct l1 *l1, uint32_t chunks, cycle_t now)
{
    const uint32_t bytes = (uint32_t)__builtin_popcount(chunks) * l1->chunked->chunk_bytes;
    if (l1->tags.org->on_miss)
        l1->tags.org->on_miss(&l1->tags, l1->known_set, 1 + (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, now);
}

/* Some of the chunks that an access wants are there: they are read. */
static void use(struct l1 *l1, struct tag_line *l, uint32_t chunks)
{
    if (l && chunks && l1->tags.org->use) l1->tags.org->use(&l1->tags, l, chunks);
}

/* The load has been let in. */
static void search(struct l1 *l1, const struct l1_access *a, const struct look *k, cycle_t now)
{
    struct tags *t = &l1->tags;
    if (!t->org->search) return;
    const struct org_search s = t->org->search(t, l1->known_set, a->line, k->line, k->wanted, k->fetch, now);
    l1->stats.l1d_chunk_probes += s.probes;
    l1->stats.l1d_chunk_conflicts += s.conflicts;
    l1->stats.l1d_word_misses += s.word_misses;
    l1->stats.l1d_partial_misses += s.is_partial;
}

static void count_miss(struct l1 *l1, const struct l1_access *a, const struct look *k)
{
    l1->stats.l1d_misses++;
    if (k->line || k->entry >= 0) l1->stats.l1d_sector_misses++;
    if (!takes_room(l1, a, k->entry)) l1->stats.l1d_no_allocate++;
}

static enum l1_outcome miss(struct l1 *l1, const struct l1_access *a, const struct look *k, cycle_t now)
{
    uint32_t frame;
    const enum l1_outcome outcome = lacks(l1, a, k, &frame);
    if (outcome != L1_MISS) return outcome;
    search(l1, a, k, now);
    use(l1, k->line, k->present);
    if (!k->fetch) {
        join(l1, a, k->entry, k->needs);
        if (k->line) tags_touch(&l1->tags, k->line, a->warp);
        l1->stats.l1d_mshr_merges++;
        if (l1->params->tsc_samples == TSC_SAMPLES_MISSES) tell_miss(l1, k->needs, now);
        return L1_MERGED;
    }
    count_miss(l1, a, k);
    l1->stats.l1d_split_requests += parts_of(l1->chunked, k->fetch) - 1;
    int entry = k->entry;
    const bool is_new = entry < 0,
               takes = !takes_at_fill(l1) && (takes_room(l1, a, entry) || (is_new && k->line && !places(l1)));
    if (is_new) entry = l1->mshrs.free;
    frame = takes ? take_room(l1, a, k, frame, (uint32_t)entry, now) : NO_FRAME;
    if (is_new) {
        mshrs_take(&l1->mshrs, a->line, frame);
        l1->chunked->issued[entry] = 0;
        mshrs_at(&l1->mshrs, entry)->fill_for = a->may_pollute ? a->warp : NO_WARP;
        mshrs_at(&l1->mshrs, entry)->fill_pc = a->pc;
    }
    l1->known = NO_LINE;
    join(l1, a, entry, k->needs);
    ask(l1, a, (uint32_t)entry, k->fetch, now);
    tell_miss(l1, l1->params->tsc_samples == TSC_SAMPLES_MISSES ? k->needs : k->fetch, now);
    return L1_MISS;
}

static enum l1_outcome load(struct l1 *l1, const struct l1_access *a, cycle_t now)
{
    const struct look k = look_up(l1, a);
    if (k.needs) return miss(l1, a, &k, now);
    l1->stats.l1d_load_hits++;
    l1->stats.l1d_intra_warp_hits += k.line->toucher == a->warp;
    l1->stats.l1d_own_fill_hits += tags_owner(&l1->tags, k.line)->warp == a->warp;
    search(l1, a, &k, now);
    use(l1, k.line, k.present);
    tags_touch(&l1->tags, k.line, a->warp);
    return L1_HIT;
}

static enum l1_outcome load_fails(struct l1 *l1, const struct l1_access *a)
{
    const struct look k = look_up(l1, a);
    uint32_t frame;
    const enum l1_outcome outcome = k.needs ? lacks(l1, a, &k, &frame) : L1_MISS;
    return outcome == L1_MISS ? L1_HIT : outcome;
}

/* `chunks` have come: requesters that wait for nothing more are answered, the others move up. */
static uint32_t answer(struct l1 *l1, int entry, uint32_t chunks)
{
    struct l1_chunked *c = l1->chunked;
    struct mshr *e = mshrs_at(&l1->mshrs, entry);
    uint32_t *needs = c->needs + (uint32_t)entry * c->merge, *targets = mshr_targets(&l1->mshrs, e), n = 0, left = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        const uint32_t more = needs[i] & ~chunks;
        if (!more) {
            l1->answered[n++] = targets[i];
            continue;
        }
        needs[left] = more;
        targets[left++] = targets[i];
    }
    e->count = (uint8_t)left;
    return n;
}

/* Room for what has come, of lines that go for it. NO_FRAME: it is used and not kept. */
static uint32_t take_at_fill(struct l1 *l1, const struct mshr *e, uint32_t chunks, cycle_t now)
{
    struct tags *t = &l1->tags;
    const uint32_t line = e->line, warp = e->fill_for, set = l1_set_of(l1, line);
    struct tag_line *l = tags_find(t, set, line);
    struct eviction eviction = {l1, now};
    if (warp == NO_WARP || !t->org->may_take(t, set, line, l, 0, chunks)) return NO_FRAME;
    const uint32_t frame = t->org->take(t, set, line, l, 0, chunks, tell_gone, &eviction);
    if (!l) tags_reserve(t, tags_line(t, frame), line, warp);
    if (!l) t->owners[frame] = (struct tag_owner){warp, e->fill_pc};
    l1->known = NO_LINE;
    return frame;
}

static uint32_t fill(struct l1 *l1, const struct reply *reply, const uint32_t **targets, cycle_t now)
{
    struct l1_chunked *c = l1->chunked;
    const int entry = reply->token & ((1 << CHUNK_TOKEN_SHIFT) - 1);
    const uint32_t lowest = (uint32_t)reply->token >> CHUNK_TOKEN_SHIFT, slot = (uint32_t)entry * c->n_chunks + lowest;
    const uint32_t chunks = c->fetched[slot];
    const struct mshr *e = mshrs_at(&l1->mshrs, entry);
    note_fill(l1);
    c->fetched[slot] = 0;
    c->issued[entry] &= ~chunks;
    const uint32_t frame = takes_at_fill(l1) ? take_at_fill(l1, e, chunks, now) : e->frame;
    if (frame != NO_FRAME) {
        struct tag_line *l = tags_line(&l1->tags, frame);
        l->valid |= chunks;
        l->pending &= ~chunks;
        if (!l->pending) tags_release(l);
        l1->progress[L1_A_FILL_OF_THE_SET] += tags_is_in(&l1->tags, frame, l1->known_set);
        if (l1->hooks->on_fill.n) l1_tell_fill(l1, l, now);
    }
    count_latency(l1, reply, now - e->since[lowest]);
    *targets = l1->answered;
    const uint32_t n = answer(l1, entry, chunks);
    if (!c->issued[entry]) mshrs_free(&l1->mshrs, entry);
    return n;
}

const struct l1_path l1_path_chunked = {load, load_fails, fill};
