/* poise kernels, mechs, params: what there is, from the tables that the program itself runs on. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/config_load.h"
#include "cli/kernel_about.h"
#include "cli/kernel_table.h"
#include "cli/mech_costs.h"
#include "cli/options.h"
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/terms.h"

struct list_options {
    const char *config;
    bool json, assumed, cost;
    bool lenient;
};
struct kernels_options {
    const char *size, *store;
    uint64_t threads;
    bool table, json;
};
static const struct option_row kernels_rows[] = {
    OPTION(kernels_options, table, 0, OPTION_FLAG, NULL, "measure them: five runs of every profiled launch"),
    OPTION(kernels_options, size, 0, OPTION_TEXT, "SIZE", "of the table: test, small (default), eval or full"),
    OPTION(kernels_options, store, 0, OPTION_TEXT, "FILE",
           "of the table: where runs are taken from and kept (results/kernels.sqlite)"),
    OPTION(kernels_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)"),
    OPTION(kernels_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};
static const struct option_row mech_rows[] = {
    OPTION(list_options, config, 0, OPTION_TEXT, "NAME", "the machine whose hardware is computed (default: kepler32)"),
    OPTION(list_options, cost, 0, OPTION_FLAG, NULL, "storage and area alone, with the papers' figures beside"),
    OPTION_LENIENT(list_options),
    OPTION(list_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};
static const struct option_row param_rows[] = {
    OPTION(list_options, assumed, 0, OPTION_FLAG, NULL, "only those that no source gives"),
    OPTION(list_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

static int refuse_arguments(const char *name, const struct texts *arguments, struct error *err)
{
    return arguments->n ? error_set(err, ERR_USAGE, "poise %s takes no argument '%s'", name, arguments->items[0]) : 0;
}

static json_t *workload_json(const struct workload *w)
{
    json_t *inputs = json_array(), *profiled = json_object();
    for (size_t i = 0; i < w->n_inputs; i++)
        if (w->inputs[i] >= 0) json_array_append_new(inputs, json_integer(w->inputs[i]));
    for (int size = 0; size < WORKLOAD_SIZES; size++) {
        json_int_t n = 0;
        for (size_t i = 0; i < w->n_profiled; i++)
            if (w->profiled[i].size == size) n += w->profiled[i].input == -1 ? (json_int_t)w->n_inputs : 1;
        json_object_set_new(profiled, workload_sizes[size], json_integer(n));
    }
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:s,s:s,s:s}", "name", w->name, "suite", w->suite, "set",
                     workload_sets[w->set], "class", w->class, "program", w->program, "inputs", inputs,
                     "profiled_launches", profiled, "doc", w->doc, "family", w->family, "split",
                     workload_splits[w->split]);
}

/* One line for programs that read it; where a terminal is too narrow the text goes on below. */
static void print_workload(const struct workload *w)
{
    enum { WIDE = 120 };
    const bool is_narrow = cli_line_width() < WIDE;
    printf("%-14s %-10s %-11s %-11s %-14s %2zu input%s", w->name, w->suite, workload_sets[w->set],
           workload_splits[w->split], w->family, w->n_inputs, w->n_inputs == 1 ? " " : "s");
    if (is_narrow) printf("\n    "), text_wrapped(stdout, w->doc, 4, cli_width(true));
    else printf("  %s\n", w->doc);
}

static int run_kernels(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct kernels_options *o = options;
    struct registry registry;
    if (o->table)
        return kernel_table(cli, &(struct kernel_table_options){arguments, o->size, o->store, o->threads, o->json},
                            err);
    if (o->size || o->store || o->threads)
        return error_set(err, ERR_USAGE, "--size, --store and --threads belong to poise kernels --table");
    if (arguments->n) return kernel_about(cli, arguments, o->json, err);
    if (registry_load(&registry, cli->paths.kernels, err) < 0) return -1;
    json_t *list = json_array();
    for (size_t i = 0; i < registry.n; i++) {
        const struct workload *w = &registry.workloads[i];
        if (o->json) json_array_append_new(list, workload_json(w));
        else print_workload(w);
    }
    registry_fini(&registry);
    if (!o->json) {
        json_decref(list);
        return 0;
    }
    json_t *out = lab_json();
    json_object_set_new(out, "kernels", list);
    return cli_print_json(out, err);
}

/* What a mechanism's hardware takes: printed, or as a list of parts. */
static json_t *costs(const struct mech_spec *spec, const struct gpu_params *machine, bool json)
{
    struct mech_cost rows[MECH_COSTS_MAX];
    uint32_t sms;
    const size_t n = mech_costs(spec, machine, rows, &sms);
    json_t *list = json_array();
    uint64_t sm = 0, gpu = 0;
    for (size_t i = 0; i < n; i++) {
        sm += rows[i].sm_bits;
        gpu += rows[i].gpu_bits;
        json_array_append_new(list, json_pack("{s:s,s:I,s:I}", "part", rows[i].what, "bits_per_sm",
                                              (json_int_t)rows[i].sm_bits, "bits_once", (json_int_t)rows[i].gpu_bits));
        if (!json)
            printf("  %8llu bits %-7s  %s\n",
                   (unsigned long long)(rows[i].sm_bits ? rows[i].sm_bits : rows[i].gpu_bits),
                   rows[i].sm_bits ? "an SM" : "once", rows[i].what);
    }
    if (n && !json)
        printf("  hardware with these parameters: %llu bits in each of %u SMs and %llu once, %.1f bytes in all\n",
               (unsigned long long)sm, sms, (unsigned long long)gpu, (double)(sm * sms + gpu) / 8);
    return list;
}

