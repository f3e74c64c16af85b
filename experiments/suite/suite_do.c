/* The steps of a suite: each program is built, recorded and checked, several at a time, and what was done stays. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <jansson.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/clock.h"
#include "poise/file.h"
#include "runner/progress.h"
#include "suite/suite_internal.h"
#include "workload/child.h"

struct doing {
    struct suite_shop shop, nvcc;
    bool has_nvcc;
    enum suite_step step;
    struct suite_row *rows;
    size_t n;
};

static bool is_wanted(const struct suite_program *p, const struct suite_options *o)
{
    for (size_t i = 0; i < o->n_only; i++)
        if (fnmatch(o->only[i], p->name, 0) == 0) return true;
    return o->n_only == 0;
}

static int choose(struct suite_row **rows, size_t *n, const struct suite *suite, const struct suite_options *o,
                  struct error *err)
{
    *n = 0;
    *rows = calloc(suite->n + 1, sizeof **rows);
    if (!*rows) return error_set(err, ERR_MEMORY, "out of memory for %zu programs", suite->n);
    for (size_t i = 0; i < suite->n; i++)
        if (is_wanted(&suite->programs[i], o)) (*rows)[(*n)++].program = &suite->programs[i];
    if (*n || !o->n_only) return 0;
    free(*rows);
    *rows = NULL;
    error_set(err, ERR_USAGE, "--only %s: no program of suite %s matches", o->only[0], suite->name);
    return suite_hint(err, "poise suite status %s lists its programs", suite->name);
}

/* ---- recording ---- */

static void run_name(char out[80], const struct suite_row *row, const struct suite_options *o)
{
    snprintf(out, 80, "%s-%s", row->program->name, suite_size_name(o));
}

static const char *text_of(const json_t *state, const char *key)
{
    const char *text = json_string_value(json_object_get(state, key));
    return text ? text : "";
}

static void row_from_run(struct suite_row *row, const json_t *state)
{
    row->ran = json_is_true(json_object_get(state, "ran")) ? SUITE_GOOD : SUITE_FAILED;
    row->launches = (size_t)json_integer_value(json_object_get(state, "launches"));
    row->warp_insts = (uint64_t)json_integer_value(json_object_get(state, "warp_insts"));
    row->seconds = json_number_value(json_object_get(state, "seconds"));
    snprintf(row->kind, sizeof row->kind, "%s", text_of(state, "kind"));
    snprintf(row->why, sizeof row->why, "%s", text_of(state, "why"));
}

static void row_from_check(struct suite_row *row, const json_t *state)
{
    const char *verdict = text_of(state, "verdict");
    for (int i = SUITE_NOTHING; i <= SUITE_WRONG; i++)
        if (strcmp(suite_verdicts[i], verdict) == 0) row->verdict = (enum suite_verdict)i, row->checked = SUITE_GOOD;
    if (row->checked == SUITE_GOOD) snprintf(row->why, sizeof row->why, "%s", text_of(state, "basis"));
}

/* A kernel that was stopped, as our library says it; a program may go on as if nothing were. */
static bool has_fault(char *why, size_t size, const char *output)
{
    static const char *const faults[] = {"ILLEGAL_ADDRESS",   "ILLEGAL_INSTRUCTION", "MISALIGNED_ADDRESS",
                                         "LAUNCH_FAILED",     "LAUNCH_TIMEOUT",      "INVALID_PTX",
                                         "NO_BINARY_FOR_GPU", "INVALID_PC"};
    for (const char *at = output; (at = strstr(at, "poise: CUDA_ERROR_")); at++)
        for (size_t i = 0; i < COUNT_OF(faults); i++)
            if (strncmp(at + strlen("poise: CUDA_ERROR_"), faults[i], strlen(faults[i])) == 0) {
                snprintf(why, size, "%.*s", (int)strcspn(at + 7, "\n"), at + 7);
                return true;
            }
    return false;
}

