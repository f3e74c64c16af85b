#include "l2.h"

#include <stdio.h>

/* What an MSHR keeps of a request until its data is there. */
#define TARGET(r) ((uint32_t)(r)->token | (uint32_t)(r)->requester << 16 | (uint32_t)(r)->kind << 28 | (uint32_t)(r)->wants_data << 31)
#define TARGET_TOKEN(t) ((t) & 0xffffu)
#define TARGET_REQUESTER(t) ((t) >> 16 & 0xfffu)
#define TARGET_KIND(t) ((t) >> 28 & 7u)
#define TARGET_WANTS_DATA(t) ((t) >> 31)

void l2_init(struct l2 *l2, const struct gpu_params *params, uint32_t bank, uint32_t link_cycles, struct arena *arena)
{
    struct l2 measured, *at = arena->base ? l2 : &measured;
    *at = (struct l2){.params = &params->l2, .machine = params, .bank = bank, .draining = -1, .last_tick = NEVER, .access_meter = {.capacity = params->l2.access_queue}};
    tags_init(&at->tags, arena, params->l2.sets, params->l2.ways, params->l1.line_bytes, params->l2.organisation == L2_SECTORED);
    mshrs_init(&at->mshrs, arena, params->l2.mshrs, params->l2.mshr_merge, 1, false);
    request_fifo_init(&at->from_xbar, arena, params->l2.access_queue + link_cycles);
    request_fifo_init(&at->to_dram, arena, params->l2.miss_queue);
    request_fifo_init(&at->from_dram, arena, params->l2.mshrs * (at->tags.is_sectored ? params->l1.line_bytes / 32 : 1));
    reply_fifo_init(&at->to_xbar, arena, params->l2.response_queue);
}

static uint32_t port_cycles(const struct l2 *l2, uint32_t bytes)
{
    return (bytes + l2->params->data_port_bytes - 1) / l2->params->data_port_bytes;
}

/* Fills go through the data port too, unless they have one of their own. */
static cycle_t *fill_port(struct l2 *l2) { return l2->params->fill_port ? &l2->fill_busy : &l2->port_busy; }

static void use_port(struct l2 *l2, cycle_t *busy, uint32_t bytes, cycle_t now)
{
    const uint32_t cycles = port_cycles(l2, bytes);
    *busy = now + cycles;
    l2->stats.l2_port_cycles += cycles;
}

static uint32_t bytes_of(uint32_t sectors) { return 32 * sector_count(sectors); }

static void respond(struct l2 *l2, uint32_t target, uint32_t sectors, bool is_hit, cycle_t at)
{
    const struct xbar_params *xbar = &l2->machine->xbar;
    const uint32_t kind = TARGET_KIND(target);
    const uint32_t payload = request_reads_line(kind) ? bytes_of(sectors) : kind == REQUEST_ATOMIC && TARGET_WANTS_DATA(target) ? 32 : 0;
    const struct reply reply = {
        .token = (uint16_t)TARGET_TOKEN(target),
        .requester = (uint16_t)TARGET_REQUESTER(target),
        .kind = reply_kind(kind, TARGET_WANTS_DATA(target)),
        .flits = packet_flits(xbar, xbar->header_bytes + payload, xbar->reply_flit_bytes),
        .flags = is_hit ? REPLY_L2_HIT : 0,
        .sectors = (uint8_t)sectors,
    };
    reply_fifo_push(&l2->to_xbar, reply, at);
    l2->stats.l2_responses++;
}

/* Answers one of the requests that waited for a fill, each cycle, while the response queue has room. */
static void drain(struct l2 *l2, cycle_t now)
{
    struct mshrs *m = &l2->mshrs;
    if (!reply_fifo_has_room(&l2->to_xbar)) return;
    struct mshr *e = mshrs_at(m, l2->draining);
    const cycle_t filled = *fill_port(l2), at = filled > now + 1 ? filled : now + 1;
    respond(l2, mshr_targets(m, e)[l2->drained], mshr_asked(m, e)[l2->drained], false, at);
    if (++l2->drained == l2->draining_n) {
        mshrs_answered(m, l2->draining, l2->draining_n);
        l2->draining = -1;
    }
}

