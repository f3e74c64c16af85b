/* Of poise sim: another launch on the second half of the SMs. Internal to the program. */
#ifndef POISE_SIM_BESIDE_H
#define POISE_SIM_BESIDE_H
#include "cli/options.h"
#include "poise/runner.h"

struct sim_beside {
    struct gpu_beside gpu;
    struct registry registry;
    struct launches launches; /* one */
    struct mech_spec stack[MECH_STACK_MAX];
};
/* What was asked for: a kernel or a trace, which of its launches, its mechanisms. */
struct sim_beside_choice {
    const char *what, *launch, *size;
    const struct texts *mechs;
    bool is_beside_trace; /* the first is a file */
};
int sim_beside_begin(struct sim_beside *out, const struct cli *cli, const struct sim_beside_choice *choice,
                     const struct launch *first, struct error *err);
void sim_beside_end(struct sim_beside *beside);
#endif
