/* Output of poise sim, and what other commands share with it. Internal to the program. */
#ifndef POISE_SIM_PRINT_H
#define POISE_SIM_PRINT_H
#include "cli/options.h"
#include "poise/runner.h"

/* `check`: an object for the key of this name; `sampled`: more keys, of a program of which these launches are a sample;
 * it takes both. NULL: none. */
int sim_print_json(const struct gpu_params *params, const struct runner *runner, const struct run_job *jobs, size_t n,
                   struct json_t *check, struct json_t *sampled, struct error *err);
/* A row a launch, then what matters most of all of them together, or with `all` every counter. */
int sim_print_table(const struct run_job *jobs, size_t n, bool all, struct error *err);
/* The names that scripts written for GPGPU-Sim look for. */
int sim_print_gpgpusim(const struct gpu_params *params, const struct run_job *jobs, size_t n, struct error *err);
/* Statistics of all launches together; the caller's to free(). NULL when out of memory. */
struct gpu_stats *sim_total(const struct run_job *jobs, size_t n);

/* What their mechanisms counted together, in the order of the stack: a new list. */
struct json_t *sim_mechs(const struct run_job *jobs, size_t n);

int sim_config(struct gpu_params **out, const struct cli *cli, const char *config, const struct texts *set,
               struct error *err);
#endif
