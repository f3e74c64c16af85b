/* poise sim: one kernel's launches under one stack of mechanisms. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_kernels.h"
#include "cli/config_load.h"
#include "cli/model_kind.h"
#include "cli/notes.h"
#include "cli/options.h"
#include "cli/sim_beside.h"
#include "cli/sim_check.h"
#include "cli/sim_phases.h"
#include "cli/sim_print.h"
#include "cli/sim_sample.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"
#include "poise/number.h"
#include "poise/say.h"
#include "poise/sweep.h"

enum { ROUNDS_MAX = 10000, /* of --repeat */ CORES_MAX = 64 };
struct sim_options {
    const char *kernel, *trace, *program, *config, *size, *stats, *launch, *input, *timeline, *early_end, *repeat,
        *sample, *beside, *beside_launch, *store, *model, *choice;
    struct texts set, mech, beside_mech, phase;
    uint64_t max_cycles, cap, warmup, threads;
    bool no_skip, carry_l2, check, all, json;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(sim_options, kernel, 0, OPTION_TEXT, "NAME", "a workload ('poise kernels'); recorded if it is not yet"),
    OPTION(sim_options, launch, 0, OPTION_TEXT, "I", "one launch of it (default: all, each with cold caches)",
           .modes = "--kernel"),
    OPTION(sim_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default), eval or full", .modes = "--kernel"),
    OPTION(sim_options, input, 0, OPTION_TEXT, "I", "one of its inputs (default: the first)", .modes = "--kernel"),
    OPTION(sim_options, trace, 0, OPTION_TEXT, "FILE", "a trace, in place of a kernel"),
    OPTION(sim_options, program, 0, OPTION_TEXT, "FILE",
           "a CUDA program of your own, whose launches are recorded; its arguments follow --"),
    OPTION(sim_options, config, 0, OPTION_TEXT, "C", "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(sim_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter, as l1.ways=8; may be repeated"),
    OPTION(sim_options, mech, 0, OPTION_TEXTS, "M,K=V..", "a mechanism; repeated: a stack (default: gto)"),
    OPTION(sim_options, model, 0, OPTION_TEXT, "FILE",
           "the mechanism that runs this model (poise or learned), in front of those of --mech"),
    OPTION(sim_options, beside, 0, OPTION_TEXT, "NAME|FILE",
           "another kernel's launch (or trace) side by side: half of the SMs each, L2 and DRAM shared"),
    OPTION_NAMED(sim_options, beside_launch, "beside-launch", 0, OPTION_TEXT, "I",
                 "which of its launches (default: 0)"),
    OPTION_NAMED(sim_options, beside_mech, "beside-mech", 0, OPTION_TEXTS, "M,K=V..",
                 "its mechanisms, which decide for its SMs (default: those of --mech)"),
    OPTION(sim_options, phase, 0, OPTION_TEXTS, "'N OPTIONS'",
           "a policy for N core cycles, as '20000 --mech ccn'; repeated: one after another, the last one to the end"),
    OPTION(sim_options, choice, 0, OPTION_TEXT, "fastest|FILE",
           "the rest runs under the fastest --phase, or under what this model chooses by trials of its policies"),
    OPTION_NAMED(sim_options, max_cycles, "max-cycles", 0, OPTION_COUNT, "N",
                 "stop after so many core cycles (exit status 6)"),
    OPTION(sim_options, cap, 0, OPTION_COUNT, "N",
           "of the program the first N warp instructions, over its launches in order"),
    OPTION(sim_options, warmup, 0, OPTION_WHOLE, "K",
           "the baseline runs K cycles, then the mechanisms take over (another run than a cold one)"),
    OPTION_NAMED(sim_options, early_end, "early-end", 0, OPTION_TEXT, "EPS",
                 "end when the cycles of the launch are known within this share, as 0.02: an estimate"),
    OPTION(sim_options, threads, 0, OPTION_WHOLE, "N",
           "processors to use: for several launches at a time, and where those are fewer, for each of them; the "
           "results are "
           "the same (default: a launch on each processor)"),
    OPTION_NAMED(sim_options, no_skip, "no-skip", 0, OPTION_FLAG, NULL,
                 "tick every unit in every cycle: slower, the same results"),
    OPTION_NAMED(sim_options, carry_l2, "carry-l2", 0, OPTION_FLAG, NULL,
                 "launches in order, as a program: L2 and DRAM keep what they hold"),
    OPTION(sim_options, repeat, 0, OPTION_TEXT, "R",
           "--carry-l2: all launches so many times, one round after another, as a program that iterates"),
    OPTION(sim_options, sample, 0, OPTION_TEXT, "error=E[,..]",
           "some of the launches: estimates of all, each with an interval, until cycles are known within E, as 0.02"),
    OPTION(sim_options, check, 0, OPTION_FLAG, NULL,
           "execute the program again with atomics in the order of this run: does its own check of the result pass?"),
    OPTION(sim_options, store, 0, OPTION_TEXT, "FILE",
           "take runs from this store, such as a sweep's store.sqlite, and keep new ones there"),
    OPTION(sim_options, timeline, 0, OPTION_OUT, "FILE",
           "record one launch for Perfetto: states, tuples, IPC and hit rate of every SM"),
    OPTION(sim_options, stats, 0, OPTION_TEXT, "gpgpusim", "print GPGPU-Sim's names for the figures"),
    OPTION(sim_options, all, 0, OPTION_FLAG, NULL, "print every counter; 'poise stats' says what each means"),
    OPTION_LENIENT(sim_options),
    OPTION(sim_options, json, 0, OPTION_FLAG, NULL, "print JSON"),
};

