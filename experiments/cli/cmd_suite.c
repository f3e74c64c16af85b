/* poise suite: somebody's CUDA programs as workloads by name (experiments/suite/README.md). */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/spec_format.h"
#include "poise/suite.h"
#include "poise/text.h"

struct suite_command_options {
    struct texts only;
    const char *size;
    uint64_t timeout, threads;
    bool again, force, json, example;
};
static const struct option_row rows[] = {
    OPTION(suite_command_options, only, 0, OPTION_TEXTS, "GLOB", "these programs alone; may be repeated"),
    OPTION(suite_command_options, size, 0, OPTION_TEXT, "SIZE", "arguments of test (default) or full",
           .modes = "record, check"),
    OPTION(suite_command_options, timeout, 0, OPTION_COUNT, "SECONDS",
           "for each build, and for each run, where the suite's file says nothing (default: 60)"),
    OPTION(suite_command_options, threads, 0, OPTION_WHOLE, "N",
           "programs at a time (default: as many as there are processors)"),
    OPTION(suite_command_options, again, 0, OPTION_FLAG, NULL, "try again also what failed before and has not changed"),
    OPTION(suite_command_options, force, 0, OPTION_FLAG, NULL, "write over a NAME.suite.yaml that is there",
           .modes = "add"),
    OPTION(suite_command_options, example, 0, OPTION_FLAG, NULL, "print an annotated NAME.suite.yaml"),
    OPTION(suite_command_options, json, 0, OPTION_FLAG, NULL, "print what was found or done as JSON"),
};

static int add(const struct suite_command_options *o, const struct texts *arguments, struct error *err)
{
    char folder[PATH_MAX], path[PATH_MAX], *text;
    size_t size, n;
    struct stat st;
    if (arguments->n != 3)
        return error_set(err, ERR_USAGE, "poise suite add needs a name and a folder: poise suite add NAME DIR");
    const char *name = arguments->items[1], *problem = name_problem(name);
    if (problem) return error_set(err, ERR_USAGE, "'%s': the name %s", name, problem);
    if (strlen(name) >= sizeof((struct suite *)NULL)->name)
        return error_set(err, ERR_USAGE, "'%s': at most %zu bytes", name, sizeof((struct suite *)NULL)->name - 1);
    if (!realpath(arguments->items[2], folder) || stat(folder, &st) != 0)
        return error_set(err, ERR_INPUT, "%s: %s", arguments->items[2], strerror(errno));
    if (!S_ISDIR(st.st_mode)) return error_set(err, ERR_INPUT, "%s is no folder", folder);
    if (strlen(folder) >= sizeof((struct suite *)NULL)->folder)
        return error_set(err, ERR_INPUT, "%s: this path is too long", folder);
    snprintf(path, sizeof path, "%s.suite.yaml", name);
    if (!o->force && access(path, F_OK) == 0) {
        error_set(err, ERR_INPUT, "%s is there already", path);
        return error_at(err, NULL, 0, -1, "--force writes over it");
    }
    if (suite_draft(&text, &size, &n, name, folder, err) < 0) return -1;
    int result =
        n ? file_write(path, text, size, err)
          : error_set(err, ERR_INPUT, "%s: no folder has CUDA sources (.cu) with main() or a makefile", folder);
    free(text);
    if (result < 0) return -1;
    if (o->json) {
        json_t *out = lab_json();
        json_object_update_new(out, json_pack("{s:s,s:I}", "file", path, "programs", (json_int_t)n));
        return cli_print_json(out, err);
    }
    printf("%s: %zu programs. Edit it where a guess is wrong; then: poise suite check %s\n", path, n, name);
    return 0;
}

struct totals {
    size_t n, built, ran, right, nothing, wrong, failed;
};

static struct totals count(const struct suite_row *all, size_t n)
{
    struct totals t = {.n = n};
    for (size_t i = 0; i < n; i++) {
        const struct suite_row *r = &all[i];
        t.built += r->built == SUITE_GOOD;
        t.ran += r->ran == SUITE_GOOD;
        t.right += r->checked == SUITE_GOOD && r->verdict == SUITE_RIGHT;
        t.wrong += r->checked == SUITE_GOOD && r->verdict == SUITE_WRONG;
        t.nothing += r->checked == SUITE_GOOD && r->verdict == SUITE_NOTHING;
        t.failed += r->built == SUITE_FAILED || (r->ran == SUITE_FAILED && r->verdict != SUITE_WRONG);
    }
    return t;
}

static void print_row(const struct suite_row *r)
{
    static const char *const states[] = {"-", "yes", "no"};
    char shown[sizeof r->why + 4], built[80], ran[80];
    const char *verdict = r->checked == SUITE_GOOD ? suite_verdicts[r->verdict] : "-";
    snprintf(built, sizeof built, "%s%s%s", states[r->built], r->built == SUITE_GOOD ? ", " : "",
             r->built == SUITE_GOOD ? r->how : "");
    if (r->ran == SUITE_GOOD) snprintf(ran, sizeof ran, "%zu", r->launches);
    else snprintf(ran, sizeof ran, "%s", states[r->ran]);
    printf("%-24s %-13s %-9s %-17s %s%s%s\n", r->program->name, built, ran, verdict, r->kind, *r->kind ? ": " : "",
           text_shown(r->why, shown, sizeof shown));
}

