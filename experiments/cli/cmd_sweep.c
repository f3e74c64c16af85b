/* poise sweep SPEC --out DIR: kernels x configurations x stacks. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/notes.h"
#include "cli/options.h"
#include "poise/spec_format.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/sweep.h"
#include "poise/watch.h"
#include "poise/terms.h"
#include "runner/runner_ranks.h"

struct sweep_options {
    const char *out, *shard, *timeout, *relative_to, *sample, *points;
    uint64_t threads, max_memory;
    bool only_best, no_skip, dry_run, json, example;
};
static const struct option_row rows[] = {
    OPTION(sweep_options, out, 'o', OPTION_TEXT, "DIR",
           "store.sqlite, sweep.csv and best.csv go here (default: results/NAME)"),
    OPTION(sweep_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)"),
    OPTION(sweep_options, shard, 0, OPTION_TEXT, "I/N",
           "the I-th of N parts of the runs (1/N .. N/N), for 'poise store merge' afterwards"),
    OPTION(sweep_options, timeout, 0, OPTION_TEXT, "SECONDS", "a run that takes longer is recorded as failed"),
    OPTION_NAMED(sweep_options, max_memory, "max-memory", 0, OPTION_COUNT, "MIB",
                 "a run that allocates more is recorded as failed"),
    OPTION_NAMED(sweep_options, dry_run, "dry-run", 0, OPTION_FLAG, NULL,
                 "say how many runs there are and how long they take; simulate nothing"),
    OPTION_NAMED(sweep_options, only_best, "only-best", 0, OPTION_FLAG, NULL,
                 "stop a run once it provably has more cycles than the best of its launch and configuration"),
    OPTION(
        sweep_options, sample, 0, OPTION_TEXT, "error=E[,..]",
        "estimate whole programs from a sample of their launches, the same under every stack, within E, as 0.02; with "
        "--only-best: the best stack, the others drop out"),
    OPTION(sweep_options, points, 0, OPTION_TEXT, "all|active",
           "with --sample and --only-best, of warp tuples: active tries a tenth, chosen by a model (default: all)"),
    OPTION_NAMED(sweep_options, relative_to, "relative-to", 0, OPTION_TEXT, "MACHINE[:STACK]",
                 "what speeds of machines are relative to, in place of the spec's (default: the first of each)"),
    OPTION_NAMED(sweep_options, no_skip, "no-skip", 0, OPTION_FLAG, NULL,
                 "tick every unit in every cycle: slower, the same results"),
    OPTION(sweep_options, json, 0, OPTION_FLAG, NULL, "print what was done as JSON"),
    OPTION(sweep_options, example, 0, OPTION_FLAG, NULL,
           "print an annotated spec that runs (poise sweep --example > my.yaml)"),
};

/* What a store keeps of the work of rank 0, for 'poise store scaling'; equal stores export equal bytes without it. */
static int keep_load(struct store *store, const struct ranks_load *load, struct error *err)
{
    char text[40];
    if (!load || load->runs == 0) return 0;
    snprintf(text, sizeof text, "%.3f", 1e6 * load->busy_s / (double)load->runs);
    return store_put_provenance(store, "coordinator_us_per_run", text, err);
}

static json_t *run_info(const struct runner *runner, const struct ranks_load *load)
{
    const struct runner_totals *t = runner_totals(runner);
    json_t *info = json_pack("{s:I,s:I,s:f,s:I}", "runs_simulated", (json_int_t)t->simulated, "runs_reused",
                             (json_int_t)t->reused, "wall_s", t->wall_s, "threads", (json_int_t)runner_threads(runner));
    if (load)
        json_object_set_new(info, "ranks",
                            json_pack("{s:i,s:i,s:I,s:f}", "n", (int)load->ranks, "lost", (int)load->lost, "messages",
                                      (json_int_t)load->messages, "coordinator_busy_s", load->busy_s));
    runner_note_into(runner, info);
    return info;
}

