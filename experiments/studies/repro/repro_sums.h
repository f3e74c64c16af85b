/* Sums over the launches of a benchmark. Internal to poise_lab. */
#ifndef POISE_REPRO_SUMS_H
#define POISE_REPRO_SUMS_H
#include "poise/repro.h"

/* A run's own words of its mechanisms into the benchmark's: counters and heat maps add, each `weight` times, peaks stay
 * the highest. Sums of weights other than 1 are not whole. */
void repro_add_mechs(struct json_t *into, const struct json_t *mechs, double weight);
#endif
