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
                             .asks_apart = p->organisation == L1_ELASTIC && p->elastic_requests == ELASTIC_APART,
                             .is_compact = p->chunk_bytes < SECTOR_BYTES && params->l2.organisation == L2_PLAIN};
    c->up = (uint8_t)(p->line_bytes > l2_bytes);
    c->down = (uint8_t)__builtin_ctz(l1_lines_of_l2(params));
    c->fetched = ARENA_TAKE(arena, uint32_t, (size_t)l1->mshrs.n * n);
    l1->chunked = c;
    l1->tags.is_special = true;
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

uint32_t l1_chunked_touched(const struct l1 *l1, const struct l1_access *a)
{
    const struct l1_chunked *c = l1->chunked;
    const uint32_t named = c->named_bytes < SECTOR_BYTES || c->n_chunks > 4 ? a->chunks : a->sectors;
    return renamed(named, c->named_bytes, c->chunk_bytes);
}

struct look l1_chunked_look(const struct l1 *l1, const struct l1_access *a, struct tag_line *line)
{
    const struct tags *t = &l1->tags;
    const uint32_t there = line ? line->valid : 0;
    uint32_t waits = t->is_sectored ? l1_chunked_touched(l1, a) : l1->chunked->all, wanted = waits;
    if (t->org->is_coarse && t->org->is_coarse(t, l1->known_set)) {
        wanted = l1->chunked->all;
        if (l1->params->tsc_coarse_waits == TSC_WAITS_LINE) waits = wanted;
    }
    return (struct look){
        .line = line, .missing = waits & ~there, .fetch = wanted & ~there, .wanted = wanted, .present = wanted & there};
}

/* ---- requests ---- */

uint32_t l1_chunked_requests(const struct l1 *l1, uint32_t chunks)
{
    const struct l1_chunked *c = l1->chunked;
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

void l1_chunked_ask(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t entry, cycle_t now)
{
    struct l1_chunked *c = l1->chunked;
    struct mshr *e = mshrs_at(&l1->mshrs, (int)entry);
    const bool apart = c->asks_apart && chunks != c->all;
    while (chunks) {
        const uint32_t lowest = (uint32_t)__builtin_ctz(chunks), first = lowest / c->part_chunks * c->part_chunks;
        const uint32_t part = apart ? chunks & -chunks : chunks & (uint32_t)(((1ull << c->part_chunks) - 1) << first);
        const uint32_t token = entry | lowest << CHUNK_TOKEN_SHIFT;
        c->fetched[entry * c->n_chunks + lowest] = part;
        *mshrs_since(&l1->mshrs, e, part) = now;
        chunks &= ~part;
        if (l1->hooks->miss_route.call && l1_leaves_otherwise(l1, a, part, token, now)) continue;
        struct l1_access of_l2 = *a;
        uint32_t sectors;
        l1_chunked_name(l1, part, &of_l2.line, &sectors);
        send(l1, REQUEST_READ, &of_l2, sectors, token, true);
    }
}

uint32_t l1_chunked_arrived(struct l1 *l1, uint32_t token, int *entry)
{
    const uint32_t lowest = token >> CHUNK_TOKEN_SHIFT;
    *entry = (int)(token & ((1u << CHUNK_TOKEN_SHIFT) - 1));
    return l1->chunked->fetched[(uint32_t)*entry * l1->chunked->n_chunks + lowest];
}

/* ---- what the organisation is told ---- */

void l1_chunked_let_in(struct l1 *l1, const struct l1_access *a, const struct look *k, cycle_t now)
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
}

/* One packet asks, the others bring the chunks. [TSC §3.5] */
void l1_chunked_missed(struct l1 *l1, const struct look *k, uint32_t fetch, cycle_t now)
{
    const uint32_t sampled = l1->params->tsc_samples == TSC_SAMPLES_MISSES ? k->missing : fetch;
    if (fetch) l1->stats.l1d_split_requests += l1_chunked_requests(l1, fetch) - 1;
    if (!sampled || !l1->tags.org->on_miss) return;
    const uint32_t bytes = (uint32_t)__builtin_popcount(sampled) * l1->chunked->chunk_bytes;
    l1->tags.org->on_miss(&l1->tags, l1->known_set, 1 + (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, now);
}

/* ---- room ---- */

struct eviction {
    struct l1 *l1;
    cycle_t now;
};
static void tell_gone(void *self, const struct tag_line *l)
{
    const struct eviction *e = self;
    evict(e->l1, l, e->now);
}

uint32_t l1_chunked_take(struct l1 *l1, uint32_t set, uint32_t line, struct tag_line *l, uint32_t read, uint32_t chunks,
                         cycle_t now)
{
    struct eviction eviction = {l1, now};
    return l1->tags.org->take(&l1->tags, set, line, l, read, chunks, tell_gone, &eviction);
}