static int list_mech(const struct mech_type *type, const struct gpu_params *machine, bool json, json_t *list,
                     struct error *err)
{
    struct mech_spec spec;
    if (mech_new(&spec, type, err) < 0) return -1;
    if (!json) {
        printf("%s: %s [%s]\n", mech_name(type), mech_title(type), mech_source(type));
        params_help(mech_params(type), stdout);
    }
    json_t *parts = costs(&spec, machine, json), *mech = mech_spec_json(&spec);
    json_object_set_new(mech, "title", json_string(mech_title(type)));
    json_object_set_new(mech, "source", json_string(mech_source(type)));
    json_object_set_new(mech, "hardware", parts);
    json_array_append_new(list, mech);
    mech_free(&spec);
    return 0;
}

static int print_costs(const struct mech_type *asked, const struct gpu_params *machine, bool json, struct error *err)
{
    json_t *out = lab_json(), *config = gpu_params_json(machine);
    json_object_set(out, "config", json_object_get(config, "name"));
    json_object_set(out, "sms", json_object_get(json_object_get(config, "core"), "sms"));
    json_decref(config);
    const int result = mech_costs_list(out, asked, machine, json, err);
    if (json && result == 0) return cli_print_json(out, err);
    json_decref(out);
    return result;
}

static int run_mechs(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct list_options *o = options;
    if (arguments->n > 1) return error_set(err, ERR_USAGE, "poise mechs takes one name");
    if (arguments->n == 1 && !mech_find(arguments->items[0])) {
        struct mech_spec spec; /* the parser knows the nearest name */
        return mech_parse(&spec, arguments->items[0], err);
    }
    const struct mech_type *asked = arguments->n ? mech_find(arguments->items[0]) : NULL;
    if (asked && strcmp(mech_name(asked), arguments->items[0]) != 0)
        lab_note_old(stderr, arguments->items[0], mech_name(asked));
    struct gpu_params *machine = gpu_params_new();
    int result = machine ? 0 : error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (result == 0 && o->config) result = config_load(machine, o->config, cli, err);
    if (result == 0 && o->cost) result = print_costs(asked, machine, o->json, err);
    if (result < 0 || o->cost) {
        gpu_params_free(machine);
        return result;
    }
    json_t *out = lab_json(), *list = json_array();
    for (size_t i = 0; i < mech_count() && result == 0; i++)
        if (!asked || mech_at(i) == asked) result = list_mech(mech_at(i), machine, o->json, list, err);
    gpu_params_free(machine);
    json_object_set_new(out, "mechs", list);
    if (o->json && result == 0) return cli_print_json(out, err);
    json_decref(out);
    return result;
}

static json_t *row_json(const struct param_row *row, const char *owner)
{
    char unit[PARAM_TEXT_MAX];
    json_t *out = json_pack("{s:s,s:s,s:s,s:s,s:s}", "group", owner, "name", row->name, "unit",
                            params_unit(row, unit, sizeof unit), "source", row->source, "doc", row->doc);
    if (row->type != VALUE_TEXT) {
        json_object_set_new(out, "default", json_real(row->def));
        json_object_set_new(out, "min", json_real(row->min));
        json_object_set_new(out, "max", json_real(row->max));
    }
    if (row->published) {
        json_object_set_new(out, "published", json_string(row->published));
        json_object_set_new(out, "published_in", json_string(param_published_in(row)));
    }
    return out;
}

static void list_table(const struct param_table *table, const struct list_options *o, json_t *list)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct param_row *row = &table->rows[i];
        char unit[PARAM_TEXT_MAX];
        if (o->assumed && !strstr(row->source, "assumed")) continue;
        if (o->json) json_array_append_new(list, row_json(row, table->owner));
        else
            printf("%s.%-24s %-10g %-14s %s [%s]\n", table->owner, row->name, row->def,
                   params_unit(row, unit, sizeof unit), row->doc, row->source);
    }
}

static int run_params(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    (void)cli;
    const struct list_options *o = options;
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    if (refuse_arguments("params", arguments, err) < 0) return -1;
    json_t *out = lab_json(), *list = json_array();
    for (size_t i = 0; i < n; i++) list_table(&groups[i].table, o, list);
    for (size_t i = 0; o->assumed && i < mech_count(); i++) list_table(mech_params(mech_at(i)), o, list);
    json_object_set_new(out, "params", list);
    if (o->json) return cli_print_json(out, err);
    json_decref(out);
    return 0;
}

const struct command command_kernels = {"kernels",
                                        "list the workloads, describe some, or measure them",
                                        "[[--table] NAME...] [--json]",
                                        "NAME... prints what programs compute, how threads read memory, the sizes, and "
                                        "how they differ from the originals.\n"
                                        "--table records and simulates what the store lacks and prints a row for each "
                                        "workload: divergence degree (line requests a load), I_n,\n"
                                        "L1 hit rates at (max,max) and (1,1), hits within and between warps "
                                        "(kepler32), PerfX (fermi15), P_best (64x L1, kepler32), the class\n"
                                        "that follows, and the literature's. An interrupted measurement resumes. "
                                        "datasets/table.sh writes datasets/workloads.csv this way.\n",
                                        kernels_rows,
                                        COUNT_OF(kernels_rows),
                                        sizeof(struct kernels_options),
                                        run_kernels};
const struct command command_mechs = {"mechs",
                                      "list mechanisms, their parameters and the hardware they take",
                                      "[NAME] [--cost] [--config NAME] [--json]",
                                      NULL,
                                      mech_rows,
                                      COUNT_OF(mech_rows),
                                      sizeof(struct list_options),
                                      run_mechs};
const struct command command_params = {"params",
                                       "list the parameters of the machine, with their sources",
                                       "[--assumed] [--json]",
                                       NULL,
                                       param_rows,
                                       COUNT_OF(param_rows),
                                       sizeof(struct list_options),
                                       run_params};
