/* L1 but for the way of loads (l1_lines.h): how it is laid out, and what else asks it for something. */
#include "cache/l1_chunked.h"
#include "cache/org_dsc.h"
#include "cache/org_elastic.h"
#include "cache/org_lamar.h"
#include "cache/org_tsc.h"

static const struct org_type *l1_org(const struct l1_params *p)
{
    if (p->organisation >= L1_OF_PLUGINS) return plugins_organisation(p->organisation - L1_OF_PLUGINS);
    if (p->organisation == L1_TSC) return &org_tsc;
    if (p->organisation == L1_DSC) return &org_dsc;
    if (p->organisation == L1_ELASTIC) return p->streaming ? &org_elastic_streaming : &org_elastic;
    if (l1_predicts(p)) return &org_lamar;
    return org_of(p->organisation != L1_PLAIN, p->streaming);
}

void l1_follow(struct l1 *l1, const struct l1 *of_sm_0)
{
    if (l1->params->organisation == L1_TSC) tsc_follow(&l1->tags, &of_sm_0->tags);
}

void l1_init(struct l1 *l1, const struct gpu_params *params, uint32_t shared_bytes, uint32_t sm, struct arena *arena)
{
    static const struct hooks nobody;
    const struct l1_params *p = &params->l1;
    const struct org_type *org = l1_org(p);
    const uint32_t lines = l1_ways(p, shared_bytes), mshrs = org->takes_at_fill ? p->sets * lines : p->mshrs;
    const uint32_t ways = org->set_frames                 ? org->set_frames(lines, p->line_bytes / p->chunk_bytes)
                          : p->organisation == L1_TSC     ? tsc_slots(params)
                          : p->organisation == L1_ELASTIC ? lines * (p->line_bytes / p->chunk_bytes)
                                                          : lines;
    l1->hooks = &nobody; /* until the SM says otherwise */
    l1->params = p;
    l1->set_index = (uint8_t)(p->set_index == FERMI_ANY_INDEX        ? FERMI_INDEX
                              : p->sets & (p->sets - 1) /* linear */ ? MODULO_INDEX
                                                                     : p->set_index);
    for (uint32_t sectors = 0; sectors < COUNT_OF(l1->flits); sectors++)
        l1->flits[sectors] =
            packet_flits(&params->xbar, params->xbar.header_bytes + SECTOR_BYTES * sector_count(sectors),
                         params->xbar.request_flit_bytes);
    l1->read_flits = l1->flits[0];
    l1->all_sectors = (uint8_t)((1u << l2_line_bytes(params) / SECTOR_BYTES) - 1);
    l1->sm = l1->told_as = sm;
    l1->known = NO_LINE;
    l1->tag_cycles = (uint8_t)(params->lsu.sector_requests && p->organisation == L1_SECTORED ? p->tag_cycles : 0);
    l1->hit_latency =
        (uint16_t)(p->hit_latency + org->lookup_cycles + (p->organisation == L1_TSC ? p->tsc_lookup_cycles : 0));
    /* frames of an organisation that places chunks are names of lines alone */
    tags_init(&l1->tags, arena, p->sets, ways, p->line_bytes, org,
              p->organisation == L1_TSC || p->organisation == L1_ELASTIC ? NULL : replacement_of(p->replacement, NULL));
    const uint32_t chunks = p->line_bytes / (p->chunk_bytes < SECTOR_BYTES ? p->chunk_bytes : SECTOR_BYTES);
    if (p->organisation == L1_TSC) tsc_init(&l1->tags, params, sm, arena);
    if (p->organisation == L1_DSC) dsc_init(&l1->tags, params, arena);
    if (p->organisation == L1_ELASTIC) elastic_init(&l1->tags, params, lines, arena);
    if (l1_predicts(p)) lamar_init(&l1->tags, params, arena);
    if (org->init) org->init(&l1->tags, lines, p->line_bytes / p->chunk_bytes, arena);
    /* behind all that is copied with the tags */
    mshrs_init(&l1->mshrs, arena, mshrs, p->mshr_merge, chunks, true);
    l1->type = org->takes_at_fill ? &l1_streaming : l1->tags.is_special ? &l1_lines : &l1_ordinary_lines;
    if (l1_is_chunked(params)) l1_chunked_init(l1, params, arena);
    l1->answered = ARENA_TAKE(arena, uint32_t, p->mshr_merge);
    request_fifo_init(&l1->to_xbar, arena, p->miss_queue);
}