/* An argument that is a path to nothing. */
static bool lacks_data(char *why, size_t size, const struct program_run *run)
{
    for (size_t i = 0, at = 0; i < run->n_args; i++, at += strlen(run->args + at) + 1) {
        char path[4 * PATH_MAX];
        const char *argument = run->args + at;
        if (*argument == '-' || !strchr(argument, '/')) continue;
        snprintf(path, sizeof path, "%s%s%s", *argument == '/' ? "" : run->folder, *argument == '/' ? "" : "/",
                 argument);
        if (access(path, R_OK) == 0) continue;
        snprintf(why, size, "there is no file %.300s", argument);
        return true;
    }
    return false;
}

/* Why a run failed, by its error and what it printed. */
static void say_failed(struct suite_row *row, const struct program_run *run, const char *log, const struct error *err)
{
    char *text = NULL;
    size_t size;
    struct error ignored;
    const char *status = strstr(err->text, " ended with status ");
    const int code = status ? atoi(status + strlen(" ended with status ")) : -1;
    if (file_read(&text, &size, log, &ignored) == 0 && strlen(text) == size &&
        has_fault(row->why, sizeof row->why, text))
        snprintf(row->kind, sizeof row->kind, "kernel");
    else if (lacks_data(row->why, sizeof row->why, run)) snprintf(row->kind, sizeof row->kind, "data");
    else if (run->seconds && (code == 124 || code == 137))
        snprintf(row->why, sizeof row->why, "it had not ended after %llu s", (unsigned long long)run->seconds);
    else snprintf(row->why, sizeof row->why, "%.399s", status ? status + 1 : err->text);
    free(text);
    if (*row->kind) return;
    snprintf(row->kind, sizeof row->kind, "%s",
             code == 124 || code == 137                ? "time"
             : code > 128 && code < 128 + 65           ? "signal"
             : code >= 0                               ? "status"
             : strstr(err->text, "launched no kernel") ? "no kernel"
                                                       : "run");
    for (char *c = row->why; *c; c++)
        if (*c == '\n' || *c == '|') *c = ' ';
}

/* What a run that its limit ended has recorded. */
static void say_kept(struct suite_row *row, size_t launches)
{
    const size_t n = strlen(row->why);
    row->launches = launches;
    if (launches == 0) return;
    snprintf(row->why + n, sizeof row->why - n, "; %zu whole launches are kept, 'max_launches: %zu' takes them",
             launches, launches);
}

static json_t *run_json(const struct suite_row *row, const char *identity, const char *output)
{
    return json_pack("{s:s,s:b,s:s,s:s,s:I,s:I,s:f,s:s}", "identity", identity, "ran", row->ran == SUITE_GOOD, "kind",
                     row->kind, "why", row->why, "launches", (json_int_t)row->launches, "warp_insts",
                     (json_int_t)row->warp_insts, "seconds", row->seconds, "output", output);
}

static int record_now(struct suite_row *row, struct doing *d, const struct suite_running *r, const char *name,
                      const char *log, struct error *err)
{
    const double start = clock_s();
    struct launches list = {0};
    struct workload w = {.inputs = {-1}};
    struct error why = {0};
    char output[2 * PATH_MAX];
    snprintf(w.name, sizeof w.name, "%.20s/%.40s", d->shop.suite->name, row->program->name);
    const int failed = program_launches(&list, d->shop.paths, &r->run, r->identity, &w, d->shop.options->size, &why);
    if (failed && (why.code == ERR_INTERRUPTED || why.code == ERR_MEMORY)) return *err = why, -1;
    row->seconds = clock_s() - start;
    row->is_new = true;
    row->ran = failed ? SUITE_FAILED : SUITE_GOOD;
    row->kind[0] = row->why[0] = '\0';
    row->launches = list.n;
    snprintf(output, sizeof output, "%s", log);
    if (failed) say_failed(row, &r->run, log, &why);
    /* Libraries do its work: no workload, but it may say of itself that it is right. */
    if (strcmp(row->kind, "no kernel") == 0) row->ran = SUITE_GOOD;
    if (failed && strcmp(row->kind, "time") == 0) say_kept(row, program_launches_cut(d->shop.paths, &r->run));
    else if (list.n) {
        const char *slash = strrchr(list.items[0].path, '/');
        snprintf(output, sizeof output, "%.*s/record.log", (int)(slash - list.items[0].path), list.items[0].path);
    }
    for (size_t i = 0; i < list.n; i++) row->warp_insts += list.items[i].warp_insts;
    launches_fini(&list);
    return suite_state_write(d->shop.work, name, run_json(row, r->identity, output), err);
}

