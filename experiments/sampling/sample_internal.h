/* Shared by the files of this folder. */
#ifndef POISE_SAMPLE_INTERNAL_H
#define POISE_SAMPLE_INTERNAL_H
#include "poise/program_sample.h"
#include "runner/runner_internal.h"

/* What is drawn: a launch, or, where launches begin cold, all launches of one trace. */
struct sample_unit {
    size_t first;  /* launch */
    double weight; /* launches that it stands for */
    double part;   /* above 0: a long launch, of which a part is simulated, to this error */
};
struct program_sample {
    struct runner *runner;
    const struct launch *launches;
    size_t n, n_units;
    const struct gpu_params *params;
    struct sample_options options;
    bool is_coarse; /* clusters of a kernel and CTA size, two launches of each, to rank policies: few degrees of freedom
                     * make intervals wide, not wrong */
    bool has_parts; /* of some unit a part is simulated */
    struct sample_unit *units;
    size_t *unit_of;              /* of each launch */
    struct launch_counts *counts; /* of each unit */
    struct plan_lines *lines;
    uint64_t first_line;                    /* that the plans of launches that carry L2 over count from */
    uint64_t *groups, small_insts;          /* of units; of small launches, warp instructions */
    double *sizes, *traits, *above, *below; /* of units; the last two: room for what is estimated */
    size_t *cluster_of;                     /* of each unit */
    struct strata strata;
    struct stratified drawn;
    struct sample_work work;
};
/* Warp instructions that were simulated of a unit under the policy of `jobs`. */
uint64_t sample_insts_of(const struct program_sample *s, const struct run_job *jobs, size_t unit);
bool sample_unit_is_drawn(const struct program_sample *s, size_t unit);
/* The L2 that each launch wanted finds, in carries[i]; the caller's. */
int sample_warm(struct program_sample *s, const bool *wanted, struct gpu_carry **carries, struct error *err);
#endif
