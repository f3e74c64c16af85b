#include "cache/org_elastic.h"

#include <string.h>
#include "poise/log2.h"

static uint32_t chunks_of(const struct gpu_params *p) { return p->l1.line_bytes / p->l1.chunk_bytes; }

struct elastic_shape elastic_of_l2(const struct gpu_params *params)
{
    const struct l2_params *p = &params->l2;
    return (struct elastic_shape){.lines = p->ways,
                                  .slots = l2_line_bytes(params) / SECTOR_BYTES,
                                  .chunk_bits = p->elastic_chunk_bits,
                                  .banks = p->elastic_banks,
                                  .victims = p->elastic_victims,
                                  .first = p->elastic_first,
                                  .walk = p->elastic_walk,
                                  .replacement = replacement_of(p->replacement, &replacement_lru)};
}

/* What lives on between launches is taken first: it is copied with the tags. */
void elastic_init_as(struct tags *tags, const struct elastic_shape *shape, struct arena *arena)
{
    const uint32_t lines = shape->lines, slots = shape->slots;
    const size_t all_lines = (size_t)tags->sets * lines;
    struct order slot_order, line_order;
    order_init(&slot_order, arena, shape->replacement, tags->sets, lines * slots, NULL, 0);
    order_init(&line_order, arena, shape->replacement, tags->sets, lines, NULL, 0);
    const struct elastic taken = {.shape = *shape,
                                  .lines = lines,
                                  .slots = slots,
                                  .all = (1u << slots) - 1,
                                  .part_lines = lines,
                                  .set_shift = (uint8_t)log2_floor(tags->sets),
                                  .tag_shift =
                                      (uint8_t)(log2_floor(tags->sets) + shape->chunk_bits - log2_floor(slots)),
                                  .banks = (uint8_t)shape->banks,
                                  .streaming = shape->streaming,
                                  .slot_order = slot_order,
                                  .line_order = line_order,
                                  .n_free = ARENA_TAKE(arena, uint32_t, tags->sets),
                                  .common = ARENA_TAKE(arena, uint32_t, all_lines),
                                  .held = ARENA_TAKE(arena, uint8_t, all_lines),
                                  .full = ARENA_TAKE(arena, uint8_t, all_lines),
                                  .way = ARENA_TAKE(arena, uint16_t, all_lines * slots),
                                  .chunk = ARENA_TAKE(arena, uint8_t, all_lines * slots),
                                  .slot_of = ARENA_TAKE(arena, uint16_t, (size_t)tags->sets * tags->stride * slots)};
    tags_extend(tags, arena);
    struct elastic measured, *in_arena = ARENA_TAKE(arena, struct elastic, 1), *e = in_arena ? in_arena : &measured;
    *e = taken;
    e->fixed = ARENA_TAKE(arena, uint8_t, lines);
    tags->own = e;
    tags->own_orders[0] = &e->slot_order;
    tags->own_orders[1] = &e->line_order;
    for (size_t i = 0; in_arena && i < all_lines; i++) e->common[i] = ELASTIC_INVALID;
}

void elastic_init(struct tags *tags, const struct gpu_params *params, uint32_t lines, struct arena *arena)
{
    const struct l1_params *p = &params->l1;
    const struct elastic_shape shape = {.lines = lines,
                                        .slots = chunks_of(params),
                                        .chunk_bits = p->elastic_chunk_bits,
                                        .banks = p->elastic_banks,
                                        .victims = p->elastic_victims,
                                        .first = p->elastic_first,
                                        .walk = p->elastic_walk,
                                        .streaming = p->streaming,
                                        .replacement = replacement_of(p->replacement, &replacement_lru)};
    elastic_init_as(tags, &shape, arena);
}

/* ---- what may go ---- */

enum { NO_LINE_OF_SET = UINT32_MAX };
/* One search for room in a set. */
struct choice {
    struct elastic *e;
    uint32_t set;
    uint32_t first;       /* its first line */
    uint32_t from, until; /* of its lines those in which the line may be */
    uint32_t common;      /* of the line that wants room */
};

static struct choice choice_of(struct elastic *e, uint32_t set, uint32_t line)
{
    const uint32_t from = (line >> e->set_shift) % (e->lines / e->part_lines) * e->part_lines;
    return (struct choice){e, set, set * e->lines, from, from + e->part_lines, line >> e->tag_shift};
}

static bool matches(const struct choice *c, uint32_t i)
{
    return i - c->from < c->e->part_lines && c->e->common[c->first + i] == c->common;
}

