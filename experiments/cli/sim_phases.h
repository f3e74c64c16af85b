/* Of poise sim: policies one after another within a launch, and who chooses the last one. Internal to the program. */
#ifndef POISE_SIM_PHASES_H
#define POISE_SIM_PHASES_H
#include "cli/options.h"
#include "poise/choice.h"
#include "poise/choice_study.h"
#include "poise/runner.h"

struct sim_phases {
    struct gpu_phases gpu;
    struct gpu_phase items[GPU_PHASES_MAX];
    struct choice_made made[GPU_PHASES_MAX];
    char names[GPU_PHASES_MAX][CHOICE_TEXT_MAX];
    struct choice_model model; /* k 0: none decides */
    unsigned first_trial;
    uint32_t policy_of[RESPONSE_FEATURES_MAX]; /* the model's policy whose trial a column is */
    char rule[HASH_TEXT_SIZE + 16];
};
/* Texts of --phase, "CYCLES --mech M --set K=V", and that of --choice or NULL; `machine` is what they change. */
int sim_phases_begin(struct sim_phases *out, const struct cli *cli, const struct texts *phases, const char *choice,
                     const struct gpu_params *machine, struct error *err);
/* The job's policy is the first one. */
int sim_phases_into(const struct sim_phases *phases, struct run_job *job, struct error *err);
void sim_phases_end(struct sim_phases *phases);
/* A line for each phase of the job's run, and what was chosen. */
void sim_phases_print(const struct run_job *job);
#endif
