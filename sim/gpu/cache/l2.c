#include "cache/l2_clean.h"
#include "cache/l2_placed.h"
#include "cache/l2_policy.h"

#include <stdio.h>

void l2_init(struct l2 *l2, const struct gpu_params *params, uint32_t bank, uint32_t link_cycles, struct arena *arena)
{
    const struct l2_params *p = &params->l2;
    const struct xbar_params *xbar = &params->xbar;
    struct l2 measured, *at = arena->base ? l2 : &measured;
    *at = (struct l2){.params = p,
                      .bank = (uint16_t)bank,
                      .channel = (uint16_t)(bank / (p->banks / params->dram.channels)),
                      .fill_port = (uint8_t)p->fill_port,
                      .draining = -1,
                      .head = HEAD_UNKNOWN,
                      .last_tick = NEVER,
                      .access_meter = {.capacity = p->access_queue}};
    at->is_placed = l2_is_placed(params);
    if (at->is_placed) l2_placed_tags(&at->tags, params, bank, arena);
    else if (p->organisation >= L2_OF_PLUGINS) l2_placed_tags(&at->tags, params, bank, arena);
    else
        tags_init(&at->tags, arena, p->sets, l2_own_ways(params), l2_line_bytes(params),
                  org_of(l2_is_sectored(params), false), replacement_of(p->replacement, NULL));
    at->most_sends = (uint8_t)(3 + at->tags.org->most_others);
    mshrs_init(&at->mshrs, arena, p->mshrs, p->mshr_merge, 1, false);
    request_fifo_init(&at->from_xbar, arena, p->access_queue + link_cycles);
    const uint32_t room = p->miss_queue < at->most_sends ? at->most_sends : p->miss_queue;
    request_fifo_init(&at->to_dram, arena, at->is_placed ? p->miss_queue + at->tags.ways : room);
    at->to_dram.capacity = p->miss_queue;
    if (at->is_placed) l2_placed_init(at, params, arena);
    if (p->clean_after && p->organisation <= L2_SECTORED) l2_clean_init(&at->clean, p->clean_after, arena);
    request_fifo_init(&at->from_dram, arena, p->mshrs * (at->tags.is_sectored ? l2_line_bytes(params) / 32 : 1));
    reply_fifo_init(&at->to_xbar, arena, p->response_queue);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t bytes = 32 * sector_count(i);
        at->port_cycles[i] = (uint8_t)((bytes + p->data_port_bytes - 1) / p->data_port_bytes);
        at->reply_flits[i] = packet_flits(xbar, xbar->header_bytes + bytes, xbar->reply_flit_bytes);
    }
    at->from = &at->from_xbar;
    at->to = &at->to_xbar;
}

void l2_add_cpu_ports(struct l2 *l2, const struct gpu_params *params, uint32_t link_cycles, struct arena *arena)
{
    struct l2_cpu_ports measured, *ports = ARENA_TAKE(arena, struct l2_cpu_ports, 1), *at = ports ? ports : &measured;
    *at = (struct l2_cpu_ports){.cause = L2_WAITS_NOT};
    request_fifo_init(&at->from, arena, params->l2.access_queue + link_cycles);
    reply_fifo_init(&at->to, arena, params->l2.response_queue);
    for (uint32_t i = 0; i < 16; i++)
        at->reply_flits[i] =
            packet_flits(&params->xbar, params->xbar.header_bytes + 32 * sector_count(i), params->cpu.llc_port_bytes);
    if (ports) l2->cpu = ports;
}

void l2_follow(struct l2 *l2, const struct l2 *bank_0)
{
    for (uint32_t i = 0; i < TAGS_ORDERS && tags_order(&l2->tags, i); i++)
        order_follow(tags_order(&l2->tags, i), tags_order(&bank_0->tags, i), l2->bank, l2->params->banks);
    if (l2->is_placed) l2_placed_follow(l2, bank_0);
}

