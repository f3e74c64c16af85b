#ifndef GPU_CARRY_H
#define GPU_CARRY_H
#include "machine/machine.h"

int carry_load(const struct gpu_carry *carry, struct gpu *gpu, struct error *err);
int carry_save(struct gpu_carry *carry, struct gpu *gpu, struct error *err);
/* From one machine to another of the same L2, within a launch. `keeps_l1`: both have the same L1. */
int carry_over(struct gpu *to, struct gpu *from, bool keeps_l1, struct error *err);
#endif
