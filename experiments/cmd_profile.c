/* poise profile export|import: measured warp tuples as a table that others take over. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "profile_store.h"

struct profile_options { const char *store, *out, *counters; struct texts kernels; uint64_t threads; bool json; };
static const struct option_row rows[] = {
    OPTION(profile_options, store, 0, OPTION_TEXT, "FILE", "the store (default: results/NAME/store.sqlite of the spec; import: results/repro/store.sqlite)"),
    OPTION(profile_options, out, 'o', OPTION_TEXT, "FILE", "export: write here (default: standard output)"),
    OPTION(profile_options, kernels, 0, OPTION_TEXTS, "GLOB", "export: workloads of this name alone (may be repeated)"),
    OPTION(profile_options, counters, 0, OPTION_TEXT, "all", "export: every counter of the simulator, not those that features, tables and maps need"),
    OPTION(profile_options, threads, 0, OPTION_WHOLE, "N", "programs recorded at a time (default: as many as there are processors)"),
    OPTION(profile_options, json, 0, OPTION_FLAG, NULL, "print what was done as JSON"),
};

static int say(const struct profile_options *o, const char *what, const struct profile_count *n, double seconds, FILE *text, struct error *err)
{
    if (!o->json) return fprintf(text, "%s: %zu launches, %zu runs, %zu missing, %.0f core-seconds\n", what, n->launches, n->runs, n->missing, seconds) < 0;
    json_t *out = lab_json();
    json_object_set_new(out, "launches", json_integer((json_int_t)n->launches));
    json_object_set_new(out, "runs", json_integer((json_int_t)n->runs));
    json_object_set_new(out, "missing", json_integer((json_int_t)n->missing));
    json_object_set_new(out, "core_seconds", json_real(seconds));
    return cli_print_json(out, err);
}

static int add_columns(struct profile_table *t, const struct profile_options *o, struct error *err)
{
    if (o->counters && strcmp(o->counters, "all") != 0) return error_set(err, ERR_USAGE, "--counters %s: all, or leave it out", o->counters);
    for (size_t i = 0; i < n_profile_default_counters; i++)
        if (profile_table_column(t, profile_default_counters[i], err) < 0) return -1;
    for (size_t i = 0; o->counters && i < gpu_stat_table.n_rows; i++) {
        bool is_default = false;
        for (size_t k = 0; k < n_profile_default_counters; k++) is_default |= strcmp(profile_default_counters[k], gpu_stat_table.rows[i].name) == 0;
        if (!is_default && profile_table_column(t, gpu_stat_table.rows[i].name, err) < 0) return -1;
    }
    return 0;
}

static int write_table(const struct profile_table *t, const char *path, struct error *err)
{
    if (!path) return profile_table_print(t, stdout, err);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int result = out ? profile_table_print(t, out, err) : error_set(err, ERR_MEMORY, "%s: out of memory", path);
    if (out && fclose(out) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "%s: out of memory", path);
    if (result == 0) result = file_write(path, text, size, err);
    free(text);
    return result;
}

static int export_table(struct cli *cli, const struct profile_options *o, const char *spec_path, struct error *err)
{
    struct pipeline_spec spec;
    struct profile_table table = {0};
    struct profile_count count;
    struct store *store = NULL;
    struct error later;
    char path[300];
    if (o->json && !o->out) return error_set(err, ERR_USAGE, "poise profile export --json needs -o FILE: the table itself goes to standard output");
    if (pipeline_spec_load(&spec, spec_path, err) < 0) return -1;
    snprintf(path, sizeof path, "results/%s/store.sqlite", spec.name);
    struct pipeline_options p = {.paths = cli->paths};
    cli_runner_options(cli, &p.runner, o->threads, NULL);
    int result = store_open_read(&store, o->store ? o->store : path, err);
    if (result == 0) result = add_columns(&table, o, err);
    if (result == 0) result = profile_export(&table, &spec, &p, store, o->kernels.items, o->kernels.n, &count, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    if (result == 0) result = write_table(&table, o->out, err);
    if (result == 0) result = say(o, o->out ? o->out : "exported", &count, profile_table_seconds(&table), stderr, err);
    profile_table_fini(&table);
    return result;
}

static int import_one(struct cli *cli, const struct profile_options *o, const char *path, const struct registry *registry, struct store *store,
                      struct profile_count *sum, double *seconds, struct error *err)
{
    struct profile_table table;
    struct launches launches = {0};
    struct profile_count count;
    struct runner_options runner;
    cli_runner_options(cli, &runner, o->threads, NULL);
    if (profile_table_read(&table, path, err) < 0) return -1;
    int result = profile_launches(&launches, &table, path, registry, &cli->paths, &runner, err);
    if (result == 0) result = profile_import(store, &table, path, &cli->paths, &launches, &count, err);
    if (result == 0) {
        sum->launches += count.launches;
        sum->runs += count.runs;
        *seconds += profile_table_seconds(&table);
    }
    launches_fini(&launches);
    profile_table_fini(&table);
    return result;
}

static int import_tables(struct cli *cli, const struct profile_options *o, const struct texts *words, struct error *err)
{
    struct registry registry;
    struct store *store = NULL;
    struct error later;
    struct profile_count sum = {0};
    double seconds = 0;
    if (o->out || o->counters || o->kernels.n) return error_set(err, ERR_USAGE, "poise profile import takes FILE..., --store and --threads");
    if (registry_load(&registry, cli->paths.kernels, err) < 0) return -1;
    const char *path = o->store ? o->store : "results/repro/store.sqlite";
    int result = store_open(&store, path, err);
    for (size_t i = 1; i < words->n && result == 0; i++) result = import_one(cli, o, words->items[i], &registry, store, &sum, &seconds, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    registry_fini(&registry);
    return result == 0 ? say(o, path, &sum, seconds, stdout, err) : -1;
}

static int run(struct cli *cli, const void *options, const struct texts *words, struct error *err)
{
    const char *verb = words->n ? words->items[0] : "";
    if (strcmp(verb, "export") == 0 && words->n == 2) return export_table(cli, options, words->items[1], err);
    if (strcmp(verb, "import") == 0 && words->n >= 2) return import_tables(cli, options, words, err);
    return error_set(err, ERR_USAGE, "usage: poise profile export SPEC [-o FILE] | import FILE... [--store FILE]");
}

const struct command command_profile = {"profile", "measured warp tuples as CSV, out of a store and into one", "export SPEC [-o FILE] | import FILE... [--store FILE]",
    "export writes what the store has of the points of a pipeline's profiled launches. import checks version of the simulation model,\n"
    "configuration and the hash of every trace, and refuses the file where one differs; its runs are then not simulated again.\n",
    rows, COUNT_OF(rows), sizeof(struct profile_options), run};
