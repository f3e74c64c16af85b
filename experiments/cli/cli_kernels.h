/* Kernels on a command line: names of the registry, traces, a program. Internal to the program. */
#ifndef POISE_CLI_KERNELS_H
#define POISE_CLI_KERNELS_H
#include "cli/options.h"
#include "poise/own_kernel.h"

struct kernel_choice {
    const struct texts *kernels;   /* --kernel: names or globs */
    const struct texts *traces;    /* --trace: files, globs or folders */
    const char *program;           /* --program; NULL: none */
    const struct texts *arguments; /* the program's, behind -- */
    const char *size;              /* of what the registry has; NULL: small */
};
/* Adds the launches. `registry` is loaded here if it is not, and owns the workloads of what is not in it. */
int cli_launches(struct launches *out, struct registry *registry, const struct cli *cli,
                 const struct kernel_choice *choice, struct error *err);
/* One workload's launches, or one of them; NULL: size small, the first input, all launches. */
int sim_launches(struct launches *out, struct registry *registry, const struct cli *cli, const char *kernel,
                 const char *size_name, const char *input, const char *launch, struct error *err);
/* No argument may stand on the command line but those of --program. */
int cli_check_arguments(const char *command, const char *program, const struct texts *arguments, struct error *err);

/* Launches that the model's file, or the dataset.csv that it was trained on and that lies beside it, has among the
 * training rows: each is told on stderr, and returned as a list of {launch, row} (the caller's). */
struct json_t *cli_warn_of_training(const char *model_path, const struct launches *launches);
/* A store whose folder is made if it is not there. */
int cli_open_store(struct store **out, const char *path, struct error *err);
#endif
