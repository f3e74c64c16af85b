/* The map of the machine. gpu_tick() calls the four clock domains from DRAM up to the SMs; each domain ticks the units that
 * have something to do and moves messages between neighbours. READ_ME_FIRST.md walks one load through it. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

void clocks_init(struct clocks *c, const struct clock_params *p)
{
    const uint64_t mhz[N_DOMAINS] = {p->dram_mhz, p->l2_mhz, p->xbar_mhz, p->core_mhz};
    uint64_t base = 1;
    for (int d = 0; d < N_DOMAINS; d++) { /* least common multiple */
        uint64_t a = base, b = mhz[d];
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        base = base / a * mhz[d];
    }
    memset(c, 0, sizeof *c);
    for (int d = 0; d < N_DOMAINS; d++) c->period[d] = base / mhz[d];
}

/* What the uncongested path takes without wires, and the wires that make up the difference to the published latency. */
static void plan_latencies(struct gpu *g)
{
    const struct gpu_params *p = g->params;
    const uint64_t *period = g->clocks.period;
    const uint64_t data = p->l1.organisation == L1_SECTORED ? 32 : p->l1.line_bytes, data_bytes = p->xbar.header_bytes + data;
    const uint64_t data_flits = p->xbar.whole_packets ? 1 : (data_bytes + p->xbar.reply_flit_bytes - 1) / p->xbar.reply_flit_bytes;
    const uint64_t port = (data + p->l2.data_port_bytes - 1) / p->l2.data_port_bytes;
    const uint64_t goal = p->l2.round_trip_cycles * period[DOMAIN_CORE];
    const uint64_t fixed = (1 + data_flits) * period[DOMAIN_XBAR] + port * period[DOMAIN_L2] +
                           (period[DOMAIN_XBAR] + period[DOMAIN_CORE]) / 2; /* waiting for the crossbar's edge, on average */
    const uint64_t wires = goal > fixed ? (goal - fixed + period[DOMAIN_XBAR] / 2) / period[DOMAIN_XBAR] : 0;
    const uint64_t added = (p->l2.added_cycles * period[DOMAIN_CORE] + period[DOMAIN_XBAR] / 2) / period[DOMAIN_XBAR];
    g->request_link_cycles = (uint32_t)(wires / 2 + added);
    g->reply_link_cycles = (uint32_t)(wires - wires / 2);
    const uint64_t burst_bytes = p->dram.bus_bytes * p->dram.burst;
    const uint64_t read = p->l2.organisation == L2_SECTORED ? data : p->l1.line_bytes, line_cycles = (read + burst_bytes - 1) / burst_bytes * p->dram.tCCD;
    const uint64_t access = (p->dram.tRCD + p->dram.tCL + line_cycles) * period[DOMAIN_DRAM] + (period[DOMAIN_DRAM] + period[DOMAIN_L2]) / 2;
    const uint64_t extra = p->dram.extra_cycles * period[DOMAIN_CORE];
    g->dram_delay_ticks = extra > access ? extra - access : 0;
    /* What an access takes that meets nobody, for the idealised memories. */
    const uint64_t core = period[DOMAIN_CORE];
    g->l2_alone_cycles = (uint32_t)(p->l2.round_trip_cycles ? p->l2.round_trip_cycles : (fixed + core / 2) / core) + p->l2.added_cycles;
    g->dram_alone_cycles = (uint32_t)(p->dram.extra_cycles ? p->dram.extra_cycles : (access + core / 2) / core) + p->dram.added_cycles;
}

/* What mechanisms may know of the shared resources. */
static void read_gauges(const void *machine, struct gauges *out)
{
    const struct gpu *g = machine;
    *out = (struct gauges){.busy[GAUGE_REPLY_XBAR] = g->xbar_stats.reply_flits};
    for (uint32_t i = 0; i < g->params->l2.banks; i++) out->busy[GAUGE_L2_PORT] += g->banks[i].stats.l2_port_cycles;
    for (uint32_t i = 0; i < g->params->dram.channels; i++) out->busy[GAUGE_DRAM_BUS] += g->channels[i].stats.dram_bus_cycles;
    out->total[GAUGE_L2_PORT] = g->clocks.time / g->clocks.period[DOMAIN_L2] * g->params->l2.banks;
    out->total[GAUGE_REPLY_XBAR] = g->clocks.time / g->clocks.period[DOMAIN_XBAR] * (g->replies.n_in < g->replies.n_out ? g->replies.n_in : g->replies.n_out);
    out->total[GAUGE_DRAM_BUS] = g->clocks.time / g->clocks.period[DOMAIN_DRAM] * g->params->dram.channels;
}

