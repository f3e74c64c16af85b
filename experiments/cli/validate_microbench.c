/* poise validate --microbench: latencies, throughputs, caches and bandwidths of a simulated machine. */
#include <jansson.h>
#include <stdlib.h>
#include "cli/sim_print.h"
#include "cli/validate_modes.h"
#include "poise/lab.h"
#include "studies/validate/microbench.h"

static void show(const char *machine, const struct micro_result *r, const struct micro_result *measured)
{
    printf("%s\n\n", machine);
    microbench_print(r, measured, stdout);
}

int validate_microbench(struct cli *cli, const struct validate_hardware *o, struct error *err)
{
    struct micro_result *r = calloc(2, sizeof *r), *measured = NULL;
    struct hardware hardware = {0};
    struct gpu_params *params = NULL;
    struct runner *runner = NULL;
    struct runner_options options;
    if (!r) return error_set(err, ERR_MEMORY, "out of memory for the figures");
    cli->paths.stop = cli->stop;
    cli_runner_options(cli, &options, o->threads);
    const char *machine = o->machine ? o->machine : "volta80";
    int result = o->path ? hardware_load(&hardware, o->path, err) : 0;
    if (result == 0 && o->path) microbench_measured(measured = r + 1, &hardware);
    if (result == 0) result = sim_config(&params, cli, machine, o->set, err);
    if (result == 0) result = runner_new(&runner, NULL, &options, err);
    if (result == 0) result = microbench(r, params, runner, &cli->paths, err);
    if (result == 0 && o->json) {
        json_t *out = lab_json();
        json_object_update_new(out, microbench_json(r, measured));
        json_object_set_new(out, "config", gpu_params_json(params));
        result = cli_print_json(out, err);
    } else if (result == 0) {
        show(machine, r, measured);
    }
    runner_free(runner);
    gpu_params_free(params);
    hardware_fini(&hardware);
    free(r);
    return result;
}