static int print_rows(const struct suite *suite, const struct suite_row *all, size_t n, bool json, struct error *err)
{
    const struct totals t = count(all, n);
    if (json) {
        json_t *list = json_array(), *out = lab_json();
        for (size_t i = 0; i < n; i++) json_array_append_new(list, suite_row_json(&all[i], suite->name));
        json_object_update_new(out, json_pack("{s:s,s:o,s:{s:I,s:I,s:I,s:I,s:I,s:I,s:I}}", "suite", suite->name,
                                              "programs", list, "totals", "programs", (json_int_t)t.n, "built",
                                              (json_int_t)t.built, "ran", (json_int_t)t.ran, "right",
                                              (json_int_t)t.right, "nothing_to_check", (json_int_t)t.nothing, "wrong",
                                              (json_int_t)t.wrong, "failed", (json_int_t)t.failed));
        return cli_print_json(out, err);
    }
    printf("%-24s %-13s %-9s %-17s %s\n", "program", "built", "launches", "check", "why");
    for (size_t i = 0; i < n; i++) print_row(&all[i]);
    printf("\n%s: %zu programs, %zu built, %zu ran; %zu right, %zu with nothing to check, %zu wrong, %zu failed\n",
           suite->name, t.n, t.built, t.ran, t.right, t.nothing, t.wrong, t.failed);
    return 0;
}

static int do_step(struct cli *cli, const struct suite_command_options *o, const struct texts *arguments,
                   const char *verb, struct error *err)
{
    static const char *const steps[] = {"build", "record", "check"};
    char self[PATH_MAX], toolkit[512], found[PATH_MAX];
    struct runner_options runner;
    struct suite suite;
    struct suite_row *all = NULL;
    size_t n = 0, step = 0;
    if (arguments->n != 2) return error_set(err, ERR_USAGE, "poise suite %s needs the suite's name", verb);
    if (o->size && strcmp(o->size, "test") != 0 && strcmp(o->size, "full") != 0)
        return error_set(err, ERR_USAGE, "--size %s: choose test or full", o->size);
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return error_set(err, ERR_IO, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    lab_path(toolkit, sizeof toolkit, "POISE_CUDA_INCLUDE", "share/poise/toolkit", POISE_CUDA_INCLUDE_DEFAULT);
    cli_runner_options(cli, &runner, o->threads);
    runner.decoded_dir = NULL;
    cli->paths.stop = cli->stop;
    const struct suite_options options = {.only = o->only.items,
                                          .n_only = o->only.n,
                                          .size = o->size && strcmp(o->size, "full") == 0 ? SUITE_FULL : SUITE_TEST,
                                          .seconds = o->timeout ? o->timeout : 60,
                                          .threads = runner.threads,
                                          .is_again = o->again,
                                          .poise = self,
                                          .toolkit = realpath(toolkit, found) ? found : toolkit,
                                          .progress = runner.progress,
                                          .is_terminal = runner.is_terminal};
    if (suite_find(&suite, arguments->items[1], err) < 0) return -1;
    while (step < COUNT_OF(steps) && strcmp(steps[step], verb) != 0) step++;
    int result = step == COUNT_OF(steps)
                     ? suite_status(&all, &n, &suite, &options, &cli->paths, err)
                     : suite_do(&all, &n, &suite, (enum suite_step)step, &options, &cli->paths, err);
    if (result == 0) result = print_rows(&suite, all, n, o->json, err);
    const struct totals t = count(all, n);
    if (result == 0 && step != COUNT_OF(steps) && t.failed + t.wrong) result = 1;
    free(all);
    suite_fini(&suite);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    const struct suite_command_options *o = options;
    const char *verb = arguments->n ? arguments->items[0] : "";
    static const char *const verbs[] = {"add", "build", "record", "check", "status"};
    if (o->example) return cli_print_example(cli, &spec_format_suite);
    if (strcmp(verb, "add") == 0) return add(o, arguments, err);
    for (size_t i = 1; i < COUNT_OF(verbs); i++)
        if (strcmp(verb, verbs[i]) == 0) return do_step(cli, o, arguments, verb, err);
    return error_set(err, ERR_USAGE, "poise suite: choose add, build, record, check or status");
}

const struct command command_suite = {
    "suite",
    "a checkout of CUDA programs as workloads by name",
    "add NAME DIR | build NAME | record NAME | check NAME | status NAME  [--only GLOB]...",
    "add looks through a checkout, runs nothing and writes NAME.suite.yaml, a draft that you edit ('poise help "
    "spec-suite').\n"
    "build makes a copy and runs makefiles and CMake files there with our compiler in place of nvcc; record records "
    "the "
    "programs'\n"
    "launches; check says which results are right: by what a program prints, else by equal outputs of two ways. Each "
    "does what\n"
    "comes before it, several programs at a time, and continues where it stopped. status shows what is known.\n"
    "Then the programs are kernels: poise policies --kernel NAME/PROGRAM, and kernels: [NAME/*] in specs. Suites are "
    "looked for in\n"
    "the current folder and where POISE_SUITES says. Exit status 1: something was wrong or failed.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct suite_command_options),
    run};
