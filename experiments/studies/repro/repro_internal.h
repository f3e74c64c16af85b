/* What the files that run studies share. Internal to poise_lab. */
#ifndef POISE_REPRO_INTERNAL_H
#define POISE_REPRO_INTERNAL_H
#include "poise/pipeline.h"
#include "poise/repro.h"
#include "poise/yaml.h"

/* ---- what runs need before they begin: SWL's warp limits and traces with a marking ---- */

enum { REPRO_MARKINGS_MAX = 8 };
struct repro_prepared {
    uint32_t *limits; /* of each launch; NULL: no point asks for one */
    struct {
        const char *marking;     /* of the spec */
        struct launch *launches; /* each launch with this marking */
    } marked[REPRO_MARKINGS_MAX];
    size_t n_marked;
};
/* For a study that neither prepares nor samples its runs: a spec with @swl, whose stacks have no limit yet, or with a
 * sample is an error. */
int repro_refuse_keys(const struct repro_spec *spec, const char *study, struct error *err);
/* Limits by simulation on the unchanged machine. `marks`: traces get the markings here, beside the store; runs of whole
 * programs see to it themselves. */
int repro_prepare(struct repro_prepared *out, const struct repro_spec *spec, const struct launches *launches,
                  struct runner *runner, const struct gpu_limits *limits, const char *store, bool marks,
                  struct error *err);
/* Of a job of that launch under that point, whose stack is there. */
int repro_prepare_job(const struct repro_prepared *prepared, const struct repro_spec *spec, size_t launch, size_t point,
                      struct run_job *job, struct error *err);
void repro_prepared_fini(struct repro_prepared *prepared);

/* ---- whole programs ---- */

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

/* ---- `combine` of a spec: points put together ---- */

/* Adds the points that the spec's `combine` asks for, behind those that it names. A combination that no machine has is
 * no point: it stands among the refusals with the reason. */
int repro_combine(struct repro_spec *spec, const struct yaml_file *file, struct error *err);
/* In a spec that combines points, one that the machine in use cannot be is a refusal, and not a mistake of the spec.
 * False: the spec does not combine. */
bool repro_refuse_point(struct repro_spec *spec, const struct yaml_file *file, const char *name,
                        const struct error *why);

/* ---- the file of evaluations of sealed workloads, datasets/sealed.csv ---- */

/* An error where the file is not here or cannot be written: an evaluation that could not be recorded is not begun. */
int looks_writable(const struct repro_options *options, struct error *err);
/* Refuses an evaluation of workloads that are sealed no more, and one with a model (a contender's "@models/FILE") that
 * says it was trained on a family which the spec evaluates. */
int looks_check(const struct repro_options *options, const struct pipeline_spec *spec, struct error *err);
/* A line with the date, before anything is simulated, so that an evaluation that is interrupted stands there too. */
int looks_begin(const struct repro_study *study, const struct repro_options *options, struct error *err);
/* A line for every figure that stands alone: what was seen of the sealed workloads cannot be unseen. */
int looks_end(const struct repro_study *study, const struct repro_options *options, const struct repro_report *report,
              struct error *err);
#endif
