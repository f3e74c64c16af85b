/* Units that mechanisms own: when they are ticked, and what they may do to the machine (machine_ports). They run before
 * the SMs of the same core cycle, and no SM runs ahead of the others while there is one (hooks_are_quiet). */
#include "cache/l1_snoop.h"
#include "core/lsu.h"
#include "machine/skip.h"

void units_tick(struct gpu *g, cycle_t now)
{
    for (uint32_t i = 0; i < g->shares->n_mechs; i++)
        if (g->shares->mechs[i].type->unit)
            g->shares->mechs[i].type->unit->tick(g->shares->mechs[i].self, &g->shares->hooks.ports, now);
}

cycle_t units_plan(struct gpu *g, cycle_t now)
{
    if (!g->n_units) return NEVER;
    uint64_t first = NEVER;
    for (uint32_t i = 0; i < g->shares->n_mechs; i++) {
        const struct unit_ops *unit = g->shares->mechs[i].type->unit;
        if (!unit) continue;
        const uint64_t at = unit->next_event ? unit->next_event(g->shares->mechs[i].self, now) : now + 1;
        if (at < first) first = at;
    }
    return g->units_wake = (cycle_t)first;
}

bool units_idle(const struct gpu *g)
{
    for (uint32_t i = 0; i < g->shares->n_mechs; i++)
        if (g->shares->mechs[i].type->unit && !g->shares->mechs[i].type->unit->idle(g->shares->mechs[i].self))
            return false;
    return true;
}

/* The channel has done what it does before its next cycle, whether or not the run skips cycles: what it sends to L2
 * stands in the bank's queue by then. */
static cycle_t bring_up(struct gpu *g, struct dram *d)
{
    const cycle_t dram_next = clocks_after(&g->clocks, DOMAIN_DRAM);
    skip_bring_up(g, d, dram_next);
    return dram_next;
}

/* A bank takes one request a tick, and what that fetches is the last that it sends. */
void units_divert(struct gpu *g, struct l2 *l2)
{
    const struct request r = *request_fifo_last(&l2->to_dram);
    const struct l2_fetch fetch = {.line = r.line, .token = r.token, .bank = l2->bank, .sectors = r.sectors};
    const cycle_t core_next = clocks_after(&g->clocks, DOMAIN_CORE);
    if (r.kind != REQUEST_READ ||
        !g->shares->hooks.l2_miss_route.call->take(g->shares->hooks.l2_miss_route.self, &fetch, core_next))
        return;
    request_fifo_drop_last(&l2->to_dram);
    sleeper_wake(&g->units, core_next);
}

/* ---- what a unit may do, before the SMs of cycle `now` ---- */

/* The SM is ticked in this very cycle. */
static void wake_now(const struct sm *sm, cycle_t now) { sleeper_wake(&sm->unit, now); }

static enum snoop port_snoop(const void *machine, uint32_t sm, uint32_t line, uint32_t chunks)
{
    return l1_snoop(&((const struct gpu *)machine)->sms[sm].l1, line, chunks);
}

static void port_touch(void *machine, uint32_t sm, uint32_t line)
{
    l1_snoop_touch(&((struct gpu *)machine)->sms[sm].l1, line);
}

/* What stands at the end of a late lookup's pipeline waits as the queue does. */
static void port_steal(void *machine, uint32_t sm, uint64_t now)
{
    struct sm *s = &((struct gpu *)machine)->sms[sm];
    const cycle_t free = (cycle_t)now + 1;
    if (s->lsu_busy < free) s->lsu_busy = free;
    if (s->pipe_at < free) s->pipe_at = free;
}

static void port_deliver(void *machine, uint32_t sm, const struct miss *miss, uint64_t now)
{
    struct gpu *g = machine;
    struct sm *s = &g->sms[sm];
    const struct reply reply = {.token = miss->token,
                                .requester = requester_of(FROM_SM, sm),
                                .kind = REQUEST_READ,
                                .sectors = (uint8_t)miss->chunks};
    s->l1.delivered++;
    lsu_reply(s, &reply, (cycle_t)now);
    wake_now(s, (cycle_t)now);
}

