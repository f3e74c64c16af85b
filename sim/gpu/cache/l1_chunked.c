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
    const uint32_t part = send_bytes(params) / p->chunk_bytes, lines = p->chunk_bytes / send_bytes(params);
    *c = (struct l1_chunked){.n_chunks = n,
                             .all = (uint32_t)((1ull << n) - 1),
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
}

void l1_chunked_place(const struct l1 *l1, uint32_t *line, uint32_t *sectors)
{
    const struct l1_chunked *c = l1->chunked;
    const uint32_t l1_sectors = c->n_chunks * c->chunk_bytes / SECTOR_BYTES, in_line = *line & ((1u << c->down) - 1);
    *line >>= c->down;
    *sectors <<= in_line * l1_sectors;
    if (!c->up) return;
    const uint32_t of_part = l1_sectors >> c->up, part = (uint32_t)__builtin_ctz(*sectors) / of_part;
    *line = *line << c->up | part;
    *sectors >>= part * of_part;
}

/* ---- what an access finds ---- */

static inline uint32_t named(const struct l1_chunked *c, const struct l1_access *a)
{
    return c->has_names ? a->chunks : a->sectors;
}

uint32_t l1_chunked_touched(const struct l1 *l1, const struct l1_access *a)
{
    const struct l1_chunked *c = l1->chunked;
    return renamed(named(c, a), c->named_bytes, c->chunk_bytes);
}

uint32_t l1_chunked_covered(const struct l1 *l1, const struct l1_access *a)
{
    const struct l1_chunked *c = l1->chunked;
    const uint32_t names = (uint32_t)((1ull << c->n_chunks * c->chunk_bytes / c->named_bytes) - 1);
    return c->all & ~renamed(names & ~named(c, a), c->named_bytes, c->chunk_bytes);
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
    if (t->org->fetches_line && waits & ~there && t->org->fetches_line(t, a->line)) wanted = l1->chunked->all;
    return (struct look){
        .line = line, .missing = waits & ~there, .fetch = wanted & ~there, .wanted = wanted, .present = wanted & there};
}

/* ---- requests ---- */

uint32_t l1_chunked_requests(const struct l1 *l1, uint32_t chunks)
{
    const struct l1_chunked *c = l1->chunked;
    if (c->chunk_lines > 1 || (c->asks_apart && chunks != c->all))
        return (uint32_t)__builtin_popcount(chunks) * c->chunk_lines;
    const uint32_t first = (uint32_t)((1ull << c->part_chunks) - 1);
    uint32_t n = 0;
    for (uint32_t at = 0; at < c->n_chunks; at += c->part_chunks) n += (chunks >> at & first) != 0;
    return n;
}

/* As many sectors, of those that these chunks lie in, as their bytes fill. */
static uint32_t compact(const struct l1_chunked *c, uint32_t chunks, uint32_t sectors)
{
    uint32_t n = ((uint32_t)__builtin_popcount(chunks) * c->chunk_bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, kept = 0;
    for (; n; n--, sectors &= sectors - 1) kept |= sectors & -sectors;
    return kept;
}

/* Where what is known of a request stands. */
static inline uint32_t of_token(const struct l1_chunked *c, uint32_t token)
{
    return (token & ((1u << CHUNK_TOKEN_SHIFT) - 1)) * c->n_chunks + (token >> CHUNK_TOKEN_SHIFT);
}

uint32_t l1_chunked_send(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t token)
{
    const struct l1_chunked *c = l1->chunked;
    uint32_t sectors = renamed(chunks, c->chunk_bytes, SECTOR_BYTES), n = 0;
    if (c->is_compact) sectors = compact(c, chunks, sectors);
    while (sectors) {
        struct l1_access of_l2 = *a;
        const uint32_t lowest = (uint32_t)__builtin_ctz(sectors), first = lowest / c->line_sectors * c->line_sectors,
                       in_line = sectors & ((1u << c->line_sectors) - 1) << first;
        uint32_t there = in_line;
        l1_chunked_place(l1, &of_l2.line, &there);
        send(l1, REQUEST_READ, &of_l2, there, token, true);
        sectors &= ~in_line;
        n++;
    }
    c->left[of_token(c, token)] = (uint8_t)(n - 1);
    return n;
}

void l1_chunked_ask(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t entry, cycle_t now)
{
    struct l1_chunked *c = l1->chunked;
    struct mshr *e = mshrs_at(&l1->mshrs, (int)entry);
    const bool apart = c->asks_apart && chunks != c->all;
    uint32_t n = 0;
    while (chunks) {
        const uint32_t lowest = (uint32_t)__builtin_ctz(chunks), first = lowest / c->part_chunks * c->part_chunks;
        const uint32_t part = apart ? chunks & -chunks : chunks & (uint32_t)(((1ull << c->part_chunks) - 1) << first);
        const uint32_t token = entry | lowest << CHUNK_TOKEN_SHIFT;
        c->fetched[entry * c->n_chunks + lowest] = part;
        c->left[entry * c->n_chunks + lowest] = 0;
        *mshrs_since(&l1->mshrs, e, part) = now;
        chunks &= ~part;
        const bool is_away = l1->hooks->miss_route.call && l1_leaves_otherwise(l1, a, part, token, now);
        n += is_away ? 1 : l1_chunked_send(l1, a, part, token);
    }
    l1->stats.l1d_split_requests += n - 1;
}

uint32_t l1_chunked_arrived(const struct l1 *l1, uint32_t token, int *entry)
{
    *entry = (int)(token & ((1u << CHUNK_TOKEN_SHIFT) - 1));
    return l1->chunked->fetched[of_token(l1->chunked, token)];
}

bool l1_chunked_is_whole(struct l1 *l1, uint32_t token)
{
    uint8_t *left = &l1->chunked->left[of_token(l1->chunked, token)];
    if (!*left) return true;
    --*left;
    return false;
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
    if (t->org->touched) t->org->touched(t, a->line, l1_chunked_touched(l1, a));
}

/* One packet asks, the others bring the chunks. [TSC §3.5] */
void l1_chunked_missed(struct l1 *l1, const struct look *k, uint32_t fetch, cycle_t now)
{
    const uint32_t sampled = l1->params->tsc_samples == TSC_SAMPLES_MISSES ? k->missing : fetch;
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