static bool is_fixed(const struct choice *c, uint32_t i, uint32_t slot) { return c->e->fixed[i] >> slot & 1; }

static struct choice begin(const struct tags *tags, uint32_t set, uint32_t line, const struct tag_line *l,
                           uint32_t read)
{
    struct elastic *e = tags->own;
    const struct choice c = choice_of(e, set, line);
    if (e->any_fixed) memset(e->fixed, 0, e->lines);
    e->any_fixed = !e->streaming || (l && read);
    for (uint32_t i = 0; i < e->lines && !e->streaming; i++)
        for (uint32_t left = e->held[c.first + i]; left; left &= left - 1) {
            const uint32_t slot = (uint32_t)__builtin_ctz(left), at = (c.first + i) * e->slots + slot;
            const struct tag_line *of = tags_line(tags, (size_t)set * tags->stride + e->way[at]);
            if (of->pending >> e->chunk[at] & 1 || tags_stays(tags, e->way[at])) e->fixed[i] |= (uint8_t)(1u << slot);
        }
    for (uint32_t left = l ? l->valid & read : 0; left; left &= left - 1) {
        const uint32_t at = e->slot_of[(size_t)tags_index(tags, l) * e->slots + (uint32_t)__builtin_ctz(left)];
        e->fixed[at / e->slots] |= (uint8_t)(1u << at % e->slots);
    }
    return c;
}

/* All of a line of memory, of which nothing is here: it takes a line as a whole. */
static bool is_whole(const struct elastic *e, const struct tag_line *l, uint32_t chunks)
{
    return chunks == e->all && (!l || line_is_free(l));
}

static bool elastic_may_take(const struct tags *tags, uint32_t set, uint32_t line, const struct tag_line *l,
                             uint32_t read, uint32_t chunks)
{
    const struct choice c = begin(tags, set, line, l, read);
    const struct elastic *e = c.e;
    uint32_t room = 0, lines = 0;
    if (!e->any_fixed) return true;
    for (uint32_t i = c.from; i < c.until; i++) {
        lines += !e->fixed[i];
        if (matches(&c, i)) room += (uint32_t)__builtin_popcount(e->all & ~(uint32_t)e->fixed[i]);
        else if (!e->fixed[i]) room += e->slots;
    }
    return is_whole(e, l, chunks) ? lines > 0 : room >= (uint32_t)__builtin_popcount(chunks);
}

/* ---- which goes ---- */

/* An invalid line, or none. */
static uint32_t invalid_line(const struct choice *c)
{
    const uint8_t *held = c->e->held + c->first, *found = memchr(held + c->from, 0, c->e->part_lines);
    return found ? (uint32_t)(found - held) : NO_LINE_OF_SET;
}

/* Lines and slots of a set in their orders: these have free places at the end of each set as well. */
static uint32_t line_place(const struct choice *c, uint32_t i) { return c->set * c->e->line_order.stride + i; }
static uint32_t slot_place(const struct choice *c, uint32_t slot) { return c->set * c->e->slot_order.stride + slot; }

static bool line_may_go(const void *who, uint32_t place)
{
    const struct choice *c = who;
    const uint32_t i = place - line_place(c, 0);
    return i - c->from < c->e->part_lines && !c->e->fixed[i];
}

/* The line that goes first, of those of which nothing must stay. */
static uint32_t first_line(const struct choice *c)
{
    const uint32_t place = order_find(&c->e->line_order, c->set, line_may_go, c);
    return place == NO_FRAME ? NO_LINE_OF_SET : place - line_place(c, 0);
}

/* The k-th slot in which a chunk is looked for, and put. */
static uint32_t slot_in_turn(const struct elastic *e, uint32_t chunk, uint32_t k)
{
    const uint32_t first = e->shape.first == ELASTIC_HOME ? chunk : 0;
    return (first + k) & (e->slots - 1);
}

/* A free slot of a line that matches, the first in turn; as the number of the slot in the set. */
static uint32_t free_slot(const struct choice *c, uint32_t chunk)
{
    const struct elastic *e = c->e;
    uint32_t best = NO_LINE_OF_SET, best_k = e->slots;
    if (!e->n_free[c->set]) return NO_LINE_OF_SET;
    for (uint32_t i = c->from; i < c->until && best_k; i++) {
        if (!matches(c, i) || e->held[c->first + i] == e->all) continue;
        for (uint32_t k = 0; k < best_k; k++) {
            const uint32_t slot = slot_in_turn(e, chunk, k);
            if (e->held[c->first + i] >> slot & 1) continue;
            best_k = k;
            best = i * e->slots + slot;
        }
    }
    return best;
}