/* Answers one of the requests that waited for a fill, each cycle, while the response queue has room. */
static void drain(struct l2 *l2, cycle_t now)
{
    struct mshrs *m = &l2->mshrs;
    struct mshr *e = mshrs_at(m, l2->draining);
    const uint32_t target = mshr_targets(m, e)[l2->drained];
    if (!reply_fifo_has_room(replies_to(l2, target))) return;
    const cycle_t filled = l2->port_busy[l2->fill_port], at = filled > now + 1 ? filled : now + 1;
    respond(l2, target, mshr_asked(m, e)[l2->drained], false, at);
    if (++l2->drained == l2->draining_n) {
        mshrs_answered(m, l2->draining, l2->draining_n);
        l2->draining = -1;
    }
}

/* What waited for a fill wrote to the line, and was not written through. */
static bool leaves_dirty(uint32_t target)
{
    return !request_reads_line(TARGET_KIND(target)) && !TARGET_IS_THROUGH(target);
}

/* What bypassed L2 has come: it goes to the crossbar without touching the lines or their port. */
static APART void take_bypassed(struct l2 *l2, const struct request *fill)
{
    l2->draining = fill->token;
    l2->drained = 0;
    l2->draining_n = (uint8_t)mshrs_arrive(&l2->mshrs, fill->token, fill->sectors);
}

static void take_fill(struct l2 *l2, cycle_t now)
{
    const struct request fill = request_fifo_pop(&l2->from_dram);
    struct mshrs *m = &l2->mshrs;
    struct mshr *e = mshrs_at(m, fill.token);
    if (e->frame == NO_FRAME) {
        take_bypassed(l2, &fill);
        return;
    }
    struct tag_line *frame = tags_line(&l2->tags, e->frame);
    /* From here on what came is present: a late request hits, it cannot merge into an MSHR that is being emptied. */
    org_fill(&l2->tags, frame, fill.sectors);
    if (l2->head == HEAD_PLANNED && tags_is_in(&l2->tags, e->frame, request_fifo_peek(l2->from)->set))
        l2->head = HEAD_ABSENT;
    const uint32_t n = mshrs_arrive(m, fill.token, fill.sectors), *targets = mshr_targets(m, e);
    for (uint32_t i = 0; i < n; i++)
        if (leaves_dirty(targets[i])) org_write(&l2->tags, frame, org_wanted(&l2->tags, mshr_asked(m, e)[i]), true);
    use_port(l2, l2->fill_port, fill.sectors, now);
    if (n == 0) return; /* everybody waits for more */
    l2->draining = fill.token;
    l2->drained = 0;
    l2->draining_n = (uint8_t)n;
}

/* A line's dirty sectors go to DRAM. The caller has checked that there is room. */
static void write_back(struct l2 *l2, const struct tag_line *l)
{
    if (!l->dirty) return;
    to_dram(l2, REQUEST_WRITE, *tags_key(l), org_dirty_sectors(&l2->tags, l), 0);
    l2->stats.l2_writebacks++;
}

/* A hit. */
static inline enum l2_wait waits_to_hit(const struct l2 *l2, const struct request *r, cycle_t now)
{
    if (l2_clean_may_send(l2, r) && l2->to_dram.count >= l2->to_dram.capacity) return L2_WAITS_DRAM;
    return l2_waits_for_port(l2, now);
}

/* A miss of a line of which nothing is present or on its way, and whose place is known. */
static enum l2_wait waits_for_room(struct l2 *l2, cycle_t now)
{
    const struct taking *t = &l2->taking;
    if (t->fetches && mshrs_full(&l2->mshrs)) return L2_WAITS_MSHR;
    const uint32_t waiting = l2->to_dram.count; /* what needs more places than there are waits for all of them */
    if (waiting && waiting + t->sends > l2->to_dram.capacity) return L2_WAITS_DRAM;
    return t->fetches ? L2_WAITS_NOT : l2_waits_for_port(l2, now);
}

/* The request takes no line: a load is answered when DRAM has, a store is written there. */
static APART enum l2_wait plan_bypass(struct l2 *l2, bool is_store, cycle_t now)
{
    l2->head = HEAD_PLANNED;
    l2->changes = l2->tags.changes;
    l2->taking = (struct taking){.frame = L2_BYPASS, .sends = 1, .fetches = !is_store, .through = is_store};
    return waits_for_room(l2, now);
}

