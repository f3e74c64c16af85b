/* Specs of kind choice: launches under each of some policies, of which a learner is to choose one for a launch before
 * or soon after it begins. A policy is a stack of mechanisms, changes to the machine, or both.
 *
 * Runs of a launch come in this order: the baseline (gto) on the unchanged machine, its first cycles alone (the
 * window), the policies, then the first cycles under the baseline and each policy (the trials). What a policy gains is
 * ln(its instructions a cycle / those of the baseline), up to the instruction at which its program reaches the cap. */
#ifndef POISE_CHOICE_STUDY_H
#define POISE_CHOICE_STUDY_H
#include "poise/sweep.h"

struct choice_study;
enum { CHOICE_BASELINE, CHOICE_WINDOW, CHOICE_FIRST_POLICY };
int choice_study_load(struct choice_study **out, const char *path, const char *configs_dir, struct error *err);
int choice_study_parse(struct choice_study **out, const char *name, const char *text, size_t size,
                       const char *configs_dir, struct error *err);
void choice_study_free(struct choice_study *study); /* accepts NULL */
const char *choice_study_name(const struct choice_study *study);
const struct gpu_params *choice_study_machine(const struct choice_study *study);
size_t choice_study_n(const struct choice_study *study);
/* "swl2: --mech swl,N=2": its name, and the options of `poise sim` that make it. */
const char *choice_study_policy(const struct choice_study *study, size_t policy);

/* Such a text as a machine and a stack: what it changes of `machine`; @models/ is the folder beside `configs_dir`. */
struct choice_made {
    struct gpu_params *params;
    struct mech_spec stack[MECH_STACK_MAX];
    unsigned n;
};
int choice_made_init(struct choice_made *out, const char *policy, const struct gpu_params *machine,
                     const char *configs_dir, struct error *err);
void choice_made_fini(struct choice_made *made);

/* The launches that the spec names, in its order. They refer to the study. */
int choice_study_launches(struct choice_study *study, const struct registry *registry, const struct lab_paths *paths,
                          struct launches *out, struct error *err);
/* Marks the launches of sealed families: of all families that occur one in so many, by a draw from the spec's seed. */
int choice_study_seal(const struct choice_study *study, const struct launches *launches, bool *is_sealed,
                      struct error *err);
/* choice_study_each() runs a launch. The caller frees each job (run_job_fini) and the list. */
size_t choice_study_each(const struct choice_study *study);
int choice_study_jobs(const struct choice_study *study, const struct launches *launches, struct run_job **out,
                      size_t *n, struct error *err);
/* ln of instructions a cycle of a run over another's; NAN where one of them failed. */
double choice_ratio(const struct run_job *run, const struct run_job *base);
/* What a policy gained over the baseline, and in its trial, as such ratios. `jobs` are those of one launch. */
double choice_study_gain(const struct run_job *jobs, size_t policy);
double choice_study_trial(const struct choice_study *study, const struct run_job *jobs, size_t policy);
#endif
