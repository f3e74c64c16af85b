/* The CPU cores of a machine: what it asks of them (machine/cpus.h), and programs that start again. */
#include "machine/cpus.h"
#include "cpu/core.h"
#include "machine/network.h"

struct cpus {
    uint32_t n, running;   /* cores; those that have a program: the first */
    bool without_gpu;      /* the kernel is not launched */
    uint64_t gpu_runs;     /* how often the kernel has come to its end */
    cycle_t gpu_first_end; /* core cycle */
    struct cpu_core cores[GPU_CPU_CORES];
};

static uint32_t port_of(const struct gpu *g, const struct cpu_core *c) { return g->params->core.sms + c->core; }
static struct cpu_core *core_at(struct gpu *g, uint32_t port) { return &g->cpus->cores[port - g->params->core.sms]; }

/* A core and the network. */
static void join(struct gpu *g, struct cpu_core *c)
{
    c->unit = (struct sleeper){.wake = &c->wake, .clocks = &g->clocks, .domain = DOMAIN_CPU};
    c->to_llc.ends = (struct queue_ends){.giver = &c->unit};
    c->from_llc.ends = (struct queue_ends){.taker = &c->unit, PORTS_OUTPUT(&g->replies, port_of(g, c))};
}

/* What the uncongested way to a hit takes without wires, and the wires that make up the difference. */
static void plan_wires(struct gpu *g)
{
    const struct gpu_params *p = g->params;
    const uint64_t *period = g->clocks.period, crossbar = period[DOMAIN_XBAR];
    g->cpu_request_link_cycles = g->request_link_cycles;
    g->cpu_reply_link_cycles = g->reply_link_cycles;
    if (!cpus_have_ports(p)) return;
    const uint64_t header = p->xbar.header_bytes, flit = p->cpu.llc_port_bytes, port = p->l2.data_port_bytes;
    const uint64_t flits = packet_flits(&p->xbar, (uint32_t)header, (uint32_t)flit) +
                           packet_flits(&p->xbar, (uint32_t)header + CPU_LINE_BYTES, (uint32_t)flit);
    const uint64_t goal = p->cpu.llc_round_trip_cycles * period[DOMAIN_CPU];
    const uint64_t fixed = flits * crossbar + (CPU_LINE_BYTES + port - 1) / port * period[DOMAIN_L2] +
                           (crossbar + period[DOMAIN_CPU]) / 2; /* waiting for its edge, on average */
    const uint64_t wires = goal > fixed ? (goal - fixed + crossbar / 2) / crossbar : 0;
    g->cpu_ports = p->l2.banks;
    g->cpu_request_link_cycles = (uint32_t)(wires / 2);
    g->cpu_reply_link_cycles = (uint32_t)(wires - wires / 2);
}

/* Ports of the banks for CPU cores, behind those for SMs. */
static void join_bank(struct gpu *g, struct l2 *bank, uint32_t port)
{
    bank->cpu->from.ends = (struct queue_ends){.taker = &bank->unit, PORTS_OUTPUT(&g->requests, port)};
    bank->cpu->to.ends = (struct queue_ends){.giver = &bank->unit, PORTS_INPUT(&g->replies, port)};
}

struct cpus *cpus_layout(struct gpu *g, const struct gpu_params *params, struct arena *arena)
{
    if (!params->cpu.cores) return NULL;
    struct cpus *s = ARENA_TAKE(arena, struct cpus, 1);
    plan_wires(g);
    for (uint32_t i = 0; i < params->cpu.cores; i++)
        cpu_core_init(s ? &s->cores[i] : NULL, params, i, g->cpu_reply_link_cycles, arena);
    for (uint32_t i = 0; i < params->l2.banks && cpus_have_ports(params); i++) {
        l2_add_cpu_ports(s ? &g->banks[i] : NULL, params, g->cpu_request_link_cycles, arena);
        if (s) join_bank(g, &g->banks[i], params->l2.banks + i);
    }
    if (!s) return NULL;
    s->n = params->cpu.cores;
    for (uint32_t i = 0; i < s->n; i++) join(g, &s->cores[i]);
    return s;
}

