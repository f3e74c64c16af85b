/* Whole programs of a study. Internal to poise_lab. */
#ifndef POISE_REPRO_PROGRAMS_H
#define POISE_REPRO_PROGRAMS_H
#include "poise/repro.h"
/* Fills the jobs' results: n_launches times spec->n_points of them, a launch's points side by side, launches of a
 * workload in order. `store`: the path beside which markings are left. */
int repro_run_programs(struct runner *runner, const struct repro_spec *spec, const char *store, struct run_job *jobs,
                       size_t n_launches, struct error *err);
#endif