int sim_config(struct gpu_params **out, const struct cli *cli, const char *config, const struct texts *set,
               struct error *err)
{
    if (!(*out = gpu_params_new())) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    int result = texts_check_pairs(set, 0, "--set", err);
    if (result == 0) result = config_load(*out, config ? config : "kepler32", cli, err);
    for (size_t i = 0; i < set->n && result == 0; i++) {
        char name[128];
        const char *equals = strchr(set->items[i], '=');
        if (!equals || (size_t)(equals - set->items[i]) >= sizeof name) {
            result = error_set(err, ERR_USAGE, "--set %s: NAME=VALUE is needed, as l1.ways=8", set->items[i]);
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(equals - set->items[i]), set->items[i]);
        result = gpu_params_set(*out, name, equals + 1, err);
    }
    if (result == 0) result = gpu_params_check(*out, err);
    if (result < 0) {
        gpu_params_free(*out);
        *out = NULL;
    }
    return result;
}

static int read_share(const char *text, double *out, struct error *err)
{
    char *end = NULL;
    *out = 0;
    if (!text) return 0;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 1e-6 && *out <= 0.5) return 0;
    return error_set(err, ERR_USAGE, "--early-end %s: a share from 0.000001 to 0.5 is needed, as 0.02", text);
}

static bool has_phases(const struct sim_options *o) { return o->phase.n || o->choice; }

static int make_jobs(const struct sim_options *o, const struct gpu_params *params, const struct launches *launches,
                     struct run_job *jobs, struct error *err)
{
    const char *mechs[TEXTS_MAX + 1];
    char model[PARAM_TEXT_MAX + 16];
    size_t n = 0;
    double early_end;
    if (read_share(o->early_end, &early_end, err) < 0) return -1;
    if (o->model) {
        if (model_mech(model, sizeof model, o->model, err) < 0) return -1;
        mechs[n++] = model;
    }
    for (size_t i = 0; i < o->mech.n; i++) mechs[n++] = o->mech.items[i];
    if (n == 0) mechs[n++] = "gto";
    if (n > MECH_STACK_MAX) return error_set(err, ERR_USAGE, "a stack holds at most %d mechanisms", MECH_STACK_MAX);
    for (size_t i = 0; i < launches->n; i++) {
        jobs[i].launch = &launches->items[i];
        jobs[i].params = params;
        jobs[i].limits = (struct gpu_limits){
            .max_cycles = o->max_cycles, .warmup_cycles = o->warmup, .early_end = early_end, .no_skip = o->no_skip};
        /* a sample knows its launches whole */
        if (!o->sample) jobs[i].limits.max_insts = launches_left(launches, i, o->cap);
        for (size_t k = 0; k < n && !has_phases(o); k++, jobs[i].n_stack++)
            if (mech_parse(&jobs[i].stack[k], mechs[k], err) < 0) return -1;
    }
    return 0;
}

enum { TIMELINE_INTERVAL = 1000 }; /* cycles between samples of IPC and hit rate */

/* Threads that are left when each launch has one are shared out among them; launches in order have all. */
static void share_cores(const struct sim_options *o, struct run_job *jobs, size_t n)
{
    const uint64_t at_a_time = o->carry_l2 || !n ? 1 : n, each = o->threads / at_a_time;
    for (size_t i = 0; i < n; i++) jobs[i].limits.cores = (unsigned)(each < CORES_MAX ? each : CORES_MAX);
    if (each > 1) note_cores(jobs, n);
}

