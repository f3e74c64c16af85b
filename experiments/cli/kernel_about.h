/* What a workload's program computes, how it reads memory, its sizes, and how it differs from the original. Internal
 * to the program. */
#ifndef POISE_KERNEL_ABOUT_H
#define POISE_KERNEL_ABOUT_H
#include "cli/options.h"

/* Prints a paragraph for each workload of `names`; an unknown name is an error with the nearest known one. */
int kernel_about(struct cli *cli, const struct texts *names, struct error *err);
#endif
