/* poise features: the features of launches, from runs at (W, W) and (1, 1). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_kernels.h"
#include "cli/features_coverage.h"
#include "cli/options.h"
#include "cli/sim_print.h"
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/sweep.h"

struct features_options {
    const char *kernel, *program, *launch, *size, *input, *config, *store;
    struct texts trace, set;
    uint64_t threads;
    bool json;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(features_options, kernel, 0, OPTION_TEXT, "NAME", "a workload ('poise kernels')"),
    OPTION(features_options, trace, 0, OPTION_TEXTS, "FILE",
           "a trace of your own, a quoted glob or a folder; repeatable"),
    OPTION(features_options, program, 0, OPTION_TEXT, "FILE", "a CUDA program of your own; its arguments follow --"),
    OPTION(features_options, launch, 0, OPTION_TEXT, "I", "one launch of it (default: all)", .modes = "--kernel"),
    OPTION(features_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default), eval or full", .modes = "--kernel"),
    OPTION(features_options, input, 0, OPTION_TEXT, "I", "one of its inputs (default: the first)", .modes = "--kernel"),
    OPTION(features_options, config, 0, OPTION_TEXT, "C",
           "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(features_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter; may be repeated"),
    OPTION(features_options, store, 0, OPTION_TEXT, "FILE", "take runs from this store and keep new ones there"),
    OPTION(features_options, threads, 0, OPTION_WHOLE, "N",
           "runs at a time (default: as many as there are processors)"),
    OPTION_LENIENT(features_options),
    OPTION(features_options, json, 0, OPTION_FLAG, NULL, "print JSON instead of CSV"),
};

/* Two outputs of `poise sim --json`: at (W, W) and at (1, 1). */
static int read_counters(struct feature_counters *out, const char *path, struct error *err)
{
    json_t *root = file_read_json(path, err);
    if (!root) return -1;
    const json_t *counters = json_object_get(root, "feature_counters");
    int result =
        json_is_object(counters)
            ? 0
            : error_set(err, ERR_INPUT, "%s: no 'feature_counters': this is no output of poise sim --json", path);
#define C(field, doc) out->field = (uint64_t)json_integer_value(json_object_get(counters, #field));
    FEATURE_COUNTERS(C)
#undef C
    json_decref(root);
    return result;
}

static int print_features(const char *label, uint32_t W, const struct feature_counters *o,
                          const struct feature_counters *a, json_t *list)
{
    char number[40];
    json_t *row = list ? json_pack("{s:s,s:I}", "launch", label, "W", (json_int_t)W) : NULL;
    if (!list) {
        csv_print(stdout, label);
        printf(",%u", (unsigned)W);
    }
    for (size_t f = 0; f < n_feature_rows; f++) {
        const double v = feature_rows[f].value(o, a);
        if (list)
            json_object_set_new(row, feature_rows[f].name,
                                v - v == 0 ? json_real(v) : json_string(number_text(v, number, sizeof number)));
        else printf(",%s", number_text(v, number, sizeof number));
    }
    if (list) json_array_append_new(list, row);
    else putchar('\n');
    return 0;
}

static void print_header(void)
{
    printf("launch,W");
    for (size_t f = 0; f < n_feature_rows; f++) printf(",%s", feature_rows[f].name);
    putchar('\n');
}

static int make_jobs(struct run_job *jobs, const struct launches *launches, const struct store_plan *plans,
                     const struct gpu_params *params, struct error *err)
{
    for (size_t i = 0; i < 2 * launches->n; i++) {
        const unsigned n = i % 2 == 0 ? plans[i / 2].warps_per_scheduler : 1;
        jobs[i].launch = &launches->items[i / 2];
        jobs[i].params = params;
        if (run_job_tuple(&jobs[i], n, n, err) < 0) return -1;
    }
    return 0;
}

