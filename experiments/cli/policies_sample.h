/* poise policies --sample: speedups from some of a program's launches. Internal to the program. */
#ifndef POISE_POLICIES_SAMPLE_H
#define POISE_POLICIES_SAMPLE_H
#include "cli/options.h"
#include "poise/program_sample.h"

/* jobs: of each policy all launches, ready to run; the first policy is the baseline. Runs the sample and prints it. */
int policies_sample(struct runner *runner, const struct launches *launches, const struct gpu_params *params,
                    struct run_job *jobs, const char *const *names, size_t n_policies,
                    const struct sample_options *options, bool json, struct error *err);
#endif