/* What waited for a fill wrote to the line; a store that was written through, the first to miss, leaves it clean. */
static bool leaves_dirty(const struct l2 *l2, uint32_t kind, uint32_t position)
{
    if (request_reads_line(kind)) return false;
    return !(position == 0 && request_is_store(kind) && l2->params->write_miss == WRITE_FETCH);
}

static void take_fill(struct l2 *l2, cycle_t now)
{
    const struct request fill = request_fifo_pop(&l2->from_dram);
    struct mshrs *m = &l2->mshrs;
    struct mshr *e = mshrs_at(m, fill.token);
    struct tag_line *frame = e->frame;
    /* From here on what came is present: a late request hits, it cannot merge into an MSHR that is being emptied. */
    org_fill(frame, fill.sectors);
    const uint32_t n = mshrs_arrive(m, fill.token, fill.sectors), *targets = mshr_targets(m, e);
    for (uint32_t i = 0; i < n; i++)
        if (leaves_dirty(l2, TARGET_KIND(targets[i]), i)) frame->dirty |= l2->tags.is_sectored ? mshr_asked(m, e)[i] : l2->tags.all;
    use_port(l2, fill_port(l2), bytes_of(fill.sectors), now);
    if (n == 0) return; /* everybody waits for more */
    l2->draining = fill.token;
    l2->drained = 0;
    l2->draining_n = n;
}

static void to_dram(struct l2 *l2, enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token)
{
    const struct request request = {.line = line, .kind = (uint8_t)kind, .sectors = (uint8_t)sectors, .token = (uint16_t)token, .bank = (uint16_t)l2->bank};
    request_fifo_push(&l2->to_dram, request, 0);
}

/* The frame's dirty sectors go to DRAM. The caller has checked that there is room. */
static void write_back(struct l2 *l2, struct tag_line *frame)
{
    if (!frame->dirty) return;
    to_dram(l2, REQUEST_WRITE, frame->line, frame->dirty, 0);
    l2->stats.l2_writebacks++;
}

/* A store that fetches nothing. `covers`: what it leaves valid. */
static uint64_t *take_store(struct l2 *l2, const struct request *r, struct tag_line *frame, bool is_present, uint32_t covers, bool through, cycle_t now)
{
    if (!reply_fifo_has_room(&l2->to_xbar)) return &l2->stats.l2_stall_response_cycles;
    if (l2->port_busy > now) return &l2->stats.l2_stall_port_cycles;
    if (!is_present) {
        write_back(l2, frame);
        tags_reserve(&l2->tags, frame, r->line, 0);
    }
    frame->valid |= (uint8_t)covers;
    if (through) to_dram(l2, REQUEST_WRITE, r->line, covers, 0);
    else frame->dirty |= (uint8_t)covers;
    use_port(l2, &l2->port_busy, bytes_of(covers), now);
    respond(l2, TARGET(r), covers, false, l2->port_busy);
    return NULL;
}

/* A miss on a line of which nothing is present or on its way. Returns NULL when it was taken, else the counter of what it waits for. */
static uint64_t *take_miss(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    struct tag_line *frame = tags_victim(&l2->tags, r->set);
    if (!frame) return &l2->stats.l2_stall_line_cycles;
    const uint32_t covers = l2->tags.is_sectored ? r->sectors : l2->tags.all;
    const bool is_store = request_is_store(r->kind), is_whole = is_store && r->sectors == covers && (l2->tags.is_sectored || covers == 15);
    const bool fetches = !is_whole || l2->params->write_miss == WRITE_FETCH;
    const bool through = is_store && (l2->params->write_miss == WRITE_FETCH || (is_whole && l2->params->write_miss == WRITE_THROUGH));
    const uint32_t needed = (frame->dirty != 0) + fetches + through;
    if (fetches && mshrs_full(&l2->mshrs)) return &l2->stats.l2_stall_mshr_cycles;
    if (l2->to_dram.count + needed > l2->to_dram.capacity) return &l2->stats.l2_stall_dram_cycles;
    if (!fetches) {
        uint64_t *cause = take_store(l2, r, frame, false, covers, through, now);
        if (cause) return cause;
    } else {
        const int entry = mshrs_take(&l2->mshrs, r->line, frame);
        mshrs_merge(&l2->mshrs, entry, TARGET(r), r->sectors, p->missing);
        mshrs_issue(&l2->mshrs, entry, p->fetch, now);
        write_back(l2, frame);
        tags_reserve(&l2->tags, frame, r->line, 0);
        org_await(frame, p->fetch, (uint32_t)entry);
        if (through) to_dram(l2, REQUEST_WRITE, r->line, covers, 0);
        to_dram(l2, REQUEST_READ, r->line, p->fetch, (uint32_t)entry);
        l2->stats.l2_allocate_reads += is_store;
    }
    l2->stats.l2_misses++;
    return NULL;
}

