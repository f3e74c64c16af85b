#include "cache/l2_placed.h"

#include "cache/l2_parts.h"
#include "cache/l2_policy.h"
#include "cache/org_dsc.h"
#include "cache/org_elastic.h"
#include "cache/org_tsc.h"

void l2_placed_tags(struct tags *tags, const struct gpu_params *params, uint32_t bank, struct arena *arena)
{
    const struct l2_params *p = &params->l2;
    const uint32_t line_bytes = l2_line_bytes(params);
    if (p->organisation >= L2_OF_PLUGINS) {
        const uint32_t i = p->organisation - L2_OF_PLUGINS, chunks = line_bytes / SECTOR_BYTES;
        const struct org_type *org = plugins_organisation(i);
        tags_init(tags, arena, p->sets, plugins_set_frames(i, p->ways, chunks), line_bytes, org,
                  replacement_of(p->replacement, NULL));
        if (org->init) org->init(tags, p->ways, chunks, arena);
        return;
    }
    if (p->organisation == L2_DSC) {
        tags_init(tags, arena, p->sets, p->ways * p->dsc_tags, line_bytes, &org_dsc,
                  replacement_of(p->replacement, NULL));
        dsc_init_as(tags, p->dsc_tags, p->ways, line_bytes / SECTOR_BYTES, arena);
        return;
    }
    if (p->organisation == L2_ELASTIC) {
        const struct elastic_shape elastic = elastic_of_l2(params);
        tags_init(tags, arena, p->sets, elastic.lines * elastic.slots, line_bytes, &org_elastic, NULL);
        elastic_init_as(tags, &elastic, arena);
        return;
    }
    const struct tsc_shape shape = tsc_of_l2(params);
    tags_init(tags, arena, p->sets, shape.slots, line_bytes, &org_tsc, NULL);
    tsc_init_as(tags, &shape, bank, arena);
}

void l2_placed_follow(struct l2 *l2, const struct l2 *bank_0)
{
    if (l2->params->organisation == L2_TSC) tsc_follow(&l2->tags, &bank_0->tags);
}

uint32_t l2_set_frames(const struct gpu_params *params)
{
    const struct l2_params *p = &params->l2;
    const uint32_t sectors = l2_line_bytes(params) / SECTOR_BYTES;
    if (p->organisation >= L2_OF_PLUGINS)
        return keys_room(plugins_set_frames(p->organisation - L2_OF_PLUGINS, p->ways, sectors));
    if (!l2_is_placed(params)) return keys_room(l2_own_ways(params));
    return keys_room(p->ways * (p->organisation == L2_DSC ? p->dsc_tags : sectors));
}

void l2_placed_init(struct l2 *l2, const struct gpu_params *params, struct arena *arena)
{
    const uint32_t frames = l2->tags.ways;
    l2->tags.stay = ARENA_TAKE(arena, uint64_t, L2_FRAMES_MAX / 64);
    struct l2_placed measured, *in_arena = ARENA_TAKE(arena, struct l2_placed, 1), *c = in_arena ? in_arena : &measured;
    *c = (struct l2_placed){.frames = ARENA_TAKE(arena, uint32_t, frames),
                            .lines = ARENA_TAKE(arena, uint32_t, frames),
                            .dirty = ARENA_TAKE(arena, uint32_t, frames),
                            .lookup_cycles = l2->tags.org->lookup_cycles +
                                             (params->l2.organisation == L2_TSC ? params->l2.tsc_lookup_cycles : 0),
                            .changes_mode = params->l2.organisation == L2_TSC && params->l2.tsc_mode == TSC_DUEL};
    l2->placed = c;
    l2->most_sends = (uint8_t)(frames < UINT8_MAX - 1 ? frames + 2 : UINT8_MAX);
}

/* Sectors of its line that are there and that the request touches. */
static uint32_t found(const struct request *r, const struct probe *p) { return r->sectors & ~p->missing; }

