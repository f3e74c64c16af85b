/* The table of workloads: what each one's profiled launches measure on the papers' machines. Internal to the
 * program. */
#ifndef POISE_KERNEL_TABLE_H
#define POISE_KERNEL_TABLE_H
#include "cli/options.h"

struct kernel_table_options {
    const struct texts *names; /* names or globs; none: all workloads */
    const char *size, *store;  /* NULL: small; NULL: results/kernels.sqlite */
    uint64_t threads;
    bool json;
};
/* Records and simulates what the store does not have, then prints the table: Markdown, or JSON. */
int kernel_table(struct cli *cli, const struct kernel_table_options *options, struct error *err);
#endif
