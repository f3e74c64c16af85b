/* The map of the machine. gpu_tick() calls the clock domains from DRAM up to the SMs; each domain ticks the
 * units that have something to do and moves messages between neighbours. READ_ME_FIRST.md walks one load through it. */
#include "machine/cpus.h"
#include "machine/network.h"
#include "machine/skip.h"

/* ---- the queues between units ----
 *
 *   SM ---l1.to_xbar---> network ---from_xbar---> bank of L2 ---to_dram----> channel of DRAM
 *   SM <----replies----- network <----to_xbar---- bank of L2 <---from_dram-- channel of DRAM
 *
 * A queue wakes who is at its ends (net/queue.h). What an SM and what a bank asks for is seen when its tick is over
 * (skip_publish, skip_show_channel): the SM may be ahead of the network, and the channel behind the bank. CPU cores
 * join theirs (cpus_layout). */

/* Each looks around once. */
static void make_known(struct gpu *g, struct sleeper *unit, cycle_t *wake, enum domain domain, struct wheel *agenda,
                       uint32_t i)
{
    *unit = (struct sleeper){
        .wake = wake, .clocks = &g->clocks, .agenda = &agenda[i / 64], .bit = 1ull << i % 64, .domain = domain};
    agenda_put(agenda, i, 0);
}

void gpu_join(struct gpu *g)
{
    g->units = (struct sleeper){.wake = &g->units_wake, .clocks = &g->clocks, .domain = DOMAIN_CORE};
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        struct sm *sm = &g->sms[i];
        make_known(g, &sm->unit, &sm->wake, DOMAIN_CORE, g->sm_agenda, i);
        sm->l1.to_xbar.ends = (struct queue_ends){.giver = &sm->unit};
        sm->replies.ends = (struct queue_ends){.taker = &sm->unit, PORTS_OUTPUT(&g->replies, i)};
    }
    for (uint32_t i = 0; i < g->params->l2.banks; i++) {
        struct l2 *bank = &g->banks[i];
        make_known(g, &bank->unit, &bank->wake, DOMAIN_L2, g->bank_agenda, i);
        bank->from_xbar.ends = (struct queue_ends){.taker = &bank->unit, PORTS_OUTPUT(&g->requests, i)};
        bank->to_dram.ends = (struct queue_ends){.giver = &bank->unit, .awaited = &g->channels[bank->channel].awaited};
        bank->from_dram.ends = (struct queue_ends){.taker = &bank->unit};
        bank->to_xbar.ends = (struct queue_ends){.giver = &bank->unit, PORTS_INPUT(&g->replies, i)};
    }
}

/* ---- DRAM ---- */

static cycle_t channels_tick(struct gpu *g, cycle_t now)
{
    struct dram *end = g->channels + g->params->dram.channels;
    cycle_t next = NEVER;
    for (struct dram *d = g->channels; d < end; d++) {
        if (g->no_skip && !g->memory_crew) d->wake = d->visit = now;
        if (d->visit <= now) skip_run_channel(g, d, now + 1);
        if (d->visit < next) next = d->visit;
    }
    return next;
}

/* ---- L2 ---- */

static cycle_t banks_tick(struct gpu *g, cycle_t now)
{
    const uint32_t n = g->params->l2.banks;
    const cycle_t dram_next = clocks_after(&g->clocks, DOMAIN_DRAM);
    cycle_t next = NEVER;
    for (uint32_t w = 0; w * 64 < n; w++) {
        struct wheel *banks = &g->bank_agenda[w];
        uint64_t due = wheel_take(banks, now);
        if (g->no_skip) due = bits_word(n, w);
        for (; due; due &= due - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(due);
            if (apart_finds_due(g, g->banks[i].wake, g->banks[i].last_tick, now))
                skip_tick_bank(g, &g->banks[i], now, dram_next);
            if (g->banks[i].wake != NEVER) wheel_put(banks, due & -due, g->banks[i].wake);
        }
        const cycle_t at = wheel_first(banks);
        if (at < next) next = at;
    }
    return next;
}

/* ---- SMs, and CTAs in place of those that have finished ---- */