/* In coarse mode what fetches fetches all of its line that is neither there nor on its way. */
static void widen(struct l2 *l2, const struct request *r, struct probe *p, cycle_t came)
{
    struct tags *t = &l2->tags;
    if (!p->fetch || !t->org->is_coarse || !fetches_what_it_misses(l2, r)) return;
    if (l2->placed->changes_mode) t->org->note(t, came);
    if (t->org->is_coarse(t, r->set)) p->fetch = t->all & ~(p->line ? p->line->valid | p->line->pending : 0);
}

/* There is room for what it fetches, or it goes around L2. */
static bool may_take(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    const struct tags *t = &l2->tags;
    if (l2->policy && l2->policy->n) return l2_policy_may_take(l2, r, p, now, &l2->placed->goes_around);
    return t->org->may_take(t, r->set, r->line, p->line, found(r, p), p->fetch);
}

enum l2_wait l2_placed_waits(struct l2 *l2, const struct request *r, struct probe *p, cycle_t now)
{
    widen(l2, r, p, request_fifo_ready_at(l2->from));
    const bool fetches = fetches_what_it_misses(l2, r),
               has_room = fetches ? may_ask_dram(l2, r) : request_fifo_has_room(&l2->to_dram);
    l2->placed->goes_around = l2->tags.some_stay = false;
    if (p->fetch && !may_take(l2, r, p, now)) return L2_WAITS_LINE;
    if (l2->placed->goes_around) return L2_WAITS_NOT;
    if (!p->missing || !fetches) return p->fetch && !has_room ? L2_WAITS_DRAM : l2_waits_for_port(l2, now);
    if (p->line && p->line->pending ? !mshrs_can_merge(&l2->mshrs, *tags_mshr(p->line)) : mshrs_full(&l2->mshrs))
        return L2_WAITS_MSHR;
    return p->fetch && !has_room ? L2_WAITS_DRAM : L2_WAITS_NOT;
}

/* ---- places ---- */

static void go_quietly(void *self, const struct tag_line *line)
{
    (void)self;
    (void)line;
}

static uint32_t note_dirty(const struct l2 *l2, uint32_t set)
{
    const struct l2_placed *c = l2->placed;
    uint32_t n = 0;
    for (uint32_t way = 0; way < l2->tags.ways; way++) {
        const uint32_t frame = set * l2->tags.stride + way;
        const struct tag_line *l = tags_line(&l2->tags, frame);
        if (!l->dirty) continue;
        c->frames[n] = frame;
        c->lines[n] = *tags_key(l);
        c->dirty[n++] = l->dirty;
    }
    return n;
}

/* What a line has lost of its dirty sectors, the i-th of those that were noted. */
static uint32_t lost(const struct l2 *l2, uint32_t i, struct tag_line **line)
{
    const struct l2_placed *c = l2->placed;
    struct tag_line *l = tags_line(&l2->tags, c->frames[i]);
    *line = *tags_key(l) == c->lines[i] ? l : NULL;
    return c->dirty[i] & ~(*line ? l->valid : 0);
}

/* The sectors that are neither there nor on their way get places. What is lost for them is written back, or with
 * `at_once` only counted. Returns the line. */
static struct tag_line *take_places(struct l2 *l2, const struct request *r, const struct probe *p, bool at_once)
{
    struct tags *t = &l2->tags;
    const uint32_t n = note_dirty(l2, r->set),
                   frame = t->org->take(t, r->set, r->line, p->line, found(r, p), p->fetch, go_quietly, NULL);
    for (uint32_t i = 0; i < n; i++) {
        struct tag_line *l;
        uint32_t sectors = lost(l2, i, &l);
        if (!sectors) continue;
        if (l && l2->params->placed_writes == PLACED_WRITES_LINE) sectors |= l->dirty;
        if (l) l->dirty &= ~sectors;
        if (!at_once) to_dram(l2, REQUEST_WRITE, l2->placed->lines[i], sectors, 0);
        l2->stats.l2_writebacks++;
    }
    struct tag_line *l = tags_line(t, frame);
    t->some_stay = false;
    if (!p->line) tags_reserve(t, l, r->line, 0);
    return l;
}

/* Several lines that lose something take a cycle each. */
static void hold_up(struct l2 *l2, cycle_t now)
{
    const cycle_t from = l2->port_busy[0] > now ? l2->port_busy[0] : now;
    if (l2->tags.held_up) l2->port_busy[0] = from + l2->tags.held_up;
    l2->tags.held_up = 0;
}