/* Sectored: other sectors than those that are there or on their way. A store needs none fetched. */
static uint64_t *take_sector_miss(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now)
{
    struct tag_line *l = p->line;
    if (request_is_store(r->kind)) {
        uint64_t *cause = take_store(l2, r, l, true, r->sectors, false, now);
        if (cause) return cause;
    } else {
        const bool has_entry = l->pending != 0;
        if (has_entry ? !mshrs_can_merge(&l2->mshrs, l->mshr) : mshrs_full(&l2->mshrs)) return &l2->stats.l2_stall_mshr_cycles;
        if (!request_fifo_has_room(&l2->to_dram)) return &l2->stats.l2_stall_dram_cycles;
        const int entry = has_entry ? l->mshr : mshrs_take(&l2->mshrs, r->line, l);
        mshrs_merge(&l2->mshrs, entry, TARGET(r), r->sectors, p->missing);
        mshrs_issue(&l2->mshrs, entry, p->fetch, now);
        org_await(l, p->fetch, (uint32_t)entry);
        tags_touch(&l2->tags, l, 0);
        to_dram(l2, REQUEST_READ, r->line, p->fetch, (uint32_t)entry);
    }
    l2->stats.l2_misses++;
    l2->stats.l2_sector_misses++;
    return NULL;
}

static uint64_t *take_hit(struct l2 *l2, const struct request *r, struct tag_line *l, cycle_t now)
{
    if (!reply_fifo_has_room(&l2->to_xbar)) return &l2->stats.l2_stall_response_cycles;
    if (l2->port_busy > now) return &l2->stats.l2_stall_port_cycles;
    use_port(l2, &l2->port_busy, bytes_of(r->sectors), now);
    tags_touch(&l2->tags, l, 0);
    if (!request_reads_line(r->kind)) l->dirty |= l2->tags.is_sectored ? r->sectors : l2->tags.all;
    respond(l2, TARGET(r), r->sectors, true, l2->port_busy);
    l2->stats.l2_hits++;
    return NULL;
}

static uint64_t *take_request(struct l2 *l2, cycle_t now)
{
    const struct request *r = request_fifo_peek(&l2->from_xbar);
    const struct probe p = org_probe(&l2->tags, r->set, r->line, r->sectors);
    if (!p.missing) return take_hit(l2, r, p.line, now);
    if (!p.line) return take_miss(l2, r, &p, now);
    if (p.fetch || (l2->tags.is_sectored && request_is_store(r->kind))) return take_sector_miss(l2, r, &p, now);
    if (!mshrs_can_merge(&l2->mshrs, p.line->mshr)) return &l2->stats.l2_stall_mshr_cycles;
    mshrs_merge(&l2->mshrs, p.line->mshr, TARGET(r), r->sectors, p.missing);
    if (l2->params->merge_touches) tags_touch(&l2->tags, p.line, 0);
    l2->stats.l2_mshr_merges++;
    return NULL;
}

/* Requests that have come off the link since the last look, each at its own cycle. */
static void meter_arrivals(struct l2 *l2, cycle_t now)
{
    const struct request_fifo *f = &l2->from_xbar;
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
    if (end > m.since) meter_set(&m, m.count, end);
    return (struct buffer_gauge){m.area, m.capacity * end};
}

void l2_charge(struct l2 *l2, cycle_t now)
{
    const cycle_t gap = now - l2->last_tick - 1;
    if (l2->cause) *l2->cause += gap;
    l2->last_tick = now - 1;
}

