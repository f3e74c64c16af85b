/* Microbenchmarks on the simulated machine beside published figures of GPUs. Internal to the program. */
#ifndef POISE_VALIDATE_MICROBENCH_H
#define POISE_VALIDATE_MICROBENCH_H
#include <stdio.h>
#include "poise/hardware.h"

/* ---- what was published ---- */
enum micro_gpu { MICRO_FERMI, MICRO_KEPLER, MICRO_VOLTA, MICRO_AMPERE, MICRO_GPUS };
extern const char *const micro_gpus[MICRO_GPUS];
struct micro_published {
    const char *name; /* of the figure */
    enum micro_gpu gpu;
    double value;
    const char *source; /* a key of micro_sources */
};
struct micro_source {
    const char *key, *text;
};
extern const struct micro_source micro_sources[];
extern const size_t n_micro_sources;
const struct micro_published *micro_published_of(const char *name, enum micro_gpu gpu); /* NULL: none */

/* ---- what is measured ---- */
extern const struct workload microbench_workload; /* in no registry */
enum { MICRO_FIGURES_MAX = 128, MICRO_POINTS_MAX = 16 };
struct micro_figure {
    char name[40], unit[40], doc[100];
    double value;
};
struct micro_curve {
    uint32_t kb[MICRO_POINTS_MAX];
    double cycles[MICRO_POINTS_MAX]; /* a load of the second round */
    size_t n;
};
struct micro_result {
    struct micro_figure figures[MICRO_FIGURES_MAX];
    size_t n;
    struct micro_curve l1, l2; /* by footprint */
};
/* Records the program where it is not recorded, and simulates all of its launches. */
int microbench(struct micro_result *out, const struct gpu_params *params, struct runner *runner,
               const struct lab_paths *paths, struct error *err);
/* The same figures from what was measured of the program `microbench` on a GPU, a row a launch. Those that lack a
 * launch are NAN. */
void microbench_measured(struct micro_result *out, const struct hardware *hardware);
/* `measured` may be NULL. */
struct json_t *microbench_json(const struct micro_result *result, const struct micro_result *measured);
void microbench_print(const struct micro_result *result, const struct micro_result *measured, FILE *out);
#endif
