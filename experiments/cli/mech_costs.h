/* poise mechs --cost: storage and area of mechanisms and of L1's organisations, with the papers' figures beside. */
#ifndef POISE_MECH_COSTS_H
#define POISE_MECH_COSTS_H
#include "cli/options.h"
#include "poise/energy.h"

/* `asked` NULL: every mechanism. Adds "mechs" and "organisations" to `out`, or prints. */
int mech_costs_list(struct json_t *out, const struct mech_type *asked, const struct gpu_params *machine, bool json,
                    struct error *err);
#endif