static int record(struct suite_row *row, struct doing *d, struct error *err)
{
    char name[80], log[2 * PATH_MAX];
    struct suite_entry *entry = calloc(1, sizeof *entry);
    struct suite_running *r = malloc(sizeof *r);
    const struct suite *s = d->shop.suite;
    const uint64_t seconds = row->program->seconds ? row->program->seconds
                             : s->seconds          ? s->seconds
                                                   : d->shop.options->seconds;
    run_name(name, row, d->shop.options);
    snprintf(log, sizeof log, "%s/%s.run.log", d->shop.logs, name);
    int result = entry && r ? 0 : error_set(err, ERR_MEMORY, "out of memory for a program");
    if (result == 0) {
        *entry = (struct suite_entry){.program = *row->program};
        memcpy(entry->suite, s->name, sizeof entry->suite);
        memcpy(entry->checkout, s->folder, sizeof entry->checkout);
        struct error why = {0};
        if (suite_running_init(r, d->shop.paths, entry, workload_size(suite_size_name(d->shop.options)), seconds, log,
                               &why) < 0) {
            row->ran = SUITE_FAILED;
            snprintf(row->kind, sizeof row->kind, "program");
            snprintf(row->why, sizeof row->why, "%.399s", why.text);
            free(entry);
            free(r);
            return 0;
        }
        json_t *state = suite_state_read(d->shop.work, name);
        const bool is_known =
            strcmp(text_of(state, "identity"), r->identity) == 0 && access(text_of(state, "output"), R_OK) == 0;
        const bool is_good = is_known && json_is_true(json_object_get(state, "ran"));
        if (is_good || (is_known && !d->shop.options->is_again)) row_from_run(row, state), row_from_check(row, state);
        else result = record_now(row, d, r, name, log, err);
        json_decref(state);
    }
    free(entry);
    free(r);
    return result;
}

/* ---- checking ---- */

/* What the program printed. A run that ended behind the launches that are wanted has no result: another one is made. */
static int output_of(char **output, struct suite_row *row, const struct doing *d, const json_t *state,
                     struct error *err)
{
    size_t size;
    struct error ignored;
    int status = 0;
    if (row->program->max_launches && row->ran == SUITE_GOOD) {
        if (suite_run_whole(output, &status, row, &d->shop, err) < 0) return -1;
        size = *output ? strlen(*output) : 0;
    } else if (file_read(output, &size, text_of(state, "output"), &ignored) < 0) {
        *output = strdup(""), size = 0;
    }
    for (size_t i = 0; *output && i < size; i++)
        if ((*output)[i] == '\0') (*output)[i] = ' ';
    if (!*output) return error_set(err, ERR_MEMORY, "out of memory for an output");
    return status;
}

/* Its launches are there, and its result is not: what a program with max_launches that did not end well. */
static void say_unknown(struct suite_row *row, int status)
{
    row->checked = SUITE_GOOD;
    row->verdict = SUITE_NOTHING;
    if (status == 124 || status == 137)
        snprintf(row->why, sizeof row->why, "its launches are recorded; it had not ended when its time was over");
    else snprintf(row->why, sizeof row->why, "its launches are recorded; it ended with status %d", status);
}

