/* Profiles between tables and stores. Internal to poise_lab and the program. */
#ifndef POISE_PROFILE_STORE_H
#define POISE_PROFILE_STORE_H
#include "poise/pipeline.h"
#include "poise/profile_csv.h"

/* partial: launches left out because they have some of their points and not all. */
struct profile_count {
    size_t launches, runs, missing, stale, partial;
};

/* The points of the profiled launches of a pipeline's spec that a store has, launches in the registry's order;
 * traces that are not kept yet are recorded. `kernels`: globs over names of workloads. With `whole` a launch that
 * has not all of them is left out (count.partial). `out` has its counter columns; the rest is filled in. */
int profile_export(struct profile_table *out, const struct pipeline_spec *spec, const struct pipeline_options *options,
                   struct store *store, const char *const *kernels, size_t n_kernels, bool whole,
                   struct profile_count *count, struct error *err);

/* Puts a table's runs into a store, where they count as simulated for whoever needs no other counters
 * (run_job.is_profile). Refused: another version of the model, another configuration than the preset and changes
 * give here, and a launch whose trace here is another. `launches`: the launches to know traces from; launches of the
 * table that are not among them are left out (count.missing). With `skips_stale` a launch whose trace is another is
 * left out as well (count.stale). */
int profile_import(struct store *store, const struct profile_table *table, const char *name,
                   const struct lab_paths *paths, const struct launches *launches, bool skips_stale,
                   struct profile_count *count, struct error *err);
/* The launches that a table names; traces that are not kept yet are recorded. */
int profile_launches(struct launches *out, const struct profile_table *table, const char *name,
                     const struct registry *registry, const struct lab_paths *paths,
                     const struct runner_options *options, struct error *err);

/* The pieces that these are made of. The run of a warp tuple; the machine of a table as its preset and changes are
 * here and now; the launch of a table among others (NULL: it is not there); whether that launch's trace is the
 * table's. */
int profile_job(struct run_job *job, const struct launch *launch, const struct gpu_params *params, struct warp_tuple at,
                const struct profile_table *t, struct error *err);
int profile_machine(struct gpu_params *params, const struct profile_table *table, const char *name,
                    const struct lab_paths *paths, struct error *err);
const struct launch *profile_find_launch(const struct launches *all, const struct profile_launch *l);
int profile_check_trace(const struct profile_launch *l, const struct launch *launch, const char *name,
                        struct error *err);

/* Simulates a part of a table's rows again, whatever version of the model they are of: `share` of each launch (a
 * fraction), at least PROFILE_RECHECK_LEAST rows or all that there are, drawn by `seed`. Where every counter of
 * every such row is as in the table, the table is given today's model version and configuration; otherwise the first
 * difference is the error, and the table is as it was. n_checked: rows that agreed. */
#define PROFILE_RECHECK_LEAST 5
int profile_recheck(struct profile_table *table, const char *name, const struct lab_paths *paths,
                    const struct launches *launches, const struct runner_options *options, double share, uint64_t seed,
                    size_t *n_checked, struct error *err);
#endif