uint32_t l1_set_ways(struct l1 *l1, uint32_t ways, cycle_t now)
{
    struct tags *t = &l1->tags;
    if (l1->params->organisation != L1_ELASTIC || !l1->params->streaming) return 0;
    ways = elastic_ways_near(t, ways);
    if (ways == elastic_ways(t)) return ways;
    for (uint32_t i = 0; i < t->sets * t->stride; i++)
        if (tags_line(t, i)->valid) l1_lose(l1, tags_line(t, i), now);
    elastic_set_ways(t, ways);
    l1->known = NO_LINE;
    return ways;
}

bool l1_write_all_back(struct l1 *l1, cycle_t now)
{
    struct tags *t = &l1->tags;
    for (uint32_t i = 0; i < t->sets * t->stride; i++) {
        struct tag_line *l = tags_line(t, i);
        if (!l->valid || !l->dirty) continue;
        if (!request_fifo_has_room(&l1->to_xbar)) return false;
        evict(l1, l, now);
        org_invalidate(t, l);
        l1->known = NO_LINE;
    }
    return true;
}

/* What an instruction sends on as it is, all to one line of L2. */
static inline void send_on(struct l1 *l1, enum request_kind kind, const struct l1_access *a, uint32_t sectors,
                           uint32_t token, bool wants_data)
{
    struct l1_access of_l2;
    if (l1->chunked) {
        of_l2 = *a;
        l1_chunked_place(l1, &of_l2.line, &sectors);
        a = &of_l2;
    }
    send(l1, kind, a, sectors, token, wants_data);
}

enum l1_outcome l1_bypass(struct l1 *l1, const struct l1_access *a, uint32_t sectors, bool passes_l1, cycle_t now)
{
    if (!l1_may_bypass(l1)) return L1_FAIL_QUEUE;
    struct tag_line *l = passes_l1 ? l1_find_present(l1, a->line) : NULL;
    if (l) {
        l1_lose(l1, l, now);
        l1->stats.l1d_load_evicts++;
    }
    send_on(l1, REQUEST_BYPASS, a, sectors, bypasses_take(&l1->bypasses, a->load, now), true);
    l1->stats.l1d_bypassed++;
    l1->stats.l1d_passed += passes_l1;
    return L1_SENT;
}

/* A store that an L1 written through keeps what it has of: all but those that are to be cached in L2 alone. */
static bool keeps_line(const struct l1 *l1, enum request_kind kind, const struct l1_access *a)
{
    const bool is_through = kind == REQUEST_WRITE && l1->params->write_hit == WRITE_THROUGH_L1;
    return is_through && MEMORY_OP_CACHE(a->op) != TRACE_CACHE_CG;
}

