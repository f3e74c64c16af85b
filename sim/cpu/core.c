#include "cpu/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(...) STAT_ROW_OF(cpu_stats, __VA_ARGS__)
static const struct stat_row rows[] = {CPU_STATS(ROW)};
#undef ROW
const struct stat_table cpu_stat_table = {"cpu", rows, COUNT_OF(rows), sizeof(struct cpu_stats)};

enum { SENDS = 2 }; /* lines that one access or fill may send towards the last-level cache */
#define OWNER_DISPATCHED UINT64_MAX

/* Before the access at `position`: so many instructions, then the one that owns it. */
static void look_ahead(struct cpu_core *c)
{
    const struct cpu_stream *s = c->stream;
    if (c->position == s->counts.accesses) c->before = s->counts.insts - c->dispatched;
    else if (s->accesses[c->position].begun) c->before = s->accesses[c->position].begun - 1;
    else c->before = OWNER_DISPATCHED;
}

static void start_program(struct cpu_core *c)
{
    c->position = c->dispatched = c->retired = c->n_loads = 0;
    look_ahead(c);
}

void cpu_core_init(struct cpu_core *core, const struct gpu_params *params, uint32_t index, uint32_t reply_link_cycles,
                   struct arena *arena)
{
    const struct cpu_params *p = &params->cpu;
    const uint32_t line_bytes = l2_line_bytes(params);
    struct cpu_core measured, *c = arena->base ? core : &measured;
    *c = (struct cpu_core){
        .params = p, .core = index, .requester = requester_of(FROM_CPU, params->core.sms + index), .last_tick = NEVER};
    c->line_sectors = CPU_LINE_BYTES / 32;
    for (uint32_t bytes = line_bytes; bytes > CPU_LINE_BYTES; bytes /= 2) c->lines_shift++;
    /* The upper half of all lines, a part for each core. An odd number of pages apart, so that programs do not begin in
     * the same sets. */
    c->base_line = (8 + index) * (1u << 28) + index * 12011u * (CPU_PAGE_BYTES / line_bytes);
    uint32_t loads = 1;
    while (loads < p->window) loads *= 2;
    c->mask = loads - 1;
    c->loads = ARENA_TAKE(arena, struct cpu_load, loads);
    c->mshrs = ARENA_TAKE(arena, struct cpu_mshr, p->mshrs);
    private_cache_init(&c->l1, arena, p->l1_bytes, p->l1_ways);
    private_cache_init(&c->l2, arena, p->l2_bytes, p->l2_ways);
    request_fifo_init(&c->to_llc, arena, p->miss_queue);
    request_fifo_init(&c->victims, arena, SENDS * p->mshrs);
    reply_fifo_init(&c->from_llc, arena, p->reply_queue + reply_link_cycles);
    const uint32_t header = params->xbar.header_bytes,
                   flit = cpus_have_ports(params) ? p->llc_port_bytes : params->xbar.request_flit_bytes;
    c->flits[0] = packet_flits(&params->xbar, header, flit);
    c->flits[1] = packet_flits(&params->xbar, header + CPU_LINE_BYTES, flit);
}

void cpu_core_start(struct cpu_core *c, const struct cpu_stream *stream)
{
    c->stream = stream;
    start_program(c);
}

/* ---- the way to the last-level cache ---- */

/* What has been driven out goes first. */
static bool has_way(const struct cpu_core *c)
{
    return request_fifo_empty(&c->victims) && c->to_llc.count + SENDS <= c->to_llc.capacity;
}

/* What arrives waits until what it drives out can be sent, but never in the network's way: requests leave only as long
 * as replies are taken. From a full port it is taken whatever comes of it. */
static bool takes_replies(const struct cpu_core *c) { return has_way(c) || !reply_fifo_has_room(&c->from_llc); }

static void send(struct cpu_core *c, enum request_kind kind, uint32_t line, uint32_t token, cycle_t now)
{
    const uint32_t half = line & ((1u << c->lines_shift) - 1);
    const struct request r = {.line = c->base_line + (line >> c->lines_shift),
                              .token = (uint16_t)token,
                              .requester = (uint16_t)c->requester,
                              .kind = (uint8_t)kind,
                              .sectors = (uint8_t)(3u << half * c->line_sectors),
                              .flits = c->flits[kind == REQUEST_WRITEBACK],
                              .wants_data = kind == REQUEST_READ};
    request_fifo_push(request_fifo_has_room(&c->to_llc) && request_fifo_empty(&c->victims) ? &c->to_llc : &c->victims,
                      r, now);
}

static bool send_victims(struct cpu_core *c, cycle_t now)
{
    bool sent = false;
    for (; !request_fifo_empty(&c->victims) && request_fifo_has_room(&c->to_llc); sent = true)
        request_fifo_push(&c->to_llc, request_fifo_pop(&c->victims), now);
    return sent;
}

static void insert_l2(struct cpu_core *c, uint32_t line, bool is_dirty, cycle_t now)
{
    const struct private_victim victim = private_cache_insert(&c->l2, line, is_dirty);
    if (!victim.is_dirty) return;
    send(c, REQUEST_WRITEBACK, victim.line, 0, now);
    c->stats.cpu_writebacks++;
}

