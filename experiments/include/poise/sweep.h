/* Sweep specs: kernels x machines x stacks of mechanisms with axes -> a list of runs.
 *
 * What may stand in a spec are the rows of studies/sweep/sweep_format.c, which 'poise help spec-sweep' prints with an
 * example. Unknown keys are errors that name line and column. Runs come in the order of the spec: launches, then
 * machines, then stacks. The columns of sweep.csv that a spec defines are formulas over statistics, in which baseline.X
 * is X of the first stack on the same launch and machine, and reference.X that of the same launch and stack on the
 * machine of `relative_to`. */
#ifndef POISE_SWEEP_H
#define POISE_SWEEP_H
#include "poise/program_sample.h"

struct sweep;
struct json_t;
int sweep_load(struct sweep **out, const char *path, const char *configs_dir, struct error *err);
int sweep_parse(struct sweep **out, const char *name, const char *text, size_t size, const char *configs_dir,
                struct error *err);
void sweep_free(struct sweep *sweep); /* accepts NULL */
const char *sweep_name(const struct sweep *sweep);

/* Stacks with every axis combination that the conditions allow, as texts for mech_parse joined by " + ". */
size_t sweep_n_stacks(const struct sweep *sweep);
const char *sweep_stack_text(const struct sweep *sweep, size_t i);
/* Machines: one for each preset and combination of the configuration's axes. */
size_t sweep_n_configs(const struct sweep *sweep);
/* "l1.ways=8", "volta80 l1.ways=8"; "" of one preset without axes */
const char *sweep_config_text(const struct sweep *sweep, size_t i);

/* What the speeds of machines are relative to: "MACHINE" or "MACHINE:STACK", by their texts; else the first of each. */
int sweep_set_reference(struct sweep *sweep, const char *text, struct error *err);
void sweep_reference(const struct sweep *sweep, size_t *config, size_t *stack);
/* Of every machine under every stack: core_cycles, the sum over launches that all of them brought to their end, and
 * speed, the harmonic mean over launches of the reference's cycles over its own:
 * {relative_to {config, mechs}, rows [{config, mechs, launches, core_cycles, speed}]}. */
int sweep_machines(const struct sweep *sweep, const struct run_job *jobs, size_t n, struct json_t **out,
                   struct error *err);

/* Records what is missing and adds the launches that the spec selects. */
int sweep_launches(struct sweep *sweep, const struct registry *registry, const struct lab_paths *paths,
                   struct launches *out, struct error *err);
/* launches x configs x stacks. The caller frees each job (run_job_fini) and the list. Jobs point into `sweep` and
 * `launches`. */
int sweep_jobs(const struct sweep *sweep, const struct launches *launches, struct run_job **out, size_t *n,
               struct error *err);
/* Simulates what finds the stack with the fewest core cycles of each launch and configuration (of the jobs given);
 * the others stop once they have lost. */
int sweep_run_best(const struct sweep *sweep, struct runner *runner, struct run_job *jobs, size_t n, struct error *err);
/* One row a launch and configuration: its best stack. The same bytes from bounded runs and from the whole grid. */
int sweep_write_best(const struct sweep *sweep, const struct run_job *jobs, size_t n, const char *path,
                     struct error *err);
/* Of whole programs, by samples of their launches: every stack, or the race for the best one. */
struct sweep_sampling {
    struct sample_options options;
    bool is_race, is_active; /* the best stack alone; of warp tuples a tenth is tried */
};
/* What the spec says of sampling, as --sample has it; NULL: nothing. */
const char *sweep_sample(const struct sweep *sweep);
/* jobs: all of sweep_jobs. Writes a row a program, machine and stack to `path`. *report: {programs[{program, input,
 * config, launches, best{mechs, core_cycles{value, low, high}}, share_of_grid, regret_at_most}], share_of_work, ..}. */
int sweep_run_sampled(const struct sweep *sweep, struct runner *runner, const struct launches *launches,
                      struct run_job *jobs, size_t n, const struct sweep_sampling *how, const char *path,
                      struct json_t **report, struct error *err);
/* One row a run: launch, configuration, stack and the main figures. */
int sweep_write_csv(const struct sweep *sweep, const struct run_job *jobs, size_t n, const char *path,
                    struct error *err);
/* Launches matching a selection; used by every command that names kernels. `pattern` is a glob; launches NULL = all. */
int select_launches(struct launches *out, const struct registry *registry, const struct lab_paths *paths,
                    const char *pattern, int size, const int32_t *inputs, size_t n_inputs, const uint32_t *indices,
                    size_t n_indices, bool profiled_only, struct error *err);
/* Copies a stack for another run. */
int stack_copy(struct mech_spec *out, unsigned *n_out, const struct mech_spec *from, unsigned n, struct error *err);
#endif
