/* The benchmark's parts. Times are CPU seconds of the measuring thread, the median of `reps`; a figure that needs
 * the wall clock says so. */
#ifndef BENCH_H
#define BENCH_H
#include <jansson.h>
#include "poise/clock.h"
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/sweep.h"

enum { REPS_MAX = 99, MACHINE_SAMPLES = 4096 };
struct machine_speed {
    int n;
    double turns_s[MACHINE_SAMPLES];
}; /* turns of a loop a second */
struct bench {
    struct lab_paths paths;
    struct registry registry;
    struct gpu_params *params;
    struct machine_speed *machine;
    int size, reps;
    bool json, no_exec;
};

/* Sorts the times. *spread (may be NULL): (largest - smallest) / median. */
double median(double *times, int n, double *spread);
/* The launches of a workload's program for one input, and the longest that is profiled (NULL if there is none). */
int bench_launches(const struct bench *b, const struct workload *w, int32_t input, struct launches *all,
                   const struct launch **longest, struct error *err);
/* Runs the plan once under `mech`; the CPU seconds of the run. */
int time_run(const struct plan *plan, const struct gpu_params *params, const char *mech, struct gpu_result *result,
             double *seconds, struct error *err);

/* Decodes every access of the trace, coalesces it and probes L1 tags (LRU, the machine's geometry), nothing else:
 * what any simulator must do. */
int bench_limit(const struct trace *trace, double *seconds, struct error *err);
/* Warp instructions a second of the executor over a workload's program: not recording, recording, and with the trace
 * at rest written out. */
struct exec_rates {
    double off, on, to_disk;
};
int bench_executor(const struct bench *b, const struct workload *w, struct exec_rates *out, struct error *err);
/* Each part appends what it measured to `out` and prints it unless b->json. */
int bench_reference(const struct bench *b, json_t *out, struct error *err);
int bench_cards(const struct bench *b, json_t *out, struct error *err); /* the reference on newer cards */
int bench_suite(const struct bench *b, json_t *out, struct error *err);
int bench_sweep(const struct bench *b, json_t *out, struct error *err);
/* The machine's speed now, a few milliseconds; and what all samples say. */
void bench_sample_machine(struct machine_speed *m);
void bench_machine(const struct bench *b, json_t *out);
/* Ratios of this table to the stored one. */
int bench_compare(const struct bench *b, const json_t *now, const char *path, struct error *err);
#endif