enum l1_outcome l1_send(struct l1 *l1, enum request_kind kind, const struct l1_access *a, uint32_t token,
                        bool wants_data, cycle_t now)
{
    bool is_there = true;
    if (!request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
    if (kind == REQUEST_WRITE && l1->params->write_miss == WRITE_ALLOCATE_L1) {
        is_there = l1_find_present(l1, a->line) != NULL;
        const enum l1_outcome outcome = l1->type->keep_store(l1, a, now);
        if (outcome != L1_HIT) return outcome;
    }
    struct tag_line *l = l1_find_present(l1, a->line);
    if (l && keeps_line(l1, kind, a)) {
        tags_use(&l1->tags, l, l->last_use_warp, is_there);
    } else if (l) {
        l1_lose(l1, l, now);
        l1->stats.l1d_store_evicts++;
    }
    if (kind == REQUEST_WRITE) l1->stats.l1d_stores++;
    else l1->stats.l1d_atomics++;
    send_on(l1, kind, a, a->sectors, token, wants_data || a->covers);
    return L1_SENT;
}

enum l1_outcome l1_store_apart(struct l1 *l1, const struct l1_access *a, uint32_t n, uint32_t token, cycle_t now)
{
    const bool allocates = l1->params->write_miss == WRITE_ALLOCATE_L1, keeps = keeps_line(l1, REQUEST_WRITE, a);
    struct tag_line *l = l1_find(l1, a->line);
    const bool is_there = l || !allocates;
    const bool is_coming = l ? l->pending : mshrs_find(&l1->mshrs, a->line) >= 0;
    if (is_coming || (allocates && !keeps) || !queue_has_room(l1, n + 1)) return L1_APART;
    if (allocates) {
        if (l1->type->keep_store(l1, a, now) != L1_HIT) return L1_APART;
        l = l1_find(l1, a->line);
    }
    if (l && keeps) {
        for (uint32_t i = 0; i < n; i++) tags_use(&l1->tags, l, l->last_use_warp, i || is_there);
    } else if (l) {
        l1_lose(l1, l, now);
        l1->stats.l1d_store_evicts++;
    }
    l1->stats.l1d_stores += n;
    for (uint32_t left = a->sectors; left; left &= left - 1) send(l1, REQUEST_WRITE, a, left & -left, token, a->covers);
    return L1_SENT;
}

enum l1_outcome l1_store_local(struct l1 *l1, const struct l1_access *a, uint32_t token, cycle_t now)
{
    const uint32_t line = a->line, sectors = a->sectors, warp = a->warp, set = l1_set_of(l1, line);
    const struct probe p = org_probe(&l1->tags, tags_find(&l1->tags, set, line), sectors);
    struct tag_line *l = p.missing ? NULL : p.line;
    /* A store brings no data to what it leaves out: it makes a plain line valid only if it covers it. */
    const bool covers = l1->tags.is_sectored || sectors == l1->tags.all;
    if (!l && !p.line && covers && l1->params->local_stores == LOCAL_ALLOCATE && mshrs_find(&l1->mshrs, line) < 0) {
        uint32_t others[ORG_OTHERS];
        const struct room room = org_reserve(&l1->tags, set, line, others);
        if (room.frame != NO_FRAME && !queue_has_room(l1, room.writes)) return L1_FAIL_QUEUE;
        if (room.frame != NO_FRAME) {
            l = tags_line(&l1->tags, room.frame);
            l1->known = NO_LINE;
            make_room(l1, &room, others, now);
            tags_reserve(&l1->tags, l, line, warp);
            tags_owner(&l1->tags, l)->warp = warp;
        }
    } else if (!l && p.line && covers && !p.line->pending && l1->params->local_stores == LOCAL_ALLOCATE) {
        l = p.line;
    }
    if (!l) {
        if (!request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
        l1->stats.l1d_stores++;
        send(l1, REQUEST_WRITE, a, sectors, token, false);
        return L1_SENT;
    }
    org_write(&l1->tags, l, sectors, true);
    tags_use(&l1->tags, l, warp, !p.missing);
    l1->stats.l1d_local_stores_kept++;
    return L1_HIT;
}

bool l1_send_fetch(struct l1 *l1, enum request_kind kind, uint32_t line, uint32_t token)
{
    if (!request_fifo_has_room(&l1->to_xbar)) return false;
    const struct l1_access access = {.line = line};
    if (l1->chunked && l1->chunked->down && kind != REQUEST_FETCH) /* code has lines of L2 */
        send_on(l1, kind, &access, l1->tags.all, token, true);
    else send(l1, kind, &access, l1->all_sectors, token, true);
    return true;
}

uint32_t l1_bypassed(struct l1 *l1, const struct reply *reply, cycle_t now)
{
    const struct bypass was = bypasses_give(&l1->bypasses, reply->token);
    l1->progress[L1_A_FILL]++;
    count_latency(l1, reply, now - was.since);
    return was.load;
}
