/* What rank 0 tells the others of a run, as JSON: everything that decides its result, and its key, so that the
 * reader knows that it understood. Internal to poise_lab. */
#ifndef POISE_RUNNER_MESSAGE_H
#define POISE_RUNNER_MESSAGE_H
#include "poise/runner.h"

/* A run that came: owned by itself. */
struct assignment {
    struct launch launch;
    struct run_job job;
    uint64_t batch, number;
    double seconds;
    struct assignment *next;
};
/* Texts are the caller's; NULL: out of memory. `config` says which of the configurations sent before. */
char *message_options(uint64_t batch, const struct runner_options *options);
char *message_run(const struct run_job *job, uint64_t batch, uint64_t number, size_t config);
int message_read_options(struct runner_options *out, uint64_t *batch, char **decoded_dir, const char *text, size_t size,
                         struct error *err);
/* Where only the numbers can be read, *out is there and -1 says why the run cannot be made. NULL: not even these. */
int message_read_run(struct assignment **out, struct gpu_params *const *configs, size_t n_configs, const char *text,
                     size_t size, struct error *err);
void assignment_free(struct assignment *a);
#endif
