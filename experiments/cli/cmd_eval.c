/* poise eval --model FILE: the inference engine with a model, against GTO, on kernels. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_kernels.h"
#include "cli/eval_predictions.h"
#include "cli/model_kind.h"
#include "cli/notes.h"
#include "cli/options.h"
#include "cli/sim_print.h"
#include "poise/lab.h"
#include "poise/sweep.h"

struct eval_options {
    const char *model, *predictions, *points, *size, *config, *store, *program;
    struct texts kernel, trace, set, mech;
    uint64_t threads;
    bool json;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(eval_options, model, 0, OPTION_TEXT, "FILE", "a model file, such as results/quickstart/model.json"),
    OPTION(eval_options, predictions, 0, OPTION_TEXT, "FILE",
           "tuples that a model of your own predicts: CSV with benchmark,launch,N,p, one row a launch"),
    OPTION(eval_options, points, 0, OPTION_TEXT, "N|all|active",
           "warp tuples simulated a profiled launch for Static-Best (default: 20)", .modes = "--predictions"),
    OPTION(eval_options, kernel, 0, OPTION_TEXTS, "NAME",
           "a workload or a glob; may be repeated (default: the evaluation set; with --predictions the file's)"),
    OPTION(eval_options, trace, 0, OPTION_TEXTS, "FILE",
           "a trace of your own, a quoted glob or a folder of traces; may be repeated"),
    OPTION(eval_options, program, 0, OPTION_TEXT, "FILE", "a CUDA program of your own; its arguments follow --"),
    OPTION(eval_options, mech, 0, OPTION_TEXTS, "M,K=V..", "a further policy to compare; may be repeated"),
    OPTION(eval_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default), eval or full"),
    OPTION(eval_options, config, 0, OPTION_TEXT, "C", "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(eval_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter; may be repeated"),
    OPTION(eval_options, store, 0, OPTION_TEXT, "FILE", "take runs from this store and keep new ones there"),
    OPTION(eval_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)"),
    OPTION_LENIENT(eval_options),
    OPTION(eval_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

enum { POLICIES_MAX = 16 };
struct evaluation {
    const char *names[POLICIES_MAX]; /* as given: gto, the model's mechanism, then --mech */
    const char *shown;               /* of the model: poise or learned */
    char poise[PARAM_TEXT_MAX + 16];
    size_t n_policies;
    struct launches launches;
    struct run_job *jobs; /* launches x policies */
};

static int choose(struct evaluation *e, const struct eval_options *o, struct error *err)
{
    if (!o->model) return error_set(err, ERR_USAGE, "poise eval needs --model FILE or --predictions FILE");
    if (o->points) return error_set(err, ERR_USAGE, "--points goes with --predictions");
    if (model_mech(e->poise, sizeof e->poise, o->model, err) < 0) return -1;
    if (o->mech.n + 2 > POLICIES_MAX) return error_set(err, ERR_USAGE, "at most %d further policies", POLICIES_MAX - 2);
    e->shown = model_mech_is_learned(e->poise) ? "learned" : "poise";
    e->names[e->n_policies++] = "gto";
    e->names[e->n_policies++] = e->poise;
    for (size_t i = 0; i < o->mech.n; i++) e->names[e->n_policies++] = o->mech.items[i];
    return 0;
}

/* Without any kernel: the evaluation set. */
static int select_all(struct evaluation *e, const struct eval_options *o, struct registry *registry,
                      const struct cli *cli, const struct texts *arguments, struct error *err)
{
    struct texts kernels = o->kernel;
    const struct kernel_choice choice = {
        .kernels = &kernels, .traces = &o->trace, .program = o->program, .arguments = arguments, .size = o->size};
    if (registry_load(registry, cli->paths.kernels, err) < 0) return -1;
    const bool is_any = o->kernel.n || o->trace.n || o->program;
    for (size_t i = 0; i < registry->n && !is_any; i++)
        if (registry->workloads[i].set == WORKLOAD_EVALUATION && kernels.n < TEXTS_MAX)
            kernels.items[kernels.n++] = registry->workloads[i].name;
    return cli_launches(&e->launches, registry, cli, &choice, err);
}