/* The next head is a hit that would find no room for its response, or the port taken, in the next cycle: it need not be tried. */
static void foresee(struct l2 *l2, cycle_t now)
{
    const bool has_room = reply_fifo_has_room(&l2->to_xbar);
    if (request_fifo_ready_at(&l2->from_xbar) > now + 1 || (has_room && l2->port_busy <= now + 1)) return;
    const struct request *r = request_fifo_peek(&l2->from_xbar);
    if (org_probe(&l2->tags, r->set, r->line, r->sectors).missing) return;
    l2->cause = has_room ? &l2->stats.l2_stall_port_cycles : &l2->stats.l2_stall_response_cycles;
}

/* Asleep until a queue moves (the neighbours wake us), the port frees, or something on a link arrives. */
static cycle_t next_event(const struct l2 *l2, cycle_t now)
{
    cycle_t next = NEVER, at;
    if (l2->draining >= 0) {
        if (reply_fifo_has_room(&l2->to_xbar)) return now + 1;
    } else if ((at = request_fifo_ready_at(&l2->from_dram)) != NEVER) {
        const cycle_t port = l2->params->fill_port ? l2->fill_busy : l2->port_busy;
        next = at > port ? at : port;
    }
    if (!l2->cause) at = request_fifo_ready_at(&l2->from_xbar);
    else at = l2->cause == &l2->stats.l2_stall_port_cycles ? l2->port_busy : NEVER;
    if (at < next) next = at;
    return next > now ? next : now + 1;
}

void l2_tick(struct l2 *l2, cycle_t now)
{
    l2_charge(l2, now);
    l2->last_tick = now;
    meter_arrivals(l2, now);
    if (l2->draining < 0 && request_fifo_ready_at(&l2->from_dram) <= now && *fill_port(l2) <= now) take_fill(l2, now);
    if (l2->draining >= 0) drain(l2, now);
    l2->cause = NULL;
    if (request_fifo_ready_at(&l2->from_xbar) <= now) {
        l2->cause = take_request(l2, now);
        if (l2->cause) {
            ++*l2->cause;
        } else {
            request_fifo_pop(&l2->from_xbar);
            meter_set(&l2->access_meter, l2->access_meter.count - 1, now);
            l2->stats.l2_accesses++;
        }
    }
    l2->wake = next_event(l2, now);
    if (l2->wake > now + 1 || l2->cause) return;
    foresee(l2, now);
    if (l2->cause) l2->wake = next_event(l2, now);
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
    for (uint32_t k = 0; k < l2->tags.sets * l2->tags.ways; k++)
        s->l2_dirty_lines_left += l2->tags.lines[k].dirty && !l2->tags.lines[k].pending;
}

bool l2_access_at_once(struct l2 *l2, const struct request *r)
{
    const struct probe p = org_probe(&l2->tags, r->set, r->line, r->sectors);
    struct tag_line *l = p.line;
    if (!l) {
        l = tags_victim(&l2->tags, r->set);
        l2->stats.l2_writebacks += l->dirty != 0;
        tags_reserve(&l2->tags, l, r->line, 0);
    }
    org_fill(l, p.missing);
    tags_touch(&l2->tags, l, 0);
    if (!request_reads_line(r->kind)) l->dirty |= l2->tags.is_sectored ? r->sectors : l2->tags.all;
    l2->stats.l2_accesses++;
    l2->stats.l2_responses++;
    if (!p.missing) l2->stats.l2_hits++;
    else l2->stats.l2_misses++;
    l2->stats.l2_sector_misses += p.missing && p.line;
    return !p.missing;
}

bool l2_idle(const struct l2 *l2)
{
    return request_fifo_empty(&l2->from_xbar) && reply_fifo_empty(&l2->to_xbar) && l2->mshrs.used == 0;
}

void l2_dump(const struct l2 *l2, char *text, size_t size)
{
    snprintf(text, size, "l2 %u: access queue %u, MSHRs %u, miss queue %u, fills %u, responses %u, draining %d", l2->bank,
             l2->from_xbar.count, l2->mshrs.used, l2->to_dram.count, l2->from_dram.count, l2->to_xbar.count, l2->draining);
}
