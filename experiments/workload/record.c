/* Recording: run a workload under the CUDA shim, keep its traces, know when they are stale.
 *
 *   TRACES/<program>-<size>[-<input>][-<hash of knobs>]/
 *                                        NNNN-<kernel>.ptrace   one a launch, written by the shim
 *                                        index.json             what the launches are, and the hash of the program's
 *                                        file
 *                                        record.log             what the program printed
 *   TRACES/<program>-<..>.cut/           the launches that a program recorded before a time limit ended it
 *   TRACES/decoded/                      decoded forms, by content, shared by all
 *
 * A folder is made under a temporary name and renamed, so that it is complete or absent. */
#include "poise/workload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <omp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/table.h"
#include "poise/trace.h"
#include "suite/suite_internal.h"
#include "workload/child.h"
#include "workload/recording.h"
#include "workload/trace_cache.h"

extern char **environ;

static int folder_remove(const char *path, struct error *err)
{
    DIR *dir = opendir(path);
    if (!dir) return errno == ENOENT ? 0 : error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    for (struct dirent *e; (e = readdir(dir));) {
        char file[1800];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        unlink(file);
    }
    closedir(dir);
    return rmdir(path) == 0 ? 0 : error_set(err, ERR_IO, "%s: cannot remove this folder: %s", path, strerror(errno));
}

/* Of the same variable? */
static bool is_setting_of(const char *setting, const char *other)
{
    const size_t n = strcspn(other, "=");
    return strncmp(setting, other, n) == 0 && setting[n] == '=';
}

/* The environment with the settings, each "NAME=VALUE", in place of what it says of the same names; the caller
 * frees the array. */
static char **environment_with(const char *const *settings, size_t n_settings)
{
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **env = calloc(n + n_settings + 1, sizeof *env);
    if (!env) return NULL;
    for (size_t i = 0; i < n; i++) {
        bool is_replaced = false;
        for (size_t k = 0; k < n_settings; k++) is_replaced |= is_setting_of(environ[i], settings[k]);
        if (!is_replaced) env[kept++] = environ[i];
    }
    for (size_t k = 0; k < n_settings; k++) env[kept++] = (char *)(uintptr_t)settings[k];
    return env;
}

static void log_tail(const char *log, char *out, size_t size)
{
    char *text = NULL;
    size_t n = 0;
    struct error ignored;
    *out = '\0';
    if (!log || file_read(&text, &n, log, &ignored) < 0) return;
    while (n && (text[n - 1] == '\n' || text[n - 1] == ' ')) text[--n] = '\0';
    const char *from = n > 300 ? text + n - 300 : text;
    snprintf(out, size, "%s", from);
    for (char *c = out; *c; c++)
        if (*c == '\n') *c = ' ';
    free(text);
}

/* The setting is this thread's and is inherited by what it starts. */
int spawn_without_random_layout(pid_t *pid, char *const argv[], const posix_spawn_file_actions_t *actions,
                                char *const env[])
{
    const int before = personality(0xffffffff);
    if (before >= 0) personality((unsigned long)before | ADDR_NO_RANDOMIZE);
    const int failed = posix_spawnp(pid, argv[0], actions, NULL, argv, env);
    if (before >= 0) personality((unsigned long)before);
    return failed;
}

/* A program that finds the disk full may be unable to say so there. */
static int say_why(const char *program, const char *log, int code, int status, struct error *err)
{
    enum { FULL_BYTES = 65536 };
    struct statvfs disk;
    char tail[320];
    if (WIFSIGNALED(code) && (WTERMSIG(code) == SIGINT || WTERMSIG(code) == SIGTERM))
        return error_set(err, ERR_INTERRUPTED, "%s was interrupted", program);
    log_tail(log, tail, sizeof tail);
    if (statvfs(log, &disk) == 0 && disk.f_bavail * disk.f_frsize < FULL_BYTES && !strstr(tail, strerror(ENOSPC)))
        return error_set(err, ERR_IO, "%.*s: %s; %s ended with status %d%s%s", (int)(strrchr(log, '/') - log), log,
                         strerror(ENOSPC), program, status, *tail ? ": " : "", tail);
    return error_set(err, ERR_RUN, "%s ended with status %d: %s", program, status, tail);
}