/* The input buffers of the L2 banks, before the L2 cycle that is going on. */
static void read_buffers(const void *machine, struct buffer_gauge *out)
{
    const struct gpu *g = machine;
    for (uint32_t i = 0; i < g->params->l2.banks; i++) out[i] = l2_buffer_gauge(&g->banks[i], g->clocks.time / g->clocks.period[DOMAIN_L2]);
}

struct gpu *gpu_layout(struct arena *arena, const struct plan *plan, const struct gpu_params *params, const struct mech_spec *stack,
                       unsigned n_stack, bool no_skip)
{
    struct gpu measured, *in_arena = ARENA_TAKE(arena, struct gpu, 1), *g = in_arena ? in_arena : &measured;
    const bool is_real = in_arena != NULL;
    memset(g, 0, sizeof *g);
    g->plan = plan;
    g->params = params;
    g->no_skip = no_skip;
    g->n_ctas = plan->launch.n_ctas;
    g->n_mechs = n_stack;
    for (unsigned i = 0; i < n_stack; i++) g->mechs[i].type = stack[i].type;
    g->hooks.machine = g;
    g->hooks.gauges = read_gauges;
    g->hooks.buffers = read_buffers;
    clocks_init(&g->clocks, &params->clock);
    plan_latencies(g);
    g->sms = ARENA_TAKE(arena, struct sm, params->core.sms);
    g->banks = ARENA_TAKE(arena, struct l2, params->l2.banks);
    g->channels = ARENA_TAKE(arena, struct dram, params->dram.channels);
    xbar_init(&g->requests, params->core.sms, params->l2.banks, params->xbar.speedup, params->xbar.output_buffer, arena);
    xbar_init(&g->replies, params->l2.banks, params->core.sms, params->xbar.speedup, params->xbar.output_buffer, arena);
    for (uint32_t i = 0; i < params->core.sms; i++)
        sm_init(is_real ? &g->sms[i] : NULL, params, plan, &g->hooks, i, g->reply_link_cycles, arena);
    for (uint32_t i = 0; i < params->l2.banks; i++) l2_init(is_real ? &g->banks[i] : NULL, params, i, g->request_link_cycles, arena);
    for (uint32_t i = 0; i < params->dram.channels; i++) dram_init(is_real ? &g->channels[i] : NULL, params, i, arena);
    for (uint32_t i = 0; i < params->l2.banks; i++) agenda_put(g->bank_agenda, i, 0); /* everybody looks around once */
    for (uint32_t i = 0; i < params->core.sms; i++) agenda_put(g->sm_agenda, i, 0);
    g->machine_bytes = arena->used;
    stack_place(g, arena);
    return in_arena;
}

/* Before the number of resident CTAs changes: accounts for the time it held. */
static void meter_resident(struct gpu *g, cycle_t now)
{
    const uint64_t resident = g->next_cta - g->ctas_done, allowed = (uint64_t)g->plan->ctas_per_sm * g->params->core.sms;
    if (resident * 10 >= allowed * 9) g->full_cycles += now - g->resident_since;
    g->resident_since = now;
}

/* A neighbour has something to do from cycle `at` of its own domain on. */
static void wake_bank(struct gpu *g, struct l2 *bank, cycle_t at)
{
    if (at < bank->wake) bank->wake = at;
    agenda_put(g->bank_agenda, bank->bank, at);
    clocks_poke(&g->clocks, DOMAIN_L2, at);
}

void gpu_wake_sm(struct gpu *g, struct sm *sm, cycle_t at)
{
    if (at < sm->wake) sm->wake = at;
    agenda_put(g->sm_agenda, sm->sm, at);
    clocks_poke(&g->clocks, DOMAIN_CORE, at);
}

void gpu_dispatch_ctas(struct gpu *g, cycle_t now)
{
    for (bool gave = true; gave && g->next_cta < g->n_ctas;) {
        gave = false;
        for (uint32_t i = 0; i < g->params->core.sms && g->next_cta < g->n_ctas; i++) {
            if (!sm_can_take_cta(&g->sms[i])) continue;
            sm_take_cta(&g->sms[i], g->next_cta++, now);
            gpu_wake_sm(g, &g->sms[i], g->sms[i].wake);
            gave = true;
        }
    }
}

/* ---- DRAM: pull from the partition's L2 banks, issue a command, send data back up ---- */