static bool tick_sm(struct gpu *g, uint32_t i, struct sm *sm, cycle_t now)
{
    sm_tick(sm, now);
    if (g->answers_at_once) ideal_answer(g, sm, now);
    return skip_publish(g, i, sm, now);
}

static cycle_t sms_tick(struct gpu *g, cycle_t now)
{
    const uint32_t n = g->params->core.sms;
    const bool runs_ahead = now + 1 < g->ahead_until;
    const cycle_t quiet = runs_ahead ? skip_quiet_horizon(g, now) : now;
    bool finished = false;
    cycle_t next = NEVER;
    for (uint32_t w = 0; w * 64 < n; w++) {
        struct wheel *sms = &g->sm_agenda[w];
        uint64_t due = wheel_take(sms, now);
        if (g->no_skip) due = bits_word(n, w);
        for (; due; due &= due - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(due);
            struct sm *sm = &g->sms[i];
            if (apart_finds_due(g, sm->wake, sm->last_tick, now)) {
                finished |= tick_sm(g, i, sm, now);
                if (runs_ahead && skip_may_run_ahead(sm)) skip_run_ahead(g, i, sm, quiet, now);
            } else {
                finished |= skip_publish(g, i, sm, now);
            }
            if (sm->wake != NEVER) wheel_put(sms, due & -due, sm->wake);
        }
    }
    if (finished) gpu_replace_ctas(g, now);
    for (uint32_t w = 0; w * 64 < n; w++) {
        const cycle_t at = wheel_first(&g->sm_agenda[w]);
        if (at < next) next = at;
    }
    return next;
}

/* ---- all of them ---- */

static inline cycle_t network_tick(struct gpu *g, cycle_t now) { return g->net->tick(g, now); }

/* Units that mechanisms own come before the SMs of the same cycle, which may still wake them: units_plan says when they
 * are due. */
static inline cycle_t mechs_tick(struct gpu *g, cycle_t now)
{
    if (g->n_units && (g->units_wake <= now || g->no_skip)) units_tick(g, now);
    return NEVER;
}

static inline cycle_t as_ticked(struct gpu *g, cycle_t now)
{
    (void)g, (void)now;
    return NEVER;
}

/* Ticks the units of a domain that are due, and returns the next cycle in which one is. */
static ALWAYS_INLINE cycle_t tick_units(struct gpu *g, enum domain d, cycle_t now)
{
    cycle_t next = NEVER, at = NEVER;
#define UNITS(id, name, domain, plan) \
    if (DOMAIN_##domain == d) at = id##_tick(g, now), next = at < next ? at : next;
#include "machine/unit_list.def"
#undef UNITS
#define UNITS(id, name, domain, plan) \
    if (DOMAIN_##domain == d) at = plan(g, now), next = at < next ? at : next;
#include "machine/unit_list.def"
#undef UNITS
    return next;
}

/* Runs the domain's cycle if it is due in this base tick. */
static ALWAYS_INLINE void tick_domain(struct gpu *g, enum domain d)
{
    struct clocks *c = &g->clocks;
    if (c->due_time[d] != c->time) return;
    const cycle_t now = c->due[d];
    c->running = d;
    c->next[d] = now + 1;
    c->due[d] = NEVER;
    c->due_time[d] = NEVER_TIME;
    if (g->is_apart) apart_tick(g, d, now);
    const cycle_t wake = tick_units(g, d, now);
    clocks_poke(c, d, g->no_skip ? now + 1 : wake);
}

/* An earlier domain may wake a later one for this very tick. */
void gpu_tick_at(struct gpu *g, uint64_t time)
{
    g->clocks.time = time;
#define TICK(name, mhz, sleeps) tick_domain(g, DOMAIN_##name);
    DOMAINS(TICK)
#undef TICK
}

bool gpu_tick(struct gpu *g)
{
    const uint64_t time = gpu_next_time(g);
    if (time != NEVER_TIME) gpu_tick_at(g, time);
    return time != NEVER_TIME;
}

bool gpu_is_drained(const struct gpu *g)
{
    if (g->n_units && !units_idle(g)) return false;
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        const struct l1 *l1 = &g->sms[i].l1;
        /* MSHRs: of chunks that come after all that was waited for */
        if (l1->stats.l1d_writebacks != l1->writebacks_done || l1->mshrs.used) return false;
    }
    return true;
}