int recording_execute(const struct recording *r, const char *const *settings, size_t n_settings, const char *log,
                      int *status, struct error *err)
{
    const char *shown = r->shown ? r->shown : r->argv[0];
    char **env = environment_with(settings, n_settings);
    if (!env) return error_set(err, ERR_MEMORY, "out of memory for an environment");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (log) {
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
    }
    if (r->folder) posix_spawn_file_actions_addchdir_np(&actions, r->folder);
    pid_t pid;
    const int failed = spawn_without_random_layout(&pid, r->argv, &actions, env);
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    if (failed) {
        error_set(err, ERR_INPUT, "%s: %s", r->argv[0], strerror(failed));
        return error_at(err, r->argv[0], 0, -1,
                        r->cuda_lib ? NULL : "build it first (cmake --build --preset release), or set POISE_PROGRAMS");
    }
    int code;
    if (child_wait(pid, &code, r->stop) < 0)
        return error_set(err, ERR_IO, "waiting for %s: %s", shown, strerror(errno));
    if (r->stop && *r->stop) return error_set(err, ERR_INTERRUPTED, "%s was interrupted", shown);
    *status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
    return *status == 0 || !log ? 0 : say_why(shown, log, code, *status, err);
}

/* Tells the CUDA library in the program where traces go, how many launches are wanted, and, for a program that is not
 * one of ours, where that library is. Programs that are recorded side by side have one thread each. */
static int run_recording(const struct recording *r, const char *dir, const char *log, int *status, struct error *err)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char *settings[5] = {NULL};
    size_t n = 0;
    bool is_out = asprintf(&settings[n++], "POISE_TRACE_DIR=%s", dir) < 0;
    if (r->max_launches) is_out |= asprintf(&settings[n++], "POISE_TRACE_MAX_LAUNCHES=%" PRIu32, r->max_launches) < 0;
    if (r->max_launches && r->ends) is_out |= asprintf(&settings[n++], "POISE_TRACE_END=1") < 0;
    if (omp_in_parallel()) is_out |= asprintf(&settings[n++], "POISE_THREADS=1") < 0;
    if (r->cuda_lib)
        is_out |= asprintf(&settings[n++], "LD_LIBRARY_PATH=%s%s%s", r->cuda_lib, before ? ":" : "",
                           before ? before : "") < 0;
    const int result = is_out ? error_set(err, ERR_MEMORY, "out of memory for an environment")
                              : recording_execute(r, (const char *const *)settings, n, log, status, err);
    for (size_t i = 0; i < n; i++) free(settings[i]);
    return result;
}

int record_program(char *const argv[], const char *dir, uint32_t max_launches, const char *log,
                   const volatile sig_atomic_t *stop, int *status, struct error *err)
{
    return run_recording(&(struct recording){.argv = argv, .max_launches = max_launches, .stop = stop}, dir, log,
                         status, err);
}

static int program_hash(char out[HASH_TEXT_SIZE], const char *path, struct error *err)
{
    char *data;
    size_t size;
    if (file_read(&data, &size, path, err) < 0)
        return error_at(err, path, 0, -1, "build it first (cmake --build --preset release), or set POISE_PROGRAMS");
    const struct hash hash = hash_bytes(data, size);
    free(data);
    hash_text(&hash, out);
    return 0;
}

