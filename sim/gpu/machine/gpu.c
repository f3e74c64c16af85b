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

/* ---- units of a kind that are due ---- */

/* A cycle of such units, and what those who tick some of them must know. */
struct turn {
    struct gpu *g;
    cycle_t now;
    cycle_t dram_next; /* of banks */
    cycle_t quiet;     /* of SMs: how far one may run ahead, */
    bool runs_ahead;   /* if any does */
    const struct bits *banks;
};

/* In their order. */
static inline void take_due(const struct gpu *g, struct wheel *agenda, uint32_t n, cycle_t now, struct crew_items *due)
{
    due->n = 0;
    due->all = n;
    for (uint32_t w = 0; w * 64 < n; w++) {
        uint64_t left = wheel_take(&agenda[w], now);
        if (g->no_skip) left = bits_word(n, w);
        for (; left; left &= left - 1) due->item[due->n++] = (uint8_t)(w * 64 + (uint32_t)__builtin_ctzll(left));
    }
}

static inline cycle_t first_due(const struct wheel *agenda, uint32_t n)
{
    cycle_t next = NEVER;
    for (uint32_t w = 0; w * 64 < n; w++) {
        const cycle_t at = wheel_first(&agenda[w]);
        if (at < next) next = at;
    }
    return next;
}

/* ---- DRAM ---- */

static void run_channel(const void *self, uint32_t i)
{
    const struct turn *t = self;
    skip_run_channel(t->g, &t->g->channels[i], t->now + 1);
}

static cycle_t channels_tick(struct gpu *g, cycle_t now)
{
    const struct turn turn = {.g = g, .now = now};
    struct crew_items due;
    due.n = 0;
    due.all = g->params->dram.channels;
    for (uint32_t i = 0; i < due.all; i++) {
        struct dram *d = &g->channels[i];
        if (g->no_skip) d->wake = d->visit = now;
        if (d->visit <= now) due.item[due.n++] = (uint8_t)i;
    }
    if (apart_is_worth(g->memory_crew, due.n, WORTH_CHANNELS)) apart_do(g, g->memory_crew, &due, run_channel, &turn);
    else
        for (uint32_t k = 0; k < due.n; k++) run_channel(&turn, due.item[k]);
    cycle_t next = NEVER;
    for (uint32_t i = 0; i < due.all; i++)
        if (g->channels[i].visit < next) next = g->channels[i].visit;
    return next;
}

/* ---- L2 ---- */

static inline void tick_bank(const struct turn *t, uint32_t i)
{
    struct gpu *g = t->g;
    struct l2 *l2 = &g->banks[i];
    if (l2->wake > t->now && !g->no_skip) return;
    const uint32_t to_dram = l2->to_dram.count;
    if (l2_may_lack_room(l2)) skip_bring_up(g, &g->channels[l2->channel], t->dram_next);
    l2->offered_at = t->dram_next;
    l2_tick(l2, t->now);
    if (l2->to_dram.count != to_dram && g->hooks.l2_miss_route.call) units_divert(g, l2);
    skip_show_channel(g, l2);
}

/* Those at one channel, which they share. */
static void tick_banks_at(const void *self, uint32_t channel)
{
    const struct turn *t = self;
    const uint32_t n = t->g->banks_a_channel;
    for (uint32_t i = channel * n; i < (channel + 1) * n; i++)
        if (bits_has(t->banks, i)) tick_bank(t, i);
}

static APART void part_banks(struct turn *t, const struct crew_items *due)
{
    struct bits banks = {0};
    struct crew_items channels;
    channels.n = 0;
    channels.all = t->g->params->dram.channels;
    for (uint32_t k = 0; k < due->n; k++) {
        const uint8_t channel = (uint8_t)t->g->banks[due->item[k]].channel;
        bits_set(&banks, due->item[k]);
        if (!channels.n || channels.item[channels.n - 1] != channel) channels.item[channels.n++] = channel;
    }
    t->banks = &banks;
    apart_do(t->g, t->g->memory_crew, &channels, tick_banks_at, t);
}

static cycle_t banks_tick(struct gpu *g, cycle_t now)
{
    struct turn turn = {.g = g, .now = now, .dram_next = clocks_after(&g->clocks, DOMAIN_DRAM)};
    struct crew_items due;
    take_due(g, g->bank_agenda, g->params->l2.banks, now, &due);
    if (apart_is_worth(g->memory_crew, due.n, WORTH_BANKS)) part_banks(&turn, &due);
    else
        for (uint32_t k = 0; k < due.n; k++) tick_bank(&turn, due.item[k]);
    for (uint32_t k = 0; k < due.n; k++) {
        const cycle_t wake = g->banks[due.item[k]].wake;
        if (wake != NEVER) agenda_put(g->bank_agenda, due.item[k], wake);
    }
    return first_due(g->bank_agenda, due.all);
}

/* ---- SMs, and CTAs in place of those that have finished ---- */

static inline void tick_sm(const void *self, uint32_t i)
{
    const struct turn *t = self;
    struct gpu *g = t->g;
    struct sm *sm = &g->sms[i];
    if (sm->wake > t->now && !g->no_skip) return;
    sm_tick(sm, t->now);
    if (g->answers_at_once) ideal_answer(g, sm, t->now);
    if (t->runs_ahead && skip_may_run_ahead(sm)) skip_run_ahead(g, sm, t->quiet, t->now);
}

static cycle_t sms_tick(struct gpu *g, cycle_t now)
{
    struct turn turn = {.g = g, .now = now, .runs_ahead = now + 1 < g->ahead_until};
    struct crew_items due;
    bool finished = false;
    take_due(g, g->sm_agenda, g->params->core.sms, now, &due);
    turn.quiet = turn.runs_ahead ? skip_quiet_horizon(g, now) : now;
    if (apart_is_worth(g->sm_crew, due.n, WORTH_SMS) && !apart_decides(g, &due, now))
        apart_do(g, g->sm_crew, &due, tick_sm, &turn);
    else
        for (uint32_t k = 0; k < due.n; k++) tick_sm(&turn, due.item[k]);
    for (uint32_t k = 0; k < due.n; k++) finished |= skip_publish(g, due.item[k], &g->sms[due.item[k]], now);
    if (finished) gpu_replace_ctas(g, now);
    return first_due(g->sm_agenda, due.all);
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
