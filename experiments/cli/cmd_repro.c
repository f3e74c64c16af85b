/* poise repro ID: a figure or table of published work, the paper's values beside ours. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/report.h"
#include "poise/repro.h"
#include "poise/spec_format.h"

struct repro_command_options {
    const char *mode, *config, *store, *shard, *out, *page, *sample;
    struct texts kernel, on, results;
    uint64_t threads, cap;
    bool list, all, count, dry_run, carry_l2, json;
};
static const struct option_row rows[] = {
    OPTION(repro_command_options, list, 0, OPTION_FLAG, NULL, "list the studies"),
    OPTION(repro_command_options, all, 0, OPTION_FLAG, NULL, "all studies, or those that the globs name, on one page"),
    OPTION(repro_command_options, out, 0, OPTION_TEXT, "DIR",
           "--all: studies.md, .html and .csv and a JSON file a study go here (default: results/repro/studies)",
           .modes = "--all"),
    OPTION(repro_command_options, results, 0, OPTION_TEXTS, "FILE",
           "a table of stored results (CSV): --all puts its figures there, in place of those studies' old ones, and so "
           "does --on, with the suite's revision; --page and --count take several"),
    OPTION(repro_command_options, page, 0, OPTION_OUT, "FILE",
           "with --results alone: writes the tables between the marks of this Markdown page; nothing is run"),
    OPTION(repro_command_options, count, 0, OPTION_FLAG, NULL,
           "with --results alone: how much of each paper the stored results bear out; nothing is run"),
    OPTION(repro_command_options, mode, 0, OPTION_TEXT, "quick|full",
           "quick (default): part of each workload, seconds; full: all of it; of a pipeline all warp tuples and "
           "training launches"),
    OPTION(repro_command_options, config, 0, OPTION_TEXT, "NAME",
           "a preset or file in place of the study's configuration"),
    OPTION(repro_command_options, store, 0, OPTION_TEXT, "FILE",
           "the store (default: results/repro/store.sqlite); what it has is not run again"),
    OPTION(repro_command_options, kernel, 0, OPTION_TEXTS, "NAME",
           "learned-lengths: this kernel alone; may be repeated (default: all that have a split)"),
    OPTION(repro_command_options, on, 0, OPTION_TEXTS, "SUITE,..",
           "also on these suites' programs that have the paper's names; may be repeated ('poise suite')"),
    OPTION(repro_command_options, cap, 0, OPTION_COUNT, "N",
           "of each program the first N warp instructions, over its launches in order"),
    OPTION(repro_command_options, sample, 0, OPTION_TEXT, "error=E[,..]",
           "with --mode full: estimate each program from a sample of its launches, the same at every point, within E, "
           "as 0.02; rows have intervals (default: the spec's sample, which --all passes over)"),
    OPTION_NAMED(repro_command_options, carry_l2, "carry-l2", 0, OPTION_FLAG, NULL,
                 "run programs as a whole: all launches in order, with L2 kept; the store keeps no such runs"),
    OPTION(repro_command_options, threads, 0, OPTION_WHOLE, "N",
           "runs at a time (default: as many as there are processors)"),
    OPTION(repro_command_options, shard, 0, OPTION_TEXT, "I/N",
           "the I-th of N parts of the runs and no report, for 'poise store merge' afterwards"),
    OPTION_NAMED(repro_command_options, dry_run, "dry-run", 0, OPTION_FLAG, NULL,
                 "say how many runs there are and how long they take; simulate nothing"),
    OPTION(repro_command_options, json, 0, OPTION_FLAG, NULL, "print the report as JSON"),
};

static int list(const struct repro_list *studies, bool json, struct error *err)
{
    if (!json) {
        for (size_t i = 0; i < repro_list_n(studies); i++) {
            const struct repro_study *s = repro_list_at(studies, i);
            printf("%-16s %s [%s; %s mean; specs/%s]\n", s->id, s->title, s->source, repro_mean_names[s->mean],
                   s->spec);
        }
        return 0;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < repro_list_n(studies); i++) {
        const struct repro_study *s = repro_list_at(studies, i);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:s}", "id", s->id, "title", s->title, "source",
                                              s->source, "mean", repro_mean_names[s->mean], "spec", s->spec));
    }
    json_t *out = lab_json();
    json_object_set_new(out, "studies", list);
    return cli_print_json(out, err);
}

static int print_shard(const struct repro_study *study, const struct repro_options *r,
                       const struct repro_result *result, bool json, struct error *err)
{
    const struct runner_totals *t = &result->totals;
    if (!json) {
        printf("%s: shard %s: %llu runs simulated now, %llu from the store, %llu failed; when all shards are in one "
               "store, the same command without --shard reports\n",
               study->id, r->shard, (unsigned long long)t->simulated, (unsigned long long)t->reused,
               (unsigned long long)t->failed);
        return 0;
    }
    json_t *out = lab_json();
    json_object_set_new(out, "id", json_string(study->id));
    json_object_set_new(out, "shard", json_string(r->shard));
    json_object_set_new(out, "failed", json_integer((json_int_t)t->failed));
    json_object_set_new(out, "run_info",
                        json_pack("{s:I,s:I,s:f}", "runs_simulated", (json_int_t)t->simulated, "runs_reused",
                                  (json_int_t)t->reused, "wall_s", t->wall_s));
    return cli_print_json(out, err);
}

/* The JSON files of the folder as a page with figures, where this build can draw one. */
static int write_page(const char *dir, bool *has_page, struct error *err)
{
    char path[1200], *text = NULL;
    size_t size = 0;
    json_t *document;
    snprintf(path, sizeof path, "%s/studies.html", dir);
    if (report_build(&document, &dir, 1, &(struct report_choice){.title = "Published figures beside ours"}, err) < 0)
        return -1;
    FILE *out = open_memstream(&text, &size);
    int drawn = out ? report_html(document, out, err) : error_set(err, ERR_MEMORY, "out of memory for %s", path);
    if (out && fclose(out) != 0 && drawn == 0) drawn = error_set(err, ERR_MEMORY, "out of memory for %s", path);
    json_decref(document);
    *has_page = drawn == 0;
    /* ERR_RUN: no Vega */
    const int result = drawn == 0 ? file_write(path, text, size, err) : err->code == ERR_RUN ? 0 : -1;
    free(text);
    return result;
}