void cpus_start(struct gpu *g, const struct gpu_cpu_programs *programs)
{
    struct cpus *s = g->cpus;
    s->running = programs->n;
    s->without_gpu = programs->without_gpu;
    if (s->without_gpu) g->shares->n_ctas = 0;
    for (uint32_t i = 0; i < s->running; i++) cpu_core_start(&s->cores[i], programs->streams[i]);
    if (s->running) clocks_poke(&g->clocks, DOMAIN_CPU, 0);
}

/* ---- the crossbars ---- */

/* Called within the grant: what comes behind the request is offered after it (cpus_tick). */
struct request cpus_take_request(struct gpu *g, uint32_t port) { return request_fifo_pop(&core_at(g, port)->to_llc); }

void cpus_reply(struct gpu *g, uint32_t port, const struct reply *r, cycle_t left_at)
{
    struct cpu_core *c = core_at(g, port);
    reply_fifo_push(&c->from_llc, *r, clocks_convert(&g->clocks, DOMAIN_CPU, DOMAIN_XBAR, left_at));
    if (reply_fifo_has_room(&c->from_llc)) return;
    /* A full port is emptied; what stands first in it may have been there for long. */
    const cycle_t head = reply_fifo_ready_at(&c->from_llc),
                  now = clocks_cycle_from(&g->clocks, DOMAIN_CPU, g->clocks.time);
    sleeper_wake(&c->unit, head > now ? head : now);
}

/* ---- time ---- */

static void tick(struct gpu *g, struct cpu_core *c, cycle_t now)
{
    const uint32_t port = port_of(g, c);
    cpu_core_tick(c, now);
    network_see_cpu(g, port, &c->to_llc);
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
    if (!g->shares->n_ctas || !gpu_ctas_done(g)) return;
    g->clocks.running = DOMAIN_CPU;
    if (!s->gpu_runs++) s->gpu_first_end = now;
    if (cpus_done(g)) return;
    gpu_meter_resident(g, now);
    g->shares->n_ctas += g->shares->plan->launch.n_ctas;
    gpu_dispatch_ctas(g, now);
}

bool cpus_done(const struct gpu *g)
{
    const struct cpus *s = g->cpus;
    for (uint32_t i = 0; i < s->running; i++)
        if (!s->cores[i].runs) return false;
    return s->without_gpu || s->gpu_runs;
}

bool cpus_kernel_ended(const struct gpu *g) { return g->cpus && g->cpus->gpu_runs; }

/* Members of a mix that have come to their end start again: only the others are waited for. */
uint64_t cpus_progress(const struct gpu *g)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < cpus_count(g); i++) {
        const struct cpu_core *c = &g->cpus->cores[i];
        if (!c->runs) n += c->stats.cpu_insts + c->stats.cpu_fills;
    }
    return n;
}

void cpus_result(const struct gpu *g, struct gpu_cpu_result *out)
{
    const struct cpus *s = g->cpus;
    *out = (struct gpu_cpu_result){.gpu_cycles = s->gpu_first_end, .gpu_runs = s->gpu_runs, .n = s->running};
    for (uint32_t i = 0; i < s->running; i++) {
        const struct cpu_core *c = &s->cores[i];
        out->cycles[i] = c->first_end;
        out->runs[i] = c->runs;
        out->insts[i] = c->stream->counts.insts;
        out->stats[i] = stats_json(&cpu_stat_table, &c->stats);
    }
}

/* ---- the unit ---- */

uint32_t cpus_count(const struct gpu *g) { return g->cpus ? g->cpus->running : 0; }
cycle_t cpus_next(const struct gpu *g, uint32_t i) { return g->cpus->cores[i].wake; }

bool cpus_idle(const struct gpu *g, uint32_t i)
{
    (void)g, (void)i;
    return false; /* its program goes on until the run ends */
}

void cpus_dump(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    cpu_core_dump(&g->cpus->cores[i], text, size);
}

void cpus_finish(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    (void)stats; /* those of a core are its own */
    cpu_core_finish(&g->cpus->cores[i], end);
}
