/* The ways of poise validate that have files of their own. Internal to the program. */
#ifndef POISE_VALIDATE_MODES_H
#define POISE_VALIDATE_MODES_H
#include "cli/options.h"

struct validate_hardware {
    const char *path;    /* the folder or the file */
    const char *machine; /* in place of the file's; NULL: none */
    const struct texts *set;
    const char *explain, *out, *store; /* NULL: not given */
    uint64_t threads;
    bool json;
};
/* An exit status, or -1. */
int validate_hardware(struct cli *cli, const struct validate_hardware *options, struct error *err);
/* The microbenchmarks, beside those of `path` where it is not NULL. `machine` NULL: volta80. */
int validate_microbench(struct cli *cli, const struct validate_hardware *options, struct error *err);
/* Counters that a hardware.yaml may name beside those of poise stats. */
void validate_print_counters(void);
#endif
