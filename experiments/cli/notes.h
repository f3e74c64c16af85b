/* What a command does although nobody may have meant it: said once, on stderr. Internal to the program. */
#ifndef POISE_CLI_NOTES_H
#define POISE_CLI_NOTES_H
#include "poise/runner.h"

struct json_t;

/* A note for each mechanism of the jobs' stacks that has no effect, each text once, and for the first model that was
 * trained on another machine. Stacks and machines change every `step` jobs. */
void note_jobs(const struct run_job *jobs, size_t n, size_t step);
/* A note where one thread ticks the SMs of a run that may have several, and why. */
void note_cores(const struct run_job *jobs, size_t n);
/* A warning for the first launch whose program did work that is in no trace (poise/cuda_shim.h), and one for the first
 * whose threads accessed memory outside every allocation. */
void note_partial(const struct run_job *jobs, size_t n);
/* What is to be known of a run's traces before its figures are believed, into its run_info: `partial_launches` counts
 * launches whose program did work that is in no trace; `outside_allocations` counts the launches whose threads
 * accessed memory outside every allocation, and these accesses. A launch counts once, however many jobs it has; a
 * member is absent where it would count none. 0, or -1 when memory is short. */
int note_run_info(struct json_t *info, const struct run_job *jobs, size_t n, struct error *err);
#endif
