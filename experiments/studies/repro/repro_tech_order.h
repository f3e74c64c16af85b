/* Whether programs' results hold in the order in which a machine performs their atomics: rows and a check of a
 * study. */
#ifndef POISE_REPRO_TECH_ORDER_H
#define POISE_REPRO_TECH_ORDER_H
#include "poise/repro.h"

struct ordered_machine {
    const char *name, *mech; /* as --mech has it */
};
/* Simulates the study's programs at their test size on its configuration, and executes each in the order of each
 * machine. */
void results_hold_in_order(const struct repro_data *data, const struct ordered_machine *machines, size_t n,
                           struct repro_report *report);
#endif