static int all(const struct repro_list *studies, const struct repro_command_options *o, const struct repro_options *r,
               const struct texts *globs, struct error *err)
{
    const struct repro_all a = {studies, o->out ? o->out : "results/repro/studies",
                                o->results.n ? o->results.items[0] : NULL, globs->items, globs->n};
    struct repro_all_count n;
    bool has_page = false;
    if (repro_run_all(r, &a, &n, err) < 0 || (n.failed < n.studies && write_page(a.dir, &has_page, err) < 0)) return -1;
    if (o->json) {
        json_t *out = lab_json();
        json_object_set_new(out, "page", json_sprintf("%s/studies.md", a.dir));
        if (has_page) json_object_set_new(out, "html", json_sprintf("%s/studies.html", a.dir));
        json_object_set_new(out, "studies", json_integer((json_int_t)n.studies));
        json_object_set_new(out, "direction_ok", json_integer((json_int_t)n.as_published));
        json_object_set_new(out, "failed", json_integer((json_int_t)n.failed));
        json_object_set_new(out, "run_info", json_pack("{s:I}", "runs_simulated", (json_int_t)n.simulated));
        if (cli_print_json(out, err) < 0) return -1;
    } else {
        printf("%s/studies.md%s: %zu studies, %zu with every statement borne out, %zu could not run\n", a.dir,
               has_page ? " and studies.html, with figures" : "", n.studies, n.as_published, n.failed);
    }
    return n.failed ? error_set(err, ERR_RUN, "%zu of %zu studies could not run: %s/studies.md says why", n.failed,
                                n.studies, a.dir)
                    : 0;
}

static int read_results(struct repro_results **out, const struct texts *paths, struct error *err)
{
    int result = repro_results_read(out, paths->items[0], err);
    for (size_t i = 1; result == 0 && i < paths->n; i++)
        if ((result = repro_results_add(out, paths->items[i], err)) < 0) repro_results_free(*out);
    return result;
}

static int fill_page(const struct repro_list *studies, const struct texts *paths, const char *page, struct error *err)
{
    struct repro_results *results;
    char *text = NULL, *filled = NULL;
    size_t size;
    if (read_results(&results, paths, err) < 0) return -1;
    int result = file_read(&text, &size, page, err);
    if (result == 0) result = repro_results_fill(results, studies, page, text, &filled, &size, err);
    if (result == 0) result = file_write(page, filled, size, err);
    free(text);
    free(filled);
    repro_results_free(results);
    return result;
}

