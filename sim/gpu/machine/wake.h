/* What makes units look again without any queue: a change of mind. */
#ifndef GPU_WAKE_H
#define GPU_WAKE_H
#include "machine/machine.h"

/* A policy of L2 has changed its mind: whoever waits with its victim chosen, or for a line to be free, asks again. */
static inline void gpu_ask_l2_again(struct gpu *g)
{
    for (uint32_t i = 0; i < g->params->l2.banks; i++) {
        g->banks[i].tags.changes++;
        sleeper_wake_next(&g->banks[i].unit);
    }
}
#endif
