/* The machine laid out in its arena, and what it may say of itself. */
#include "cache/org_tsc.h"
#include "machine/cpus.h"
#include "machine/network.h"
#include "machine/wake.h"
#include "machine/skip.h"

#include <string.h>

/* Whole core cycles in so many of the crossbar's, as far as an SM may run ahead: what it did is put into an agenda. */
static uint32_t core_cycles_ahead(const struct gpu *g, uint64_t xbar_cycles)
{
    const uint64_t cycles = xbar_cycles * g->clocks.period[DOMAIN_XBAR] / g->clocks.period[DOMAIN_CORE];
    return (uint32_t)(cycles < WHEEL_SLOTS ? cycles : WHEEL_SLOTS - 1);
}

enum { DRAM_LAG = 48 }; /* longer stretches gain nothing */

/* What the uncongested path takes without wires, and the wires that make up the difference to the published latency. */
static void plan_latencies(struct gpu *g)
{
    const struct gpu_params *p = g->params;
    const uint64_t *period = g->clocks.period;
    const uint64_t data = p->l1.organisation == L1_SECTORED ? 32 : l2_line_bytes(p),
                   data_bytes = p->xbar.header_bytes + data;
    const uint64_t data_flits =
        p->xbar.whole_packets ? 1 : (data_bytes + p->xbar.reply_flit_bytes - 1) / p->xbar.reply_flit_bytes;
    const uint64_t port = (data + p->l2.data_port_bytes - 1) / p->l2.data_port_bytes;
    const uint64_t goal = p->l2.round_trip_cycles * period[DOMAIN_CORE];
    const uint64_t fixed = (1 + data_flits) * period[DOMAIN_XBAR] + port * period[DOMAIN_L2] +
                           /* waiting for the crossbar's edge, on average */
                           (period[DOMAIN_XBAR] + period[DOMAIN_CORE]) / 2;
    const uint64_t wires = goal > fixed ? (goal - fixed + period[DOMAIN_XBAR] / 2) / period[DOMAIN_XBAR] : 0;
    const uint64_t added = (p->l2.added_cycles * period[DOMAIN_CORE] + period[DOMAIN_XBAR] / 2) / period[DOMAIN_XBAR];
    g->request_link_cycles = (uint32_t)(wires / 2 + added);
    g->reply_link_cycles = (uint32_t)(wires - wires / 2);
    const uint64_t burst_bytes = p->dram.bus_bytes * p->dram.burst;
    const uint64_t read = l2_is_sectored(p) ? data : l2_line_bytes(p),
                   line_cycles = (read + burst_bytes - 1) / burst_bytes * p->dram.tCCD;
    const uint64_t access = (p->dram.tRCD + p->dram.tCL + line_cycles) * period[DOMAIN_DRAM] +
                            (period[DOMAIN_DRAM] + period[DOMAIN_L2]) / 2;
    const uint64_t extra = p->dram.extra_cycles * period[DOMAIN_CORE];
    g->dram_delay_ticks = extra > access ? extra - access : 0;
    g->ahead_cycles = core_cycles_ahead(g, 1 + g->reply_link_cycles);
    g->alone_cycles = core_cycles_ahead(g, 2 + g->request_link_cycles + g->reply_link_cycles);
    g->dram_added_cycles =
        (uint32_t)((p->dram.added_cycles * period[DOMAIN_CORE] + period[DOMAIN_DRAM] - 1) / period[DOMAIN_DRAM]);
    /* one cycle less than a read's data takes */
    const uint64_t lag = p->dram.tCCD + p->dram.tCL - 1 + g->dram_delay_ticks / period[DOMAIN_DRAM];
    g->dram_lag_max = (uint32_t)(lag < DRAM_LAG ? lag : DRAM_LAG);
    /* What an access takes that meets nobody, for the idealised memories. */
    const uint64_t core = period[DOMAIN_CORE];
    g->l2_alone_cycles =
        (uint32_t)(p->l2.round_trip_cycles ? p->l2.round_trip_cycles : (fixed + core / 2) / core) + p->l2.added_cycles;
    g->dram_alone_cycles =
        (uint32_t)(p->dram.extra_cycles ? p->dram.extra_cycles : (access + core / 2) / core) + p->dram.added_cycles;
}

