#include "cpu/cpus.h"

static uint32_t port_of(const struct gpu *g, const struct cpu_core *c) { return g->params->core.sms + c->core; }
static struct cpu_core *core_at(struct gpu *g, uint32_t port) { return &g->cpus->cores[port - g->params->core.sms]; }

struct cpus *cpus_layout(struct gpu *g, const struct gpu_params *params, struct arena *arena)
{
    if (!params->cpu.cores) return NULL;
    struct cpus *s = ARENA_TAKE(arena, struct cpus, 1);
    for (uint32_t i = 0; i < params->cpu.cores; i++)
        cpu_core_init(s ? &s->cores[i] : NULL, params, i, g->reply_link_cycles, arena);
    if (!s) return NULL;
    s->n = params->cpu.cores;
    return s;
}

void cpus_start(struct gpu *g, const struct gpu_cpu_programs *programs)
{
    struct cpus *s = g->cpus;
    s->running = programs->n;
    s->without_gpu = programs->without_gpu;
    if (s->without_gpu) g->n_ctas = 0;
    for (uint32_t i = 0; i < s->running; i++) cpu_core_start(&s->cores[i], programs->streams[i]);
    if (s->running) clocks_poke(&g->clocks, DOMAIN_CPU, 0);
}

/* ---- the crossbars ---- */

/* Puts a core's first request into arbitration. */
static void offer(struct gpu *g, const struct cpu_core *c)
{
    struct request *head = request_fifo_peek(&c->to_llc);
    const struct place place = address_l2(&g->map, head->line);
    head->bank = (uint16_t)place.bank;
    head->set = (uint16_t)place.set;
    ports_want(&g->requests, port_of(g, c), head->bank);
    clocks_poke_next(&g->clocks, DOMAIN_XBAR);
}

static void wake(struct gpu *g, struct cpu_core *c, cycle_t at)
{
    if (at < c->wake) c->wake = at;
    clocks_poke(&g->clocks, DOMAIN_CPU, c->wake);
}

/* Called within the grant: what comes behind the request is offered after it (cpus_tick). Its place wakes the core. */
struct request cpus_take_request(struct gpu *g, uint32_t port)
{
    struct cpu_core *c = core_at(g, port);
    wake(g, c, clocks_cycle_from(&g->clocks, DOMAIN_CPU, g->clocks.time));
    return request_fifo_pop(&c->to_llc);
}

/* `left_at`: the crossbar's cycle in which it arrives. */
void cpus_reply(struct gpu *g, uint32_t port, const struct reply *r, cycle_t left_at)
{
    struct cpu_core *c = core_at(g, port);
    const cycle_t at = clocks_convert(&g->clocks, DOMAIN_CPU, DOMAIN_XBAR, left_at);
    reply_fifo_push(&c->from_llc, *r, at);
    ports_set_room(&g->replies, port, reply_fifo_has_room(&c->from_llc));
    if (c->from_llc.count == 1) wake(g, c, at);
    if (reply_fifo_has_room(&c->from_llc)) return;
    /* A full port is emptied; what stands first in it may have been there for long. */
    const cycle_t head = reply_fifo_ready_at(&c->from_llc),
                  now = clocks_cycle_from(&g->clocks, DOMAIN_CPU, g->clocks.time);
    wake(g, c, head > now ? head : now);
}

/* ---- time ---- */

static void tick(struct gpu *g, struct cpu_core *c, cycle_t now)
{
    const uint32_t port = port_of(g, c);
    cpu_core_tick(c, now);
    if (!request_fifo_empty(&c->to_llc) && !ports_wants(&g->requests, port)) offer(g, c);
    if (!ports_has_room(&g->replies, port)) ports_set_room(&g->replies, port, reply_fifo_has_room(&c->from_llc));
}

cycle_t cpus_tick(struct gpu *g, cycle_t now)
{
    struct cpus *s = g->cpus;
    cycle_t next = NEVER;
    for (uint32_t i = 0; i < s->running; i++) {
        if (s->cores[i].wake <= now || g->no_skip) tick(g, &s->cores[i], now);
        if (s->cores[i].wake < next) next = s->cores[i].wake;
    }
    return next;
}

/* The kernel has come to its end. Those who ended before the others start again: the machine stays full. */
void cpus_launch_again(struct gpu *g, uint64_t time)
{
    struct cpus *s = g->cpus;
    const cycle_t now = clocks_cycle(&g->clocks, DOMAIN_CORE, time);
    if (!g->n_ctas || g->ctas_done != g->n_ctas) return;
    g->clocks.running = DOMAIN_CPU;
    if (!s->gpu_runs++) s->gpu_first_end = now;
    if (cpus_done(g)) return;
    gpu_meter_resident(g, now);
    g->n_ctas += g->plan->launch.n_ctas;
    gpu_dispatch_ctas(g, now);
}

bool cpus_done(const struct gpu *g)
{
    const struct cpus *s = g->cpus;
    for (uint32_t i = 0; i < s->running; i++)
        if (!s->cores[i].runs) return false;
    return s->without_gpu || s->gpu_runs;
}
