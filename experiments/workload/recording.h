/* Running a program under the CUDA shim and keeping its traces. Internal to poise_lab. */
#ifndef POISE_RECORDING_H
#define POISE_RECORDING_H
#include <spawn.h>
#include "poise/workload.h"

/* posix_spawnp() of a process whose memory is laid out in the same way each time, where the system lets us: device
 * memory lies at fixed addresses, which a random layout may occupy, and where blocks of memory can grow depends on what
 * lies behind them. */
int spawn_without_random_layout(pid_t *pid, char *const argv[], const posix_spawn_file_actions_t *actions,
                                char *const env[]);

struct recording {
    char *const *argv;     /* the program and its arguments; NULL at the end */
    uint32_t max_launches; /* record so many, from the first; 0: all */
    const char *cuda_lib;  /* folder of our libcudart, for a program that may not know it; NULL: the program was linked
                            * with it */
    const char *dir;       /* where the traces are kept */
    const char *identity;  /* a hash as text: traces under another are recorded again */
    const volatile sig_atomic_t *stop; /* set: the program is ended, as interrupted; NULL: never */
    const char *folder;                /* it runs there; NULL: in ours */
    const char *failed_log;            /* what a program printed that failed is kept there; NULL: nowhere */
    const char *shown;                 /* as errors call it; NULL: argv[0] */
    bool ends;                         /* behind the last of max_launches; else it runs on */
    const char *cut_dir;               /* what a run wrote that its time limit ended; NULL: nothing of it is kept */
    const char *cut_identity;          /* the same for every max_launches: fewer launches come from there */
};
/* A CUDA program that is none of ours. */
struct program_run {
    const char *path, *stem; /* and how its folder of traces is called */
    const char *folder;      /* it runs there; NULL: in ours */
    const char *args;        /* its arguments, each with its '\0' */
    size_t n_args, args_size;
    const char *settings; /* of its environment, "NAME=VALUE" each with its '\0' */
    size_t n_settings, settings_size;
    uint32_t max_launches;  /* record so many, from the first; 0: all */
    uint64_t seconds;       /* it is ended then; 0: never */
    const char *failed_log; /* as of a recording */
};
/* A hash of the program, its arguments, the files that these name, and what of the environment matters. A program that
 * cannot run on our libraries is an error. */
int program_identity(char out[HASH_TEXT_SIZE], const struct program_run *run, struct error *err);
/* Adds its launches as launches of `w`; runs it where its traces are not kept. With max_launches the program ends
 * behind the last of these. */
int program_launches(struct launches *list, const struct lab_paths *paths, const struct program_run *run,
                     const char *identity, const struct workload *w, int size, struct error *err);
/* How many launches of it are kept, from the first, of a run that its time limit ended. */
size_t program_launches_cut(const struct lab_paths *paths, const struct program_run *run);
/* A workload's program and its arguments; argv points into it. */
enum { ARGUMENTS_MAX = 64 };
struct workload_command {
    char path[1024], input[16], knobs[sizeof((struct workload *)NULL)->knobs];
    char *argv[ARGUMENTS_MAX];
};
void workload_command(struct workload_command *out, const struct lab_paths *paths, const struct workload *w, int size,
                      int32_t input);
/* Runs argv with the settings, each "NAME=VALUE", in place of what the environment says of them, to its end. What it
 * prints goes to `log`, and ending with another status than 0 is an error that quotes the log's end; without a log the
 * status is in *status. */
int recording_execute(const struct recording *recording, const char *const *settings, size_t n_settings,
                      const char *log, int *status, struct error *err);
/* Adds the launches of a program, as launches of `w`; runs it if its traces are not kept. Safe between processes. A
 * program that fails is an error that quotes the end of what it printed. */
int recording_launches(struct launches *list, const struct lab_paths *paths, const struct recording *recording,
                       const struct workload *w, int size, int32_t input, struct error *err);
size_t recording_cut_launches(const struct recording *recording); /* that cut_dir has */
#endif
