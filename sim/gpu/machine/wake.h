/* Who has something to do, and when: what neighbours tell each other. */
#ifndef GPU_WAKE_H
#define GPU_WAKE_H
#include "machine/machine.h"

/* A bank of L2 has something to do from L2's cycle `at` on. */
static inline void gpu_wake_bank(struct gpu *g, struct l2 *bank, cycle_t at)
{
    if (at >= bank->wake) return; /* it is in the agenda by then */
    bank->wake = at;
    agenda_put(g->bank_agenda, bank->bank, at);
    clocks_poke(&g->clocks, DOMAIN_L2, at);
}

/* A policy of L2 has changed its mind: whoever waits with its victim chosen, or for a line to be free, asks again. */
static inline void gpu_ask_l2_again(struct gpu *g)
{
    for (uint32_t i = 0; i < g->params->l2.banks; i++) {
        g->banks[i].tags.changes++;
        gpu_wake_bank(g, &g->banks[i], clocks_after(&g->clocks, DOMAIN_L2));
    }
}

/* An SM has something to do from core cycle `at` on. */
static inline void gpu_wake_sm(struct gpu *g, struct sm *sm, cycle_t at)
{
    if (at < sm->wake) sm->wake = at;
    agenda_put(g->sm_agenda, sm->sm, at);
    clocks_poke(&g->clocks, DOMAIN_CORE, at);
}
#endif
