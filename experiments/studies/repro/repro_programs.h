/* Whole programs of a study. Internal to poise_lab. */
#ifndef POISE_REPRO_PROGRAMS_H
#define POISE_REPRO_PROGRAMS_H
#include "poise/repro.h"
/* Fills the jobs' results: n_launches times spec->n_points of them, a launch's points side by side, launches of a
 * workload in order. `store`: the path beside which markings are left. */
int repro_run_programs(struct runner *runner, const struct repro_spec *spec, const char *store, struct run_job *jobs,
                       size_t n_launches, struct error *err);
/* The program's launches, in order, with traces that have the marking of this path: written to the folder `dir`, under
 * the same labels. */
int repro_mark_launches(struct launch *out, const struct launch *const *from, size_t n, const char *marking,
                        const char *dir, struct error *err);
/* Bytes of the path's folder with its slash; 0: it has none. */
int repro_folder_length(const char *path);
/* FOLDER/WHAT-NAME-POINTSUFFIX beside the store, without blanks. */
void repro_path_beside(char *out, size_t size, const char *store, const char *what, const char *name, const char *point,
                       const char *suffix);
#endif