static json_t *count_json(const struct repro_count *c)
{
    return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "paper", c->paper, "studies", (json_int_t)c->studies,
                     "older_version", (json_int_t)c->old, "values", (json_int_t)c->values, "direction",
                     (json_int_t)c->direction, "order", (json_int_t)c->order, "magnitude", (json_int_t)c->magnitude,
                     "met", (json_int_t)c->met, "statements", (json_int_t)c->statements, "hold", (json_int_t)c->held);
}

static void print_counts(const struct repro_count *c, size_t n)
{
    printf("%-12s %7s %5s %7s %9s %6s %9s %5s %11s %5s\n", "paper", "studies", "older", "values", "direction", "order",
           "magnitude", "met", "statements", "hold");
    for (const struct repro_count *end = c + n; c < end; c++)
        printf("%-12s %7zu %5zu %7zu %9zu %6zu %9zu %5zu %11zu %5zu\n", c->paper, c->studies, c->old, c->values,
               c->direction, c->order, c->magnitude, c->met, c->statements, c->held);
}

static int count(const struct repro_list *studies, const struct repro_command_options *o, struct error *err)
{
    struct repro_results *results;
    struct repro_count counts[REPRO_PAPERS_MAX], originals[REPRO_PAPERS_MAX];
    if (read_results(&results, &o->results, err) < 0) return -1;
    const size_t n = repro_results_count(results, studies, OF_OURS, counts),
                 n_originals = repro_results_count(results, studies, OF_SUITE, originals);
    repro_results_free(results);
    if (!o->json) {
        if (n || !n_originals) print_counts(counts, n);
        if (n_originals) printf("%son original programs, of what they measure:\n", n ? "\n" : "");
        if (n_originals) print_counts(originals, n_originals);
        return 0;
    }
    json_t *out = lab_json(), *papers = json_array(), *on = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(papers, count_json(&counts[i]));
    for (size_t i = 0; i < n_originals; i++) json_array_append_new(on, count_json(&originals[i]));
    json_object_set_new(out, "papers", papers);
    json_object_set_new(out, "originals", on);
    return cli_print_json(out, err);
}

/* Before the runs: a file that is no such table would be told when they are over. */
static int check_results(const char *path, struct error *err)
{
    struct repro_results *results;
    if (access(path, F_OK) != 0) return 0;
    if (repro_results_read(&results, path, err) < 0) return -1;
    repro_results_free(results);
    return 0;
}

/* What was measured on suites, into the table of stored results. */
static int keep_originals(const struct repro_study *study, const struct repro_options *r,
                          const struct repro_result *result, const char *path, struct error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) repro_results_print_on(study, r, result, out);
    int status = out && fclose(out) == 0 ? 0 : error_set(err, ERR_MEMORY, "out of memory for %s", path);
    if (status == 0) status = repro_results_merge(path, text, size, access(path, F_OK) == 0, err);
    free(text);
    return status;
}

static int one(const struct repro_list *studies, const struct repro_command_options *o, const struct repro_options *r,
               const char *id, struct error *err)
{
    const struct repro_study *study;
    struct repro_result result;
    const size_t length = strlen(id);
    int status = 0;
    if (length > 5 && strcmp(id + length - 5, ".yaml") == 0 && spec_of_other_command(id, "repro", err) != 0) return -1;
    if (o->results.n && check_results(o->results.items[0], err) < 0) return -1;
    if (repro_list_find(studies, id, &study, err) < 0 ||
        (r->n_on ? repro_run_on : repro_run)(study, r, &result, err) < 0)
        return -1;
    if (r->is_dry) status = cli_print_estimate(study->id, &result.estimate, o->json, err);
    else if (r->shard) status = print_shard(study, r, &result, o->json, err);
    else if (o->json) status = cli_print_json(repro_json(study, r, &result), err);
    else repro_print(study, r, &result, cli_width(true), stdout);
    if (status == 0 && o->results.n) status = keep_originals(study, r, &result, o->results.items[0], err);
    repro_result_fini(&result);
    return status;
}