/* DRAM of infinite bandwidth: everything that waits is taken at once and is back after the uncongested latency. */
static bool drain_at_once(struct gpu *g, struct dram *d)
{
    const uint32_t n = g->params->l2.banks / g->params->dram.channels;
    const cycle_t l2_next = clocks_after(&g->clocks, DOMAIN_L2);
    for (uint32_t i = 0; i < n; i++) {
        struct l2 *bank = &g->banks[d->channel * n + i];
        while (!request_fifo_empty(&bank->to_dram)) {
            const struct request r = request_fifo_pop(&bank->to_dram);
            dram_count(d, r.kind == REQUEST_READ, dram_bursts(d, &r));
            if (r.kind == REQUEST_READ) {
                const cycle_t at = clocks_arrival(&g->clocks, DOMAIN_L2, DOMAIN_CORE, g->dram_alone_cycles);
                request_fifo_push(&bank->from_dram, r, at);
            }
            wake_bank(g, bank, l2_next);
        }
    }
    return false;
}

/* One request a cycle, round robin over the banks of the partition. Returns whether more are waiting. */
static bool pull_request(struct gpu *g, struct dram *d)
{
    const uint32_t n = g->params->l2.banks / g->params->dram.channels;
    struct l2 *banks = &g->banks[d->channel * n];
    uint32_t waiting = 0, first = n;
    for (uint32_t k = n; k-- > 0;) {
        const uint32_t source = (d->next_source + k) % n;
        if (request_fifo_empty(&banks[source].to_dram)) continue;
        waiting += banks[source].to_dram.count;
        first = source;
    }
    if (first == n || !dram_has_room(d, g->clocks.time / g->clocks.period[DOMAIN_DRAM])) return waiting > 0;
    if (g->params->ideal.memory == IDEAL_DRAM) return drain_at_once(g, d);
    const struct request r = request_fifo_pop(&banks[first].to_dram);
    dram_push(d, &r, g->clocks.time / g->clocks.period[DOMAIN_DRAM],
              clocks_arrival(&g->clocks, DOMAIN_DRAM, DOMAIN_CORE, g->params->dram.added_cycles));
    d->next_source = first + 1 < n ? first + 1 : 0;
    if (l2_waits_for_dram(&banks[first])) wake_bank(g, &banks[first], clocks_after(&g->clocks, DOMAIN_L2));
    return waiting > 1;
}

static void dram_send_back(struct gpu *g, const struct dram_done *done, cycle_t now)
{
    struct l2 *bank = &g->banks[done->request.bank];
    const uint64_t ticks = g->clocks.time + (done->at - now) * g->clocks.period[DOMAIN_DRAM] + g->dram_delay_ticks;
    const cycle_t at = (ticks + g->clocks.period[DOMAIN_L2] - 1) / g->clocks.period[DOMAIN_L2];
    request_fifo_push(&bank->from_dram, done->request, at);
    wake_bank(g, bank, at);
}

static cycle_t tick_dram(struct gpu *g, cycle_t now)
{
    cycle_t wake = NEVER;
    for (uint32_t i = 0; i < g->params->dram.channels; i++) {
        struct dram *d = &g->channels[i];
        if (d->wake <= now || g->no_skip) {
            struct dram_done done;
            const bool more = pull_request(g, d);
            if (dram_tick(d, now, &done) && done.is_read) dram_send_back(g, &done, now);
            if (more && dram_has_room(d, now + 1) && d->wake > now + 1) d->wake = now + 1; /* one request is pulled a cycle */
        }
        if (d->wake < wake) wake = d->wake;
    }
    return wake;
}

/* ---- L2: tick the banks, offer responses to the reply crossbar, wake DRAM ---- */

/* A response waits that is not in arbitration. */
static inline bool has_response(const struct gpu *g, uint32_t bank)
{
    return !reply_fifo_empty(&g->banks[bank].to_xbar) && !xbar_wants(&g->replies, bank);
}

static void offer_response(struct gpu *g, uint32_t bank, cycle_t now)
{
    struct l2 *l2 = &g->banks[bank];
    const cycle_t at = reply_fifo_ready_at(&l2->to_xbar);
    if (at > now) {
        wake_bank(g, l2, at);
        return;
    }
    xbar_want(&g->replies, bank, reply_fifo_peek(&l2->to_xbar)->requester);
    clocks_poke(&g->clocks, DOMAIN_XBAR, clocks_after(&g->clocks, DOMAIN_XBAR));
}

