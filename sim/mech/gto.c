/* GTO: the baseline. Greedy-then-oldest is the scheduler itself (sim/gpu/core/scheduler.c); this row adds nothing,
 * so that the baseline can be named wherever a mechanism can. [THESIS §5.7.3] */
#include "poise/sys/hooks.h"

const struct mech_type mech_gto = {
    .name = "gto",
    .title = "greedy-then-oldest, all warps (the baseline)",
    .source = "THESIS 5.7.3",
    .params = {.owner = "gto"},
    .stats = {.owner = "gto"},
};