/* `given` may be lists with commas: polybench,rodinia. Returns what the names lie in; NULL when out of memory. */
static char *list_suites(const struct texts *given, struct texts *out, struct error *err)
{
    char *text = NULL, *rest;
    size_t size;
    FILE *all = open_memstream(&text, &size);
    out->n = 0;
    for (size_t i = 0; all && i < given->n; i++) fprintf(all, "%s,", given->items[i]);
    if (!all || fclose(all) != 0) {
        error_set(err, ERR_MEMORY, "out of memory for names of suites");
        free(text);
        return NULL;
    }
    for (char *name = strtok_r(text, ",", &rest); name && out->n < TEXTS_MAX; name = strtok_r(NULL, ",", &rest))
        out->items[out->n++] = name;
    if (given->n == 0 || out->n) return text;
    error_set(err, ERR_USAGE, "--on %s names no suite", given->items[0]);
    free(text);
    return NULL;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct repro_command_options *o = options;
    struct repro_list *studies;
    struct texts suites;
    struct repro_options r = {.paths = cli->paths,
                              .config = o->config,
                              .store = o->store ? o->store : "results/repro/store.sqlite",
                              .shard = o->shard,
                              .is_dry = o->dry_run,
                              .cap = o->cap,
                              .carries_l2 = o->carry_l2,
                              .sample = o->sample,
                              .kernels = o->kernel.items,
                              .n_kernels = o->kernel.n};
    if (o->page && (!o->results.n || o->all || arguments->n))
        return error_set(err, ERR_USAGE, "--page goes with --results and no study: it makes tables of what is stored");
    if (o->count && (!o->results.n || o->all || o->page || arguments->n))
        return error_set(err, ERR_USAGE, "--count goes with --results and no study: it counts what is stored");
    if (arguments->n != 1 && !o->all && !o->list && !o->page && !o->count)
        return error_set(err, ERR_USAGE, "poise repro needs one study, such as thesis-tab-3.2; --list lists them");
    if (o->mode && strcmp(o->mode, repro_mode_names[REPRO_FULL]) == 0) r.mode = REPRO_FULL;
    else if (o->mode && strcmp(o->mode, repro_mode_names[REPRO_QUICK]) != 0)
        return error_set(err, ERR_USAGE, "--mode %s: choose quick or full", o->mode);
    cli_runner_options(cli, &r.runner, o->threads);
    if (o->all && (o->shard || o->dry_run))
        return error_set(err, ERR_USAGE, "--all takes no --shard and no --dry-run: they are for one study");
    if (o->all && o->sample)
        return error_set(err, ERR_USAGE, "--all takes no --sample: its tables are of runs, not of estimates");
    if (o->results.n && !o->all && !o->page && !o->count && !o->on.n)
        return error_set(err, ERR_USAGE, "--results goes with --all, --on, --page or --count");
    if (o->results.n > 1 && !o->page && !o->count)
        return error_set(err, ERR_USAGE, "--results %s: rows go to one table; --page and --count take several",
                         o->results.items[1]);
    if (o->on.n && (o->all || o->shard || o->dry_run))
        return error_set(err, ERR_USAGE, "--on takes no --all, no --shard and no --dry-run");
    char *names = list_suites(&o->on, &suites, err);
    if (!names) return -1;
    r.is_exact = o->all; /* tables are of runs */
    r.on = suites.items;
    r.n_on = suites.n;
    if (repro_list_load(&studies, cli->paths.configs, err) < 0) {
        free(names);
        return -1;
    }
    const int status = o->page    ? fill_page(studies, &o->results, o->page, err)
                       : o->count ? count(studies, o, err)
                       : o->list  ? list(studies, o->json, err)
                       : o->all   ? all(studies, o, &r, arguments, err)
                                  : one(studies, o, &r, arguments->items[0], err);
    repro_list_free(studies);
    free(names);
    return status;
}

const struct command command_repro = {
    "repro",
    "reproduce a published figure or table, beside the paper's values",
    "ID [--mode quick|full] [--config NAME] [--on SUITE,..] | --all [GLOB...] | --list",
    "Runs that the store has are not simulated again; figures that share runs share them through it.\n"
    "--on SUITE,..: programs of the suites stand for the paper's names by the patterns of specs/suite-names.yaml and "
    "of "
    "names: in SUITE.suite.yaml.\n"
    "A row beside the paper's value says whether its direction, order and magnitude are the paper's: on the same side "
    "of "
    "no gain; above and below its rivals as there; the gain within a factor of 1.5, or two points apart. Met is all "
    "three.\n"
    "--all continues where it was interrupted. Studies of chapter 5 take whole grids from datasets/profiles: --mode "
    "full "
    "--dry-run says what is left.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct repro_command_options),
    run};