static int check(struct suite_row *row, struct doing *d, struct error *err)
{
    char name[80], *output = NULL;
    const struct suite_program *p = row->program;
    run_name(name, row, d->shop.options);
    json_t *state = suite_state_read(d->shop.work, name);
    /* A check that found nothing looks again: nvcc may be here by now. */
    if ((row->checked == SUITE_GOOD && row->verdict != SUITE_NOTHING) || !state) return json_decref(state), 0;
    char why[sizeof row->why];
    const int status = output_of(&output, row, d, state, err);
    int result = status < 0 ? -1 : 0;
    const enum suite_verdict verdict =
        result < 0 || p->is_unchecked ? SUITE_NOTHING : suite_judge(output, p->right, p->wrong, why, sizeof why);
    if (result == 0 && row->ran == SUITE_GOOD && has_fault(row->why, sizeof row->why, output)) {
        row->ran = SUITE_FAILED;
        snprintf(row->kind, sizeof row->kind, "kernel");
    }
    /* What failed is wrong where it says so, and never right. */
    if ((verdict == SUITE_WRONG && strcmp(row->kind, "data") != 0) ||
        (verdict == SUITE_RIGHT && row->ran == SUITE_GOOD && status == 0)) {
        row->verdict = verdict;
        memcpy(row->why, why, sizeof why);
        row->checked = SUITE_GOOD;
        if (verdict == SUITE_WRONG && row->ran == SUITE_GOOD) result = suite_try_turns(row, &d->shop, NULL, err);
    } else if (status > 0) {
        say_unknown(row, status);
    } else if (result == 0 && row->ran == SUITE_GOOD) {
        snprintf(row->why, sizeof row->why,
                 p->is_unchecked ? "its file says: check: none"
                                 : "it launches no kernel and its output has no verdict");
        if (!p->is_unchecked && row->launches)
            result = suite_check_two_ways(row, &d->shop, d->has_nvcc ? &d->nvcc : NULL, err);
        row->checked = SUITE_GOOD;
    }
    free(output);
    if (result == 0 && row->checked == SUITE_GOOD) {
        json_object_set_new(state, "verdict", json_string(suite_verdicts[row->verdict]));
        json_object_set_new(state, "basis", json_string(row->why));
        return suite_state_write(d->shop.work, name, state, err);
    }
    json_decref(state);
    return result;
}

/* ---- all ---- */

static int do_row(struct suite_row *row, struct doing *d, struct error *err)
{
    if (suite_build(row, &d->shop, err) < 0) return -1;
    if (row->built != SUITE_GOOD || d->step == SUITE_BUILD) return 0;
    if (record(row, d, err) < 0) return -1;
    return d->step == SUITE_RECORD ? 0 : check(row, d, err);
}

/* Programs of one folder are built one after another, by the first of them. */
static bool is_first_of_folder(const struct doing *d, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(d->rows[i].program->folder, d->rows[at].program->folder) == 0) return false;
    return true;
}

static bool has_failed(const struct suite_row *row)
{
    return row->built == SUITE_FAILED || row->ran == SUITE_FAILED || row->verdict == SUITE_WRONG;
}

static int do_all(struct doing *d, struct error *err)
{
    static const char *const what[] = {"builds", "traces", "checks"};
    const struct suite_options *o = d->shop.options;
    const volatile sig_atomic_t *stop = d->shop.paths->stop;
    struct progress progress;
    int result = 0;
    progress_begin(&progress, o->progress, o->is_terminal, what[d->step], d->n, (double)d->n);
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads ? (int)o->threads : omp_get_num_procs())
    for (size_t i = 0; i < d->n; i++) {
        if (!is_first_of_folder(d, i)) continue;
        for (size_t k = i; k < d->n; k++) {
            struct error mine = {0};
            if (strcmp(d->rows[k].program->folder, d->rows[i].program->folder) != 0 || (stop && *stop)) continue;
            const int failed = do_row(&d->rows[k], d, &mine);
#pragma omp critical(suite_do)
            {
                if (failed && result == 0) *err = mine, result = -1;
                progress_step(&progress, 1, d->rows[k].warp_insts, has_failed(&d->rows[k]));
            }
        }
    }
    progress_end(&progress);
    const bool is_interrupted = result == 0 ? stop && *stop : err->code == ERR_INTERRUPTED;
    return is_interrupted ? error_set(err, ERR_INTERRUPTED, "interrupted: the same command continues") : result;
}

