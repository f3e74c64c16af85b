/* CTAs go to SMs that can hold them, in turn, and the time in which the machine is full of them is counted. Of launches
 * side by side the first has the first SMs, and each the same number of them, or one more. */
#include "machine/machine.h"

uint32_t share_first_sm(const struct gpu_params *params, uint32_t share, uint32_t n_shares)
{
    return (params->core.sms * share + n_shares - 1) / n_shares;
}

bool gpu_ctas_done(const struct gpu *g)
{
    for (const struct share *s = g->shares; s < g->shares + g->n_shares; s++)
        if (s->ctas_done != s->n_ctas) return false;
    return true;
}

cycle_t share_end(const struct gpu *g, const struct share *s, cycle_t end)
{
    return g->n_shares > 1 && s->end < end ? s->end : end;
}

/* Before the number of resident CTAs changes: accounts for the time it held. */
void gpu_meter_resident(struct gpu *g, cycle_t now)
{
    uint64_t resident = 0, allowed = 0;
    for (const struct share *s = g->shares; s < g->shares + g->n_shares; s++) {
        resident += s->next_cta - s->ctas_done;
        allowed += (uint64_t)s->plan->ctas_per_sm * s->n_sms;
    }
    if (resident * 10 >= allowed * 9) g->full_cycles += now - g->resident_since;
    g->resident_since = now;
}

static void dispatch(struct gpu *g, struct share *s, cycle_t now)
{
    for (bool gave = true; gave && s->next_cta < s->n_ctas;) {
        gave = false;
        for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms && s->next_cta < s->n_ctas; i++) {
            if (!sm_can_take_cta(&g->sms[i]) || g->sms[i].unpublished) continue;
            /* it may be launched again (cpus.h) */
            sm_take_cta(&g->sms[i], s->next_cta++ % s->plan->launch.n_ctas, now);
            sleeper_wake(&g->sms[i].unit, now + 1);
            gave = true;
        }
    }
}

void gpu_dispatch_ctas(struct gpu *g, cycle_t now)
{
    for (struct share *s = g->shares; s < g->shares + g->n_shares; s++) dispatch(g, s, now);
}

/* The launch is over, and others are not: its SMs are idle from now on, and its mechanisms decide nothing more. */
static void end_share(struct gpu *g, struct share *s, cycle_t now)
{
    s->end = now + 1;
    for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms; i++) {
        for (uint32_t k = 0; k < MECH_STACK_MAX; k++) g->sms[i].epoch_at[k] = NEVER;
        sm_plan_epoch(&g->sms[i]);
    }
}

void gpu_replace_ctas(struct gpu *g, cycle_t now)
{
    gpu_meter_resident(g, now);
    for (struct share *s = g->shares; s < g->shares + g->n_shares; s++) {
        s->ctas_done = s->passed_over;
        for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms; i++) {
            s->ctas_done += (uint32_t)g->sms[i].stats.ctas - g->sms[i].unpublished;
            if (!g->sms[i].unpublished) g->sms[i].cta_finished = false;
        }
        if (g->n_shares > 1 && s->ctas_done == s->n_ctas && s->end == NEVER) end_share(g, s, now);
    }
    gpu_dispatch_ctas(g, now);
}
