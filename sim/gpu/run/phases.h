/* A run whose policy changes within the launch: struct gpu_phases. */
#ifndef GPU_PHASES_H
#define GPU_PHASES_H
#include "poise/simulation.h"

/* `limits` have phases. */
int phases_run(struct gpu_result *out, const struct gpu_limits *limits, const struct gpu_carry *carry,
               struct error *err);
#endif
