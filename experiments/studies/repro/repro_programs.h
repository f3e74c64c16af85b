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

/* Makes the networks of spec->networks, a pipeline, without its contenders; its folder is written to dir: NAME-networks
 * beside the store. Does nothing where the spec names none. */
int repro_networks_make(const struct repro_spec *spec, const struct repro_options *options, char *dir, size_t size,
                        struct error *err);
/* Mechanisms of the job whose parameter `model` is @network get the file of `dir` that has learned nothing of the
 * workload's family: its own, or that of all families where none of its launches was learned from. */
int repro_networks_fill(struct run_job *job, const char *dir, struct error *err);

struct ordered_machine {
    const char *name, *mech; /* as --mech has it */
};
/* Simulates the study's programs at their test size on its configuration, and executes each in the order of each
 * machine. */
void results_hold_in_order(const struct repro_data *data, const struct ordered_machine *machines, size_t n,
                           struct repro_report *report);
#endif
