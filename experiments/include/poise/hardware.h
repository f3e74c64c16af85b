/* Measurements of a real GPU, and the same launches simulated: DIR/hardware.yaml of `poise validate --hardware`
 * (experiments/studies/validate/README.md). */
#ifndef POISE_HARDWARE_H
#define POISE_HARDWARE_H
#include <stdio.h>
#include "poise/runner.h"
#include "poise/suite.h"
#include "poise/trace.h"
struct json_t;

enum { HARDWARE_LAUNCHES_MAX = 256, HARDWARE_NAME_MAX = 48 };

/* ---- counters ---- */

/* What a launch's instructions are, as the machine takes them (sass.*). */
struct hardware_counts {
    uint64_t warp_insts, insts[TRACE_N_CLASSES]; /* warp instructions by class */
    uint64_t shared_requests, constant_requests; /* with at least one lane */
};
int hardware_count(struct hardware_counts *out, const struct launch *launch, const struct gpu_params *params,
                   const char *decoded_dir, struct error *err);
/* One that profilers have and we derive; every row of gpu_stat_table and every ratio is a counter besides. */
struct hardware_counter {
    const char *name, *unit, *doc;
    double (*value)(const struct gpu_stats *stats, const struct hardware_counts *counts);
};
extern const struct hardware_counter hardware_counters[];
extern const size_t n_hardware_counters;
bool hardware_has_counter(const char *name);
struct near_text hardware_near_counter(const char *name); /* as did_you_mean() */
double hardware_value(const char *name, const struct gpu_stats *stats, const struct hardware_counts *counts);

/* ---- hardware.yaml ---- */

struct hardware_measured {
    char name[HARDWARE_NAME_MAX];
    double value;
};
struct hardware_row {
    char name[96];
    char program[512]; /* SUITE/PROGRAM, a workload of ours, or the path of an executable */
    char size[16];     /* of a workload of ours; "": small */
    char kernel[256];
    struct suite_arguments arguments;
    uint32_t launches[HARDWARE_LAUNCHES_MAX]; /* among those of the kernel; none: all */
    size_t n_launches;
    bool is_fitted; /* figures of our model were fitted on it: its errors are reported apart */
    double cycles;  /* of a launch, as all that was measured: a mean over the launches; NAN: not measured */
    struct hardware_measured *measured;
    size_t n_measured;
    int line, column;
};
struct hardware {
    char file[1024], gpu[128], machine[512], source[512];
    struct hardware_row *rows;
    size_t n;
};
int hardware_parse(struct hardware *out, const char *name, const char *text, size_t size, struct error *err);
/* DIR/hardware.yaml, or a file. */
int hardware_load(struct hardware *out, const char *path, struct error *err);
void hardware_fini(struct hardware *hardware);
/* Whether a kernel's name is meant: as it is, by a pattern, or by the name that the source has for it. */
bool hardware_is_kernel(const char *kernel, const char *wanted);

/* Keeps the rows of this name or kernel, or with it as a part of one of both. ERR_USAGE where there is none. */
int hardware_keep(struct hardware *hardware, const char *kernel, struct error *err);

/* ---- the comparison ---- */

enum hardware_state { HARDWARE_SIMULATED, HARDWARE_NOT_FOUND, HARDWARE_FAILED };
extern const char *const hardware_states[];
struct hardware_result {
    const struct hardware_row *row;
    const struct gpu_params *params; /* borrowed */
    enum hardware_state state;
    char why[400]; /* it is not simulated */
    size_t n_launches;
    double cycles, error;          /* NAN: none */
    struct gpu_stats *stats;       /* sums over the launches; NULL: it is not simulated */
    struct hardware_counts counts; /* likewise */
};
/* A counter, or time, energy and power, as a mean over the launches; NAN where there is none. */
double hardware_ours(const struct hardware_result *result, const char *name);
/* The result's energy over all launches; false: it was not simulated. */
bool hardware_energy(const struct hardware_result *result, struct energy *out);
struct hardware_comparison {
    const struct hardware *hardware;
    struct hardware_result *results; /* in the file's order */
    size_t n;
};
struct hardware_overall {
    size_t kernels, not_found, failed;
    double mape, median, log_pearson, worst; /* NAN: no kernel has them */
    const char *worst_name;
};
/* Records what is not recorded and simulates every row. A row that cannot be is a result that says why. */
int hardware_compare(struct hardware_comparison *out, const struct hardware *hardware, const struct gpu_params *params,
                     struct runner *runner, struct registry *registry, const struct lab_paths *paths,
                     const char *decoded_dir, struct error *err);
void hardware_comparison_fini(struct hardware_comparison *comparison);
struct hardware_overall hardware_overall(const struct hardware_comparison *comparison);
/* Of rows whose `power_w` was measured, those that the model was fitted on or the others: mean absolute error, and how
 * many lie between our low and high. */
struct hardware_power {
    size_t kernels, within;
    double mape; /* NAN: no kernel */
};
struct hardware_power hardware_power(const struct hardware_comparison *comparison, bool is_fitted);

/* kernels, overall and counters; the caller's. */
struct json_t *hardware_json(const struct hardware_comparison *comparison);
void hardware_print(const struct hardware_comparison *comparison, FILE *out);
int hardware_csv(const struct hardware_comparison *comparison, FILE *out, struct error *err);
/* Counters, instruction classes and stalls of every row. */
int hardware_explain(const struct hardware_comparison *comparison, FILE *out, struct error *err);
struct json_t *hardware_explain_json(const struct hardware_comparison *comparison);
#endif
