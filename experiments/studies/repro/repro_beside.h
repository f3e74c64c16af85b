/* Kernels side by side: a study that chooses its runs by what it has measured. Internal to poise_lab. */
#ifndef POISE_REPRO_BESIDE_H
#define POISE_REPRO_BESIDE_H
#include "poise/repro.h"

int repro_run_beside(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                     struct error *err);
#endif
