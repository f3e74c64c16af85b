#include "run/watchdog.h"

#include <inttypes.h>
#include "machine/cpus.h"

/* Cycles without progress: of a run that goes on, and of one that a limit ends. */
enum { PATIENCE = 1000000, PATIENCE_AT_LIMIT = 16384 };

/* ---- progress ---- */

/* What rounds of waiting warps ask of memory has no end: of such a run instructions count, without those of repeated
 * rounds, and the writes that are waited for. */
static uint64_t kernel_progress(const struct gpu *g)
{
    uint64_t insts = 0, accesses = g->atomics_done;
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        const struct sm *sm = &g->sms[i];
        insts += sm->stats.warp_insts;
        accesses += sm->l1.stats.line_requests + reply_fifo_taken(&sm->replies) + sm->l1.delivered;
    }
    if (!g->waiting) return insts + accesses;
    return insts - waiting_repeated(g->waiting, g->sms) + g->waiting->performed;
}

/* Members of a mix that have come to their end start again: only the others are waited for. */
static uint64_t progress(const struct gpu *g)
{
    return (cpus_kernel_ended(g) ? 0 : kernel_progress(g)) + cpus_progress(g);
}

/* ---- patience ---- */

static uint64_t core_cycles(const struct gpu *g, enum domain d, uint64_t cycles)
{
    return cycles * g->clocks.period[d] / g->clocks.period[DOMAIN_CORE] + 1;
}

/* How long nothing may go on although all is well, in core cycles: ways through the machine one after another, writes
 * that stand before a read at DRAM, what a CPU core works out by itself, and what units of mechanisms say. */
static uint64_t longest_wait(const struct gpu *g)
{
    enum { WAYS = 16 };
    const struct gpu_params *p = g->params;
    const struct dram_params *d = &p->dram;
    const uint64_t queued = d->queue + d->write_queue + (uint64_t)g->banks_a_channel * p->l2.miss_queue,
                   access = d->tRP + d->tRCD + d->tCL + d->tWR + d->tCDLR + d->tFAW + d->tRFC;
    uint64_t cycles = (uint64_t)WAYS * (g->l2_alone_cycles + g->dram_alone_cycles + p->ideal.latency_cycles) +
                      core_cycles(g, DOMAIN_DRAM, queued * access);
    if (g->cpus) cycles += WAYS * core_cycles(g, DOMAIN_CPU, (uint64_t)p->cpu.l1_latency + p->cpu.l2_latency);
    for (uint32_t i = 0; i < g->shares->n_mechs; i++) {
        const struct mech_instance *m = &g->shares->mechs[i];
        if (m->type->unit && m->type->unit->longest_wait) cycles += m->type->unit->longest_wait(m->self);
    }
    return cycles;
}

bool watchdog_looks(struct watchdog *w, const struct gpu *g, uint64_t patience, uint64_t time)
{
    const uint64_t n = progress(g), most = patience ? patience : PATIENCE + longest_wait(g);
    for (uint64_t look; (look = w->look) * g->clocks.period[DOMAIN_CORE] <= time;) {
        if (n != w->last) w->last = n, w->progress = look;
        if (look - w->progress > most) return true;
        w->look = look + WATCHDOG_LOOK;
    }
    return false;
}

bool watchdog_stands(const struct watchdog *w, const struct gpu *g, uint64_t patience, uint64_t now)
{
    const uint64_t at_limit = PATIENCE_AT_LIMIT + longest_wait(g),
                   most = patience && patience < at_limit ? patience : at_limit;
    return progress(g) == w->last && now - w->progress > most;
}

/* ---- the error ---- */

/* CTAs of all launches. */
struct ctas {
    uint32_t n, begun, done;
};
static struct ctas ctas_of(const struct gpu *g)
{
    struct ctas sum = {0};
    for (const struct share *s = g->shares; s < g->shares + g->n_shares; s++)
        sum.n += s->n_ctas, sum.begun += s->next_cta, sum.done += s->ctas_done;
    return sum;
}

/* Nothing goes on, and warps wait for writes that do not come. */
static int waits_in_vain(const struct gpu *g, uint64_t now, const char *state, struct error *err)
{
    const struct ctas c = ctas_of(g);
    const uint32_t resident = c.begun - c.done, waiting = c.n - c.begun;
    error_set(err, ERR_DEADLOCK,
              "no warp can continue (core cycle %" PRIu64 ", %u of %u CTAs done, %u resident, %u not begun):\n%.600s",
              now, c.done, c.n, resident, waiting, state);
    return error_at(err, NULL, 0, -1,
                    waiting
                        ? "CTAs that wait for each other must be resident together, as they were when the program "
                          "ran: a machine with room for all (core.sms, or a preset with larger SMs), a grid that "
                          "fits (poise cuda --sms), or core.waiting=recorded"
                        : "the writes that they wait for are not performed: where those that wait keep the warps that "
                          "would write from issuing, core.scheduler=lrr is fair; core.waiting=recorded replays the "
                          "recorded rounds");
}

int watchdog_deadlock(const struct gpu *g, uint64_t now, struct error *err)
{
    char state[sizeof err->text];
    const struct ctas c = ctas_of(g);
    if (g->waiting && waiting_dump(g->waiting, g->sms, state, sizeof state)) return waits_in_vain(g, now, state, err);
    gpu_dump(g, state, sizeof state);
    error_set(err, ERR_DEADLOCK, "nothing can continue (core cycle %" PRIu64 ", %u of %u CTAs done):\n%.400s", now,
              c.done, c.n, state);
    return error_at(err, NULL, 0, -1,
                    "a barrier that some warps never reach, or mechanisms that together let no warp issue");
}
