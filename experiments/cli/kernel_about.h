/* What a workload's program computes, how it reads memory, its sizes, and how it differs from the original. Internal
 * to the program. */
#ifndef POISE_KERNEL_ABOUT_H
#define POISE_KERNEL_ABOUT_H
#include "cli/options.h"

/* Prints a paragraph for each workload of `names`, or as JSON `kernels[{name,program,doc,does,access,sizes,differs}]`.
 * An unknown name is an error with the nearest known one. */
int kernel_about(struct cli *cli, const struct texts *names, bool json, struct error *err);
#endif
