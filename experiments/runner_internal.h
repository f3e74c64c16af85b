/* Shared by runner.c and runner_isolated.c. */
#ifndef POISE_RUNNER_INTERNAL_H
#define POISE_RUNNER_INTERNAL_H
#include "poise/runner.h"
/* Fills the job's result from a child process under the limits of `options`. From any thread. */
void run_isolated(struct run_job *job, const struct plan *plan, const struct runner_options *options);
#endif
