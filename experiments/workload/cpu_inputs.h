/* Inputs of the registry's CPU programs. Internal to poise_lab. */
#ifndef POISE_CPU_INPUTS_H
#define POISE_CPU_INPUTS_H
#include <stddef.h>
#include "poise/error.h"

/* Raised when a generator, a file of datasets/cpu or the way of recording changes. */
enum { CPU_INPUTS_VERSION = 2 };
/* Input `name` as an open file of its own, without a path; -1 with an error. words, pairs, few (of them), noise and
 * source are made; d/NAME is a copy of a file of datasets/cpu. */
int cpu_input_open(const char *name, struct error *err);
/* The C compiler proper, which gcc starts. */
int cpu_compiler_path(char *out, size_t size, struct error *err);
#endif
