#ifndef GPU_REPLAY_H
#define GPU_REPLAY_H
#include "machine/machine.h"

/* The line requests of CTAs first .. last - 1 of the launch that runs on `gpu` reach its L2 without time, for CTAs that
 * do not run. Counters stay as they are. Not for an L2 about which mechanisms decide. */
int replay_into(struct gpu *gpu, const struct plan *plan, uint32_t first, uint32_t last, struct error *err);
#endif
