/* poise sim: one kernel's launches under one stack of mechanisms. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_kernels.h"
#include "cli/config_load.h"
#include "cli/notes.h"
#include "cli/options.h"
#include "cli/sim_check.h"
#include "cli/sim_print.h"
#include "cli/sim_sample.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"
#include "poise/number.h"
#include "poise/sweep.h"

enum { ROUNDS_MAX = 10000, /* of --repeat */ CORES_MAX = 64 };
struct sim_options {
    const char *kernel, *trace, *program, *config, *size, *stats, *launch, *input, *timeline, *early_end, *repeat,
        *sample;
    struct texts set, mech;
    uint64_t max_cycles, warmup, threads;
    bool no_skip, carry_l2, check, all, json;
    bool lenient;
};
static const struct option_row rows[] = {
    OPTION(sim_options, kernel, 0, OPTION_TEXT, "NAME", "a workload ('poise kernels'); recorded if it is not yet"),
    OPTION(sim_options, launch, 0, OPTION_TEXT, "I", "one launch of it (default: all, each with cold caches)"),
    OPTION(sim_options, size, 0, OPTION_TEXT, "SIZE", "test, small (default) or full"),
    OPTION(sim_options, input, 0, OPTION_TEXT, "I", "one of its inputs (default: the first)"),
    OPTION(sim_options, trace, 0, OPTION_TEXT, "FILE", "a trace, in place of a kernel"),
    OPTION(sim_options, program, 0, OPTION_TEXT, "FILE",
           "a CUDA program of your own, whose launches are recorded; its arguments follow --"),
    OPTION(sim_options, config, 0, OPTION_TEXT, "C", "a preset, a YAML file or a gpgpusim.config (default: kepler32)"),
    OPTION(sim_options, set, 0, OPTION_TEXTS, "K=V", "change one parameter, as l1.ways=8; may be repeated"),
    OPTION(sim_options, mech, 0, OPTION_TEXTS, "M,K=V..", "a mechanism; repeated: a stack (default: gto)"),
    OPTION_NAMED(sim_options, max_cycles, "max-cycles", 0, OPTION_WHOLE, "N",
                 "stop after so many core cycles (exit status 6)"),
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
    OPTION(sim_options, timeline, 0, OPTION_TEXT, "FILE",
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
    int result = config_load(*out, config ? config : "kepler32", cli, err);
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

int sim_launches(struct launches *out, struct registry *registry, const struct cli *cli, const char *kernel,
                 const char *size_name, const char *input, const char *launch, struct error *err)
{
    const int size = size_name ? workload_size(size_name) : workload_size("small");
    const struct workload *w;
    uint64_t number = 0;
    int32_t inputs[1];
    uint32_t indices[1];
    if (size < 0) return error_set(err, ERR_USAGE, "--size %s: choose test, small, eval or full", size_name);
    if (registry_load(registry, cli->paths.kernels, err) < 0 || registry_find(registry, kernel, &w, err) < 0) return -1;
    inputs[0] = w->inputs[0];
    if (input && !whole_parse(input, 0, INT32_MAX, &number))
        return error_set(err, ERR_USAGE, "--input %s: a whole number is needed", input);
    if (input) inputs[0] = (int32_t)number;
    if (launch && !whole_parse(launch, 0, UINT32_MAX, &number))
        return error_set(err, ERR_USAGE, "--launch %s: a whole number is needed", launch);
    indices[0] = (uint32_t)number;
    return select_launches(out, registry, &cli->paths, kernel, size, inputs, 1, indices, launch ? 1 : 0, false, err);
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

static int make_jobs(const struct sim_options *o, const struct gpu_params *params, const struct launches *launches,
                     struct run_job *jobs, struct error *err)
{
    static const char *const otherwise[] = {"gto"};
    const char *const *mechs = o->mech.n ? o->mech.items : otherwise;
    const size_t n = o->mech.n ? o->mech.n : 1;
    double early_end;
    if (read_share(o->early_end, &early_end, err) < 0) return -1;
    if (n > MECH_STACK_MAX) return error_set(err, ERR_USAGE, "a stack holds at most %d mechanisms", MECH_STACK_MAX);
    for (size_t i = 0; i < launches->n; i++) {
        jobs[i].launch = &launches->items[i];
        jobs[i].params = params;
        jobs[i].limits = (struct gpu_limits){
            .max_cycles = o->max_cycles, .warmup_cycles = o->warmup, .early_end = early_end, .no_skip = o->no_skip};
        for (size_t k = 0; k < n; k++, jobs[i].n_stack++)
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

static int simulate(struct cli *cli, const struct sim_options *o, const struct gpu_params *params,
                    const struct launches *launches, struct error *err)
{
    struct runner *runner = NULL;
    struct gpu_timeline *timeline = NULL;
    struct sim_check check = {0};
    struct runner_options options;
    struct sample_options sample = {.carry = o->carry_l2};
    if (o->sample && sample_options_parse(&sample, o->sample, err) < 0) return -1;
    sample.carry = o->carry_l2;
    struct run_job *jobs = calloc(launches->n + 1, sizeof *jobs);
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches->n);
    cli_runner_options(cli, &options, o->threads);
    char name[200];
    if (o->trace) options.decoded_dir = NULL;
    if (launches->n < 2) options.progress = NULL;
    int result = make_jobs(o, params, launches, jobs, err);
    if (result == 0) note_jobs(jobs, 1);
    if (result == 0) note_partial(jobs, launches->n);
    if (result == 0) result = record_timeline(&timeline, o, jobs, launches->n, err);
    if (result == 0) share_cores(o, jobs, launches->n);
    if (result == 0 && o->check) result = sim_check_begin(&check, jobs, launches->n, err);
    if (result == 0) result = runner_new(&runner, NULL, &options, err);
    if (result == 0 && o->sample) {
        result = sim_sample(runner, launches, params, jobs, &sample, o->json, err);
        goto done;
    }
    if (result == 0)
        result = o->carry_l2 ? runner_run_program(runner, jobs, launches->n, err)
                             : runner_run(runner, kernel_shown(launches->items[0].kernel, name, sizeof name), jobs,
                                          launches->n, err);
    for (size_t i = 0; i < launches->n && result == 0; i++)
        if (jobs[i].result.err.code != ERR_NONE) {
            *err = jobs[i].result.err;
            result = error_while(err, "%s", launches->items[i].label);
        }
    if (result == 0 && timeline) result = gpu_timeline_write(timeline, o->timeline, err);
    if (result == 0 && o->check) result = sim_check_end(&check, &cli->paths, jobs, err);
    if (result == 0)
        result = o->json    ? sim_print_json(params, runner, jobs, launches->n, sim_check_json(&check), NULL, err)
                 : o->stats ? sim_print_gpgpusim(params, jobs, launches->n, err)
                            : sim_print_table(jobs, launches->n, o->all, err);
    if (result == 0 && !o->json) sim_check_print(&check);
    if (result == 0 && o->check && !check.found.holds) result = 1;
    for (size_t i = 0; i < launches->n && result == 0; i++)
        if (!jobs[i].result.complete && !(jobs[i].result.estimate.cycles > 0)) result = 6;
    if (result == 6)
        fprintf(stderr, "poise: the limit of %" PRIu64 " cycles was reached: figures up to there\n", o->max_cycles);
done:
    runner_free(runner);
    sim_check_fini(&check);
    gpu_timeline_free(timeline);
    for (size_t i = 0; i < launches->n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct sim_options *o = options;
    struct registry registry = {0};
    struct launches launches = {0};
    struct gpu_params *params = NULL;
    struct launch file;
    if (cli_check_arguments("sim", o->program, arguments, err) < 0) return -1;
    if (!o->kernel + !o->trace + !o->program != 2)
        return error_set(err, ERR_USAGE, "poise sim needs one of --kernel NAME, --trace FILE and --program FILE");
    if (!o->kernel && (o->launch || o->size || o->input))
        return error_set(err, ERR_USAGE, "--launch, --size and --input go with --kernel");
    if (o->stats && strcmp(o->stats, "gpgpusim") != 0)
        return error_set(err, ERR_USAGE, "--stats %s: gpgpusim is what there is", o->stats);
    if (o->repeat && (!o->carry_l2 || o->check))
        return error_set(err, ERR_USAGE, "--repeat R goes with --carry-l2 and without --check");
    struct sample_options sample;
    if (o->sample && sample_options_parse(&sample, o->sample, err) < 0) return -1;
    if (o->sample && (o->check || o->timeline || o->early_end || o->stats || o->max_cycles || o->all))
        return error_set(err, ERR_USAGE,
                         "--sample goes without --check, --timeline, --early-end, --stats, --max-cycles and --all");
    if (o->check && !o->kernel)
        return error_set(err, ERR_USAGE, "--check goes with --kernel, whose program checks its own result");
    int result = sim_config(&params, cli, o->config, &o->set, err);
    if (result == 0 && o->trace) {
        result = launch_from_file(&file, o->trace, err);
        if (result == 0) result = launches_add(&launches, &file, err);
    } else if (result == 0 && o->program) {
        const struct texts none = {.n = 0};
        result = cli_launches(&launches, &registry, cli,
                              &(struct kernel_choice){&none, &none, o->program, arguments, NULL}, err);
    } else if (result == 0) {
        result = sim_launches(&launches, &registry, cli, o->kernel, o->size, o->input, o->launch, err);
    }
    if (result == 0 && o->repeat) result = repeat(&launches, o->repeat, err);
    if (result == 0) result = simulate(cli, o, params, &launches, err);
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
    "'poise mechs' lists mechanisms and their parameters, 'poise params' the machine's.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct sim_options),
    run};