static void tick_bank(struct gpu *g, uint32_t i, cycle_t now)
{
    struct l2 *l2 = &g->banks[i];
    l2_tick(l2, now);
    xbar_set_room(&g->requests, i, request_fifo_has_room(&l2->from_xbar));
    if (has_response(g, i)) offer_response(g, i, now);
    if (request_fifo_empty(&l2->to_dram)) return;
    struct dram *d = &g->channels[i / (g->params->l2.banks / g->params->dram.channels)];
    const cycle_t at = clocks_after(&g->clocks, DOMAIN_DRAM);
    if (dram_has_room(d, at) && at < d->wake) d->wake = at;
    clocks_poke(&g->clocks, DOMAIN_DRAM, d->wake);
}

static cycle_t tick_l2(struct gpu *g, cycle_t now)
{
    const uint32_t n = g->params->l2.banks;
    cycle_t next = NEVER;
    for (uint32_t w = 0; w * 64 < n; w++) {
        uint64_t due = agenda_take(&g->bank_agenda[w], now);
        if (g->no_skip) due = bits_word(n, w);
        for (; due; due &= due - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(due);
            if (g->banks[i].wake <= now || g->no_skip) tick_bank(g, i, now);
            if (g->banks[i].wake != NEVER) agenda_put(g->bank_agenda, i, g->banks[i].wake);
        }
        const cycle_t at = agenda_next(&g->bank_agenda[w]);
        if (at < next) next = at;
    }
    return next;
}

/* ---- crossbars: grant, move one packet per free output, put the next head into arbitration ---- */

/* Idealised memories [THESIS §3.3]: requests leave an SM at once and are answered after a latency, whatever else goes on. */
static void answer_at_once(struct gpu *g, uint32_t sm, cycle_t now)
{
    struct sm *s = &g->sms[sm];
    const struct ideal_params *ideal = &g->params->ideal;
    while (!request_fifo_empty(&s->l1.to_xbar) && reply_fifo_has_room(&s->replies)) {
        struct request r = l1_take(&s->l1);
        const struct place place = address_l2(g->params, r.line);
        r.set = (uint16_t)place.set;
        const bool is_hit = l2_access_at_once(&g->banks[place.bank], &r);
        const uint64_t latency = ideal->memory == IDEAL_FIXED ? ideal->latency_cycles
                                 : g->l2_alone_cycles + (is_hit ? 0 : g->dram_alone_cycles);
        const struct reply reply = {.token = r.token, .requester = r.requester, .flags = is_hit ? REPLY_L2_HIT : 0,
                                    .kind = reply_kind(r.kind, r.wants_data), .sectors = r.sectors};
        sm_reply_later(s, &reply, now + latency);
        g->xbar_stats.request_packets++;
        g->xbar_stats.reply_packets++;
    }
    if (!request_fifo_empty(&s->l1.to_xbar) || s->lsu_cause) s->wake = now + 1;
}

/* A miss waits that is not in arbitration. */
static inline bool has_request(const struct gpu *g, uint32_t sm) { return !request_fifo_empty(&g->sms[sm].l1.to_xbar) && !xbar_wants(&g->requests, sm); }

/* Puts an SM's first miss into arbitration. */
static void offer_request(struct gpu *g, uint32_t sm)
{
    struct request_fifo *queue = &g->sms[sm].l1.to_xbar;
    struct request *head = request_fifo_peek(queue);
    const struct place place = address_l2(g->params, head->line);
    head->bank = (uint16_t)place.bank;
    head->set = (uint16_t)place.set;
    xbar_want(&g->requests, sm, head->bank);
    clocks_poke(&g->clocks, DOMAIN_XBAR, clocks_after(&g->clocks, DOMAIN_XBAR));
}

static void move_request(struct gpu *g, uint32_t sm, uint32_t bank, cycle_t now)
{
    struct sm *from = &g->sms[sm];
    struct l2 *to = &g->banks[bank];
    const struct request r = l1_take(&from->l1);
    const uint32_t left_at = xbar_grant(&g->requests, sm, bank, r.flits, now);
    const cycle_t at = clocks_arrival(&g->clocks, DOMAIN_L2, DOMAIN_XBAR, left_at + g->request_link_cycles);
    request_fifo_push(&to->from_xbar, r, at);
    xbar_set_room(&g->requests, bank, request_fifo_has_room(&to->from_xbar));
    if (to->from_xbar.count == 1) wake_bank(g, to, at); /* behind others it is seen when their turn is over */
    g->xbar_stats.request_packets++;
    g->xbar_stats.request_flits += r.flits;
    if (has_request(g, sm)) offer_request(g, sm);
    if (from->lsu_cause && (from->lsu_cause == &from->l1.stats.l1d_fail_queue_cycles || hooks_may_bypass(&g->hooks))) /* room for the access that waits */
        gpu_wake_sm(g, from, clocks_after(&g->clocks, DOMAIN_CORE));
}

