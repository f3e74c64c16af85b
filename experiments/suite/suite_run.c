/* A program's launches by its name, and outputs by two ways. */
#include <ctype.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/say.h"
#include "suite/suite_internal.h"
#include "workload/recording.h"

const struct suite_arguments *suite_arguments_of(const struct suite_program *p, int size)
{
    const bool is_full = size == workload_size("full") || size == workload_size("eval");
    return &p->arguments[is_full && p->arguments[SUITE_FULL].is_given ? SUITE_FULL : SUITE_TEST];
}

int suite_running_init(struct suite_running *out, const struct lab_paths *paths, const struct suite_entry *entry,
                       int size, uint64_t seconds, const char *log, struct error *err)
{
    char work[PATH_MAX];
    const struct suite_program *p = &entry->program;
    const struct suite_arguments *a = suite_arguments_of(p, size);
    suite_work_folder(work, sizeof work, paths, entry->suite, entry->checkout);
    suite_executable(out->path, sizeof out->path, work, p);
    if (!*out->path || access(out->path, X_OK) != 0) {
        error_set(err, ERR_INPUT, "%s/%s is not built", entry->suite, p->name);
        return suite_hint(err, "poise suite build %s builds it, or says why it cannot", entry->suite);
    }
    snprintf(out->folder, sizeof out->folder, "%s/clang/tree/%s", work, p->folder);
    snprintf(out->stem, sizeof out->stem, "%.20s-%.40s", entry->suite, p->name);
    out->run = (struct program_run){.path = out->path,
                                    .stem = out->stem,
                                    .folder = out->folder,
                                    .args = a->text,
                                    .n_args = a->n,
                                    .args_size = a->size,
                                    .settings = p->environment.text,
                                    .n_settings = p->environment.n,
                                    .settings_size = p->environment.size,
                                    .max_launches = p->max_launches,
                                    .seconds = seconds,
                                    .failed_log = log};
    return program_identity(out->identity, &out->run, err) < 0 ? error_while(err, "%s/%s", entry->suite, p->name) : 0;
}

int suite_launches_with(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size,
                        const struct suite_arguments *arguments, struct error *err)
{
    const struct suite_entry *entry = w->of_suite;
    const uint64_t seconds = entry->program.seconds ? entry->program.seconds : entry->seconds;
    struct suite_running *r = malloc(sizeof *r);
    struct suite_entry *called = malloc(sizeof *called);
    if (r && called) *called = *entry;
    if (called && arguments)
        for (size_t i = 0; i < SUITE_SIZES; i++) called->program.arguments[i] = *arguments;
    int result = r && called ? suite_running_init(r, paths, called, size, seconds, NULL, err)
                             : error_set(err, ERR_MEMORY, "out of memory for a program");
    if (result == 0) result = program_launches(list, paths, &r->run, r->identity, w, size, err);
    free(called);
    free(r);
    return result;
}

int suite_launches(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size,
                   struct error *err)
{
    return suite_launches_with(list, paths, w, size, NULL, err);
}

bool suite_is_built(const struct workload *w, const struct lab_paths *paths)
{
    char work[PATH_MAX], path[3 * PATH_MAX];
    suite_work_folder(work, sizeof work, paths, w->of_suite->suite, w->of_suite->checkout);
    suite_executable(path, sizeof path, work, &w->of_suite->program);
    return *path && access(path, X_OK) == 0;
}

bool suite_is_ready(const struct workload *w, const struct lab_paths *paths, int size)
{
    char work[PATH_MAX], name[80];
    const struct suite_program *p = &w->of_suite->program;
    const bool is_full = size == workload_size("full") || size == workload_size("eval");
    if (!suite_is_built(w, paths)) return false;
    suite_work_folder(work, sizeof work, paths, w->of_suite->suite, w->of_suite->checkout);
    snprintf(name, sizeof name, "%s-%s", p->name, is_full ? "full" : "test");
    json_t *state = suite_state_read(work, name);
    const bool has_failed = json_is_false(json_object_get(state, "ran"));
    const bool has_none = state && json_integer_value(json_object_get(state, "launches")) == 0;
    json_decref(state);
    return !has_failed && !has_none;
}

