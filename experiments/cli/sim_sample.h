/* poise sim --sample: a program by some of its launches. Internal to the program. */
#ifndef POISE_SIM_SAMPLE_H
#define POISE_SIM_SAMPLE_H
#include "cli/options.h"
#include "poise/program_sample.h"

/* Runs the sample over jobs, one a launch, and prints it. */
int sim_sample(struct runner *runner, const struct launches *launches, const struct gpu_params *params,
               struct run_job *jobs, const struct sample_options *options, bool json, struct error *err);
#endif