/* A search for a chunk that goes: of one line, or of all. */
struct victim {
    const struct choice *c;
    uint32_t line; /* NO_LINE_OF_SET: all that match */
};
static bool slot_may_go(const void *who, uint32_t place)
{
    const struct victim *v = who;
    const uint32_t at = place - slot_place(v->c, 0), i = at / v->c->e->slots;
    if (v->line == NO_LINE_OF_SET ? !matches(v->c, i) : i != v->line) return false;
    return !is_fixed(v->c, i, at % v->c->e->slots);
}

/* The chunk that goes first, of all lines that match, or of the first of them of which one may go. None of them has a
 * free slot. */
static uint32_t first_chunk(const struct choice *c)
{
    const struct elastic *e = c->e;
    struct victim v = {c, NO_LINE_OF_SET};
    uint32_t found = NO_FRAME;
    if (e->shape.victims != ELASTIC_ALL_LINES) {
        for (v.line = c->from; v.line < c->until && found == NO_FRAME; v.line++)
            if (matches(c, v.line)) found = order_find(&e->slot_order, c->set, slot_may_go, &v);
    } else {
        found = order_find(&e->slot_order, c->set, slot_may_go, &v);
    }
    return found == NO_FRAME ? NO_LINE_OF_SET : found - slot_place(c, 0);
}

/* ---- use ---- */

static void settle(struct elastic *e, uint32_t set)
{
    order_settle(&e->slot_order, set);
    order_settle(&e->line_order, set);
}

/* Slots of a line that held become free. */
static void let_go(struct elastic *e, uint32_t set, uint32_t line, uint32_t slots)
{
    const uint32_t n = (uint32_t)__builtin_popcount(slots), held = e->held[line];
    const uint32_t i = line - set * e->lines;
    for (uint32_t left = slots; left; left &= left - 1)
        order_free(&e->slot_order, set * e->slot_order.stride + i * e->slots + (uint32_t)__builtin_ctz(left));
    e->held[line] = (uint8_t)(held & ~slots);
    e->full[line] = 0;
    e->n_free[set] += n;
    if (e->held[line]) return;
    e->n_free[set] -= e->slots;
    e->common[line] = ELASTIC_INVALID;
    order_free(&e->line_order, set * e->line_order.stride + i);
}

/* ---- it goes ---- */

struct leaving {
    struct tags *tags;
    const struct tag_line *stays;
    org_gone *gone;
    void *self;
};

static void drop(const struct choice *c, const struct leaving *leaving, uint32_t i, uint32_t slots)
{
    struct elastic *e = c->e;
    for (slots &= e->held[c->first + i]; slots; slots &= slots - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctz(slots), at = (c->first + i) * e->slots + slot;
        struct tag_line *l = tags_line(leaving->tags, (size_t)c->set * leaving->tags->stride + e->way[at]);
        l->valid &= ~(1u << e->chunk[at]);
        let_go(e, c->set, c->first + i, 1u << slot);
        if (l == leaving->stays || !line_is_free(l)) continue;
        leaving->gone(leaving->self, l);
        tags_free(leaving->tags, l);
    }
}

/* A line of the set is emptied for chunks with this common tag. */
static uint32_t take_line(const struct choice *c, const struct leaving *leaving)
{
    struct elastic *e = leaving->tags->own;
    const uint32_t invalid = invalid_line(c), i = invalid == NO_LINE_OF_SET ? first_line(c) : invalid;
    if (invalid == NO_LINE_OF_SET) order_evict(&e->line_order, line_place(c, i));
    drop(c, leaving, i, c->e->all);
    order_fill(&e->line_order, line_place(c, i), leaving->tags->fill_as);
    c->e->common[c->first + i] = c->common;
    c->e->n_free[c->set] += c->e->slots;
    return i;
}

