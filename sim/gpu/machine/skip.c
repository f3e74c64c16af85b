/* All that lets an SM, a bank of L2 or a DRAM channel run out of step with the others, while nobody can see it. Each
 * says with one member that it may (`may_run_ahead`, `may_lag`, `sleeps_over`); what does not say so is ticked in its
 * turn. */
#include "core/lsu.h"
#include "machine/cpus.h"
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

/* The channel has something to do in cycle `at`; it is visited then, or later if nobody can see that. */
static void wake_channel(struct gpu *g, struct dram *d, cycle_t at)
{
    if (at < d->wake) d->wake = at;
    const cycle_t visit = visit_for(g, d, d->wake);
    if (visit >= d->visit) return;
    d->visit = visit;
    if (g->clocks.is_shared) clocks_poke_guarded(&g->clocks, DOMAIN_DRAM, visit);
    else clocks_poke(&g->clocks, DOMAIN_DRAM, visit);
}

void skip_show_channel(struct gpu *g, const struct l2 *bank)
{
    struct dram *d = &g->channels[bank->channel];
    const cycle_t ready = request_fifo_ready_at(&bank->to_dram);
    if (ready < d->offered_at) {
        const cycle_t at = d->room_at > ready ? d->room_at : ready;
        d->offered_at = ready;
        wake_channel(g, d, dram_has_room(d, at) ? at : d->wake);
    } else if (bank->to_dram.is_awaited) {
        wake_channel(g, d, d->wake);
    }
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

/* The machine comes to the SM in cycle `at`; who ticks SMs side by side says so when they all have been. */
static inline void come_again(struct gpu *g, uint32_t i, cycle_t at)
{
    if (!g->clocks.is_shared) agenda_put(g->sm_agenda, i, at);
}

void skip_come_again(struct gpu *g, uint32_t i, const struct sm *sm, cycle_t now)
{
    const struct request_fifo *f = &sm->l1.to_xbar;
    cycle_t last = now;
    for (uint32_t k = f->count; k && f->slots[(f->head + k - 1) & f->mask].at > now; k--) {
        const cycle_t at = f->slots[(f->head + k - 1) & f->mask].at;
        if (at != last) agenda_put(g->sm_agenda, i, at);
        last = at;
    }
    if (sm->unpublished) agenda_put(g->sm_agenda, i, sm->last_tick);
}

/* What the SM has put into its miss queue behind the first `sent` is seen in cycle `at`. */
static void date_requests(struct gpu *g, uint32_t i, struct request_fifo *f, uint32_t sent, cycle_t at)
{
    for (uint32_t k = sent; k < f->count; k++) f->slots[(f->head + k) & f->mask].at = at;
    if (!sent) f->ready_at = at;
    come_again(g, i, at);
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
        come_again(g, i, at);
        return;
    }
}

/* ---- SMs and banks of L2: one sleeps over what would only fail ---- */

/* A load or store, in an L1 of one bank: looked up without changing anything. */
static enum l1_outcome try_access(struct sm *sm, const struct line_access *a)
{
    if (a->action == ACT_LOAD && (a->route == ROUTE_L1 || l1_port_keeps(a))) return l1_load_fails(&sm->l1, &a->access);
    if (a->action == ACT_LOAD) return a->route == HITS_AT_ONCE || l1_may_bypass(&sm->l1) ? L1_HIT : L1_FAIL_QUEUE;
    if (a->action == ACT_ATOMIC && sm->hooks->atomic_route.call)
        return sm->hooks->atomic_route.call->has_room(sm->hooks->atomic_route.self, sm->sm) ? L1_HIT : L1_FAIL_QUEUE;
    const bool may_stay =
        a->action == ACT_STORE && sm->params->l1.local_stores != LOCAL_THROUGH && line_is_local(a->access.line);
    return may_stay || request_fifo_has_room(&sm->l1.to_xbar) ? L1_HIT : L1_FAIL_QUEUE;
}

/* The access at the port will fail in the next cycle, if nothing comes before it: the cycles until something does are
 * charged without waking the SM. What else wakes it in that very cycle has it try after all. */
static HOT bool sm_sleeps_over(struct sm *sm, cycle_t now)
{
    struct line_access *a = &sm->queue[sm->queue_head].head;
    if (a->action >= ACT_SHARED || sm->params->l1.banks > 1 || sm->hooks->on_reservation_fail.n) return false;
    const enum l1_outcome outcome = try_access(sm, a);
    if (outcome < L1_FAIL_LINE) return false;
    l1_port_block(sm, a, outcome, now + 1);
    return true;
}

/* If nothing that the head request could need is short, it is not asked what it does need. */
static HOT enum l2_wait bank_sleeps_over(struct l2 *l2, cycle_t now)
{
    const enum l2_wait cause = l2_waits_for_port(l2, now);
    if (l2->head == HEAD_HITS || (!cause && request_fifo_has_room(&l2->to_dram) && !mshrs_full(&l2->mshrs)))
        return cause;
    return l2_head_waits(l2, now);
}

void skip_let_sleep(struct gpu *g)
{
    for (uint32_t i = 0; i < g->params->core.sms; i++) g->sms[i].sleeps_over = sm_sleeps_over;
    for (uint32_t i = 0; i < g->params->l2.banks; i++) g->banks[i].sleeps_over = bank_sleeps_over;
}

/* ---- whether a run may ---- */

void skip_plan(struct gpu *g, bool is_seen, bool is_watched, cycle_t limit)
{
    const bool is_ideal = g->params->ideal.memory != IDEAL_NONE;
    const bool is_shared = cpus_count(g) > 0; /* it ends where a program does, in any cycle of an SM */
    bool are_quiet = true;
    for (const struct share *s = g->shares; s < g->shares + g->n_shares; s++) are_quiet &= hooks_are_quiet(&s->hooks);
    /* who waits for writes reads counters that belong to all */
    g->ahead_until =
        g->no_skip || is_seen || is_ideal || is_shared || g->waiting || g->n_units || !are_quiet ? 0 : limit;
    g->dram_lag = g->no_skip || is_watched || is_ideal ? 0 : g->dram_lag_max;
}
