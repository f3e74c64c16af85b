/* poise validate --microbench: latencies, throughputs, caches and bandwidths of a simulated machine. */
#include <jansson.h>
#include <stdlib.h>
#include "cli/sim_print.h"
#include "cli/validate_modes.h"
#include "poise/lab.h"
#include "studies/validate/microbench.h"

int validate_microbench(struct cli *cli, const char *machine, const struct texts *set, uint64_t threads, bool json,
                        struct error *err)
{
    struct micro_result *r = malloc(sizeof *r);
    struct gpu_params *params = NULL;
    struct runner *runner = NULL;
    struct runner_options options;
    char decoded[600];
    if (!r) return error_set(err, ERR_MEMORY, "out of memory for the figures");
    cli->paths.stop = cli->stop;
    snprintf(decoded, sizeof decoded, "%s/decoded", cli->paths.traces);
    cli_runner_options(cli, &options, threads, decoded);
    int result = sim_config(&params, cli, machine ? machine : "volta80", set, err);
    if (result == 0) result = runner_new(&runner, NULL, &options, err);
    if (result == 0) result = microbench(r, params, runner, &cli->paths, err);
    if (result == 0 && json) {
        json_t *out = lab_json();
        json_object_update_new(out, microbench_json(r));
        json_object_set_new(out, "config", gpu_params_json(params));
        result = cli_print_json(out, err);
    } else if (result == 0) {
        printf("%s\n\n", machine ? machine : "volta80");
        microbench_print(r, stdout);
    }
    runner_free(runner);
    gpu_params_free(params);
    free(r);
    return result;
}
