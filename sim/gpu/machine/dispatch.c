/* CTAs go to SMs that can hold them, in turn, and the time in which the machine is full of them is counted. */
#include "machine/machine.h"

/* Before the number of resident CTAs changes: accounts for the time it held. */
void gpu_meter_resident(struct gpu *g, cycle_t now)
{
    const uint64_t resident = g->next_cta - g->ctas_done,
                   allowed = (uint64_t)g->plan->ctas_per_sm * g->params->core.sms;
    if (resident * 10 >= allowed * 9) g->full_cycles += now - g->resident_since;
    g->resident_since = now;
}

void gpu_dispatch_ctas(struct gpu *g, cycle_t now)
{
    for (bool gave = true; gave && g->next_cta < g->n_ctas;) {
        gave = false;
        for (uint32_t i = 0; i < g->params->core.sms && g->next_cta < g->n_ctas; i++) {
            if (!sm_can_take_cta(&g->sms[i]) || g->sms[i].unpublished) continue;
            /* it may be launched again (cpus.h) */
            sm_take_cta(&g->sms[i], g->next_cta++ % g->plan->launch.n_ctas, now);
            sleeper_wake(&g->sms[i].unit, now + 1);
            gave = true;
        }
    }
}

void gpu_replace_ctas(struct gpu *g, cycle_t now)
{
    gpu_meter_resident(g, now);
    g->ctas_done = 0;
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        g->ctas_done += (uint32_t)g->sms[i].stats.ctas - g->sms[i].unpublished;
        if (!g->sms[i].unpublished) g->sms[i].cta_finished = false;
    }
    gpu_dispatch_ctas(g, now);
}