HOT static enum l2_wait plan_miss(struct l2 *l2, const struct request *r, cycle_t now)
{
    const bool is_store = request_is_store(r->kind);
    const struct room room =
        l2->policy ? l2_policy_reserve(l2, r, now) : org_reserve(&l2->tags, r->set, r->line, l2->others);
    l2->head = HEAD_ABSENT;
    if (room.frame >= L2_BYPASS) return room.frame == L2_BYPASS ? plan_bypass(l2, is_store, now) : L2_WAITS_LINE;
    const bool fetches = fetches_what_it_misses(l2, r) || !l2_is_whole(l2, r->sectors);
    const bool through = is_store && l2_goes_through(l2, r->sectors);
    l2->head = HEAD_PLANNED;
    l2->changes = l2->tags.changes;
    l2->taking = (struct taking){.frame = room.frame,
                                 .others = (uint8_t)room.others,
                                 .covers = (uint8_t)org_wanted(&l2->tags, r->sectors),
                                 .sends = (uint8_t)(room.writes + fetches + through),
                                 .fetches = fetches,
                                 .through = through};
    return waits_for_room(l2, now);
}

/* Sectored: other sectors than those that are there or on their way. A store takes them where it fetches none. */
static bool is_sector_miss(const struct l2 *l2, const struct request *r, const struct probe *p)
{
    return p->fetch || (l2->tags.is_sectored && !fetches_what_it_misses(l2, r));
}

static enum l2_wait waits_for_sectors(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    if (!fetches_what_it_misses(l2, r)) return l2_waits_for_port(l2, now);
    if (p->line->pending ? !mshrs_can_merge(&l2->mshrs, *tags_mshr(p->line)) : mshrs_full(&l2->mshrs))
        return L2_WAITS_MSHR;
    return may_ask_dram(l2, r) ? L2_WAITS_NOT : L2_WAITS_DRAM;
}

/* The line, or NULL. Sectors of a line that are asked for one by one mostly follow each other. */
static inline struct tag_line *find_head(struct l2 *l2, const struct request *r)
{
    if (!l2->tags.is_sectored) return tags_find(&l2->tags, r->set, r->line);
    struct tag_line *l = tags_line(&l2->tags, l2->found);
    if (*tags_key(l) == r->line) return l;
    l = tags_find(&l2->tags, r->set, r->line);
    if (l) l2->found = tags_index(&l2->tags, l);
    return l;
}

/* The same for a request of which nothing is known yet, or that found no line to replace. */
HOT static APART enum l2_wait look_head_up(struct l2 *l2, const struct request *r, struct probe *p, cycle_t now)
{
    if (l2->head == HEAD_ABSENT && !l2->is_placed) return plan_miss(l2, r, now);
    *p = org_probe(&l2->tags, find_head(l2, r), r->sectors);
    if (tags_are_special(&l2->tags) && l2->is_placed) {
        l2->head = HEAD_UNKNOWN;
        const enum l2_wait cause = l2_placed_waits(l2, r, p, now);
        return l2->placed->goes_around ? plan_bypass(l2, request_is_store(r->kind), now) : cause;
    }
    if (!p->line) return plan_miss(l2, r, now);
    if (!p->missing) {
        l2->head = HEAD_HITS;
        l2->taking.frame = tags_index(&l2->tags, p->line);
        return waits_to_hit(l2, r, now);
    }
    if (is_sector_miss(l2, r, p)) return waits_for_sectors(l2, r, p, now);
    return mshrs_can_merge(&l2->mshrs, *tags_mshr(p->line)) ? L2_WAITS_NOT : L2_WAITS_MSHR;
}

/* What the head request waits for in cycle `now`. Changes nothing but what is known of it; if that is nothing still, *p
 * is what was found. */
static inline enum l2_wait waits_for(struct l2 *l2, const struct request *r, struct probe *p, cycle_t now)
{
    if (l2->head == HEAD_PLANNED && l2->changes == l2->tags.changes) return waits_for_room(l2, now);
    if (l2->head == HEAD_PLANNED) l2->head = HEAD_ABSENT;
    return l2->head == HEAD_HITS ? waits_to_hit(l2, r, now) : look_head_up(l2, r, p, now);
}