static int check_folder(const struct suite *suite, struct error *err)
{
    struct stat st;
    const bool is_there = stat(suite->folder, &st) == 0;
    if (is_there && S_ISDIR(st.st_mode)) return 0;
    error_set(err, ERR_INPUT, "%s: folder: %s: %s", suite->file, suite->folder,
              is_there ? strerror(ENOTDIR) : strerror(errno));
    return error_at(err, suite->file, 0, -1, "it names the checkout; a relative one lies beside the file");
}

int suite_do(struct suite_row **rows, size_t *n, const struct suite *suite, enum suite_step step,
             const struct suite_options *options, const struct lab_paths *paths, struct error *err)
{
    char lock[PATH_MAX], nvcc[PATH_MAX];
    if (check_folder(suite, err) < 0) return -1;
    struct doing *d = calloc(1, sizeof *d);
    if (!d) return error_set(err, ERR_MEMORY, "out of memory for a suite");
    if (choose(rows, n, suite, options, err) < 0) return free(d), -1;
    d->step = step, d->rows = *rows, d->n = *n;
    int result = file_make_folders(paths->traces, err);
    suite_work_folder(lock, sizeof lock - 8, paths, suite->name, suite->folder);
    if (result == 0) result = file_make_folders(lock, err);
    strcat(lock, "/lock");
    const int fd = result == 0 ? open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (result == 0 && fd < 0) result = error_set(err, ERR_IO, "%s cannot be opened", lock);
    if (result == 0) result = lock_wait(fd, lock, paths->stop, err);
    if (result == 0) result = suite_shop_open(&d->shop, suite, options, paths, false, err);
    if (result == 0 && step == SUITE_CHECK && suite_find_nvcc(nvcc, sizeof nvcc)) {
        result = suite_shop_open(&d->nvcc, suite, options, paths, true, err);
        d->has_nvcc = result == 0;
    }
    if (result == 0) result = do_all(d, err);
    suite_shop_close(&d->shop);
    suite_shop_close(&d->nvcc);
    if (fd >= 0) close(fd);
    free(d);
    if (result < 0) free(*rows), *rows = NULL, *n = 0;
    return result;
}

int suite_status(struct suite_row **rows, size_t *n, const struct suite *suite, const struct suite_options *options,
                 const struct lab_paths *paths, struct error *err)
{
    char work[PATH_MAX], name[80];
    if (choose(rows, n, suite, options, err) < 0) return -1;
    suite_work_folder(work, sizeof work, paths, suite->name, suite->folder);
    for (size_t i = 0; i < *n; i++) {
        struct suite_row *row = &(*rows)[i];
        json_t *built = suite_state_read(work, row->program->name);
        if (built) suite_row_from_build(row, built);
        json_decref(built);
        run_name(name, row, options);
        json_t *ran = row->built == SUITE_GOOD ? suite_state_read(work, name) : NULL;
        if (ran) row_from_run(row, ran), row_from_check(row, ran);
        json_decref(ran);
    }
    return 0;
}

json_t *suite_row_json(const struct suite_row *row, const char *suite)
{
    static const char *const states[] = {"not tried", "yes", "no"};
    const struct suite_program *p = row->program;
    return json_pack("{s:s++,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:f}", "kernel", suite, "/", p->name, "folder",
                     p->folder, "built", states[row->built], "how", row->how, "ran", states[row->ran], "check",
                     row->checked == SUITE_GOOD ? suite_verdicts[row->verdict] : "not tried", "kind", row->kind, "why",
                     row->why, "launches", (json_int_t)row->launches, "warp_insts", (json_int_t)row->warp_insts,
                     "seconds", row->seconds);
}