enum { MACHINE_ROWS_MAX = 40 };

/* Of a sweep over machines: cycles, and speeds over the reference. */
static void print_machines(const json_t *machines)
{
    const json_t *row, *reference = json_object_get(machines, "relative_to"),
                       *rows_of = json_object_get(machines, "rows");
    size_t i;
    int width = 8;
    if (json_integer_value(json_object_get(json_array_get(rows_of, 0), "launches")) == 0)
        return; /* a shard has only a part of each */
    json_array_foreach(rows_of, i, row) {
        const int length = (int)json_string_length(json_object_get(row, "config"));
        width = length > width ? length : width;
    }
    printf("%-*s %15s %8s  %s\n", width, "machine", "cycles", "speed", "policy");
    json_array_foreach(rows_of, i, row) {
        if (i == MACHINE_ROWS_MAX) {
            printf("and %zu more: sweep.csv\n", json_array_size(rows_of) - i);
            break;
        }
        printf("%-*s %15.0f %8.3f  %s\n", width, json_string_value(json_object_get(row, "config")),
               json_number_value(json_object_get(row, "core_cycles")), json_number_value(json_object_get(row, "speed")),
               json_string_value(json_object_get(row, "mechs")));
    }
    row = json_array_get(rows_of, 0);
    const char *machine = json_string_value(json_object_get(reference, "config"));
    char text[1400];
    snprintf(text, sizeof text,
             "cycles: sums of core cycles over the %lld launches that all came to their end; speed: over %.500s under "
             "%.500s, the harmonic mean over these launches, no ratio of the sums (--relative-to).",
             (long long)json_integer_value(json_object_get(row, "launches")), machine,
             json_string_value(json_object_get(reference, "mechs")));
    text_wrapped(stdout, text, 0, cli_width(true));
}