static void move_reply(struct gpu *g, uint32_t bank, uint32_t sm, cycle_t now)
{
    struct l2 *from = &g->banks[bank];
    struct sm *to = &g->sms[sm];
    const bool has_been_full = !reply_fifo_has_room(&from->to_xbar); /* or else nobody waits for room */
    const struct reply r = reply_fifo_pop(&from->to_xbar);
    const uint32_t left_at = xbar_grant(&g->replies, bank, sm, r.flits, now);
    const cycle_t at = clocks_arrival(&g->clocks, DOMAIN_CORE, DOMAIN_XBAR, left_at + g->reply_link_cycles);
    reply_fifo_push(&to->replies, r, at);
    xbar_set_room(&g->replies, sm, reply_fifo_has_room(&to->replies));
    if (to->replies.count == 1) gpu_wake_sm(g, to, at);
    g->xbar_stats.reply_packets++;
    g->xbar_stats.reply_flits += r.flits;
    if (has_response(g, bank)) offer_response(g, bank, g->clocks.time / g->clocks.period[DOMAIN_L2]);
    if (has_been_full) wake_bank(g, from, clocks_after(&g->clocks, DOMAIN_L2));
}

static void arbitrate_requests(struct gpu *g, cycle_t now)
{
    if (!xbar_wanted(&g->requests)) return;
    xbar_begin(&g->requests, now);
    for (uint32_t w = 0; w < g->requests.out_words; w++)
        for (uint64_t left = xbar_grantable(&g->requests, w); left; left &= left - 1) {
            const uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(left);
            move_request(g, xbar_pick(&g->requests, bank), bank, now);
        }
}

static void arbitrate_replies(struct gpu *g, cycle_t now)
{
    if (!xbar_wanted(&g->replies)) return;
    xbar_begin(&g->replies, now);
    for (uint32_t w = 0; w < g->replies.out_words; w++)
        for (uint64_t left = xbar_grantable(&g->replies, w); left; left &= left - 1) {
            const uint32_t sm = w * 64 + (uint32_t)__builtin_ctzll(left);
            move_reply(g, xbar_pick(&g->replies, sm), sm, now);
        }
}

static cycle_t tick_xbar(struct gpu *g, cycle_t now)
{
    const uint32_t speedup = g->params->xbar.speedup;
    for (cycle_t at = now * speedup; at < (now + 1) * speedup; at++) { /* switch cycles */
        arbitrate_requests(g, at);
        arbitrate_replies(g, at);
    }
    return xbar_wanted(&g->requests) || xbar_wanted(&g->replies) ? now + 1 : NEVER;
}

/* ---- SMs: tick, offer the first miss to the request crossbar, replace finished CTAs ---- */

/* Returns whether a CTA has finished. */
static bool tick_sm(struct gpu *g, uint32_t i, cycle_t now)
{
    struct sm *sm = &g->sms[i];
    sm_tick(sm, now);
    xbar_set_room(&g->replies, i, reply_fifo_has_room(&sm->replies));
    if (g->params->ideal.memory == IDEAL_INFINITE || g->params->ideal.memory == IDEAL_FIXED) answer_at_once(g, i, now);
    else if (has_request(g, i)) offer_request(g, i);
    return sm->cta_finished;
}

static void replace_ctas(struct gpu *g, cycle_t now)
{
    meter_resident(g, now);
    g->ctas_done = 0;
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        g->sms[i].cta_finished = false;
        g->ctas_done += (uint32_t)g->sms[i].stats.ctas;
    }
    gpu_dispatch_ctas(g, now);
}

static cycle_t tick_core(struct gpu *g, cycle_t now)
{
    const uint32_t n = g->params->core.sms;
    bool finished = false;
    cycle_t next = NEVER;
    for (uint32_t w = 0; w * 64 < n; w++) {
        uint64_t due = agenda_take(&g->sm_agenda[w], now);
        if (g->no_skip) due = bits_word(n, w);
        for (; due; due &= due - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(due);
            if (g->sms[i].wake <= now || g->no_skip) finished |= tick_sm(g, i, now);
            if (g->sms[i].wake != NEVER) agenda_put(g->sm_agenda, i, g->sms[i].wake);
        }
    }
    if (finished) replace_ctas(g, now);
    for (uint32_t w = 0; w * 64 < n; w++) {
        const cycle_t at = agenda_next(&g->sm_agenda[w]);
        if (at < next) next = at;
    }
    return next;
}

