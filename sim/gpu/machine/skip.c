/* All that lets an SM or a DRAM channel run out of step with the others, while nobody can see it. Each says with one
 * bit that it may (`may_run_ahead`, `may_lag`); what does not say so is ticked in its turn. What a unit would try in
 * the next cycle and is seen to fail is the unit's own business (l1_port.c, l2.c). */
#include "cpu/cpus.h"
#include "machine/skip.h"

/* ---- DRAM: a channel stays behind ---- */

/* A channel whose next event is in cycle `at` or later stays behind for up to dram_lag cycles, and is then ticked for
 * all of them in a row: what it reads cannot be back in L2 before. Visits fall together. While a bank of L2 waits for
 * room on the way to it, it is not left behind. */
static cycle_t visit_for(const struct gpu *g, const struct dram *d, cycle_t at)
{
    enum { TOGETHER = 8 };
    return !d->may_lag || g->dram_lag < TOGETHER || d->awaited || at == NEVER
               ? at
               : (at + g->dram_lag) / TOGETHER * TOGETHER;
}

void skip_wake_channel(struct gpu *g, struct dram *d, cycle_t at)
{
    if (at < d->wake) d->wake = at;
    const cycle_t visit = visit_for(g, d, d->wake);
    if (visit >= d->visit) return;
    d->visit = visit;
    clocks_poke(&g->clocks, DOMAIN_DRAM, visit);
}

/* Ticks the channel for all cycles before `end`. */
void skip_run_channel(struct gpu *g, struct dram *d, cycle_t end)
{
    while (d->wake < end) gpu_tick_channel(g, d, d->wake);
    d->visit = visit_for(g, d, d->wake);
}

void gpu_go_on(struct gpu *g, uint64_t time)
{
    for (uint32_t i = 0; i < g->params->dram.channels; i++) {
        struct dram *d = &g->channels[i];
        d->visit = visit_for(g, d, d->wake);
        if (d->visit != NEVER) clocks_poke(&g->clocks, DOMAIN_DRAM, d->visit);
    }
    for (const struct unit_type *u = gpu_units; g->no_skip && u < gpu_units + n_gpu_units; u++)
        if (u->count(g)) clocks_poke(&g->clocks, u->domain, clocks_cycle_from(&g->clocks, u->domain, time));
}

void gpu_catch_up(struct gpu *g, uint64_t time)
{
    for (uint32_t i = 0; i < g->params->dram.channels; i++)
        skip_run_channel(g, &g->channels[i], clocks_cycle(&g->clocks, DOMAIN_DRAM, time) + 1);
}

/* ---- SMs: one runs ahead of the others ---- */

/* So far no reply can arrive at any SM that is not on its link: the first to come is granted when the crossbar, L2 or
 * DRAM have something to do, which they know, unless a request reaches them before. */
cycle_t skip_quiet_horizon(const struct gpu *g, cycle_t now)
{
    const struct clocks *c = &g->clocks;
    const uint64_t time = c->time, period = c->period[DOMAIN_CORE];
    if (c->due_time[DOMAIN_L2] - time <= period) return now + g->ahead_cycles;
    uint64_t first = time + g->request_link_cycles * c->period[DOMAIN_XBAR] + 1;
    if (c->due_time[DOMAIN_L2] < first) first = c->due_time[DOMAIN_L2];
    if (c->due_time[DOMAIN_DRAM] < first) first = c->due_time[DOMAIN_DRAM];
    if (ports_wanted(&g->replies) && c->due_time[DOMAIN_XBAR] < first) first = c->due_time[DOMAIN_XBAR];
    return now + g->ahead_cycles + (cycle_t)((first - time - 1) / period);
}

/* The same for one SM: no reply to the first of the requests that are on their way can be there before. What it does
 * until then is put into the agenda. */
static cycle_t ahead_horizon(const struct gpu *g, const struct sm *sm, cycle_t quiet, cycle_t now)
{
    const cycle_t own = sm->in_flight ? sm->quiet_until - 1 : now + g->alone_cycles;
    cycle_t horizon = quiet > own ? quiet : own;
    if (horizon >= now + WHEEL_SLOTS) horizon = now + WHEEL_SLOTS - 1;
    return horizon < g->ahead_until ? horizon : g->ahead_until - 1;
}

/* What the SM has put into its miss queue behind the first `sent` is seen in cycle `at`. */
static void date_requests(struct gpu *g, uint32_t i, struct request_fifo *f, uint32_t sent, cycle_t at)
{
    for (uint32_t k = sent; k < f->count; k++) f->slots[(f->head + k) & f->mask].at = at;
    if (!sent) f->ready_at = at;
    agenda_put(g->sm_agenda, i, at);
}

/* An SM that works on its own does so for several cycles in a row, while what it works on is in the host's caches. What
 * the others must see of it they see in its cycle. Until `horizon` nothing can reach it but replies that are on its
 * link already, and those it takes in time with the others, who see its queue of replies; and nothing more is done once
 * a CTA has finished. */
void skip_run_ahead(struct gpu *g, uint32_t i, struct sm *sm, cycle_t quiet, cycle_t now)
{
    if (!sm->n_ctas || sm->cta_finished) return;
    const cycle_t horizon = ahead_horizon(g, sm, quiet, now);
    struct request_fifo *f = &sm->l1.to_xbar;
    const cycle_t replied = reply_fifo_ready_at(&sm->replies), end = replied <= horizon ? replied : horizon + 1;
    const uint64_t ctas = sm->stats.ctas;
    while (sm->wake < end && skip_sends_freely(sm)) {
        const cycle_t at = sm->wake;
        const uint32_t sent = f->count;
        sm_tick(sm, at);
        if (f->count != sent) date_requests(g, i, f, sent, at);
        if (!sm->cta_finished) continue;
        sm->unpublished = (uint32_t)(sm->stats.ctas - ctas);
        agenda_put(g->sm_agenda, i, at);
        return;
    }
}

/* ---- whether a run may ---- */

void skip_plan(struct gpu *g, bool is_seen, bool is_watched, cycle_t limit)
{
    const bool is_ideal = g->params->ideal.memory != IDEAL_NONE;
    const bool is_shared = g->cpus && g->cpus->running; /* it ends where a program does, in any cycle of an SM */
    g->ahead_until =
        g->no_skip || is_seen || is_ideal || is_shared || g->n_units || !hooks_are_quiet(&g->hooks) ? 0 : limit;
    g->dram_lag = g->no_skip || is_watched || is_ideal ? 0 : g->dram_lag_max;
}