static int make_jobs(struct evaluation *e, const struct gpu_params *params, struct error *err)
{
    e->jobs = calloc(e->launches.n * e->n_policies + 1, sizeof *e->jobs);
    if (!e->jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", e->launches.n);
    for (size_t i = 0; i < e->launches.n * e->n_policies; i++) {
        e->jobs[i].launch = &e->launches.items[i / e->n_policies];
        e->jobs[i].params = params;
        if (mech_parse(&e->jobs[i].stack[0], e->names[i % e->n_policies], err) < 0) return -1;
        e->jobs[i].n_stack = 1;
    }
    note_jobs(e->jobs, e->launches.n ? e->n_policies : 0, 1);
    return 0;
}

static json_t *policy_json(const char *name, const struct measure *m, double speedup)
{
    return json_pack("{s:s,s:I,s:f,s:f,s:f}", "mech", name, "cycles", (json_int_t)m->cycles, "speedup", speedup,
                     "l1d_hit_rate", measure_hit_rate(m), "aml_cycles", measure_aml_cycles(m));
}

static const char *name_of(const struct evaluation *e, size_t k) { return k == 1 ? e->shown : e->names[k]; }

/* One row a workload: its launches' cycles summed. */
static int print_table(const struct evaluation *e, bool json, json_t *trained_on, struct error *err)
{
    double speedups[POLICIES_MAX][256];
    size_t n = 0;
    json_t *list = json_array(), *means = json_object();
    int width = 10;
    for (size_t i = 0; i < e->launches.n; i++)
        if ((int)strlen(e->launches.items[i].workload->name) > width)
            width = (int)strlen(e->launches.items[i].workload->name);
    if (!json) printf("%-*s %8s %12s", width, "kernel", "launches", "GTO cycles");
    for (size_t k = 1; k < e->n_policies && !json; k++) printf("  %18.18s", name_of(e, k));
    if (!json) putchar('\n');
    for (size_t i = 0, next; i < e->launches.n && n < 256; i = next, n++) {
        struct measure total[POLICIES_MAX] = {{0}};
        const struct workload *w = e->launches.items[i].workload;
        for (next = i; next < e->launches.n && e->launches.items[next].workload == w; next++)
            for (size_t k = 0; k < e->n_policies; k++) {
                struct measure m;
                measure_stats(&m, e->jobs[next * e->n_policies + k].result.stats);
                measure_add(&total[k], &m);
            }
        json_t *policies = json_array();
        if (!json) printf("%-*s %8zu %12llu", width, w->name, next - i, (unsigned long long)total[0].cycles);
        for (size_t k = 0; k < e->n_policies; k++) {
            speedups[k][n] = (double)total[0].cycles / (double)total[k].cycles;
            json_array_append_new(policies, policy_json(name_of(e, k), &total[k], speedups[k][n]));
            if (!json && k) printf("  %18.3f", speedups[k][n]);
        }
        if (!json) putchar('\n');
        json_array_append_new(list, json_pack("{s:s,s:I,s:o}", "name", w->name, "launches", (json_int_t)(next - i),
                                              "policies", policies));
    }
    if (!json) printf("%-*s %8s %12s", width, "harm. mean", "", "");
    for (size_t k = 0; k < e->n_policies; k++) {
        json_object_set_new(means, name_of(e, k), json_real(harmonic_mean(speedups[k], n)));
        if (!json && k) printf("  %18.3f", harmonic_mean(speedups[k], n));
    }
    if (!json) putchar('\n');
    json_t *out = lab_json();
    json_object_set_new(out, "kernels", list);
    json_object_set_new(out, "hmean", means);
    json_object_set_new(out, "trained_on", trained_on);
    if (json) return cli_print_json(out, err);
    json_decref(out);
    return 0;
}

static int evaluate(struct cli *cli, const struct eval_options *o, struct evaluation *e, struct runner **runner,
                    struct store **store, struct gpu_params **params, struct registry *registry,
                    const struct texts *arguments, struct error *err)
{
    struct runner_options options;
    cli_runner_options(cli, &options, o->threads);
    if (choose(e, o, err) < 0 || sim_config(params, cli, o->config, &o->set, err) < 0 ||
        select_all(e, o, registry, cli, arguments, err) < 0 || make_jobs(e, *params, err) < 0 ||
        (o->store && store_open(store, o->store, err) < 0) || runner_new(runner, *store, &options, err) < 0 ||
        runner_run(*runner, "evaluation", e->jobs, e->launches.n * e->n_policies, err) < 0)
        return -1;
    for (size_t i = 0; i < e->launches.n * e->n_policies; i++)
        if (e->jobs[i].result.err.code != ERR_NONE) {
            *err = e->jobs[i].result.err;
            return error_while(err, "%s, %s", e->jobs[i].launch->label, e->names[i % e->n_policies]);
        }
    return print_table(e, o->json, cli_warn_of_training(o->model, &e->launches), err);
}

/* ---- an outside model's tuples ---- */

static int judge(struct cli *cli, const struct eval_options *o, const struct predictions *predictions,
                 struct launches *launches, struct gpu_params *params, struct store *store, struct error *err)
{
    const char *mechs[TEXTS_MAX + 1], *names[TEXTS_MAX + 1];
    char model[PARAM_TEXT_MAX + 16];
    struct judge_options judge = {.paths = &cli->paths,
                                  .store = store,
                                  .points = {POINTS_COARSE_TO_FINE, POINTS_BUDGET},
                                  .has_tables = !o->set.n && (!o->config || strcmp(o->config, "kepler32") == 0) &&
                                                (!o->size || strcmp(o->size, "small") == 0),
                                  .mechs = mechs,
                                  .names = names};
    cli_runner_options(cli, &judge.runner, o->threads);
    if (o->points && points_way_parse(&judge.points, o->points) < 0)
        return error_set(err, ERR_USAGE, "--points %s: all, active, lattice, or a number from 3 to 2080", o->points);
    if (o->model) {
        if (model_mech(model, sizeof model, o->model, err) < 0) return -1;
        names[0] = model_mech_is_learned(model) ? "learned" : "poise";
        mechs[judge.n_mechs++] = model;
    }
    for (size_t i = 0; i < o->mech.n; i++) {
        struct mech_spec spec;
        if (mech_parse(&spec, o->mech.items[i], err) < 0) return -1;
        mech_free(&spec);
        names[judge.n_mechs] = mechs[judge.n_mechs] = o->mech.items[i];
        judge.n_mechs++;
    }
    return eval_predictions(predictions, launches, params, &judge, o->json, err);
}

/* The launches that are judged: those named on the command line, or of the benchmarks that the file names. */
static int find_launches(struct launches *out, struct cli *cli, const struct eval_options *o,
                         const struct predictions *predictions, struct registry *registry,
                         const struct texts *arguments, struct error *err)
{
    struct texts kernels = o->kernel;
    const struct kernel_choice choice = {
        .kernels = &kernels, .traces = &o->trace, .program = o->program, .arguments = arguments, .size = o->size};
    if (registry_load(registry, cli->paths.kernels, err) < 0) return -1;
    const bool is_any = o->kernel.n || o->trace.n || o->program;
    if (!is_any && (predictions_check(predictions, registry, out, err) < 0 ||
                    predictions_kernels(&kernels, predictions, registry, err) < 0))
        return -1;
    if (cli_launches(out, registry, cli, &choice, err) < 0) return -1;
    return predictions_check(predictions, registry, out, err);
}

static int run_predictions(struct cli *cli, const struct eval_options *o, const struct texts *arguments,
                           struct error *err)
{
    struct predictions predictions;
    struct registry registry = {0};
    struct launches launches = {0};
    struct gpu_params *params = NULL;
    struct store *store = NULL;
    struct error later;
    if (predictions_read(&predictions, o->predictions, err) < 0) return -1;
    int result = sim_config(&params, cli, o->config, &o->set, err);
    if (result == 0) result = find_launches(&launches, cli, o, &predictions, &registry, arguments, err);
    if (result == 0 && o->store) result = cli_open_store(&store, o->store, err);
    if (result == 0) result = judge(cli, o, &predictions, &launches, params, store, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    predictions_fini(&predictions);
    launches_fini(&launches);
    registry_fini(&registry);
    gpu_params_free(params);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct eval_options *o = options;
    struct evaluation e = {.n_policies = 0};
    struct registry registry = {0};
    struct runner *runner = NULL;
    struct store *store = NULL;
    struct gpu_params *params = NULL;
    struct error later;
    int result = cli_check_arguments("eval", o->program, arguments, err);
    if (result == 0 && o->predictions) return run_predictions(cli, o, arguments, err);
    if (result == 0) result = evaluate(cli, o, &e, &runner, &store, &params, &registry, arguments, err);
    runner_free(runner);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    for (size_t i = 0; e.jobs && i < e.launches.n * e.n_policies; i++) run_job_fini(&e.jobs[i]);
    free(e.jobs);
    launches_fini(&e.launches);
    registry_fini(&registry);
    gpu_params_free(params);
    return result;
}

const struct command command_eval = {
    "eval",
    "evaluate a model on kernels: the inference engine with its file, or tuples that it predicted",
    "(--model FILE | --predictions FILE) [--kernel NAME | --trace FILE]... [--mech M]... [--program FILE [-- ARGS]]",
    "Speedups are sums of GTO's cycles over sums of the policy's, one row a workload; each trace of your own is a "
    "workload.\n"
    "--predictions evaluates any outside model: its tuples beside Static-Best, SWL, constants and the policies of "
    "--mech, "
    "with intervals\n"
    "over families of benchmarks. A row names a launch by its number, or by its label (gco.1/2) where the benchmark "
    "has inputs.\n"
    "A kernel that the model was trained on is reported: by the rows that the model's file counts, and by the "
    "dataset.csv "
    "beside it.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct eval_options),
    run};