/* Lines that go besides that in the frame. */
static APART void take_others(struct l2 *l2)
{
    for (uint32_t i = 0; i < l2->taking.others; i++) {
        struct tag_line *l = tags_line(&l2->tags, l2->others[i]);
        write_back(l2, l);
        org_invalidate(&l2->tags, l);
    }
}

/* Of the sectors that it touches, not of the line. A store's data comes through the port, as any store's. */
static void take_bypass(struct l2 *l2, const struct request *r, cycle_t now)
{
    if (l2->taking.through) {
        to_dram(l2, REQUEST_WRITE, r->line, r->sectors, 0);
        respond(l2, TARGET(r), r->sectors, false, use_port(l2, 0, r->sectors, now));
    } else {
        const int entry =
            mshrs_begin(&l2->mshrs, r->line, NO_FRAME, TARGET(r), r->sectors, r->sectors, r->sectors, now);
        to_dram(l2, REQUEST_READ, r->line, r->sectors, (uint32_t)entry);
    }
    l2->stats.l2_misses++;
}

static ALWAYS_INLINE void take_miss(struct l2 *l2, const struct request *r, cycle_t now)
{
    const struct taking *t = &l2->taking;
    struct tag_line *frame = tags_line(&l2->tags, t->frame);
    write_back(l2, frame);
    if (t->others) take_others(l2);
    if (!t->fetches) {
        tags_reserve(&l2->tags, frame, r->line, 0);
        take_store(l2, r, frame, t->covers, t->through, now);
    } else {
        const uint32_t wanted = org_wanted(&l2->tags, r->sectors);
        const uint32_t target = t->through ? TARGET_THROUGH(r) : TARGET(r);
        const int entry = mshrs_begin(&l2->mshrs, r->line, t->frame, target, r->sectors, wanted, wanted, now);
        tags_reserve_for(&l2->tags, frame, r->line, 0, org_stored(&l2->tags, wanted), (uint32_t)entry);
        if (t->through) to_dram(l2, REQUEST_WRITE, r->line, t->covers, 0);
        to_dram(l2, REQUEST_READ, r->line, wanted, (uint32_t)entry);
        l2->stats.l2_allocate_reads += request_is_store(r->kind);
    }
    l2->stats.l2_misses++;
}

static void take_sector_miss(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    struct tag_line *l = p->line;
    if (fetches_what_it_misses(l2, r)) {
        ask_for_sectors(l2, r, l, p, now);
        tags_wait(&l2->tags, l, 0);
    } else {
        take_store(l2, r, l, r->sectors, false, now);
    }
    l2->stats.l2_misses++;
    l2->stats.l2_sector_misses++;
}

static ALWAYS_INLINE void take_hit(struct l2 *l2, const struct request *r, struct tag_line *l, cycle_t now)
{
    tags_touch(&l2->tags, l, 0);
    if (l2->clean.size && r->kind == REQUEST_WRITE) l2_clean_note(l2, r, l, org_wanted(&l2->tags, r->sectors));
    if (!request_reads_line(r->kind)) org_write(&l2->tags, l, org_wanted(&l2->tags, r->sectors), true);
    respond(l2, TARGET(r), r->sectors, true, use_port(l2, 0, r->sectors, now));
    l2->stats.l2_hits++;
}

/* To a line that is there or on its way, but neither hits nor waits for it alone; or any request to sectors that have
 * places of their own. */
static APART void take_other(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    if (l2->is_placed) {
        l2_placed_take(l2, r, p, now);
        return;
    }
    if (is_sector_miss(l2, r, p)) {
        take_sector_miss(l2, r, p, now);
        return;
    }
    mshrs_merge(&l2->mshrs, *tags_mshr(p->line), TARGET(r), r->sectors, p->missing);
    if (l2->params->merge_touches) tags_wait(&l2->tags, p->line, 0);
    l2->stats.l2_mshr_merges++;
}

/* The head request is taken, which waits for nothing. */
static ALWAYS_INLINE void take(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    if (l2->head == HEAD_PLANNED) take_miss(l2, r, now);
    else if (l2->head == HEAD_HITS) take_hit(l2, r, tags_line(&l2->tags, l2->taking.frame), now);
    else take_other(l2, r, p, now);
}