static int print_all(const struct run_job *jobs, const struct launches *launches, const struct store_plan *plans,
                     bool json, struct error *err)
{
    json_t *list = json ? json_array() : NULL;
    for (size_t i = 0; i < 2 * launches->n; i++)
        if (jobs[i].result.err.code != ERR_NONE) {
            *err = jobs[i].result.err;
            json_decref(list);
            return error_while(err, "%s", jobs[i].launch->label);
        }
    if (!json) print_header();
    for (size_t i = 0; i < launches->n; i++) {
        struct feature_counters o, a;
        gpu_stats_features(jobs[2 * i].result.stats, &o);
        gpu_stats_features(jobs[2 * i + 1].result.stats, &a);
        print_features(launches->items[i].label, plans[i].warps_per_scheduler, &o, &a, list);
    }
    if (!json) return 0;
    json_t *out = lab_json();
    json_object_set_new(out, "launches", list);
    return cli_print_json(out, err);
}

static int find_launches(struct launches *out, struct registry *registry, const struct cli *cli,
                         const struct features_options *o, const struct texts *arguments, struct error *err)
{
    const struct texts none = {.n = 0};
    const struct kernel_choice own = {&none, &o->trace, o->program, arguments, NULL};
    if (o->kernel) return sim_launches(out, registry, cli, o->kernel, o->size, o->input, o->launch, err);
    return cli_launches(out, registry, cli, &own, err);
}

static int of_kernel(struct cli *cli, const struct features_options *o, const struct texts *arguments,
                     struct error *err)
{
    struct registry registry = {0};
    struct launches launches = {0};
    struct gpu_params *params = NULL;
    struct store *store = NULL;
    struct runner *runner = NULL;
    struct runner_options options;
    struct run_job *jobs = NULL;
    struct store_plan *plans = NULL;
    struct error later;
    int result = -1;
    cli_runner_options(cli, &options, o->threads);
    if (sim_config(&params, cli, o->config, &o->set, err) < 0 ||
        find_launches(&launches, &registry, cli, o, arguments, err) < 0 ||
        (o->store && store_open(&store, o->store, err) < 0) || runner_new(&runner, store, &options, err) < 0)
        goto done;
    jobs = calloc(2 * launches.n + 1, sizeof *jobs);
    plans = calloc(launches.n + 1, sizeof *plans);
    if (!jobs || !plans) {
        error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches.n);
        goto done;
    }
    if (runner_survey(runner, launches.items, launches.n, params, plans, err) == 0 &&
        make_jobs(jobs, &launches, plans, params, err) == 0 &&
        runner_run(runner, "features", jobs, 2 * launches.n, err) == 0)
        result = print_all(jobs, &launches, plans, o->json, err);
done:
    runner_free(runner);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    for (size_t i = 0; jobs && i < 2 * launches.n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    free(plans);
    launches_fini(&launches);
    registry_fini(&registry);
    gpu_params_free(params);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct features_options *o = options;
    struct feature_counters at_o, at_a;
    if (arguments->n > 1 && strcmp(arguments->items[0], "coverage") == 0)
        return features_coverage(arguments->items + 1, arguments->n - 1, o->json, err);
    const int n_ways = !!o->kernel + !!(o->trace.n || o->program);
    if (n_ways == 1 && (o->program || arguments->n == 0)) return of_kernel(cli, o, arguments, err);
    if (n_ways || arguments->n != 2)
        return error_set(
            err, ERR_USAGE,
            "poise features needs --kernel NAME, --trace FILE, --program FILE or two outputs of poise sim --json");
    if (read_counters(&at_o, arguments->items[0], err) < 0 || read_counters(&at_a, arguments->items[1], err) < 0)
        return -1;
    if (!o->json) {
        print_header();
        return print_features(arguments->items[0], 0, &at_o, &at_a, NULL);
    }
    json_t *out = lab_json(), *list = json_array();
    print_features(arguments->items[0], 0, &at_o, &at_a, list);
    json_object_set_new(out, "launches", list);
    return cli_print_json(out, err);
}

const struct command command_features = {
    "features",
    "features of a kernel's launches, as CSV",
    "--kernel NAME | --trace FILE | --program FILE | AT_WW.json AT_11.json\n"
    "                      | coverage TABLE.csv [ADDED.csv...]",
    "The files are outputs of poise sim --json with tuple,N=W,p=W and tuple,N=1,p=1.\n"
    "coverage says how far evaluation launches lie outside of the training of the learned response surface, alone and "
    "with "
    "what\n"
    "is added, and proposes synthetic kernels for the gap. TABLE: samplings.csv of poise run, as\n"
    "datasets/features/learned has it.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct features_options),
    run};