static int is_trace_file(const struct dirent *e)
{
    const size_t n = strlen(e->d_name);
    return n > 7 && strcmp(e->d_name + n - 7, ".ptrace") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

/* What a trace's provenance says of calls that are in no trace: the first few by name, and how many others. */
static void skipped_calls(char *out, size_t size, const char *provenance)
{
    json_t *root = json_loads(provenance ? provenance : "{}", 0, NULL), *calls = json_object_get(root, "skipped_calls");
    const char *name;
    const json_t *n;
    size_t told = 0, at = 0;
    *out = '\0';
    json_object_foreach(calls, name, n) {
        if (told == 3) break;
        at += (size_t)snprintf(out + at, size - at, "%s%.32s (%" JSON_INTEGER_FORMAT ")", told ? ", " : "", name,
                               json_integer_value(n));
        told++;
    }
    if (json_object_size(calls) > told) snprintf(out + at, size - at, " and %zu more", json_object_size(calls) - told);
    json_decref(root);
}

/* How many accesses outside every allocation went on while the launch was recorded, as its provenance counts them. */
static uint64_t accesses_outside(const char *provenance)
{
    json_t *root = json_loads(provenance ? provenance : "{}", 0, NULL);
    const json_int_t n = json_integer_value(json_object_get(root, "outside_allocations"));
    json_decref(root);
    return n > 0 ? (uint64_t)n : 0;
}

/* Opens each trace once (which checks it and leaves its decoded form in the cache) and writes down what it is. */
static json_t *index_launch(const char *dir, const char *name, const char *cache, struct error *err)
{
    char path[1500], hash[HASH_TEXT_SIZE];
    struct trace *trace;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (trace_open(&trace, path, cache, err) < 0) return NULL;
    hash_text(&trace->hash, hash);
    const uint32_t *g = trace->launch.grid, *b = trace->launch.block;
    json_t *entry =
        json_pack("{s:s,s:s,s:s,s:[iii],s:[iii],s:I,s:I}", "file", name, "kernel", trace_kernel(trace), "hash", hash,
                  "grid", (int)g[0], (int)g[1], (int)g[2], "block", (int)b[0], (int)b[1], (int)b[2], "warp_insts",
                  (json_int_t)trace->n_steps, "bytes", (json_int_t)trace->file_bytes);
    char skipped[sizeof((struct launch *)NULL)->skipped];
    skipped_calls(skipped, sizeof skipped, trace->provenance);
    if (*skipped) json_object_set_new(entry, "skipped", json_string(skipped));
    const uint64_t outside = accesses_outside(trace->provenance);
    if (outside) json_object_set_new(entry, "outside_allocations", json_integer((json_int_t)outside));
    trace_close(trace);
    if (!entry) error_set(err, ERR_MEMORY, "%s: out of memory for its index", path);
    return entry;
}

/* A cut run's index ends in front of the first trace that is not whole. */
static int index_write(const char *dir, const char *cache, const char *program, bool is_cut, struct error *err)
{
    struct error not_whole;
    struct dirent **names = NULL;
    const int n = scandir(dir, &names, is_trace_file, by_name);
    if (n < 0) return error_set(err, ERR_IO, "%s: %s", dir, strerror(errno));
    json_t *list = json_array();
    int result = n > 0 ? 0 : error_set(err, ERR_RUN, "%s: the program launched no kernel", dir);
    for (int i = 0; i < n; i++) {
        json_t *entry = result == 0 ? index_launch(dir, names[i]->d_name, cache, is_cut ? &not_whole : err) : NULL;
        if (!entry) result = -1;
        else json_array_append_new(list, entry);
        free(names[i]);
    }
    free(names);
    json_t *root = json_pack("{s:i,s:i,s:s,s:o}", "schema", 1, "trace_version", (int)TRACE_VERSION, "program", program,
                             "launches", list);
    char *text = json_dumps(root, JSON_INDENT(1));
    char path[1500];
    snprintf(path, sizeof path, "%s/index.json", dir);
    if (is_cut && json_array_size(list)) result = 0;
    if (result == 0)
        result = text ? file_write(path, text, strlen(text), err) : error_set(err, ERR_MEMORY, "out of memory");
    free(text);
    json_decref(root);
    return result;
}

static int index_entry(struct launch *out, const char *dir, const json_t *entry)
{
    const char *file = json_string_value(json_object_get(entry, "file"));
    const char *kernel = json_string_value(json_object_get(entry, "kernel"));
    const char *hash = json_string_value(json_object_get(entry, "hash"));
    if (!file || !kernel || !hash || strlen(hash) != HASH_TEXT_SIZE - 1) return -1;
    snprintf(out->path, sizeof out->path, "%s/%s", dir, file);
    snprintf(out->kernel, sizeof out->kernel, "%s", kernel);
    const char *skipped = json_string_value(json_object_get(entry, "skipped"));
    snprintf(out->skipped, sizeof out->skipped, "%s", skipped ? skipped : "");
    out->outside = (uint64_t)json_integer_value(json_object_get(entry, "outside_allocations"));
    for (size_t i = 0; i < sizeof out->hash.bytes; i++) {
        unsigned byte;
        if (sscanf(hash + 2 * i, "%2x", &byte) != 1) return -1;
        out->hash.bytes[i] = (uint8_t)byte;
    }
    for (size_t i = 0; i < 3; i++) {
        out->grid[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(entry, "grid"), i));
        out->block[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(entry, "block"), i));
    }
    out->warp_insts = (uint64_t)json_integer_value(json_object_get(entry, "warp_insts"));
    out->bytes = (uint64_t)json_integer_value(json_object_get(entry, "bytes"));
    return 0;
}