static void insert_l1(struct cpu_core *c, uint32_t line, bool is_dirty, cycle_t now)
{
    const struct private_victim victim = private_cache_insert(&c->l1, line, is_dirty);
    if (victim.is_dirty && !private_cache_access(&c->l2, victim.line, true)) insert_l2(c, victim.line, true, now);
}

static struct cpu_mshr *find_mshr(const struct cpu_core *c, uint32_t line)
{
    for (uint32_t i = 0; i < c->params->mshrs && c->mshrs_used; i++)
        if (c->mshrs[i].in_use && c->mshrs[i].line == line) return &c->mshrs[i];
    return NULL;
}

static void ask_for(struct cpu_core *c, uint32_t line, bool writes, cycle_t now)
{
    uint32_t i = 0;
    while (c->mshrs[i].in_use) i++;
    c->mshrs[i] = (struct cpu_mshr){line, now, true, writes};
    c->mshrs_used++;
    send(c, REQUEST_READ, line, i, now);
    c->stats.cpu_llc_reads++;
}

/* Takes an access to the caches. Returns false if it must wait; *ready is when its data is there, or NEVER. */
static bool access_caches(struct cpu_core *c, uint32_t line, bool writes, cycle_t now, cycle_t *ready)
{
    if (private_cache_access(&c->l1, line, writes)) {
        *ready = now + c->params->l1_latency;
        c->stats.cpu_l1_hits++;
        return true;
    }
    if (!has_way(c)) return false;
    struct cpu_mshr *mshr = find_mshr(c, line);
    if (mshr) {
        mshr->is_written |= writes;
        *ready = NEVER;
        c->stats.cpu_merges++;
        return true;
    }
    if (private_cache_access(&c->l2, line, false)) {
        insert_l1(c, line, writes, now);
        *ready = now + c->params->l2_latency;
        c->stats.cpu_l2_hits++;
        return true;
    }
    if (c->mshrs_used == c->params->mshrs) return false;
    ask_for(c, line, writes, now);
    *ready = NEVER;
    return true;
}

/* ---- a cycle ---- */

static struct cpu_load *load_at(const struct cpu_core *c, uint32_t i)
{
    return &c->loads[(c->first_load + i) & c->mask];
}

/* Lines that have arrived. */
static bool take_replies(struct cpu_core *c, cycle_t now)
{
    bool took = false;
    while (reply_fifo_ready_at(&c->from_llc) <= now && takes_replies(c)) {
        const struct reply r = reply_fifo_pop(&c->from_llc);
        took = true;
        if (r.kind != REQUEST_READ) continue; /* a write-back's acknowledgement */
        struct cpu_mshr *m = &c->mshrs[r.token];
        m->in_use = false;
        c->mshrs_used--;
        c->stats.cpu_fills++;
        c->stats.cpu_llc_hits += r.flags & REPLY_L2_HIT;
        c->stats.cpu_latency_sum += now - m->since;
        insert_l2(c, m->line, false, now);
        insert_l1(c, m->line, m->is_written, now);
        for (uint32_t i = 0; i < c->load_count; i++) {
            struct cpu_load *l = load_at(c, i);
            if (l->is_issued && l->ready == NEVER && l->line == m->line) l->ready = now;
        }
    }
    return took;
}

static bool retire(struct cpu_core *c, cycle_t now)
{
    while (c->load_count && load_at(c, 0)->ready <= now) {
        c->first_load++;
        c->load_count--;
        c->issued_loads -= c->issued_loads > 0;
    }
    /* Up to the first load without its data, or the instruction whose access still waits at dispatch. */
    const uint64_t end = c->load_count ? load_at(c, 0)->inst : c->dispatched - (c->before == OWNER_DISPATCHED);
    const uint64_t can = end - c->retired, n = can < c->params->width ? can : c->params->width;
    c->retired += n;
    c->stats.cpu_insts += n;
    return n != 0;
}

/* Loads that waited for the load before them. */
static bool issue_loads(struct cpu_core *c, cycle_t now)
{
    bool issued = false;
    for (uint32_t i = c->issued_loads; i < c->load_count; i++) {
        struct cpu_load *l = load_at(c, i);
        if (!l->is_issued) {
            if (i && load_at(c, i - 1)->ready > now) continue;
            if (!access_caches(c, l->line, false, now, &l->ready)) break;
            l->is_issued = issued = true;
            c->stats.cpu_loads++;
        }
        if (i == c->issued_loads) c->issued_loads++;
    }
    return issued;
}