/* A slot of the set for one chunk; may_take has seen that there is one. */
static uint32_t take_slot(const struct choice *c, const struct leaving *leaving, uint32_t chunk)
{
    struct elastic *e = c->e;
    uint32_t slot = free_slot(c, chunk);
    if (slot != NO_LINE_OF_SET) return slot;
    const bool line_first = e->shape.victims != ELASTIC_ONE_LINE && invalid_line(c) != NO_LINE_OF_SET;
    slot = line_first ? NO_LINE_OF_SET : first_chunk(c);
    if (slot == NO_LINE_OF_SET) return take_line(c, leaving) * e->slots + slot_in_turn(e, chunk, 0);
    order_evict(&e->slot_order, slot_place(c, slot));
    drop(c, leaving, slot / e->slots, 1u << slot % e->slots);
    return slot;
}

/* It is the chunk's now, and stays during this search. Who the chunk is of is said when all have their places. */
static void hold(const struct choice *c, uint32_t slot, enum fill_as as)
{
    struct elastic *e = c->e;
    e->held[c->first + slot / e->slots] |= (uint8_t)(1u << slot % e->slots);
    e->fixed[slot / e->slots] |= (uint8_t)(1u << slot % e->slots);
    e->any_fixed = true;
    e->n_free[c->set]--;
    order_fill(&e->slot_order, slot_place(c, slot), as);
    if (as != FILL_FIRST) order_wait(&e->line_order, line_place(c, slot / e->slots));
}

static uint32_t elastic_take(struct tags *tags, uint32_t set, uint32_t line, struct tag_line *l, uint32_t read,
                             uint32_t chunks, org_gone *gone, void *self)
{
    const struct choice c = begin(tags, set, line, l, read);
    const struct leaving leaving = {tags, l, gone, self};
    struct elastic *e = c.e;
    const bool whole = is_whole(e, l, chunks);
    const uint32_t whole_line = whole ? take_line(&c, &leaving) : 0;
    uint32_t slots[ELASTIC_SLOTS] = {0};
    for (uint32_t left = chunks; left; left &= left - 1) {
        const uint32_t chunk = (uint32_t)__builtin_ctz(left);
        slots[chunk] = whole ? whole_line * e->slots + chunk : take_slot(&c, &leaving, chunk);
        hold(&c, slots[chunk], tags->fill_as);
    }
    settle(e, set);
    if (whole) e->full[c.first + whole_line] = 1;
    const uint32_t frame =
        l ? tags_index(tags, l) : tags_victim(tags, set); /* a free one: lines are fewer than slots */
    for (uint32_t left = chunks; left; left &= left - 1) {
        const uint32_t chunk = (uint32_t)__builtin_ctz(left), at = c.first * e->slots + slots[chunk];
        e->way[at] = (uint16_t)(frame - set * tags->stride);
        e->chunk[at] = (uint8_t)chunk;
        e->slot_of[(size_t)frame * e->slots + chunk] = (uint16_t)slots[chunk];
    }
    return frame;
}

static void elastic_use(struct tags *tags, struct tag_line *l, uint32_t chunks)
{
    struct elastic *e = tags->own;
    const uint32_t frame = tags_index(tags, l), set = frame / tags->stride;
    for (chunks &= l->valid; chunks; chunks &= chunks - 1) {
        const uint32_t slot = e->slot_of[(size_t)frame * e->slots + (uint32_t)__builtin_ctz(chunks)];
        order_hit(&e->slot_order, set * e->slot_order.stride + slot);
        order_hit(&e->line_order, set * e->line_order.stride + slot / e->slots);
    }
    settle(e, set);
}

static void elastic_invalidate(struct tags *tags, struct tag_line *l)
{
    struct elastic *e = tags->own;
    const uint32_t frame = tags_index(tags, l), first = frame / tags->stride * e->lines;
    for (uint32_t left = l->valid; left; left &= left - 1) {
        const uint32_t slot = e->slot_of[(size_t)frame * e->slots + (uint32_t)__builtin_ctz(left)];
        let_go(e, frame / tags->stride, first + slot / e->slots, 1u << slot % e->slots);
    }
    if (l->pending) tags_forget(l);
    else tags_free(tags, l);
}

/* ---- chunk banks ---- */

/* The first cycle from `at` on in which a bank of chunk tags is free: it is taken. In cycles from `busy_from` on, of
 * which 64 are known: those behind them are free. */
static uint32_t probe(struct elastic *e, uint32_t slot, uint32_t at)
{
    uint64_t *busy = &e->busy[slot % e->banks];
    while (at < 64 && *busy >> at & 1) at++;
    if (at < 64) *busy |= 1ull << at;
    return at;
}