/* The first `n` launches, 0: all. 1: read; 0: absent, damaged, of another build or too few: record again. */
static int index_read(struct launches *list, const char *dir, const char *program, size_t n, const struct workload *w,
                      int size, int32_t input, struct error *err)
{
    char path[1500];
    snprintf(path, sizeof path, "%s/index.json", dir);
    struct error ignored;
    json_t *root = file_read_json(path, &ignored);
    const json_t *entries = json_object_get(root, "launches");
    const char *made_by = json_string_value(json_object_get(root, "program"));
    const size_t first = list->n;
    if (n == 0) n = json_array_size(entries);
    int result = made_by && strcmp(made_by, program) == 0 && n > 0 && n <= json_array_size(entries) &&
                 json_integer_value(json_object_get(root, "trace_version")) == (json_int_t)TRACE_VERSION;
    for (size_t i = 0; result == 1 && i < n; i++) {
        struct launch l = {.workload = w,
                           .size = size,
                           .input = input,
                           .index = (uint32_t)i,
                           .is_profiled = workload_is_profiled(w, size, input, (uint32_t)i)};
        if (input >= 0) snprintf(l.label, sizeof l.label, "%s.%d/%zu", w->name, input, i);
        else snprintf(l.label, sizeof l.label, "%s/%zu", w->name, i);
        if (index_entry(&l, dir, json_array_get(entries, i)) < 0 || access(l.path, R_OK) != 0) result = 0;
        else if (launches_add(list, &l, err) < 0) result = -1;
    }
    if (result != 1) list->n = first;
    json_decref(root);
    return result;
}

/* --set KEY=VALUE for each of the knobs; `text` is a copy of them, which is cut up. */
static void add_knobs(char *text, char *argv[], size_t n, size_t most)
{
    char *rest = NULL;
    for (char *knob = strtok_r(text, " ", &rest); knob && n + 2 < most; knob = strtok_r(NULL, " ", &rest)) {
        argv[n++] = (char *)(uintptr_t) "--set";
        argv[n++] = knob;
    }
}

size_t recording_cut_launches(const struct recording *r)
{
    struct launches list = {0};
    struct error ignored;
    index_read(&list, r->cut_dir, r->cut_identity, 0, &(struct workload){0}, 0, -1, &ignored);
    const size_t n = list.n;
    launches_fini(&list);
    return n;
}

/* What timeout ends with, and, where the program did not end at once, env or the program. */
enum { TIME_IS_OVER = 124, TIME_IS_OVER_KILLED = 137 };

/* Of two cut runs that with more launches is kept. */
static void keep_cut(const struct recording *r, const char *temporary, const char *cache)
{
    struct error ignored;
    struct recording mine = *r;
    mine.cut_dir = temporary;
    if (index_write(temporary, cache, r->cut_identity, true, &ignored) == 0 &&
        recording_cut_launches(&mine) > recording_cut_launches(r) && folder_remove(r->cut_dir, &ignored) == 0)
        rename(temporary, r->cut_dir);
}

static int record_into(const struct recording *r, const char *cache, struct error *err)
{
    char temporary[1200], log[1300];
    int status = 0;
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", r->dir, (long)getpid());
    snprintf(log, sizeof log, "%s/record.log", temporary);
    if (folder_remove(temporary, err) < 0 || file_make_folders(temporary, err) < 0) return -1;
    int result = run_recording(r, temporary, log, &status, err);
    if (result == 0) result = index_write(temporary, cache, r->identity, false, err);
    if (result == 0) result = folder_remove(r->dir, err);
    if (result == 0 && rename(temporary, r->dir) < 0)
        result = error_set(err, ERR_IO, "%s: %s", r->dir, strerror(errno));
    struct error ignored;
    if (result < 0 && r->failed_log) rename(log, r->failed_log);
    if (result < 0 && r->cut_dir && (status == TIME_IS_OVER || status == TIME_IS_OVER_KILLED))
        keep_cut(r, temporary, cache);
    if (result < 0) folder_remove(temporary, &ignored);
    return result;
}