uint64_t gpu_next_time(const struct gpu *g)
{
    uint64_t time = NEVER;
    for (int d = 0; d < N_DOMAINS; d++) {
        const cycle_t due = clocks_due(&g->clocks, (enum domain)d);
        if (due != NEVER && due * g->clocks.period[d] < time) time = due * g->clocks.period[d];
    }
    return time;
}

void gpu_tick_at(struct gpu *g, uint64_t time)
{
    static cycle_t (*const tick[N_DOMAINS])(struct gpu *, cycle_t) = {tick_dram, tick_l2, tick_xbar, tick_core};
    struct clocks *c = &g->clocks;
    c->time = time;
    for (int d = 0; d < N_DOMAINS; d++) {
        const cycle_t due = clocks_due(c, (enum domain)d); /* an earlier domain may have woken this one for this very tick */
        if (due == NEVER || due * c->period[d] != time) continue;
        c->running = (enum domain)d;
        c->wake[d] = NEVER;
        const cycle_t wake = tick[d](g, due);
        c->next[d] = due + 1;
        clocks_poke(c, (enum domain)d, g->no_skip ? due + 1 : wake);
    }
}

bool gpu_tick(struct gpu *g)
{
    const uint64_t time = gpu_next_time(g);
    if (time != NEVER) gpu_tick_at(g, time);
    return time != NEVER;
}

bool gpu_done(const struct gpu *g)
{
    if (g->ctas_done != g->n_ctas) return false;
    for (uint32_t i = 0; i < g->params->core.sms; i++) /* what L1s wrote back on their own account */
        if (g->sms[i].l1.stats.l1d_writebacks != g->sms[i].l1.writebacks_done) return false;
    return true;
}

/* Cycles of `d` that begin before core cycle `end`. */
static cycle_t cycles_before(const struct clocks *c, enum domain d, cycle_t end)
{
    return (end * c->period[DOMAIN_CORE] + c->period[d] - 1) / c->period[d];
}

void gpu_finish(struct gpu *g, cycle_t end, struct gpu_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    meter_resident(g, end);
    stats->core_cycles = end;
    stats->full_cycles = g->full_cycles;
    stats_add_xbar(stats, &g->xbar_stats);
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        sm_charge(&g->sms[i], end);
        stats_add_core(stats, &g->sms[i].stats);
        stats_add_l1(stats, &g->sms[i].l1.stats);
    }
    for (uint32_t i = 0; i < g->params->l2.banks; i++) {
        l2_finish(&g->banks[i], cycles_before(&g->clocks, DOMAIN_L2, end));
        stats_add_l2(stats, &g->banks[i].stats);
    }
    for (uint32_t i = 0; i < g->params->dram.channels; i++) {
        dram_finish(&g->channels[i], cycles_before(&g->clocks, DOMAIN_DRAM, end));
        stats_add_dram(stats, &g->channels[i].stats);
    }
    for (uint32_t i = 0; i < g->n_mechs; i++)
        if (g->mechs[i].type->end) g->mechs[i].type->end(g->mechs[i].self, end);
}

/* Ends a unit's line; returns where the next begins. */
static size_t end_line(char *text, size_t size, size_t used)
{
    used += strlen(text + used);
    if (used + 1 < size) text[used++] = '\n';
    text[used] = '\0';
    return used;
}

void gpu_dump(const struct gpu *g, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < g->params->core.sms && used + 1 < size; i++) {
        if (sm_idle(&g->sms[i])) continue;
        sm_dump(&g->sms[i], text + used, size - used);
        used = end_line(text, size, used);
    }
    for (uint32_t i = 0; i < g->params->l2.banks && used + 1 < size; i++) {
        if (l2_idle(&g->banks[i])) continue;
        l2_dump(&g->banks[i], text + used, size - used);
        used = end_line(text, size, used);
    }
    for (uint32_t i = 0; i < g->params->dram.channels && used + 1 < size; i++) {
        if (dram_idle(&g->channels[i])) continue;
        dram_dump(&g->channels[i], text + used, size - used);
        used = end_line(text, size, used);
    }
}
