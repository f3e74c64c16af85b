/* Recording: run a workload under the CUDA shim, keep its traces, know when they are stale.
 *
 *   TRACES/<program>-<size>[-<input>][-<hash of knobs>]/
 *                                        NNNN-<kernel>.ptrace   one a launch, written by the shim
 *                                        index.json             what the launches are, and the hash of the program's file
 *                                        record.log             what the program printed
 *   TRACES/decoded/                      decoded forms, by content, shared by all
 *
 * A folder is made under a temporary name and renamed, so that it is complete or absent. */
#include "poise/workload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/table.h"
#include "poise/trace.h"
#include "workload/trace_cache.h"

extern char **environ;

enum { ARGUMENTS_MAX = 64 };

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

static bool is_setting_of(const char *setting, const char *variable)
{
    const size_t n = strlen(variable);
    return strncmp(setting, variable, n) == 0 && setting[n] == '=';
}

/* The environment with the folder and the limit set; the caller frees the array, and the strings in `settings`. */
static char **environment_with(const char *dir, uint32_t max_launches, char *settings[2])
{
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **env = calloc(n + 3, sizeof *env);
    settings[0] = settings[1] = NULL;
    if (!env || asprintf(&settings[0], "POISE_TRACE_DIR=%s", dir) < 0 ||
        (max_launches && asprintf(&settings[1], "POISE_TRACE_MAX_LAUNCHES=%" PRIu32, max_launches) < 0)) {
        free(env);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (!is_setting_of(environ[i], "POISE_TRACE_DIR") && !(max_launches && is_setting_of(environ[i], "POISE_TRACE_MAX_LAUNCHES")))
            env[kept++] = environ[i];
    env[kept++] = settings[0];
    env[kept] = settings[1];
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

int record_program(char *const argv[], const char *dir, uint32_t max_launches, const char *log, int *status, struct error *err)
{
    char *settings[2], **env = environment_with(dir, max_launches, settings);
    if (!env) return error_set(err, ERR_MEMORY, "out of memory for an environment");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (log) {
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
    }
    pid_t pid;
    const int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    free(settings[0]);
    free(settings[1]);
    if (failed) {
        error_set(err, ERR_INPUT, "%s: %s", argv[0], strerror(failed));
        return error_at(err, argv[0], 0, -1, "build it first (cmake --build --preset release), or set POISE_PROGRAMS");
    }
    int code;
    while (waitpid(pid, &code, 0) < 0)
        if (errno != EINTR) return error_set(err, ERR_IO, "waiting for %s: %s", argv[0], strerror(errno));
    *status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
    if (*status == 0 || !log) return 0;
    if (WIFSIGNALED(code) && WTERMSIG(code) == SIGINT) return error_set(err, ERR_INTERRUPTED, "%s was interrupted", argv[0]);
    char tail[320];
    log_tail(log, tail, sizeof tail);
    return error_set(err, ERR_RUN, "%s ended with status %d: %s", argv[0], *status, tail);
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

/* Opens each trace once (which checks it and leaves its decoded form in the cache) and writes down what it is. */
static json_t *index_launch(const char *dir, const char *name, const char *cache, struct error *err)
{
    char path[1500], hash[HASH_TEXT_SIZE];
    struct trace *trace;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (trace_open(&trace, path, cache, err) < 0) return NULL;
    hash_text(&trace->hash, hash);
    const uint32_t *g = trace->launch.grid, *b = trace->launch.block;
    json_t *entry = json_pack("{s:s,s:s,s:s,s:[iii],s:[iii],s:I,s:I}", "file", name, "kernel", trace_kernel(trace), "hash", hash,
                              "grid", (int)g[0], (int)g[1], (int)g[2], "block", (int)b[0], (int)b[1], (int)b[2], "warp_insts",
                              (json_int_t)trace->n_steps, "bytes", (json_int_t)trace->file_bytes);
    trace_close(trace);
    if (!entry) error_set(err, ERR_MEMORY, "%s: out of memory for its index", path);
    return entry;
}

static int index_write(const char *dir, const char *cache, const char *program, struct error *err)
{
    struct dirent **names = NULL;
    const int n = scandir(dir, &names, is_trace_file, by_name);
    if (n < 0) return error_set(err, ERR_IO, "%s: %s", dir, strerror(errno));
    json_t *list = json_array();
    int result = n > 0 ? 0 : error_set(err, ERR_RUN, "%s: the program launched no kernel", dir);
    for (int i = 0; i < n; i++) {
        json_t *entry = result == 0 ? index_launch(dir, names[i]->d_name, cache, err) : NULL;
        if (!entry) result = -1;
        else json_array_append_new(list, entry);
        free(names[i]);
    }
    free(names);
    json_t *root = json_pack("{s:i,s:i,s:s,s:o}", "schema", 1, "trace_version", (int)TRACE_VERSION, "program", program, "launches", list);
    char *text = json_dumps(root, JSON_INDENT(1));
    char path[1500];
    snprintf(path, sizeof path, "%s/index.json", dir);
    if (result == 0) result = text ? file_write(path, text, strlen(text), err) : error_set(err, ERR_MEMORY, "out of memory");
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

/* 1: read; 0: absent, damaged or of another build: record again. */
static int index_read(struct launches *list, const char *dir, const char *program, const struct workload *w, int size, int32_t input,
                      struct error *err)
{
    char path[1500];
    snprintf(path, sizeof path, "%s/index.json", dir);
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *entries = json_object_get(root, "launches");
    const char *made_by = json_string_value(json_object_get(root, "program"));
    const size_t first = list->n;
    int result = made_by && strcmp(made_by, program) == 0 && json_array_size(entries) > 0 &&
                 json_integer_value(json_object_get(root, "trace_version")) == (json_int_t)TRACE_VERSION;
    for (size_t i = 0; result == 1 && i < json_array_size(entries); i++) {
        struct launch l = {.workload = w, .size = size, .input = input, .index = (uint32_t)i,
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
        argv[n++] = (char *)(uintptr_t)"--set";
        argv[n++] = knob;
    }
}

static int record_into(const char *dir, const char *cache, const char *path, const char *program, const struct workload *w, int size,
                       int32_t input, struct error *err)
{
    char temporary[1200], log[1300], number[16];
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", dir, (long)getpid());
    snprintf(log, sizeof log, "%s/record.log", temporary);
    snprintf(number, sizeof number, "%d", (int)input);
    char *argv[ARGUMENTS_MAX] = {(char *)(uintptr_t)path, (char *)(uintptr_t)"--size", (char *)(uintptr_t)workload_sizes[size]};
    char knobs[sizeof w->knobs];
    if (input >= 0) argv[3] = (char *)(uintptr_t)"--input", argv[4] = number;
    memcpy(knobs, w->knobs, sizeof knobs);
    add_knobs(knobs, argv, input >= 0 ? 5 : 3, COUNT_OF(argv));
    int status;
    if (folder_remove(temporary, err) < 0 || file_make_folders(temporary, err) < 0) return -1;
    int result = record_program(argv, temporary, w->max_launches, log, &status, err);
    if (result == 0) result = index_write(temporary, cache, program, err);
    if (result == 0) result = folder_remove(dir, err);
    if (result == 0 && rename(temporary, dir) < 0) result = error_set(err, ERR_IO, "%s: %s", dir, strerror(errno));
    struct error ignored;
    if (result < 0) folder_remove(temporary, &ignored);
    return result;
}

int workload_launches(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size, int32_t input,
                      struct error *err)
{
    char path[1024], dir[1024], cache[1024], lock[1100], first[60] = "", program[HASH_TEXT_SIZE];
    if (w->split == SPLIT_SEALED) {
        error_set(err, ERR_INPUT, "kernel %s is sealed: nobody simulates it before a learner is judged by it", w->name);
        return error_at(err, NULL, 0, -1, "datasets/FAMILIES.md says what sealed means; its program itself runs and checks its results");
    }
    snprintf(path, sizeof path, "%s/%s", paths->programs, w->program);
    snprintf(cache, sizeof cache, "%s/decoded", paths->traces);
    if (w->max_launches) snprintf(first, sizeof first, "-first%" PRIu32, w->max_launches);
    if (input >= 0) snprintf(first + strlen(first), sizeof first - strlen(first), "-%" PRId32, input);
    if (w->knobs[0]) {
        char knobs[HASH_TEXT_SIZE];
        const struct hash hash = hash_bytes(w->knobs, strlen(w->knobs));
        hash_text(&hash, knobs);
        snprintf(first + strlen(first), sizeof first - strlen(first), "-%.12s", knobs);
    }
    if (program_hash(program, path, err) < 0 || file_make_folders(cache, err) < 0) return error_while(err, "kernel %s", w->name);
    snprintf(dir, sizeof dir, "%s/%s-%s%s-%.12s", paths->traces, w->program, workload_sizes[size], first, program);
    snprintf(lock, sizeof lock, "%s.lock", dir);
    /* One process records at a time; the next finds the traces there. */
    const int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return error_set(err, ERR_IO, "%s: %s", lock, strerror(errno));
    while (flock(fd, LOCK_EX) < 0 && errno == EINTR) continue;
    int result = index_read(list, dir, program, w, size, input, err);
    if (result == 0) {
        if (paths->is_cache) cache_forget(paths->traces);
        result = record_into(dir, cache, path, program, w, size, input, err);
        if (result == 0) result = index_read(list, dir, program, w, size, input, err);
        if (result == 0) result = error_set(err, ERR_RUN, "%s: recorded, but its index cannot be read", dir);
    }
    cache_touch(dir);
    close(fd);
    return result < 0 ? error_while(err, "recording %s", w->name) : 0;
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
    out->hash = trace->hash;
    out->warp_insts = trace->n_steps;
    out->bytes = trace->file_bytes;
    for (int i = 0; i < 3; i++) out->grid[i] = trace->launch.grid[i], out->block[i] = trace->launch.block[i];
    trace_close(trace);
    return 0;
}
