/* Watches every queue of the machine for Little's law: how many stand in it on average, how many came, how long each
 * stayed. Levels are read from the queues after every tick, arrivals from the units' own counters; who left is what
 * is missing. */
#ifndef GPU_WATCH_H
#define GPU_WATCH_H
#include "machine/machine.h"

void watch_begin(struct gpu_watch *watch);
void watch_sample(struct gpu_watch *watch, const struct gpu *gpu); /* after each base tick that ran */
void watch_end(struct gpu_watch *watch, const struct gpu *gpu);
#endif