/* Probes until the chunk is found in `found` (e->slots: it is not). Returns how long they waited for banks. */
static uint32_t walk(struct elastic *e, uint32_t chunk, uint32_t found, struct org_search *search)
{
    uint32_t waited = 0;
    for (uint32_t k = 0, at = 0; k < e->slots; k++, at++) {
        const uint32_t slot = slot_in_turn(e, chunk, k), when = probe(e, slot, at);
        waited += when - at;
        at = when;
        search->probes++;
        if (slot == found) break;
    }
    search->conflicts += waited;
    return waited;
}

static uint32_t most_of(const uint8_t n[ELASTIC_SLOTS])
{
    uint32_t most = 0;
    for (int i = 0; i < ELASTIC_SLOTS; i++) most = n[i] > most ? n[i] : most;
    return most;
}

static bool has_common(const struct choice *c)
{
    const uint32_t *common = c->e->common + c->first;
    bool any = false;
    for (uint32_t i = c->from; i < c->until; i++) any |= common[i] == c->common;
    return any;
}

static struct org_search elastic_search(struct tags *tags, uint32_t set, uint32_t line, const struct tag_line *l,
                                        uint32_t chunks, uint32_t fetch, cycle_t now)
{
    struct elastic *e = tags->own;
    const struct choice c = choice_of(e, set, line);
    const bool is_common = l || has_common(&c);
    struct org_search search = {.is_partial = chunks == e->all && fetch && fetch != e->all};
    uint32_t waited = 0, walked = 0;
    uint8_t home[ELASTIC_SLOTS] = {0}, data[ELASTIC_SLOTS] = {0};
    for (uint32_t b = 0; b < e->banks; b++)
        e->busy[b] = now - e->busy_from < 64 ? e->busy[b] >> (now - e->busy_from) : 0;
    e->busy_from = now;
    if (!is_common) return search; /* no line's chunk tags are read */
    search.word_misses = (uint32_t)__builtin_popcount(fetch);
    for (; chunks; chunks &= chunks - 1) {
        const uint32_t chunk = (uint32_t)__builtin_ctz(chunks), before = search.probes;
        const bool is_there = l && l->valid >> chunk & 1;
        const uint32_t found =
            is_there ? e->slot_of[(size_t)tags_index(tags, l) * e->slots + chunk] % e->slots : e->slots;
        const uint32_t wait = walk(e, chunk, found, &search);
        waited = wait > waited ? wait : waited;
        home[chunk % e->banks]++;
        if (!is_there) continue;
        walked = search.probes - before - 1 > walked ? search.probes - before - 1 : walked;
        data[found % e->banks]++;
    }
    /* What chunks of the access lose to each other in their own banks is part of the ordinary lookup. */
    const uint32_t usual = most_of(home) - 1, stands = most_of(data);
    if (stands > usual + 1) search.conflicts += stands - usual - 1;
    uint32_t held = stands > waited + 1 ? stands - 1 : waited;
    if (e->shape.walk == ELASTIC_WALK_HOLDS && walked > held) held = walked;
    tags->held_up = held > usual ? held - usual : 0;
    return search;
}

/* ---- associativity in flight ---- */

uint32_t elastic_ways_near(const struct tags *tags, uint32_t ways)
{
    const struct elastic *e = tags->own;
    if (!ways || ways > e->lines) ways = e->lines;
    while (e->lines % ways) ways--;
    return ways;
}

void elastic_set_ways(struct tags *tags, uint32_t ways)
{
    struct elastic *e = tags->own;
    const uint32_t before = log2_ceil(e->lines / e->part_lines), now = log2_ceil(e->lines / ways);
    e->part_lines = ways;
    e->tag_shift = (uint8_t)(e->tag_shift - before + now);
}

uint32_t elastic_ways(const struct tags *tags) { return ((const struct elastic *)tags->own)->part_lines; }

const struct org_type org_elastic = {.name = "elastic",
                                     .is_sectored = true,
                                     .chunk_bytes = SECTOR_BYTES,
                                     .invalidate = elastic_invalidate,
                                     .may_take = elastic_may_take,
                                     .take = elastic_take,
                                     .use = elastic_use,
                                     .search = elastic_search};
const struct org_type org_elastic_streaming = {.name = "elastic_streaming",
                                               .is_sectored = true,
                                               .takes_at_fill = true,
                                               .chunk_bytes = SECTOR_BYTES,
                                               .invalidate = elastic_invalidate,
                                               .may_take = elastic_may_take,
                                               .take = elastic_take,
                                               .use = elastic_use,
                                               .search = elastic_search};