/* Records the only job; the timeline is written when it has run. */
static int record_timeline(struct gpu_timeline **out, const struct sim_options *o, struct run_job *jobs, size_t n,
                           struct error *err)
{
    *out = NULL;
    if (!o->timeline) return 0;
    if (n != 1)
        return error_set(err, ERR_USAGE, "--timeline records one launch, not %zu: choose one with --launch I", n);
    *out = jobs[0].limits.timeline = gpu_timeline_new(TIMELINE_INTERVAL);
    return *out ? 0 : error_set(err, ERR_MEMORY, "out of memory for a timeline");
}

/* All launches again, round after round. */
static int repeat(struct launches *launches, const char *text, struct error *err)
{
    const size_t n = launches->n;
    uint64_t rounds;
    if (!whole_parse(text, 1, ROUNDS_MAX, &rounds))
        return error_set(err, ERR_USAGE, "--repeat %s: a whole number from 1 to %d is needed", text, ROUNDS_MAX);
    for (size_t i = n; i < n * rounds; i++) {
        const struct launch again = launches->items[i % n];
        if (launches_add(launches, &again, err) < 0) return -1;
    }
    return 0;
}

static int begin_beside(struct sim_beside *out, const struct cli *cli, const struct sim_options *o, struct run_job *job,
                        struct error *err)
{
    const struct sim_beside_choice choice = {.what = o->beside,
                                             .launch = o->beside_launch,
                                             .size = o->size,
                                             .mechs = o->beside_mech.n ? &o->beside_mech : &o->mech,
                                             .is_beside_trace = o->trace != NULL};
    if (!o->beside) return 0;
    if (sim_beside_begin(out, cli, &choice, job->launch, err) < 0) return -1;
    job->limits.beside = &out->gpu;
    job->beside = &out->launches.items[0];
    return 0;
}

/* What stands between the jobs and their results. */
struct sim {
    struct store *store; /* NULL: nobody asked for one */
    struct runner *runner;
    struct gpu_timeline *timeline;
    struct sim_check check;
    struct sim_beside beside;
    struct sim_phases *phases; /* NULL: one policy */
    struct run_job *jobs;
    size_t n;
};

static int begin_phases(struct sim *sim, const struct cli *cli, const struct sim_options *o,
                        const struct gpu_params *params, struct error *err)
{
    if (!has_phases(o)) return 0;
    sim->phases = calloc(1, sizeof *sim->phases);
    if (!sim->phases) return error_set(err, ERR_MEMORY, "out of memory for policies");
    return sim_phases_begin(sim->phases, cli, &o->phase, o->choice, params, err);
}

static int begin(struct sim *sim, const struct cli *cli, const struct sim_options *o, const struct gpu_params *params,
                 const struct launches *launches, struct error *err)
{
    struct runner_options options;
    sim->n = launches->n;
    sim->jobs = calloc(launches->n + 1, sizeof *sim->jobs);
    if (!sim->jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches->n);
    cli_runner_options(cli, &options, o->threads);
    if (o->trace) options.decoded_dir = NULL;
    if (launches->n < 2 && !o->store) options.progress = NULL;
    if (make_jobs(o, params, launches, sim->jobs, err) < 0) return -1;
    if (begin_beside(&sim->beside, cli, o, sim->jobs, err) < 0) return -1;
    for (size_t i = 0; sim->phases && i < sim->n; i++)
        if (sim_phases_into(sim->phases, &sim->jobs[i], err) < 0) return -1;
    note_jobs(sim->jobs, 1, 1);
    note_partial(sim->jobs, launches->n);
    if (record_timeline(&sim->timeline, o, sim->jobs, launches->n, err) < 0) return -1;
    share_cores(o, sim->jobs, launches->n);
    if ((o->check && sim_check_begin(&sim->check, sim->jobs, launches->n, err) < 0) ||
        (o->store && cli_open_store(&sim->store, o->store, err) < 0))
        return -1;
    return runner_new(&sim->runner, sim->store, &options, err);
}

