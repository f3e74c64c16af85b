#ifndef GPU_CARRY_H
#define GPU_CARRY_H
#include "machine/machine.h"

int carry_load(const struct gpu_carry *carry, struct gpu *gpu, struct error *err);
int carry_save(struct gpu_carry *carry, struct gpu *gpu, struct error *err);
#endif