/* The line has been hit: it may go at once. */
static void hit_by_policy(struct l2 *l2, const struct request *r, struct tag_line *l, cycle_t now)
{
    const enum l2_hit then = l2_policy_hit(l2, r, l, now);
    if (then == L2_KEEP) return;
    if (then == L2_WRITE_BACK_AND_FREE) write_back(l2, l);
    org_invalidate(&l2->tags, l);
}

/* The same of sectors that have places of their own. */
static void take_places_by_policy(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    const bool hits = !p->missing, merges = !hits && !p->fetch && !request_is_store(r->kind);
    const enum l2_outcome outcome = hits ? L2_HIT : merges ? L2_MERGED : p->line ? L2_SECTOR_MISSED : L2_MISSED;
    if (outcome == L2_MISSED) l2->tags.fill_as = (uint8_t)l2_policy_insert(l2, r, 0, now);
    l2_placed_take(l2, r, p, now);
    l2->tags.fill_as = FILL_OWN;
    struct tag_line *l = tags_find(&l2->tags, r->set, r->line);
    const uint32_t frame = tags_index(&l2->tags, l);
    if (hits) hit_by_policy(l2, r, l, now);
    l2_policy_tell(l2, r, outcome, frame, now);
}

/* The same under mechanisms that decide, or are told, what becomes of lines. */
static APART void take_by_policy(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    const bool is_absent = l2->head == HEAD_PLANNED, hits = l2->head == HEAD_HITS;
    l2_policy_tell_machine(l2, r);
    if (!l2->policy->n) {
        take(l2, r, p, now);
        return;
    }
    if (l2->is_placed && !is_absent) {
        take_places_by_policy(l2, r, p, now);
        return;
    }
    const uint32_t frame = is_absent || hits ? l2->taking.frame : tags_index(&l2->tags, p->line);
    const bool merges = !is_absent && !hits && !is_sector_miss(l2, r, p);
    if (frame == L2_BYPASS) {
        take_bypass(l2, r, now);
        l2_policy_tell(l2, r, L2_BYPASSED, frame, now);
        return;
    }
    const enum fill_as as = is_absent ? (enum fill_as)l2_policy_insert(l2, r, frame, now) : FILL_OWN;
    l2->tags.fill_as = (uint8_t)as;
    take(l2, r, p, now);
    l2->tags.fill_as = FILL_OWN;
    if (!l2->tags.is_special) tags_begin_as(tags_line(&l2->tags, frame), as);
    if (hits) hit_by_policy(l2, r, tags_line(&l2->tags, frame), now);
    l2_policy_tell(l2, r, hits ? L2_HIT : is_absent ? L2_MISSED : merges ? L2_MERGED : L2_SECTOR_MISSED, frame, now);
}

/* The first request of `from` is taken, or waits for what is returned. */
static ALWAYS_INLINE enum l2_wait take_request(struct l2 *l2, const struct request_fifo *from, cycle_t now)
{
    const struct request *r = request_fifo_peek(from);
    struct probe p;
    const enum l2_wait cause = waits_for(l2, r, &p, now);
    if (cause) return cause;
    if (l2->policy) take_by_policy(l2, r, &p, now);
    else take(l2, r, &p, now);
    l2->head = HEAD_UNKNOWN;
    return L2_WAITS_NOT;
}

/* Requests that have come off the link since a request was last taken, each at its own cycle. Those that have come
 * to a full queue are entered when it would no longer be full without them. */
static ALWAYS_INLINE void meter_arrivals(struct l2 *l2, cycle_t now)
{
    const struct request_fifo *f = &l2->from_xbar;
    if (l2->access_meter.count > l2->access_meter.capacity) return;
    for (uint32_t n = l2->access_meter.count; n < f->count; n++) {
        const cycle_t at = f->slots[(f->head + n) & f->mask].at;
        if (at > now) return;
        meter_set(&l2->access_meter, n + 1, at);
    }
}

