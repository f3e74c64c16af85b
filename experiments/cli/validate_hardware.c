/* poise validate --hardware: measurements of a GPU beside the simulated machine. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli_kernels.h"
#include "cli/sim_print.h"
#include "cli/validate_modes.h"
#include "poise/file.h"
#include "poise/hardware.h"
#include "poise/lab.h"
#include "report/report_internal.h"

/* A path of a configuration is one beside the file, else one from the current folder. */
static int load_machine(struct gpu_params **params, struct cli *cli, const struct validate_hardware *o,
                        const struct hardware *hardware, struct error *err)
{
    char beside[1600];
    const char *slash = strrchr(hardware->file, '/'), *machine = o->machine ? o->machine : hardware->machine;
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash - hardware->file + 1) : 0, hardware->file, machine);
    const bool is_beside = !o->machine && *machine != '/' && access(beside, R_OK) == 0;
    return sim_config(params, cli, is_beside ? beside : machine, o->set, err);
}

static int write_csv(const struct hardware_comparison *c, const char *dir, struct error *err)
{
    char path[4200], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for a table");
    snprintf(path, sizeof path, "%.4000s/hardware.csv", dir);
    if (hardware_csv(c, out, err) == 0) return file_write_stream(path, out, &text, &size, err);
    fclose(out);
    free(text);
    return -1;
}

/* hardware.csv and hardware-cycles.svg in a folder, which is made. */
static int write_files(const struct hardware_comparison *c, const char *dir, struct error *err)
{
    size_t n;
    if (file_make_folders(dir, err) < 0 || write_csv(c, dir, err) < 0) return -1;
    json_t *document = json_object(), *figures = hardware_json(c);
    report_hardware_section(report_section(document, "hardware", REPORT_HARDWARE_TITLE, "", REPORT_HARDWARE_TEXT),
                            figures);
    report_finish(document);
    const int result = report_figures(document, dir, &n, NULL, err);
    json_decref(figures);
    json_decref(document);
    return result;
}

static int show(const struct validate_hardware *o, const struct gpu_params *params, const struct hardware_comparison *c,
                struct error *err)
{
    if (o->out && write_files(c, o->out, err) < 0) return -1;
    if (!o->json && o->explain) return hardware_explain(c, stdout, err);
    if (!o->json) return hardware_print(c, stdout), 0;
    json_t *out = lab_json();
    json_object_update_new(out, hardware_json(c));
    if (o->explain) json_object_set_new(out, "explain", hardware_explain_json(c));
    json_object_set_new(out, "config", gpu_params_json(params));
    return cli_print_json(out, err);
}

int validate_hardware(struct cli *cli, const struct validate_hardware *o, struct error *err)
{
    struct hardware hardware;
    struct hardware_comparison c = {0};
    struct registry registry = {0};
    struct gpu_params *params = NULL;
    struct runner *runner = NULL;
    struct store *store = NULL;
    struct runner_options options;
    if (hardware_load(&hardware, o->path, err) < 0) return -1;
    cli->paths.stop = cli->stop;
    cli_runner_options(cli, &options, o->threads);
    int result = o->explain ? hardware_keep(&hardware, o->explain, err) : 0;
    if (result == 0) result = load_machine(&params, cli, o, &hardware, err);
    if (result == 0) result = registry_load(&registry, cli->paths.kernels, err);
    if (result == 0 && o->store) result = cli_open_store(&store, o->store, err);
    if (result == 0) result = runner_new(&runner, store, &options, err);
    if (result == 0)
        result = hardware_compare(&c, &hardware, params, runner, &registry, &cli->paths, cli->decoded, err);
    if (result == 0) result = show(o, params, &c, err);
    if (result == 0 && hardware_overall(&c).failed) result = 1;
    hardware_comparison_fini(&c);
    runner_free(runner);
    struct error later;
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    registry_fini(&registry);
    gpu_params_free(params);
    hardware_fini(&hardware);
    return result;
}

void validate_print_counters(void)
{
    for (size_t i = 0; i < n_hardware_counters; i++)
        printf("%-20s %-18s %s\n", hardware_counters[i].name, hardware_counters[i].unit, hardware_counters[i].doc);
    printf("%-20s %-18s %s\n", "insts_CLASS", "warp instructions", "executed, by class: insts_INT, insts_LOAD, ...");
    printf("Every counter of 'poise stats' may be named as well.\n");
}
