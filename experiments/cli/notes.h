/* What a command does although nobody may have meant it: said once, on stderr. Internal to the program. */
#ifndef POISE_CLI_NOTES_H
#define POISE_CLI_NOTES_H
#include "poise/runner.h"

/* A note for each mechanism of the jobs' stacks that has no effect, each text once. */
void note_jobs(const struct run_job *jobs, size_t n);
/* A warning for the first launch whose program did work that is in no trace (poise/cuda_shim.h). */
void note_partial(const struct run_job *jobs, size_t n);
#endif