/* Without changing anything: the bank may be asleep while requests come off the link. */
struct buffer_gauge l2_buffer_gauge(const struct l2 *l2, cycle_t end)
{
    const struct request_fifo *f = &l2->from_xbar;
    struct meter m = l2->access_meter;
    for (uint32_t n = m.count; n < f->count && f->slots[(f->head + n) & f->mask].at < end; n++)
        meter_set(&m, n + 1, f->slots[(f->head + n) & f->mask].at);
    if (end > m.since) meter_charge(&m, end);
    return (struct buffer_gauge){m.area, (uint64_t)m.capacity * end};
}

static inline uint64_t *l2_wait_counter(struct l2 *l2) { return counter_at(&l2->stats, l2->cause); }

/* Cycles slept are those of the cause that held. */
static inline void l2_charge(struct l2 *l2, cycle_t now)
{
    const cycle_t gap = now - l2->last_tick - 1;
    if (l2->cause) *l2_wait_counter(l2) += gap;
    l2->last_tick = now - 1;
}

/* When a fill can be taken, or its next request answered. */
static cycle_t next_fill(struct l2 *l2, cycle_t now)
{
    if (l2->draining >= 0) {
        struct mshr *e = mshrs_at(&l2->mshrs, l2->draining);
        return reply_fifo_has_room(replies_to(l2, mshr_targets(&l2->mshrs, e)[l2->drained])) ? now + 1 : NEVER;
    }
    const cycle_t at = request_fifo_ready_at(&l2->from_dram), port = l2->port_busy[l2->fill_port];
    return at > port ? at : port;
}

enum l2_wait l2_head_waits(struct l2 *l2, cycle_t now)
{
    struct probe p;
    return waits_for(l2, request_fifo_peek(l2->from), &p, now);
}

/* The first request of `from` is taken, if it does not wait. */
static ALWAYS_INLINE bool serve(struct l2 *l2, struct request_fifo *from, cycle_t now)
{
    l2->cause = (uint8_t)take_request(l2, from, now);
    if (l2->cause) return false;
    if (from == &l2->from_xbar) meter_arrivals(l2, now);
    request_fifo_drop(from);
    if (from == &l2->from_xbar) meter_set(&l2->access_meter, l2->access_meter.count - 1, now);
    l2->stats.l2_accesses++;
    return true;
}

/* ---- two queues of requests: SMs', and that of CPU cores ---- */

static struct request_fifo *other_queue(struct l2 *l2)
{
    return l2->from == &l2->from_xbar ? &l2->cpu->from : &l2->from_xbar;
}

/* What is known of the head request was of another. */
static void change_turns(struct l2 *l2)
{
    l2->from = other_queue(l2);
    l2->to = l2->from == &l2->from_xbar ? &l2->to_xbar : &l2->cpu->to;
    l2->head = HEAD_UNKNOWN;
}

/* Of those that do not wait, the first that is there; and those that wait for the port. */
static cycle_t next_of_two(struct l2 *l2)
{
    const cycle_t own = request_fifo_ready_at(l2->from), other = request_fifo_ready_at(other_queue(l2));
    cycle_t first = l2->cause ? NEVER : own;
    if (!l2->cpu->cause && other < first) first = other;
    if (l2_waits_for(l2, L2_WAITS_PORT) && l2->port_busy[0] < first) first = l2->port_busy[0];
    return first;
}

static APART bool serve_head(struct l2 *l2, cycle_t now) { return serve(l2, l2->from, now); }

/* Who waits keeps its turn, and does not hold up the other. Returns whether one was taken. */
static bool serve_two(struct l2 *l2, cycle_t now)
{
    l2->cpu->cause = L2_WAITS_NOT;
    if (request_fifo_ready_at(l2->from) > now) {
        if (request_fifo_ready_at(other_queue(l2)) > now) return false;
        change_turns(l2);
    }
    if (serve_head(l2, now)) {
        change_turns(l2);
        return true;
    }
    ++*l2_wait_counter(l2);
    if (request_fifo_ready_at(other_queue(l2)) > now) return false;
    const uint8_t cause = l2->cause;
    change_turns(l2);
    const bool took = serve_head(l2, now);
    l2->cpu->cause = l2->cause;
    change_turns(l2);
    l2->cause = cause;
    return took;
}

/* ---- time ---- */

/* When the head request can be taken, for all that is known: what is in its way in the next cycle stays there until
 * something moves. */