int recording_launches(struct launches *list, const struct lab_paths *paths, const struct recording *r,
                       const struct workload *w, int size, int32_t input, struct error *err)
{
    char cache[1024], lock[1100];
    snprintf(cache, sizeof cache, "%s/decoded", paths->traces);
    snprintf(lock, sizeof lock, "%s.lock", r->dir);
    if (file_make_folders(cache, err) < 0) return -1;
    /* One process records at a time; the next finds the traces there. */
    const int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return error_set(err, ERR_IO, "%s: %s", lock, strerror(errno));
    int result = lock_wait(fd, lock, paths->stop, err);
    if (result == 0) result = index_read(list, r->dir, r->identity, 0, w, size, input, err);
    if (result == 0 && r->cut_dir && r->max_launches)
        result = index_read(list, r->cut_dir, r->cut_identity, r->max_launches, w, size, input, err);
    if (result == 0) {
        struct recording mine = *r;
        mine.stop = paths->stop;
        cache_clear(paths->traces, r->dir);
        if (paths->is_cache) cache_forget(paths->traces);
        result = record_into(&mine, cache, err);
        if (result == 0) result = index_read(list, r->dir, r->identity, 0, w, size, input, err);
        if (result == 0) result = error_set(err, ERR_RUN, "%s: recorded, but its index cannot be read", r->dir);
    }
    cache_touch(r->dir);
    close(fd);
    return result < 0 ? error_while(err, "recording %s", w->name) : 0;
}

void workload_command(struct workload_command *out, const struct lab_paths *paths, const struct workload *w, int size,
                      int32_t input)
{
    snprintf(out->path, sizeof out->path, "%s/%s", paths->programs, w->program);
    snprintf(out->input, sizeof out->input, "%d", (int)input);
    memcpy(out->knobs, w->knobs, sizeof out->knobs);
    memset(out->argv, 0, sizeof out->argv);
    out->argv[0] = out->path;
    out->argv[1] = (char *)(uintptr_t) "--size";
    out->argv[2] = (char *)(uintptr_t)workload_sizes[size];
    if (input >= 0) out->argv[3] = (char *)(uintptr_t) "--input", out->argv[4] = out->input;
    add_knobs(out->knobs, out->argv, input >= 0 ? 5 : 3, COUNT_OF(out->argv));
}

int workload_launches(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size,
                      int32_t input, struct error *err)
{
    char dir[1024], first[60] = "", program[HASH_TEXT_SIZE];
    struct workload_command command;
    if (w->of_suite) return w->of_suite->launches(list, paths, w, size, err);
    if (w->split == SPLIT_SEALED && !paths->opens_sealed) {
        error_set(err, ERR_INPUT, "kernel %s is sealed: it is not simulated before a learner is evaluated on it",
                  w->name);
        return error_at(err, NULL, 0, -1,
                        "datasets/FAMILIES.md says what sealed means; its program itself runs and checks its results");
    }
    workload_command(&command, paths, w, size, input);
    if (w->max_launches) snprintf(first, sizeof first, "-first%" PRIu32, w->max_launches);
    if (input >= 0) snprintf(first + strlen(first), sizeof first - strlen(first), "-%" PRId32, input);
    if (w->knobs[0]) {
        char text[HASH_TEXT_SIZE];
        const struct hash hash = hash_bytes(w->knobs, strlen(w->knobs));
        hash_text(&hash, text);
        snprintf(first + strlen(first), sizeof first - strlen(first), "-%.12s", text);
    }
    if (program_hash(program, command.path, err) < 0) return error_while(err, "kernel %s", w->name);
    snprintf(dir, sizeof dir, "%s/%s-%s%s-%.12s", paths->traces, w->program, workload_sizes[size], first, program);
    const struct recording r = {.argv = command.argv, .max_launches = w->max_launches, .dir = dir, .identity = program};
    return recording_launches(list, paths, &r, w, size, input, err);
}

int launch_from_file(struct launch *out, const char *path, struct error *err)
{
    struct trace *trace;
    *out = (struct launch){.input = -1, .size = -1};
    if (strlen(path) >= sizeof out->path) return error_set(err, ERR_INPUT, "%s: this path is too long", path);
    if (trace_open(&trace, path, NULL, err) < 0) return -1;
    snprintf(out->path, sizeof out->path, "%s", path);
    snprintf(out->kernel, sizeof out->kernel, "%s", trace_kernel(trace));
    snprintf(out->label, sizeof out->label, "%s", out->kernel);
    skipped_calls(out->skipped, sizeof out->skipped, trace->provenance);
    out->outside = accesses_outside(trace->provenance);
    out->hash = trace->hash;
    out->warp_insts = trace->n_steps;
    out->bytes = trace->file_bytes;
    for (int i = 0; i < 3; i++) out->grid[i] = trace->launch.grid[i], out->block[i] = trace->launch.block[i];
    trace_close(trace);
    return 0;
}