/* The access at `position`, whose instruction is in the window. */
static bool dispatch_access(struct cpu_core *c, cycle_t now)
{
    const struct cpu_access *a = &c->stream->accesses[c->position];
    const uint32_t line = (uint32_t)(a->address / CPU_LINE_BYTES), chain = c->params->chain;
    cycle_t ready = NEVER;
    bool is_issued = true;
    if (!a->is_store) {
        if (c->load_count > c->mask || c->load_count >= c->params->window) {
            c->stall = CPU_STALL_WINDOW;
            return false;
        }
        is_issued =
            !(chain && c->n_loads % chain == chain - 1 && c->load_count && load_at(c, c->load_count - 1)->ready > now);
    }
    if (is_issued && !access_caches(c, line, a->is_store, now, &ready)) {
        c->stall = CPU_STALL_MSHR;
        return false;
    }
    if (a->is_store) {
        c->stats.cpu_stores++;
    } else {
        *load_at(c, c->load_count) = (struct cpu_load){c->dispatched - 1, ready, line, is_issued};
        c->issued_loads += is_issued && c->issued_loads == c->load_count;
        c->load_count++;
        c->n_loads++;
        c->stats.cpu_loads += is_issued;
    }
    c->position++;
    look_ahead(c);
    return true;
}

static bool dispatch(struct cpu_core *c, cycle_t now)
{
    const uint64_t was = c->dispatched, position = c->position;
    uint64_t slots = c->params->width;
    c->stall = CPU_STALL_NOT;
    for (;;) {
        while (c->before == OWNER_DISPATCHED)
            if (!dispatch_access(c, now)) goto done;
        if (c->dispatched == c->stream->counts.insts || !slots) break;
        uint64_t room = c->params->window - (c->dispatched - c->retired);
        if (!room) {
            c->stall = CPU_STALL_WINDOW;
            break;
        }
        room = room < slots ? room : slots;
        const bool owns = c->before < room && c->position < c->stream->counts.accesses;
        const uint64_t n = owns ? c->before + 1 : c->before < room ? c->before : room;
        c->dispatched += n;
        slots -= n;
        c->before = owns ? OWNER_DISPATCHED : c->before - n;
    }
done:
    return c->dispatched != was || c->position != position;
}

static bool is_at_end(const struct cpu_core *c)
{
    return c->retired == c->stream->counts.insts && c->position == c->stream->counts.accesses && !c->load_count;
}

/* Cycles slept are those of the causes that held. */
static void charge(struct cpu_core *c, cycle_t now)
{
    const cycle_t gap = now - c->last_tick - 1;
    c->stats.cpu_cycles += gap;
    if (c->retires_not) c->stats.cpu_stall_load_cycles += gap;
    if (c->stall == CPU_STALL_WINDOW) c->stats.cpu_stall_window_cycles += gap;
    if (c->stall == CPU_STALL_MSHR) c->stats.cpu_stall_mshr_cycles += gap;
    c->last_tick = now - 1;
}

/* Nothing moved in this cycle: nothing will until a load's data is there, or somebody wakes the core. */
static cycle_t next_event(const struct cpu_core *c, cycle_t now)
{
    cycle_t at = takes_replies(c) ? reply_fifo_ready_at(&c->from_llc) : NEVER;
    for (uint32_t i = 0; i < c->load_count; i++)
        if (load_at(c, i)->ready > now && load_at(c, i)->ready < at) at = load_at(c, i)->ready;
    return at > now ? at : now + 1;
}

static void run_cycle(struct cpu_core *c, cycle_t now)
{
    charge(c, now);
    c->last_tick = now;
    c->stats.cpu_cycles++;
    const bool sent = send_victims(c, now), took = take_replies(c, now), retired = retire(c, now),
               issued = issue_loads(c, now);
    const bool dispatched = dispatch(c, now);
    c->retires_not = !retired && c->load_count;
    c->stats.cpu_stall_load_cycles += c->retires_not;
    if (dispatched) c->stall = CPU_STALL_NOT;
    c->stats.cpu_stall_window_cycles += c->stall == CPU_STALL_WINDOW;
    c->stats.cpu_stall_mshr_cycles += c->stall == CPU_STALL_MSHR;
    if (is_at_end(c) && !(c->once && c->runs)) {
        if (!c->runs++) c->first_end = now;
        if (!c->once) start_program(c);
        c->wake = c->once ? next_event(c, now) : now + 1;
        return;
    }
    c->wake = sent || took || retired || issued || dispatched ? now + 1 : next_event(c, now);
}

void cpu_core_tick(struct cpu_core *c, cycle_t now)
{
    run_cycle(c, now);
    request_fifo_await(&c->to_llc, !request_fifo_empty(&c->to_llc)); /* for its place, and to show what stands behind */
}

void cpu_core_finish(struct cpu_core *c, cycle_t end)
{
    if (end > c->last_tick + 1) charge(c, end);
}

void cpu_core_dump(const struct cpu_core *c, char *text, size_t size)
{
    snprintf(text, size,
             "cpu %u: instruction %" PRIu64 " of %" PRIu64 ", %" PRIu64
             " in the window, loads %u, MSHRs %u, to the last-level cache %u, victims %u, replies %u",
             c->core, c->retired, c->stream->counts.insts, c->dispatched - c->retired, c->load_count, c->mshrs_used,
             c->to_llc.count, c->victims.count, c->from_llc.count);
}