/* The SM has put something into its miss queue. */
static void has_sent(struct gpu *g, struct sm *s, uint64_t now)
{
    if (g->answers_at_once) wake_now(s, (cycle_t)now);
    else network_see(g, s->sm, &s->l1.to_xbar, (cycle_t)now + 1);
}

static bool port_resume(void *machine, uint32_t sm, const struct miss *miss, uint64_t now)
{
    struct gpu *g = machine;
    if (!l1_resume(&g->sms[sm].l1, miss)) return false;
    has_sent(g, &g->sms[sm], now);
    return true;
}

static enum prefetch_outcome port_prefetch(void *machine, uint32_t sm, const struct prefetch *what, uint64_t now)
{
    struct gpu *g = machine;
    const enum prefetch_outcome outcome = l1_prefetch(&g->sms[sm].l1, what, (cycle_t)now);
    if (outcome == PREFETCH_SENT) has_sent(g, &g->sms[sm], now);
    return outcome;
}

static bool port_ask_l2(void *machine, uint32_t sm, const struct atomic_data *data, uint64_t now)
{
    struct gpu *g = machine;
    if (!l1_ask(&g->sms[sm].l1, data)) return false;
    has_sent(g, &g->sms[sm], now);
    return true;
}

static void port_answer_l2(void *machine, const struct l2_fetch *fetch, uint64_t now)
{
    struct gpu *g = machine;
    struct l2 *bank = &g->banks[fetch->bank];
    const struct request fill = {.line = fetch->line,
                                 .token = fetch->token,
                                 .kind = REQUEST_READ,
                                 .sectors = fetch->sectors,
                                 .bank = fetch->bank};
    const cycle_t at = clocks_after(&g->clocks, DOMAIN_L2);
    (void)now;
    bring_up(g, &g->channels[bank->channel]);
    request_fifo_push(&bank->from_dram, fill, at);
}

static bool port_fetch_from_dram(void *machine, const struct l2_fetch *fetch, uint64_t now)
{
    struct gpu *g = machine;
    struct l2 *bank = &g->banks[fetch->bank];
    struct dram *d = &g->channels[bank->channel];
    const struct request r = {.line = fetch->line,
                              .token = fetch->token,
                              .kind = REQUEST_READ,
                              .sectors = fetch->sectors,
                              .bank = fetch->bank};
    (void)now;
    const cycle_t dram_next = bring_up(g, d);
    if (!request_fifo_has_room(&bank->to_dram)) return false;
    request_fifo_push(&bank->to_dram, r, dram_next);
    skip_show_channel(g, bank);
    return true;
}

static void port_atomic_done(void *machine, uint32_t sm, const struct atomic *atomic, uint64_t now)
{
    struct gpu *g = machine;
    struct sm *s = &g->sms[sm];
    g->atomics_done++;
    if (g->atomics) atomics_performed(g, atomic);
    if (g->waiting) waiting_performed(g->waiting, sm, atomic->token, atomic->line, atomic->pc);
    if (atomic->wants_result) load_part(s, atomic->token, (cycle_t)now, (cycle_t)now);
    else warp_answered(s, &s->warps[atomic->token], (cycle_t)now);
    wake_now(s, (cycle_t)now);
}

static void port_has_room(void *machine, uint32_t sm, uint64_t now)
{
    struct gpu *g = machine;
    struct sm *s = &g->sms[sm];
    if (s->lsu_cause != L1_QUEUE_FAIL) return;
    s->l1.progress[L1_A_FILL_OR_ROOM]++;
    wake_now(s, (cycle_t)now);
}

static uint64_t port_thread_insts(const void *machine)
{
    const struct gpu *g = machine;
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->params->core.sms; i++) n += g->sms[i].stats.thread_insts;
    return n;
}

struct machine_ports units_ports(struct gpu *g)
{
    return (struct machine_ports){.machine = g,
                                  .snoop = port_snoop,
                                  .touch = port_touch,
                                  .steal_port = port_steal,
                                  .deliver_fill = port_deliver,
                                  .resume_to_l2 = port_resume,
                                  .prefetch = port_prefetch,
                                  .answer_l2 = port_answer_l2,
                                  .fetch_from_dram = port_fetch_from_dram,
                                  .ask_l2 = port_ask_l2,
                                  .atomic_done = port_atomic_done,
                                  .has_room = port_has_room,
                                  .thread_insts = port_thread_insts};
}