/* An error of any of the runs. */
static int run_launches(struct sim *sim, const struct sim_options *o, const struct launches *launches,
                        struct error *err)
{
    char name[200];
    const int result = o->carry_l2 ? runner_run_program(sim->runner, sim->jobs, sim->n, err)
                                   : runner_run(sim->runner, kernel_shown(launches->items[0].kernel, name, sizeof name),
                                                sim->jobs, sim->n, err);
    for (size_t i = 0; i < sim->n && result == 0; i++)
        if (sim->jobs[i].result.err.code != ERR_NONE) {
            *err = sim->jobs[i].result.err;
            return error_while(err, "%s", launches->items[i].label);
        }
    return result;
}

static int print(const struct sim *sim, const struct sim_options *o, const struct gpu_params *params, struct error *err)
{
    const int result =
        o->json    ? sim_print_json(params, sim->runner, sim->jobs, sim->n, sim_check_json(&sim->check), NULL, err)
        : o->stats ? sim_print_gpgpusim(params, sim->jobs, sim->n, err)
                   : sim_print_table(sim->jobs, sim->n, o->all, err);
    if (result == 0 && !o->json) sim_check_print(&sim->check);
    return result;
}

/* Stopped by a limit of cycles; where a cap ends the last launch, that was asked for. */
static bool is_limited(const struct run_job *job)
{
    const struct run_result *r = &job->result;
    if (r->complete || r->estimate.cycles > 0) return false;
    const double retired = gpu_stats_value(r->stats, "warp_insts");
    return !job->limits.max_insts || retired < (double)job->limits.max_insts;
}

static int simulate(struct sim *sim, const struct cli *cli, const struct sim_options *o,
                    const struct gpu_params *params, const struct launches *launches, struct error *err)
{
    if (o->sample) {
        struct sample_options sample;
        if (sample_options_parse(&sample, o->sample, err) < 0) return -1;
        sample.carry = o->carry_l2;
        return sim_sample(sim->runner, launches, params, sim->jobs, &sample, o->json, err);
    }
    if (run_launches(sim, o, launches, err) < 0 ||
        (sim->timeline && gpu_timeline_write(sim->timeline, o->timeline, err) < 0) ||
        (o->check && sim_check_end(&sim->check, &cli->paths, sim->jobs, err) < 0) || print(sim, o, params, err) < 0)
        return -1;
    for (size_t i = 0; i < sim->n; i++)
        if (is_limited(&sim->jobs[i])) {
            say_line(stderr, "poise: the limit of %" PRIu64 " cycles was reached: figures up to there", o->max_cycles);
            return 6;
        }
    return o->check && !sim->check.found.holds ? 1 : 0;
}

static int end(struct sim *sim, int result, struct error *err)
{
    struct error later;
    if (sim->store && result >= 0) {
        const struct runner_totals *t = runner_totals(sim->runner);
        say_line(stderr, "poise: %s: %" PRIu64 " of %" PRIu64 " runs were there, %" PRIu64 " simulated",
                 store_path(sim->store), t->reused, t->reused + t->simulated, t->simulated);
    }
    runner_free(sim->runner);
    if (store_close(sim->store, &later) < 0 && result >= 0) *err = later, result = -1;
    sim_check_fini(&sim->check);
    sim_beside_end(&sim->beside);
    if (sim->phases) sim_phases_end(sim->phases);
    gpu_timeline_free(sim->timeline);
    for (size_t i = 0; sim->jobs && i < sim->n; i++) run_job_fini(&sim->jobs[i]);
    free(sim->jobs);
    free(sim->phases);
    return result;
}