/* What mechanisms may know of the shared resources. */
static void read_gauges(void *machine, struct gauges *out)
{
    struct gpu *g = machine; /* what DRAM has not done yet is done first: nobody else sees that */
    gpu_catch_up(g, g->clocks.time);
    *out = (struct gauges){.busy[GAUGE_REPLY_XBAR] = g->net->holds_ports ? g->xbar_stats.reply_flits : 0};
    for (uint32_t i = 0; i < g->params->l2.banks; i++) out->busy[GAUGE_L2_PORT] += g->banks[i].stats.l2_port_cycles;
    for (uint32_t i = 0; i < g->params->dram.channels; i++)
        out->busy[GAUGE_DRAM_BUS] += g->channels[i].stats.dram_bus_cycles;
    out->total[GAUGE_L2_PORT] = g->clocks.time / g->clocks.period[DOMAIN_L2] * g->params->l2.banks;
    out->total[GAUGE_REPLY_XBAR] = g->clocks.time / g->clocks.period[DOMAIN_XBAR] *
                                   (g->replies.n_in < g->replies.n_out ? g->replies.n_in : g->replies.n_out);
    out->total[GAUGE_DRAM_BUS] =
        g->clocks.time / g->clocks.period[DOMAIN_DRAM] * g->params->dram.channels * g->params->dram.pseudo_channels;
}

/* The input buffers of the L2 banks, before the L2 cycle that is going on. */
static void read_buffers(const void *machine, struct buffer_gauge *out)
{
    const struct gpu *g = machine;
    for (uint32_t i = 0; i < g->params->l2.banks; i++)
        out[i] = l2_buffer_gauge(&g->banks[i], clocks_cycle(&g->clocks, DOMAIN_L2, g->clocks.time));
}

static void ask_l2_again(void *machine) { gpu_ask_l2_again(machine); }

static void fetch_lines(void *machine, bool whole, uint64_t now)
{
    struct gpu *g = machine;
    if (g->params->l1.organisation == L1_TSC && g->params->l1.tsc_mode == TSC_TOLD)
        tsc_decide(&g->sms[0].l1.tags, whole, (cycle_t)now);
}

static uint32_t set_ways(void *machine, uint32_t sm, uint32_t ways, uint64_t now)
{
    struct gpu *g = machine;
    return l1_set_ways(&g->sms[sm].l1, ways, (cycle_t)now);
}

/* Which launch has which SMs, and what asks its mechanisms. */
static void lay_out_share(struct gpu *g, const struct launched *of, uint32_t i)
{
    struct share *s = &g->shares[i];
    const uint32_t first = share_first_sm(g->params, i, g->n_shares);
    *s = (struct share){.plan = of->plan,
                        .first_sm = first,
                        .n_sms = share_first_sm(g->params, i + 1, g->n_shares) - first,
                        .n_ctas = of->plan->launch.n_ctas,
                        .end = NEVER};
    stack_set(g, s, of->stack, of->n_stack);
    s->hooks.machine = g;
    s->hooks.gauges = read_gauges;
    s->hooks.buffers = read_buffers;
    s->hooks.ports = units_ports(g);
    s->hooks.l2_ask_again = ask_l2_again;
    s->hooks.fetch_lines = fetch_lines;
    s->hooks.set_ways = set_ways;
}

/* What a launch alone has in L2 and DRAM it has there under numbers of its own. */
enum { APART_LINES = 1u << 31 };

