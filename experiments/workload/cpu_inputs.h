/* Inputs of the registry's CPU programs. Internal to poise_lab. */
#ifndef POISE_CPU_INPUTS_H
#define POISE_CPU_INPUTS_H
#include <stddef.h>
#include "poise/error.h"

enum { CPU_INPUTS_VERSION = 1 }; /* raised when a generator or a file of datasets/cpu changes */
/* The path of input `name`: words, pairs, few (of them), noise and source are made in `folder` unless they are there;
 * d/NAME is a file of datasets/cpu; cc1 is the compiler behind gcc. */
int cpu_input_path(char *out, size_t size, const char *name, const char *folder, struct error *err);
#endif
