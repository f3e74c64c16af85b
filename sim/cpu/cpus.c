#include "cpu/cpus.h"

static uint32_t port_of(const struct gpu *g, const struct cpu_core *c) { return g->params->core.sms + c->core; }
static struct cpu_core *core_at(struct gpu *g, uint32_t port) { return &g->cpus->cores[port - g->params->core.sms]; }
static cycle_t cycle_from(const struct cpus *s, uint64_t time) { return (cycle_t)((time + s->period - 1) / s->period); }

struct cpus *cpus_layout(struct gpu *g, const struct gpu_params *params, struct arena *arena)
{
    if (!params->cpu.cores) return NULL;
    struct cpus *s = ARENA_TAKE(arena, struct cpus, 1);
    for (uint32_t i = 0; i < params->cpu.cores; i++)
        cpu_core_init(s ? &s->cores[i] : NULL, params, i, g->reply_link_cycles, arena);
    if (!s) return NULL;
    s->n = params->cpu.cores;
    s->period = g->clocks.period[DOMAIN_CORE] * params->clock.core_mhz / params->cpu.mhz;
    s->due_time = NEVER_TIME;
    return s;
}

void cpus_start(struct gpu *g, const struct gpu_cpu_programs *programs)
{
    struct cpus *s = g->cpus;
    s->running = programs->n;
    s->without_gpu = programs->without_gpu;
    if (s->without_gpu) g->n_ctas = 0;
    for (uint32_t i = 0; i < s->running; i++) cpu_core_start(&s->cores[i], programs->streams[i]);
    if (s->running) s->due_time = 0;
}

/* ---- the crossbars ---- */

/* Puts a core's first request into arbitration. */
static void offer(struct gpu *g, const struct cpu_core *c)
{
    struct request *head = request_fifo_peek(&c->to_llc);
    const struct place place = address_l2(&g->map, head->line);
    head->bank = (uint16_t)place.bank;
    head->set = (uint16_t)place.set;
    xbar_want(&g->requests, port_of(g, c), head->bank);
    clocks_poke_next(&g->clocks, DOMAIN_XBAR);
}

static void wake(struct cpus *s, struct cpu_core *c, cycle_t at)
{
    if (at < c->wake) c->wake = at;
    if (c->wake * s->period < s->due_time) s->due_time = c->wake * s->period;
}

/* Called within the grant: what comes behind the request is offered after it (cpus_tick). Its place wakes the core. */
struct request cpus_take_request(struct gpu *g, uint32_t port)
{
    struct cpu_core *c = core_at(g, port);
    wake(g->cpus, c, cycle_from(g->cpus, g->clocks.time));
    return request_fifo_pop(&c->to_llc);
}

/* `left_at`: the crossbar's cycle in which it arrives. */
void cpus_reply(struct gpu *g, uint32_t port, const struct reply *r, cycle_t left_at)
{
    struct cpus *s = g->cpus;
    struct cpu_core *c = core_at(g, port);
    const cycle_t at = cycle_from(s, left_at * g->clocks.period[DOMAIN_XBAR]);
    reply_fifo_push(&c->from_llc, *r, at);
    xbar_set_room(&g->replies, port, reply_fifo_has_room(&c->from_llc));
    if (c->from_llc.count == 1) wake(s, c, at);
}

/* ---- time ---- */

static void tick_core(struct gpu *g, struct cpu_core *c, cycle_t now)
{
    const uint32_t port = port_of(g, c);
    cpu_core_tick(c, now);
    if (!request_fifo_empty(&c->to_llc) && !xbar_wants(&g->requests, port)) offer(g, c);
    if (!xbar_has_room(&g->replies, port)) xbar_set_room(&g->replies, port, reply_fifo_has_room(&c->from_llc));
}

/* The kernel has come to its end. Those who ended before the others start again: the machine stays full. */
static void launch_again(struct gpu *g, uint64_t time)
{
    struct cpus *s = g->cpus;
    const cycle_t now = clocks_cycle(&g->clocks, DOMAIN_CORE, time);
    if (!s->gpu_runs++) s->gpu_first_end = now;
    if (cpus_done(g)) return;
    gpu_meter_resident(g, now);
    g->n_ctas += g->plan->launch.n_ctas;
    gpu_dispatch_ctas(g, now);
}

void cpus_tick(struct gpu *g, uint64_t time)
{
    struct cpus *s = g->cpus;
    g->clocks.running = DOMAIN_CORE; /* CPU cores stand behind all domains: what they do is seen in the next tick */
    if (s->due_time <= time && time % s->period == 0) {
        const cycle_t now = (cycle_t)(time / s->period);
        cycle_t next = NEVER;
        for (uint32_t i = 0; i < s->running; i++) {
            if (s->cores[i].wake <= now || g->no_skip) tick_core(g, &s->cores[i], now);
            const cycle_t at = g->no_skip ? now + 1 : s->cores[i].wake;
            if (at < next) next = at;
        }
        s->due_time = next == NEVER ? NEVER_TIME : next * s->period;
    }
    if (g->n_ctas && g->ctas_done == g->n_ctas) launch_again(g, time);
}

void cpus_go_on(struct gpu *g, uint64_t time)
{
    struct cpus *s = g->cpus;
    for (uint32_t i = 0; i < s->running && g->no_skip; i++) {
        const uint64_t at = cycle_from(s, time) * s->period;
        if (at < s->due_time) s->due_time = at;
    }
}

bool cpus_done(const struct gpu *g)
{
    const struct cpus *s = g->cpus;
    for (uint32_t i = 0; i < s->running; i++)
        if (!s->cores[i].runs) return false;
    return s->without_gpu || s->gpu_runs;
}

bool cpus_asleep(const struct gpu *g)
{
    for (uint32_t i = 0; i < g->cpus->running; i++)
        if (g->cpus->cores[i].wake != NEVER) return false;
    return true;
}

uint64_t cpus_insts(const struct gpu *g)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->cpus->running; i++) n += g->cpus->cores[i].stats.cpu_insts;
    return n;
}

void cpus_finish(struct gpu *g, cycle_t end)
{
    const cycle_t now = cycle_from(g->cpus, end * g->clocks.period[DOMAIN_CORE]);
    for (uint32_t i = 0; i < g->cpus->running; i++) cpu_core_finish(&g->cpus->cores[i], now);
}