/* Options that go together. */
static int check_options(const struct sim_options *o, struct error *err)
{
    if (!o->kernel + !o->trace + !o->program != 2)
        return error_set(err, ERR_USAGE, "poise sim needs one of --kernel NAME, --trace FILE and --program FILE");
    if (o->stats && strcmp(o->stats, "gpgpusim") != 0)
        return error_set(err, ERR_USAGE, "--stats %s: gpgpusim is what there is", o->stats);
    if (o->repeat && (!o->carry_l2 || o->check))
        return error_set(err, ERR_USAGE, "--repeat R goes with --carry-l2 and without --check");
    if (o->cap && (o->launch || o->trace || o->check || o->beside || o->early_end))
        return error_set(err, ERR_USAGE,
                         "--cap counts over a program's launches: it goes without --launch, --trace, --check, "
                         "--beside and --early-end");
    struct sample_options sample;
    if (o->sample && sample_options_parse(&sample, o->sample, err) < 0) return -1;
    if (o->sample && (o->check || o->timeline || o->early_end || o->stats || o->max_cycles || o->all))
        return error_set(err, ERR_USAGE,
                         "--sample goes without --check, --timeline, --early-end, --stats, --max-cycles and --all");
    if (!o->beside && (o->beside_launch || o->beside_mech.n))
        return error_set(err, ERR_USAGE, "--beside-launch and --beside-mech go with --beside");
    if (o->beside &&
        (o->program || o->check || o->timeline || o->early_end || o->warmup || o->carry_l2 || o->sample || o->stats))
        return error_set(err, ERR_USAGE,
                         "--beside goes with --kernel or --trace, without --check, --timeline, --early-end, --warmup, "
                         "--carry-l2, --sample and --stats");
    if (has_phases(o) && (o->mech.n || o->model || o->beside || o->carry_l2 || o->sample || o->warmup || o->early_end ||
                          o->timeline || o->check || o->stats))
        return error_set(
            err, ERR_USAGE,
            "--phase and --choice have the mechanisms in their policies and each launch by itself: they go "
            "without --mech, --model, --beside, --carry-l2, --sample, --warmup, --early-end, --timeline, "
            "--check and --stats");
    if (o->check && !o->kernel)
        return error_set(err, ERR_USAGE, "--check goes with --kernel, whose program checks its own result");
    if (o->store && o->carry_l2)
        return error_set(err, ERR_USAGE,
                         "--store goes without --carry-l2: a launch that finds L2 as another left it is no run of its "
                         "own, and a store keeps runs of launches");
    if (o->store && (o->check || o->timeline))
        return error_set(err, ERR_USAGE,
                         "--store goes without %s, which a store does not keep: the launch has to be simulated",
                         o->check ? "--check" : "--timeline");
    return 0;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct sim_options *o = options;
    struct registry registry = {0};
    struct launches launches = {0};
    struct gpu_params *params = NULL;
    struct launch file;
    struct sim sim = {0};
    if (cli_check_arguments("sim", o->program, arguments, err) < 0 || check_options(o, err) < 0) return -1;
    int result = sim_config(&params, cli, o->config, &o->set, err);
    if (result == 0) result = begin_phases(&sim, cli, o, params, err);
    if (result == 0 && o->trace) {
        result = launch_from_file(&file, o->trace, err);
        if (result == 0) result = launches_add(&launches, &file, err);
    } else if (result == 0 && o->program) {
        const struct texts none = {.n = 0};
        result = cli_launches(&launches, &registry, cli,
                              &(struct kernel_choice){&none, &none, o->program, arguments, NULL}, err);
    } else if (result == 0) {
        result = sim_launches(&launches, &registry, cli, o->kernel, o->size, o->input,
                              o->launch || !o->beside ? o->launch : "0", err);
    }
    if (result == 0 && o->repeat) result = repeat(&launches, o->repeat, err);
    if (result == 0) launches_cap(&launches, o->cap);
    if (result == 0) result = begin(&sim, cli, o, params, &launches, err);
    if (result == 0) result = simulate(&sim, cli, o, params, &launches, err);
    result = end(&sim, result, err);
    launches_fini(&launches);
    registry_fini(&registry);
    gpu_params_free(params);
    return result;
}

const struct command command_sim = {
    "sim",
    "simulate a kernel or a trace under a stack of mechanisms",
    "(--kernel NAME | --trace FILE | --program FILE) [--mech M,key=value]... [-- ARGS OF THE PROGRAM]",
    "Example: poise sim --kernel atax --config kepler32 --mech tuple,N=6,p=2 --json\n"
    "Two launches side by side, each with a warp tuple of its own: poise sim --kernel atax --mech tuple,N=6,p=2\n"
    "--beside syrk --beside-mech tuple,N=4,p=4. 'launches' of the JSON has what each did until its end, 'stats' the\n"
    "whole run. Without --launch and --beside-launch it is the first launch of each.\n"
    "A policy that changes within the launch: --phase '20000 --mech ccn' --phase '--set l1.organisation=elastic'. Of\n"
    "the machine a policy changes parameters of l1 and lsu alone; --set is for all policies. With --choice fastest "
    "the\n"
    "rest of the launch runs under the fastest phase. With a model, trials of the model's policies follow the phases,\n"
    "or, without --phase, a start under its best single policy: poise sim --kernel medstack --choice "
    "models/choice.json\n"
    "'poise mechs' lists mechanisms and their parameters, 'poise params' the machine's.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct sim_options),
    run};