void suite_tell_left_out(const char *pattern, size_t n)
{
    if (n)
        say_note(stderr,
                 "%s leaves out %zu programs that are not built or do not run; "
                 "'poise suite status %.*s' says why",
                 pattern, n, (int)strcspn(pattern, "/"), pattern);
}

/* ---- two ways ---- */

/* A file with bytes that no text has becomes a line a word: a float, where its size is one of a result, else bytes. */
static void write_words(FILE *text, const char *part, size_t n)
{
    for (size_t i = 0; i < n; i += sizeof(float)) {
        unsigned char bytes[sizeof(float)] = {0};
        float x;
        memcpy(bytes, part + i, n - i < sizeof bytes ? n - i : sizeof bytes);
        memcpy(&x, bytes, sizeof x);
        if (fabsf(x) > 1e-30f && fabsf(x) < 1e30f) fprintf(text, "%.7g\n", (double)x);
        else fprintf(text, "%d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3]);
    }
}

static bool is_binary(const char *part, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (iscntrl((unsigned char)part[i]) && !isspace((unsigned char)part[i])) return true;
    return false;
}

/* What it printed, and what is in the files that its arguments name and the checkout has not. *out is the caller's. */
static int outcome(char **out, const struct suite_shop *shop, const struct suite_program *p,
                   const struct suite_arguments *a, const char *folder, const char *log, struct error *err)
{
    size_t size = 0;
    FILE *text = open_memstream(out, &size);
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for an output");
    for (size_t i = 0, at = 0; i <= a->n; at += i ? strlen(a->text + at) + 1 : 0, i++) {
        char path[4 * PATH_MAX], *part;
        size_t n;
        struct error ignored;
        if (i == 0) snprintf(path, sizeof path, "%s", log);
        else snprintf(path, sizeof path, "%s/%s", folder, a->text + at);
        const bool is_input = i && suite_has(&shop->files, p->folder, a->text + at);
        if (is_input || (i && a->text[at] == '/') || access(path, R_OK) != 0) continue;
        if (i && strstr(a->text + at, "../")) continue;
        if (file_read(&part, &n, path, &ignored) < 0) continue;
        for (size_t k = 0; i == 0 && k < n; k++)
            if (part[k] == '\0') part[k] = ' ';
        if (i && is_binary(part, n)) write_words(text, part, n);
        else fwrite(part, 1, n, text);
        fputc('\n', text);
        free(part);
    }
    return fclose(text) == 0 ? 0 : error_set(err, ERR_MEMORY, "out of memory for an output");
}

/* Runs what is built; *status is not 0 where it failed. */
static int run_built(char **out, int *status, const struct suite_shop *shop, const struct suite_program *p,
                     const char *folder, const char *program, uint64_t seconds, int size, const char *way,
                     struct error *err)
{
    char log[2 * PATH_MAX], path[4 * PATH_MAX], *argv[200];
    const struct suite_arguments *a = suite_arguments_of(p, size);
    size_t n = 0;
    snprintf(log, sizeof log, "%s/%s.%s.run.log", shop->logs, p->name, way);
    snprintf(path, sizeof path, "%s/%s", folder, program);
    argv[n++] = (char *)(uintptr_t) "env";
    for (size_t i = 0, at = 0; i < p->environment.n && n < 100; i++, at += strlen(p->environment.text + at) + 1)
        argv[n++] = (char *)(uintptr_t)(p->environment.text + at);
    argv[n++] = path;
    for (size_t i = 0, at = 0; i < a->n && n < COUNT_OF(argv) - 1; i++, at += strlen(a->text + at) + 1)
        argv[n++] = (char *)(uintptr_t)(a->text + at);
    argv[n] = NULL;
    return suite_run(shop, folder, argv, log, seconds, status, err) < 0 ? -1
                                                                        : outcome(out, shop, p, a, folder, log, err);
}

static int size_of(const struct suite_shop *shop) { return workload_size(suite_size_name(shop->options)); }

/* The second way: nvcc's code, or the suite's version for the CPU. *text NULL: there is none, or it does not run. */
static int other_way(char **text, const char **what, struct suite_row *row, struct suite_shop *shop,
                     struct suite_shop *nvcc, uint64_t seconds, struct error *err)
{
    const struct suite_program *p = row->program;
    const int size = size_of(shop);
    char folder[2 * PATH_MAX], log[2 * PATH_MAX], state_name[80];
    int status = 1;
    *text = NULL;
    if (*p->reference) {
        int unbuilt = 1;
        struct suite_program cpu = *p;
        snprintf(cpu.folder, sizeof cpu.folder, "%s", p->reference);
        snprintf(cpu.build, sizeof cpu.build, "sources");
        snprintf(folder, sizeof folder, "%s/%s", shop->tree, p->reference);
        snprintf(log, sizeof log, "%s/%s.reference.log", shop->logs, p->name);
        *what = "the version for the CPU";
        if (suite_build_sources(shop, &cpu, folder, "poise-reference", log, &unbuilt, err) < 0) return -1;
        if (!unbuilt &&
            run_built(text, &status, shop, &cpu, folder, "poise-reference", seconds, size, "reference", err) < 0)
            return -1;
    }
    if (nvcc && (!*text || status != 0)) {
        free(*text), *text = NULL;
        struct suite_row there = {.program = p};
        *what = "nvcc's code";
        if (suite_build(&there, nvcc, err) < 0) return -1;
        if (there.built != SUITE_GOOD) return 0;
        snprintf(state_name, sizeof state_name, "%s.nvcc", p->name);
        char program[PATH_MAX];
        suite_program_of(program, sizeof program, nvcc->work, state_name);
        snprintf(folder, sizeof folder, "%s/%s", nvcc->tree, p->folder);
        if (run_built(text, &status, nvcc, p, folder, program, seconds, size, "nvcc", err) < 0) return -1;
    }
    if (status != 0) free(*text), *text = NULL;
    return 0;
}

static uint64_t seconds_of(const struct suite_shop *shop, const struct suite_program *p)
{
    return p->seconds ? p->seconds : shop->suite->seconds ? shop->suite->seconds : shop->options->seconds;
}

int suite_run_whole(char **output, int *status, const struct suite_row *row, const struct suite_shop *shop,
                    struct error *err)
{
    const struct suite_program *p = row->program;
    char folder[2 * PATH_MAX], program[PATH_MAX];
    suite_program_of(program, sizeof program, shop->work, p->name);
    snprintf(folder, sizeof folder, "%s/%s", shop->tree, p->folder);
    return run_built(output, status, shop, p, folder, program, seconds_of(shop, p), size_of(shop), "whole", err);
}

static const char turn_insts[] = "POISE_TURN_INSTS";

int suite_try_turns(struct suite_row *row, const struct suite_shop *shop, const char *theirs, struct error *err)
{
    static const unsigned turns[] = {64, 8};
    const int size = size_of(shop);
    char folder[2 * PATH_MAX], program[PATH_MAX], setting[40], why[300];
    for (size_t i = 0, at = 0; i < row->program->environment.n; i++) {
        const char *text = row->program->environment.text + at;
        if (strncmp(text, turn_insts, sizeof turn_insts - 1) == 0) return 0;
        at += strlen(text) + 1;
    }
    suite_program_of(program, sizeof program, shop->work, row->program->name);
    snprintf(folder, sizeof folder, "%s/%s", shop->tree, row->program->folder);
    struct suite_program *p = malloc(sizeof *p);
    if (!p) return error_set(err, ERR_MEMORY, "out of memory for a program");
    int result = 0;
    for (size_t i = 0; i < COUNT_OF(turns) && result == 0; i++) {
        char *text = NULL;
        int status = 1;
        *p = *row->program;
        snprintf(setting, sizeof setting, "%s=%u", turn_insts, turns[i]);
        if (suite_arguments_add(&p->environment, setting) < 0) break;
        result = run_built(&text, &status, shop, p, folder, program, seconds_of(shop, p), size, "turns", err);
        const bool is_right = result == 0 && status == 0 &&
                              (theirs ? suite_compare(text, theirs, why, sizeof why)
                                      : suite_judge(text, p->right, p->wrong, why, sizeof why)) == SUITE_RIGHT;
        free(text);
        if (!is_right) continue;
        const size_t n = strlen(row->why);
        snprintf(row->why + n, sizeof row->why - n, "; its warps race: right with environment: [%s]", setting);
        break;
    }
    free(p);
    return result;
}

/* The program with a stopped clock (libfaketime), but for intervals that it measures; false: there is no such
 * library. */
static bool stop_clock(struct suite_program *out, const struct suite_program *p)
{
    char preload[PATH_MAX + 20];
    glob_t found;
    *out = *p;
    if (glob("/usr/lib*/*/faketime/libfaketime.so.1", 0, NULL, &found) != 0) return false;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", found.gl_pathv[0]);
    globfree(&found);
    const char *const settings[] = {preload, "FAKETIME=2020-02-02 20:20:20", "FAKETIME_DONT_FAKE_MONOTONIC=1"};
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        if (suite_arguments_add(&out->environment, settings[i]) < 0) return false;
    return true;
}

/* Both ways at the same time of the clock, if the program is then the same in two runs. */
static int compare_at_one_time(struct suite_row *row, struct suite_shop *shop, struct suite_shop *nvcc,
                               const char *folder, const char *program, struct error *err)
{
    const int size = size_of(shop);
    const uint64_t seconds = seconds_of(shop, row->program);
    char why[300], *ours = NULL, *again = NULL, *theirs = NULL;
    const char *what = "";
    int status = 0, status_again = 0;
    struct suite_program *p = malloc(sizeof *p);
    if (!p) return error_set(err, ERR_MEMORY, "out of memory for a program");
    struct suite_row there = {.program = p};
    int result = 0;
    if (stop_clock(p, row->program)) {
        result = run_built(&ours, &status, shop, p, folder, program, seconds, size, "clock", err);
        if (result == 0)
            result = run_built(&again, &status_again, shop, p, folder, program, seconds, size, "again", err);
        if (result == 0) result = other_way(&theirs, &what, &there, shop, nvcc, seconds, err);
        if (result == 0 && theirs && !status && !status_again &&
            suite_compare(ours, again, why, sizeof why) == SUITE_RIGHT) {
            row->verdict = suite_compare(ours, theirs, why, sizeof why);
            snprintf(row->why, sizeof row->why, "%s, with a stopped clock: %.250s", what, why);
        }
    }
    free(ours);
    free(again);
    free(theirs);
    free(p);
    return result;
}

/* A program whose input is drawn by the clock differs from itself. */
static int forgive_chance(struct suite_row *row, struct suite_shop *shop, struct suite_shop *nvcc, const char *ours,
                          const char *folder, const char *program, struct error *err)
{
    const struct suite_program *p = row->program;
    const int size = size_of(shop);
    char why[300], *again = NULL;
    int status = 1;
    sleep(2); /* time(0) has to say something else */
    int result = run_built(&again, &status, shop, p, folder, program, seconds_of(shop, p), size, "again", err);
    if (result == 0 && status == 0 && suite_compare(ours, again, why, sizeof why) == SUITE_WRONG) {
        row->verdict = SUITE_NOTHING;
        snprintf(row->why, sizeof row->why, "two runs of the same program differ: %.200s", why);
        result = compare_at_one_time(row, shop, nvcc, folder, program, err);
    }
    free(again);
    return result;
}

int suite_check_two_ways(struct suite_row *row, struct suite_shop *shop, struct suite_shop *nvcc, struct error *err)
{
    const struct suite_program *p = row->program;
    const uint64_t seconds = seconds_of(shop, p);
    const int size = size_of(shop);
    char folder[2 * PATH_MAX], program[PATH_MAX], why[300], *theirs, *ours = NULL;
    const char *what = "";
    int status = 1;
    if (other_way(&theirs, &what, row, shop, nvcc, seconds, err) < 0) return -1;
    if (!theirs) {
        snprintf(row->why, sizeof row->why, "its output has no verdict%s%s%s", *what ? ", and " : "", what,
                 *what ? " is not to be had" : "");
        return 0;
    }
    suite_program_of(program, sizeof program, shop->work, p->name);
    snprintf(folder, sizeof folder, "%s/%s", shop->tree, p->folder);
    int result = run_built(&ours, &status, shop, p, folder, program, seconds, size, "clang", err);
    if (result == 0 && status == 0) {
        row->verdict = suite_compare(ours, theirs, why, sizeof why);
        snprintf(row->why, sizeof row->why, "%s: %.300s", what, why);
        if (row->verdict == SUITE_WRONG) result = forgive_chance(row, shop, nvcc, ours, folder, program, err);
        if (result == 0 && row->verdict == SUITE_WRONG) result = suite_try_turns(row, shop, theirs, err);
    }
    free(ours);
    free(theirs);
    return result;
}
