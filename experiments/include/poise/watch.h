/* A look at a running sweep through its store. Reads only. */
#ifndef POISE_WATCH_H
#define POISE_WATCH_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/report.h"
struct json_t;

/* Provenance under which a sweep says what it is going to do: {runs, stored, began, only_best}: the runs that the
 * store will hold and held, and when it began, in seconds since 1970. */
#define WATCH_PLAN "plan:"
struct store;
/* Keeps it: `missing` runs of the sweep are not in the store. A run that was stopped once it had lost stands for the
 * whole run in a sweep with --only-best, and for nothing in another. */
int watch_keep_plan(struct store *store, const char *sweep, uint64_t missing, bool only_best, struct error *err);
/* DIR/store.sqlite, or a store's path: {store, plan, runs, failed, limited, bounded, warp_insts, planned, left,
 * runs_per_s, insts_per_thread_s, eta_s, failures[{workload, launch, message}], best[{launch, config, mechs, cycles,
 * speedup}]}. Nothing known: null. The caller's. */
int watch_read(struct json_t **out, const char *dir, struct error *err);
/* The same for people, with at most so many lines of best runs. */
void watch_print(const struct json_t *now, const struct report_style *style, size_t lines, FILE *out);
#endif