static cycle_t next_request(struct l2 *l2, cycle_t now)
{
    if (l2->cpu) return next_of_two(l2);
    if (!l2->cause) {
        const cycle_t at = request_fifo_ready_at(&l2->from_xbar);
        if (at > now + 1) return at;
        l2->cause = (uint8_t)(l2->sleeps_over ? l2->sleeps_over(l2, now + 1) : L2_WAITS_NOT);
        if (!l2->cause) return now + 1;
    }
    return l2->cause == L2_WAITS_PORT ? l2->port_busy[0] : NEVER;
}

/* Asleep until a queue moves (the neighbours wake us), the port frees, or something on a link arrives. */
static inline cycle_t next_event(struct l2 *l2, cycle_t now)
{
    const cycle_t fill = next_fill(l2, now);
    if (fill <= now + 1) return now + 1;
    const cycle_t request = next_request(l2, now);
    return request > fill ? fill : request > now ? request : now + 1;
}

/* The requests of a tick, where CPU cores have ports of their own. */
static APART void tick_two(struct l2 *l2, cycle_t now)
{
    const bool took = serve_two(l2, now); /* what a policy said of the other may have changed */
    l2->wake = took ? now + 1 : next_event(l2, now);
    request_fifo_await(&l2->to_dram, l2_waits_for(l2, L2_WAITS_DRAM));
    const bool waits_for_responses = l2->draining >= 0 || l2_waits_for(l2, L2_WAITS_RESPONSE);
    reply_fifo_await(&l2->cpu->to, waits_for_responses);
    reply_fifo_await(&l2->to_xbar, waits_for_responses);
}

void l2_tick(struct l2 *l2, cycle_t now)
{
    l2_charge(l2, now);
    l2->last_tick = now;
    if (l2->draining < 0 && request_fifo_ready_at(&l2->from_dram) <= now && l2->port_busy[l2->fill_port] <= now)
        take_fill(l2, now);
    if (l2->draining >= 0) drain(l2, now);
    if (l2->cpu) {
        tick_two(l2, now);
        return;
    }
    if (request_fifo_ready_at(&l2->from_xbar) <= now && !serve(l2, &l2->from_xbar, now)) ++*l2_wait_counter(l2);
    l2->wake = next_event(l2, now);
    request_fifo_await(&l2->to_dram, l2->cause == L2_WAITS_DRAM);
    reply_fifo_await(&l2->to_xbar, l2->draining >= 0 || l2->cause == L2_WAITS_RESPONSE);
}

void l2_finish(struct l2 *l2, cycle_t end)
{
    struct l2_stats *s = &l2->stats;
    l2_charge(l2, end);
    meter_arrivals(l2, end);
    meter_set(&l2->access_meter, 0, end > l2->access_meter.since ? end : l2->access_meter.since);
    const uint64_t *bins = l2->access_meter.bins;
    s->l2_access_queue_le25_cycles = bins[0];
    s->l2_access_queue_le50_cycles = bins[1];
    s->l2_access_queue_le75_cycles = bins[2];
    s->l2_access_queue_lt100_cycles = bins[3];
    s->l2_access_queue_full_cycles = bins[4];
    for (uint32_t k = 0; k < l2->tags.sets * l2->tags.stride; k++)
        s->l2_dirty_lines_left += tags_line(&l2->tags, k)->dirty && !tags_line(&l2->tags, k)->pending;
}

bool l2_idle(const struct l2 *l2)
{
    return request_fifo_empty(&l2->from_xbar) && reply_fifo_empty(&l2->to_xbar) && l2->mshrs.used == 0 &&
           !(l2->cpu && (l2->cpu->from.count || l2->cpu->to.count));
}

void l2_dump(const struct l2 *l2, char *text, size_t size)
{
    const int n = snprintf(
        text, size, "l2 %u: access queue %u, MSHRs %u, miss queue %u, fills %u, responses %u, draining %d", l2->bank,
        l2->from_xbar.count, l2->mshrs.used, l2->to_dram.count, l2->from_dram.count, l2->to_xbar.count, l2->draining);
    if (l2->cpu && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", of CPU cores: access queue %u, responses %u", l2->cpu->from.count,
                 l2->cpu->to.count);
}
