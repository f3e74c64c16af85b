/* Units of a kind side by side, on threads of the host (machine/crew.h): which may, and the exchange with what belongs to
 * all. In a cycle an SM meets nobody: what it sends is seen when the cycle is over, in the order of SMs, and what comes to
 * it has come before. Banks of L2 meet at their channel of DRAM alone, and go with it. What they tell others meanwhile (a
 * reply that waits, room in a queue, when somebody wakes) is told under the clocks' guard, and is the same in any
 * order. */
#include "machine/cpus.h"
#include "machine/skip.h"

#include <stdio.h>

void apart_do(struct gpu *g, struct crew *crew, const struct crew_items *due,
              void (*work)(const void *self, uint32_t item), const void *self)
{
    g->clocks.is_shared = true;
    crew_do(crew, due, work, self);
    g->clocks.is_shared = false;
}

bool apart_decides(const struct gpu *g, const struct crew_items *due, cycle_t now)
{
    if (!g->hooks.epoch.n) return false;
    for (uint32_t k = 0; k < due->n; k++)
        if (g->sms[due->item[k]].next_epoch <= now) return true;
    return false;
}

/* ---- whether a run may ---- */

const char *gpu_sms_share(const struct gpu_params *p, const struct mech_spec *stack, unsigned n_stack,
                          const struct gpu_limits *limits, char *text, size_t size)
{
    for (unsigned i = 0; i < n_stack; i++)
        if (!mech_keeps_sms_apart(stack[i].type)) {
            snprintf(text, size, "%s keeps state that SMs share", stack[i].type->name);
            return text;
        }
    if (p->cpu.cores) return "CPU cores share L2 with them";
    if (p->core.waiting) return "warps that wait for writes (core.waiting) look at counters that all share";
    if (p->ideal.memory != IDEAL_NONE) return "an idealised memory answers one request at a time";
    if (p->l1.organisation == L1_TSC && p->l1.tsc_mode >= TSC_DUEL) return "their L1s change modes together";
    if (limits && (limits->timeline || limits->watch)) return "it is recorded or watched";
    return NULL;
}

/* Banks at one channel share nothing with those at others. */
static bool banks_are_apart(const struct gpu *g)
{
    const struct l2 *bank = &g->banks[0];
    return !bank->policy && !bank->is_placed && !tags_learn_together(&bank->tags) && !g->hooks.l2_miss_route.call &&
           !cpus_count(g) && g->params->ideal.memory == IDEAL_NONE;
}

void apart_plan(struct gpu *g, struct crew *crew, const struct mech_spec *stack, const struct gpu_limits *limits)
{
    char ignored[100];
    g->sm_crew = crew && !gpu_sms_share(g->params, stack, g->n_mechs, limits, ignored, sizeof ignored) ? crew : NULL;
    g->memory_crew = crew && banks_are_apart(g) ? crew : NULL;
}
