/* poise run SPEC: the whole loop. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "poise/file.h"
#include "poise/spec_format.h"
#include "poise/pipeline.h"

struct run_options {
    const char *points, *out, *size, *shard, *sample;
    uint64_t threads, cap;
    bool no_skip, dry_run, json, example;
};
static const struct option_row rows[] = {
    OPTION(run_options, points, 0, OPTION_TEXT, "N|all|active",
           "warp tuples simulated for a kernel, at most (coarse-to-fine: 20); all: the whole grid, with the training "
           "launches that the spec adds then (whole); active: a tenth of it, chosen by a model"),
    OPTION(run_options, size, 0, OPTION_TEXT, "SIZE", "test, small, eval or full, in place of the spec's"),
    OPTION(run_options, shard, 0, OPTION_TEXT, "I/N",
           "with --points all: the I-th of N parts of the profiles and no more, for 'poise store merge' afterwards"),
    OPTION(run_options, cap, 0, OPTION_COUNT, "N",
           "of each program that is evaluated, the launches in which its first N warp instructions are"),
    OPTION(run_options, sample, 0, OPTION_TEXT, "error=E[,..]",
           "evaluate on all profiled launches and a sample of the others, the same under every policy, within E, as "
           "0.02; figures have intervals (in place of the spec's sample)"),
    OPTION_NAMED(run_options, dry_run, "dry-run", 0, OPTION_FLAG, NULL,
                 "say how many runs there are and how long they take; simulate nothing"),
    OPTION(run_options, threads, 0, OPTION_WHOLE, "N", "runs at a time (default: as many as there are processors)"),
    OPTION(run_options, out, 0, OPTION_TEXT, "DIR", "results go here (default: results/NAME)"),
    OPTION_NAMED(run_options, no_skip, "no-skip", 0, OPTION_FLAG, NULL,
                 "tick every unit in every cycle: slower, the same results"),
    OPTION(run_options, json, 0, OPTION_FLAG, NULL, "print summary.json instead of the table"),
    OPTION(run_options, example, 0, OPTION_FLAG, NULL,
           "print an annotated spec that runs (poise run --example > my.yaml)"),
};

static int apply(struct pipeline_spec *spec, const struct run_options *o, struct error *err)
{
    if (o->points && points_way_parse(&spec->points, o->points) < 0)
        return error_set(err, ERR_USAGE, "--points %s: all, active, coarse-to-fine, or a number from 3 to 2080",
                         o->points);
    if (o->size && (spec->size = workload_size(o->size)) < 0)
        return error_set(err, ERR_USAGE, "--size %s: choose test, small, eval or full", o->size);
    return o->sample ? pipeline_spec_sample(spec, o->sample, err) : 0;
}

static int print_file(const char *dir, const char *name, struct error *err)
{
    char path[1200], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (file_read(&text, &size, path, err) < 0) return -1;
    fwrite(text, 1, size, stdout);
    free(text);
    return 0;
}

static int estimate(const struct pipeline_spec *spec, const struct pipeline_options *p, const struct run_options *o,
                    struct error *err)
{
    struct runner_estimate e;
    struct pipeline_options mine = *p;
    char store[600];
    snprintf(store, sizeof store, "%s/store.sqlite", p->out_dir);
    mine.store = store;
    mine.runner.progress = NULL;
    return pipeline_estimate(spec, &mine, &e, err) < 0 ? -1 : cli_print_estimate(spec->name, &e, o->json, err);
}

/* What to type next, by the name that this program was started by. */
static void print_next(const char *dir)
{
    const char *poise = program_invocation_name;
    printf("Next:\n  %s report %s -o results/report.html    # these results as a page, with a map of every launch\n",
           poise, dir);
    printf("  %s help terms    # what AML, N, p, SWL and the other words mean\n", poise);
    printf("A kernel of your own: experiments/quickstart.sh --own-kernels, then README.md, 'The first hour'.\n");
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct run_options *o = options;
    struct pipeline_spec spec;
    char out[512];
    if (o->example) return cli_print_example(cli, &spec_format_pipeline);
    if (arguments->n != 1)
        return error_set(err, ERR_USAGE, "poise run needs one spec, such as experiments/specs/quickstart.yaml");
    if (pipeline_spec_load(&spec, arguments->items[0], err) < 0 || apply(&spec, o, err) < 0) return -1;
    snprintf(out, sizeof out, "results/%s", spec.name);
    struct pipeline_options p = {.paths = cli->paths,
                                 .out_dir = o->out ? o->out : out,
                                 .no_skip = o->no_skip,
                                 .cap = o->cap,
                                 .shard = o->shard,
                                 .report = o->json ? NULL : stdout};
    cli_runner_options(cli, &p.runner, o->threads);
    if (o->dry_run) return estimate(&spec, &p, o, err);
    if (pipeline_run(&spec, &p, err) < 0) return -1;
    if (o->shard && o->json) return print_file(p.out_dir, "run_info.json", err);
    if (o->shard)
        return printf("%s: shard %s of the profiles is in store.sqlite; run_info.json says what was simulated\n",
                      p.out_dir, o->shard) < 0;
    if (o->json) return print_file(p.out_dir, "summary.json", err);
    fprintf(stdout, "\nWritten to %s: summary.json run_info.json model.json profile.csv dataset.csv store.sqlite\n",
            p.out_dir);
    print_next(p.out_dir);
    return 0;
}

const struct command command_run = {
    "run",
    "record, profile, train and evaluate, as a spec says",
    "SPEC [OPTIONS]",
    "'poise help spec-run' explains the spec, --example prints one.\n"
    "A second invocation simulates nothing that the store in DIR has, and an interrupted one continues.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct run_options),
    run};