/* Where the lines of the i-th launch begin that it shares with no other: all, or all but global memory. */
static uint32_t own_lines(const struct gpu *g, const struct launched *of)
{
    return of->is_same_program ? (uint32_t)((uint64_t)LOCAL_LINES * g->params->l1.line_bytes / l2_line_bytes(g->params))
                               : 0;
}

static void lay_out_sms(struct gpu *g, const struct share *s, const struct launched *of, struct arena *arena)
{
    const bool is_real = arena->base != NULL;
    for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms; i++) {
        sm_init(is_real ? &g->sms[i] : NULL, g->params, s->plan, &s->hooks, i, g->reply_link_cycles, arena);
        if (!is_real) continue;
        g->sms[i].map = &g->map;
        g->sms[i].sm = g->sms[i].l1.told_as = i - s->first_sm;
        g->sms[i].l1.apart_from = own_lines(g, of);
        g->sms[i].l1.apart = s->first_sm ? APART_LINES : 0;
        if (i) l1_follow(&g->sms[i].l1, &g->sms[0].l1);
    }
}

struct gpu *gpu_layout(struct arena *arena, const struct plan *plan, const struct gpu_params *params,
                       const struct mech_spec *stack, unsigned n_stack, bool no_skip)
{
    const struct launched alone = {plan, stack, n_stack, false};
    return gpu_layout_shares(arena, &alone, 1, params, no_skip);
}

struct gpu *gpu_layout_shares(struct arena *arena, const struct launched launched[], uint32_t n,
                              const struct gpu_params *params, bool no_skip)
{
    struct gpu measured, *in_arena = ARENA_TAKE(arena, struct gpu, 1), *g = in_arena ? in_arena : &measured;
    const bool is_real = in_arena != NULL;
    memset(g, 0, sizeof *g);
    g->params = params;
    g->no_skip = no_skip;
    g->n_shares = n;
    g->answers_at_once = memory_answers_at_once(params);
    g->banks_a_channel = params->l2.banks / params->dram.channels;
    for (uint32_t i = 0; i < n; i++) lay_out_share(g, &launched[i], i);
    clocks_init(&g->clocks, &params->clock, params->cpu.cores ? params->cpu.mhz : 0);
    plan_latencies(g);
    g->map = address_map_of(params);
    g->sms = ARENA_TAKE(arena, struct sm, params->core.sms);
    g->banks = ARENA_TAKE(arena, struct l2, params->l2.banks);
    g->channels = ARENA_TAKE(arena, struct dram, params->dram.channels);
    network_init(g, params, arena);
    for (uint32_t i = 0; i < n; i++) lay_out_sms(g, &g->shares[i], &launched[i], arena);
    for (uint32_t i = 0; i < params->l2.banks; i++) {
        l2_init(is_real ? &g->banks[i] : NULL, params, i, g->request_link_cycles, arena);
        if (is_real && i) l2_follow(&g->banks[i], &g->banks[0]);
    }
    for (uint32_t i = 0; i < params->dram.channels; i++) dram_init(is_real ? &g->channels[i] : NULL, params, i, arena);
    struct cpus *cpus = cpus_layout(g, params, arena);
    if (is_real) g->cpus = cpus;
    struct waiting *waiting = waiting_layout(arena, g->shares->plan, params);
    if (is_real) g->waiting = waiting;
    for (uint32_t i = 0; i < params->core.sms && is_real; i++) g->sms[i].waiting = waiting;
    if (is_real) gpu_join(g);
    if (is_real) skip_let_sleep(g);
    g->machine_bytes = arena->used;
    stack_place(g, arena);
    return in_arena;
}

struct stats_elsewhere gpu_elsewhere(const struct gpu *g)
{
    struct stats_elsewhere e = {0};
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        e.delivered += g->sms[i].l1.delivered;
        e.atomics_taken += g->sms[i].l1.atomics_taken;
        e.atomic_packets += g->sms[i].l1.atomic_packets;
    }
    return e;
}
