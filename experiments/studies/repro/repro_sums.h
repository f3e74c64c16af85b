/* Sums over the launches of a benchmark. Internal to poise_lab. */
#ifndef POISE_REPRO_SUMS_H
#define POISE_REPRO_SUMS_H
#include "poise/repro.h"

/* A run's own words of its mechanisms into the benchmark's: counters and heat maps add, each `weight` times, peaks stay
 * the highest. Sums of weights other than 1 are not whole. */
void repro_add_mechs(struct json_t *into, const struct json_t *mechs, double weight);
/* A run's counters and its mechanisms'. Where `before` (or NULL) is the same run until an earlier cycle, and the launch
 * went on then, those after it: peaks are the whole run's. */
void repro_add_run(struct gpu_stats *stats, struct json_t *mechs, const struct run_result *r,
                   const struct run_result *before);
#endif