/* Looks for what it touches, which may take longer than usual. */
static void search(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    const struct org_type *org = l2->tags.org;
    if (!org->search) return;
    org->search(&l2->tags, r->set, r->line, p->line, r->sectors, p->fetch, now);
    hold_up(l2, now);
}

/* `sectors`: those that were found, of what was asked for. */
static void touch(struct l2 *l2, struct tag_line *l, uint32_t sectors, bool is_hit)
{
    if (sectors && l2->tags.org->use) l2->tags.org->use(&l2->tags, l, sectors);
    tags_use(&l2->tags, l, 0, is_hit);
}

/* ---- the way of a request ---- */

static void take_hit(struct l2 *l2, const struct request *r, struct tag_line *l, cycle_t now)
{
    touch(l2, l, r->sectors, true);
    if (!request_reads_line(r->kind)) org_write(&l2->tags, l, r->sectors, true);
    respond(l2, TARGET(r), r->sectors, true, use_port(l2, 0, r->sectors, now) + l2->placed->lookup_cycles);
    l2->stats.l2_hits++;
}

/* DRAM is asked in one packet, and answers in one a sector. [TSC §3.5] */
static void note_miss(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    const struct org_type *org = l2->tags.org;
    if (org->on_miss) org->on_miss(&l2->tags, r->set, 1 + sector_count(p->fetch), now);
}

void l2_placed_take(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    struct tag_line *l = p->line;
    const bool fetches = fetches_what_it_misses(l2, r);
    search(l2, r, p, now);
    if (!p->missing) {
        take_hit(l2, r, l, now);
        return;
    }
    if (!p->fetch && fetches) {
        mshrs_merge(&l2->mshrs, *tags_mshr(l), TARGET(r), r->sectors, p->missing);
        if (l2->params->merge_touches) touch(l2, l, found(r, p), false);
        l2->stats.l2_mshr_merges++;
        return;
    }
    if (p->fetch) l = take_places(l2, r, p, false);
    touch(l2, l, found(r, p), false);
    if (fetches) {
        ask_for_sectors(l2, r, l, p, now);
        note_miss(l2, r, p, now);
    } else {
        take_store(l2, r, l, r->sectors, false, now);
    }
    hold_up(l2, now);
    l2->stats.l2_misses++;
    if (p->line) l2->stats.l2_sector_misses++;
}

bool l2_placed_at_once(struct l2 *l2, const struct request *r, struct probe p)
{
    widen(l2, r, &p, NEVER); /* what has been decided holds at once */
    const bool asks = l2->policy && l2->policy->n;
    bool goes_around = false;
    if (p.missing && asks) l2_policy_may_take(l2, r, &p, 0, &goes_around);
    if (goes_around) {
        l2->stats.l2_accesses++;
        l2->stats.l2_responses++;
        l2->stats.l2_misses++;
        l2_policy_tell(l2, r, L2_BYPASSED, L2_BYPASS, 0);
        return false;
    }
    if (asks && !p.line) l2->tags.fill_as = (uint8_t)l2_policy_insert(l2, r, 0, 0);
    struct tag_line *l = p.missing ? take_places(l2, r, &p, true) : p.line;
    l2->tags.fill_as = FILL_OWN;
    if (p.missing && fetches_what_it_misses(l2, r)) note_miss(l2, r, &p, 0);
    l->valid |= p.fetch;
    touch(l2, l, found(r, &p), !p.missing);
    if (!request_reads_line(r->kind)) org_write(&l2->tags, l, r->sectors, true);
    l2->tags.held_up = 0;
    l2->stats.l2_accesses++;
    l2->stats.l2_responses++;
    if (!p.missing) l2->stats.l2_hits++;
    else l2->stats.l2_misses++;
    l2->stats.l2_sector_misses += p.missing && p.line;
    if (asks)
        l2_policy_tell(l2, r, !p.missing ? L2_HIT : p.line ? L2_SECTOR_MISSED : L2_MISSED, tags_index(&l2->tags, l), 0);
    return !p.missing;
}
