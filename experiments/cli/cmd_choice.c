/* poise choice: which policy for this kernel. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/choice_ask.h"
#include "cli/choice_learn.h"
#include "cli/choice_table.h"
#include "cli/cli_kernels.h"
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/spec_format.h"

static const struct option_row rows[] = {
    OPTION(choice_options, out, 'o', OPTION_OUT, "FILE",
           "the table (default: results/NAME/choice.csv), the model or the header", .modes = "table, train, export"),
    OPTION(choice_options, store, 0, OPTION_TEXT, "FILE",
           "keeps what is simulated (default: results/NAME/store.sqlite)", .modes = "table"),
    OPTION(choice_options, part, 0, OPTION_TEXT, "training|sealed", "the rows that count (default: sealed)",
           .modes = "eval"),
    OPTION(choice_options, columns, 0, OPTION_TEXT, "SET",
           "what the model looks at: before (the launch), window, both or trials (default)", .modes = "train"),
    OPTION(choice_options, trials, 0, OPTION_WHOLE, "N",
           "try N policies only, a shortlist whose best one gains most (default: all)", .modes = "train"),
    OPTION(choice_options, name, 0, OPTION_TEXT, "NAME", "the model's name (default: choice)", .modes = "train"),
    OPTION_NAMED(choice_options, min_cycles, "min-cycles", 0, OPTION_WHOLE, "N",
                 "launches that last at least so many core cycles under gto (default: all)", .modes = "train, eval"),
    OPTION(choice_options, seed, 0, OPTION_WHOLE, "N", "of folds, draws and intervals (default: 0)",
           .modes = "train, eval"),
    OPTION(choice_options, kernel, 'k', OPTION_TEXTS, "NAME",
           "a workload of 'poise kernels' or a program of a suite; may be repeated", .modes = "ask"),
    OPTION(choice_options, trace, 't', OPTION_TEXTS, "TRACE", "a trace, or a folder of them; may be repeated",
           .modes = "ask"),
    OPTION(choice_options, size, 0, OPTION_TEXT, "SIZE", "of --kernel: test, small (default), eval or full",
           .modes = "ask"),
    OPTION(choice_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)",
           .modes = "table, ask"),
    OPTION_NAMED(choice_options, dry_run, "dry-run", 0, OPTION_FLAG, NULL,
                 "say how many runs there are and how long they take; simulate nothing", .modes = "table"),
    OPTION(choice_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
    OPTION(choice_options, example, 0, OPTION_FLAG, NULL,
           "print an annotated spec that runs (poise choice --example > my.yaml)"),
};

static int run_all(struct cli *cli, const struct choice_options *o, const struct choice_study *study,
                   const struct launches *launches, struct store *store, const char *path, struct error *err)
{
    struct run_job *jobs = NULL;
    struct runner *runner = NULL;
    struct batch *batch = NULL;
    struct runner_options options;
    size_t n = 0;
    cli_runner_options(cli, &options, o->threads);
    int failed = choice_study_jobs(study, launches, &jobs, &n, err);
    if (!failed) failed = runner_new(&runner, store, &options, err);
    if (!failed) failed = batch_new(&batch, runner, jobs, n, err);
    if (!failed && o->dry_run) {
        struct runner_estimate e;
        failed =
            batch_estimate(batch, &e, err) < 0 ? -1 : cli_print_estimate(choice_study_name(study), &e, o->json, err);
    } else if (!failed) {
        failed = batch_run(batch, choice_study_name(study), err);
        if (!failed) failed = choice_table_check(study, launches, jobs, stderr, err);
        if (!failed) failed = choice_table_write(study, launches, jobs, path, cli->stop, err);
        if (!failed && !o->json) printf("%s: %zu launches, %zu policies\n", path, launches->n, choice_study_n(study));
        if (!failed && o->json) {
            json_t *out = lab_json();
            json_object_set_new(out, "table", json_string(path));
            json_object_set_new(out, "launches", json_integer((json_int_t)launches->n));
            json_object_set_new(out, "policies", json_integer((json_int_t)choice_study_n(study)));
            failed = cli_print_json(out, err);
        }
    }
    batch_free(batch);
    runner_free(runner);
    for (size_t i = 0; i < n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return failed;
}

static int table(struct cli *cli, const struct choice_options *o, const char *spec, struct error *err)
{
    struct choice_study *study = NULL;
    struct registry registry = {0};
    struct launches launches = {0};
    struct store *store = NULL;
    struct error later;
    char path[600], kept[600];
    int failed = choice_study_load(&study, spec, cli->paths.configs, err);
    if (!failed) {
        snprintf(path, sizeof path, "results/%s/choice.csv", choice_study_name(study));
        snprintf(kept, sizeof kept, "results/%s/store.sqlite", choice_study_name(study));
        failed = registry_load(&registry, cli->paths.kernels, err);
    }
    if (!failed) failed = choice_study_launches(study, &registry, &cli->paths, &launches, err);
    if (!failed) failed = cli_open_store(&store, o->store ? o->store : kept, err);
    if (!failed && !o->out && !o->dry_run) {
        char folder[600];
        snprintf(folder, sizeof folder, "results/%s", choice_study_name(study));
        failed = file_make_folders(folder, err);
    }
    if (!failed) failed = run_all(cli, o, study, &launches, store, o->out ? o->out : path, err);
    if (store_close(store, &later) < 0 && !failed) *err = later, failed = -1;
    launches_fini(&launches);
    choice_study_free(study);
    registry_fini(&registry);
    return failed;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct choice_options *o = options;
    const char *const *a = arguments->items;
    if (o->example) return cli_print_example(cli, &spec_format_choice);
    if (arguments->n == 2 && strcmp(a[0], "table") == 0) return table(cli, o, a[1], err);
    if (arguments->n == 2 && strcmp(a[0], "train") == 0) return choice_learn(o, a[1], err);
    if (arguments->n == 3 && strcmp(a[0], "eval") == 0) return choice_evaluate(o, a[1], a[2], err);
    if (arguments->n == 2 && strcmp(a[0], "export") == 0) return choice_export(o, a[1], err);
    if (arguments->n == 2 && strcmp(a[0], "ask") == 0) return choice_ask(cli, o, a[1], err);
    error_set(err, ERR_USAGE, "poise choice: table SPEC, train TABLE, eval MODEL TABLE, export MODEL or ask MODEL");
    return error_at(err, NULL, 0, -1, "poise choice --help");
}

const struct command command_choice = {
    "choice",
    "which policy for this kernel: learn it, evaluate it, ask it",
    "table SPEC.yaml | train TABLE.csv | eval MODEL.json TABLE.csv | export MODEL.json | ask MODEL.json --kernel NAME",
    "table     simulates launches under every policy of a spec ('poise help spec-choice') and writes a row a launch:\n"
    "          what the quick model, the baseline's first cycles and a trial of each policy show of it, and what each\n"
    "          policy gains\n"
    "train     learns the choice from the rows whose part is training, and says what it gains on families left out\n"
    "eval      what a model's choices gain on the rows of a part that it was not trained on\n"
    "export    the choice as a C header\n"
    "ask       the policy for each launch of a kernel, as options of 'poise sim'\n"
    "Example: poise choice ask models/choice.json --kernel mvt\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct choice_options),
    run};