/* `counts`: failed, stopped by a limit, crashed, bounded, ended early. */
static void print_counts(const struct sweep *sweep, const struct runner_totals *t, size_t n, const size_t counts[5],
                         const char *dir)
{
    static const char *const names[] = {" failed", " stopped by a limit", " that crash this build",
                                        " once they had lost", " ended early"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    fprintf(out, "%s: %zu runs, %llu simulated now, %llu from the store", sweep_name(sweep), n,
            (unsigned long long)t->simulated, (unsigned long long)t->reused);
    for (size_t i = 0; i < 5; i++)
        if (i < 2 || counts[i]) fprintf(out, ", %zu%s", counts[i], names[i]);
    fprintf(out, "; %s/sweep.csv, best.csv", dir);
    fclose(out);
    text_wrapped(stdout, text, 0, cli_line_width());
    free(text);
}

static int print_done(const struct sweep *sweep, const struct runner *runner, const struct ranks_load *load,
                      const struct run_job *jobs, size_t n, const char *dir, bool json, struct error *err)
{
    const struct runner_totals *t = runner_totals(runner);
    size_t failed = 0, crashed = 0, limited = 0, bounded = 0, early = 0;
    const struct run_job *first = NULL;
    for (size_t i = 0; i < n; i++) {
        const bool has_failed = jobs[i].result.err.code != ERR_NONE;
        if (has_failed && failed++ == 0) first = &jobs[i];
        crashed += jobs[i].result.err.code == ERR_CRASH;
        bounded += jobs[i].result.is_bounded;
        early += jobs[i].result.estimate.cycles > 0;
        limited += !has_failed && !jobs[i].result.complete && !jobs[i].result.is_bounded &&
                   !(jobs[i].result.estimate.cycles > 0);
    }
    json_t *machines = NULL;
    if (sweep_n_configs(sweep) > 1 && bounded == 0 && sweep_machines(sweep, jobs, n, &machines, err) < 0) return -1;
    if (json) {
        json_t *out = lab_json();
        if (machines) json_object_set(out, "machines", machines);
        json_object_set_new(out, "name", json_string(sweep_name(sweep)));
        json_object_set_new(out, "runs", json_integer((json_int_t)n));
        json_object_set_new(out, "failed", json_integer((json_int_t)failed));
        json_object_set_new(out, "crashed", json_integer((json_int_t)crashed));
        json_object_set_new(out, "limited", json_integer((json_int_t)limited));
        json_object_set_new(out, "bounded", json_integer((json_int_t)bounded));
        json_object_set_new(out, "ended_early", json_integer((json_int_t)early));
        json_object_set_new(out, "run_info", run_info(runner, load));
        json_decref(machines);
        if (note_run_info(json_object_get(out, "run_info"), jobs, n, err) < 0) return json_decref(out), -1;
        if (cli_print_json(out, err) < 0) return -1;
    } else {
        if (machines) print_machines(machines);
        json_decref(machines);
        print_counts(sweep, t, n, (const size_t[]){failed, limited, crashed, bounded, early}, dir);
    }
    if (!first) return 0;
    *err = first->result.err;
    return error_while(err, "%zu of %zu runs failed; the first, %s", failed, n, first->launch->label);
}

static int read_timeout(const char *text, double *out, struct error *err)
{
    char *end = NULL;
    if (!text) return 0;
    *out = strtod(text, &end);
    return end != text && !*end && *out > 0 && *out < 1e9
               ? 0
               : error_set(err, ERR_USAGE, "--timeout %s: seconds above 0 are needed", text);
}

/* A dry run reads the store where there is one and makes none. */
static int open_store(struct store **out, const char *path, bool is_dry, struct error *err)
{
    if (!is_dry) return store_open(out, path, err);
    return access(path, R_OK) == 0 ? store_open_read(out, path, err) : 0;
}

/* What is going to be done, for 'poise watch'. */
static int keep_plan(struct store *store, const struct batch *batch, const struct sweep *sweep, bool only_best,
                     struct error *err)
{
    struct runner_estimate e;
    return batch_estimate(batch, &e, err) < 0 ? -1
                                              : watch_keep_plan(store, sweep_name(sweep), e.missing, only_best, err);
}

static int read_runner(struct runner_options *out, struct cli *cli, const struct sweep_options *o, struct error *err)
{
    cli_runner_options(cli, out, o->threads);
    out->memory_mib = o->max_memory;
    if (o->max_memory > UINT32_MAX)
        return error_set(err, ERR_USAGE, "--max-memory %" PRIu64 ": at most %u MiB", o->max_memory, UINT32_MAX);
    return read_timeout(o->timeout, &out->timeout_s, err);
}

/* Is the sweep sampled? The option stands before the spec. */
static int read_sampling(struct sweep_sampling *out, bool *is_sampled, const struct sweep_options *o,
                         const struct sweep *sweep, struct error *err)
{
    const char *text = o->sample ? o->sample : sweep_sample(sweep);
    *is_sampled = text != NULL;
    *out = (struct sweep_sampling){.is_race = o->only_best, .is_active = o->points && strcmp(o->points, "active") == 0};
    if (o->points && !out->is_active && strcmp(o->points, "all") != 0)
        return error_set(err, ERR_USAGE, "--points %s: all or active", o->points);
    if (o->points && !(text && o->only_best))
        return error_set(err, ERR_USAGE, "--points goes with --sample and --only-best");
    if (!text) return 0;
    if (o->shard || o->dry_run || o->relative_to)
        return error_set(err, ERR_USAGE,
                         "a sampled sweep goes without --shard, --dry-run and --relative-to; several processes, or MPI "
                         "ranks, share its runs");
    return sample_options_parse(&out->options, text, err);
}

static void print_programs(const json_t *report)
{
    const json_t *row;
    size_t i;
    printf("%-24s %-24s %-24s %16s %9s %7s %9s\n", "program", "machine", "best", "cycles", "+-", "work", "regret<=");
    json_array_foreach(json_object_get(report, "programs"), i, row) {
        const json_t *best = json_object_get(row, "best"), *e = json_object_get(best, "core_cycles"),
                     *regret = json_object_get(row, "regret_at_most");
        const double value = json_number_value(json_object_get(e, "value")),
                     half = (json_number_value(json_object_get(e, "high")) -
                             json_number_value(json_object_get(e, "low"))) /
                            2;
        printf("%-24s %-24s %-24s %16.0f %7.2f %% %5.1f %%", json_string_value(json_object_get(row, "program")),
               json_string_value(json_object_get(row, "config")), json_string_value(json_object_get(best, "mechs")),
               value, value > 0 ? 100 * half / value : 0,
               100 * json_number_value(json_object_get(row, "share_of_grid")));
        if (regret) printf(" %7.2f %%", 100 * json_number_value(regret));
        printf("\n");
    }
}

static int run_sampled(const struct sweep *sweep, const struct sweep_sampling *how, struct runner *runner,
                       const struct ranks_load *load, const struct launches *launches, struct run_job *jobs, size_t n,
                       const char *dir, bool json, struct error *err)
{
    char path[1200];
    json_t *report;
    snprintf(path, sizeof path, "%s/estimates.csv", dir);
    if (sweep_run_sampled(sweep, runner, launches, jobs, n, how, path, &report, err) < 0) return -1;
    if (json) {
        json_t *out = lab_json();
        json_object_set_new(out, "name", json_string(sweep_name(sweep)));
        json_object_update(out, report);
        json_object_set_new(out, "run_info", run_info(runner, load));
        json_decref(report);
        return cli_print_json(out, err);
    }
    print_programs(report);
    const struct runner_totals *t = runner_totals(runner);
    printf("%s: %.2f %% of the grid's warp instructions; %" PRIu64 " runs simulated now, %" PRIu64
           " from the store; %s\n",
           sweep_name(sweep), 100 * json_number_value(json_object_get(report, "share_of_work")), t->simulated,
           t->reused, path);
    json_decref(report);
    return 0;
}

static int sweep_all(struct cli *cli, const struct sweep_options *o, struct sweep *sweep, const char *spec,
                     const char *dir, struct error *err)
{
    struct registry registry = {0};
    struct launches launches = {0};
    struct run_job *jobs = NULL;
    struct store *store = NULL;
    struct runner *runner = NULL;
    struct batch *batch = NULL;
    struct runner_options options;
    struct error later;
    size_t n = 0;
    char path[1200];
    int result = -1;
    bool is_sampled;
    struct sweep_sampling sampling;
    if (read_sampling(&sampling, &is_sampled, o, sweep, err) < 0 || read_runner(&options, cli, o, err) < 0) return -1;
    if (registry_load(&registry, cli->paths.kernels, err) < 0 ||
        sweep_launches(sweep, &registry, &cli->paths, &launches, err) < 0)
        goto done;
    if (sweep_jobs(sweep, &launches, &jobs, &n, err) < 0 || run_jobs_shard(o->shard, jobs, &n, err) < 0) goto done;
    note_jobs(jobs, n < sweep_n_stacks(sweep) ? n : sweep_n_stacks(sweep), 1);
    note_partial(jobs, n);
    if (!o->dry_run && file_make_folders(dir, err) < 0) goto done;
    for (size_t i = 0; i < n; i++) jobs[i].limits.no_skip = o->no_skip;
    snprintf(path, sizeof path, "%s/store.sqlite", dir);
    if (open_store(&store, path, o->dry_run, err) < 0 || runner_new(&runner, store, &options, err) < 0) goto done;
    if (is_sampled) {
        result = store_put_experiment(store, sweep_name(sweep), spec, err);
        if (result == 0)
            result =
                run_sampled(sweep, &sampling, runner, ranks_load(cli->ranks), &launches, jobs, n, dir, o->json, err);
        goto done;
    }
    if (batch_new(&batch, runner, jobs, n, err) < 0) goto done;
    if (o->dry_run) {
        struct runner_estimate e;
        result = batch_estimate(batch, &e, err) < 0 ? -1 : cli_print_estimate(sweep_name(sweep), &e, o->json, err);
        goto done;
    }
    if (store_put_experiment(store, sweep_name(sweep), spec, err) < 0 ||
        keep_plan(store, batch, sweep, o->only_best, err) < 0)
        goto done;
    if ((o->only_best ? sweep_run_best(sweep, runner, jobs, n, err) : batch_run(batch, sweep_name(sweep), err)) < 0 ||
        keep_load(store, ranks_load(cli->ranks), err) < 0)
        goto done;
    snprintf(path, sizeof path, "%s/sweep.csv", dir);
    if (sweep_write_csv(sweep, jobs, n, path, err) < 0) goto done;
    snprintf(path, sizeof path, "%s/best.csv", dir);
    if (sweep_write_best(sweep, jobs, n, path, err) < 0) goto done;
    result = print_done(sweep, runner, ranks_load(cli->ranks), jobs, n, dir, o->json, err);
done:
    batch_free(batch);
    runner_free(runner);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    for (size_t i = 0; jobs && i < n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    launches_fini(&launches);
    registry_fini(&registry);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct sweep_options *o = options;
    struct sweep *sweep;
    char dir[512];
    if (o->example) return cli_print_example(cli, &spec_format_sweep);
    if (arguments->n != 1)
        return error_set(err, ERR_USAGE, "poise sweep needs one spec, such as experiments/specs/ci-sweep.yaml");
    if (sweep_load(&sweep, arguments->items[0], cli->paths.configs, err) < 0) return -1;
    snprintf(dir, sizeof dir, "results/%s", sweep_name(sweep));
    char *spec = NULL;
    size_t size;
    int result = o->relative_to ? sweep_set_reference(sweep, o->relative_to, err) : 0;
    if (result == 0) result = file_read(&spec, &size, arguments->items[0], err);
    if (result == 0) {
        result = sweep_all(cli, o, sweep, spec, o->out ? o->out : dir, err);
        free(spec);
    }
    sweep_free(sweep);
    return result;
}

const struct command command_sweep = {
    "sweep",
    "simulate kernels under many mechanisms, parameters and configurations",
    "SPEC [--out DIR]",
    "'poise help spec-sweep' explains the spec, --example prints one.\n"
    "Runs that the store has are not simulated again. A failing run is kept with its message and stops nothing; one "
    "that "
    "crashes the simulator\n"
    "is skipped by the same build from then on ('poise store gc' forgets it). Several processes of one host share the "
    "runs of one DIR.\n"
    "best.csv names the stack with the fewest core cycles of each launch and configuration. --only-best finds the same "
    "ones in less time:\n"
    "runs that have lost stop; the store keeps them under keys of their own, and sweep.csv has no figures of them.\n"
    "--sample error=0.02 estimates each program, a workload's launches together, under every stack: DIR/estimates.csv, "
    "with intervals\n"
    "of 95 %. With --only-best stacks drop out once they are slower, or not in the fastest quarter of a small sample; "
    "--points "
    "active tries a\n"
    "tenth of the warp tuples. Estimates are no runs: sweep.csv and best.csv are not written.\n"
    "mpirun -n 4 poise sweep SPEC, srun --mpi=pmix -n 4 poise sweep SPEC: the first process keeps the store and gives "
    "out runs, the others\n"
    "simulate on all their processors. Traces and DIR lie on a shared file system. mpirun --enable-recovery continues "
    "without a process that\n"
    "is lost (not heard of for POISE_RANK_TIMEOUT seconds, 60); elsewhere the same command resumes. Without the first "
    "process the\n"
    "others end after as long.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct sweep_options),
    run};
