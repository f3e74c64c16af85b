/* poise cpu run: one mix. Internal to the program. */
#ifndef POISE_CPU_RUN_H
#define POISE_CPU_RUN_H
#include "cli/options.h"

struct cpu_run {
    const char *kernel, *launch, *size, *config;
    const struct texts *set, *mech;
    uint64_t insts, threads;
    bool json, no_skip;
};
/* `programs`: names of the registry or .cpu files. */
int cpu_run(struct cli *cli, const struct cpu_run *how, const char *const *programs, size_t n, struct error *err);
#endif
