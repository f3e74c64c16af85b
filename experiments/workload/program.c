/* CUDA programs that are none of ours: when their traces are stale, and recording them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "poise/cuda_program.h"
#include "poise/file.h"
#include "poise/table.h"
#include "workload/recording.h"

static int add_file(struct hash hashes[], size_t *n, const char *path, struct error *err)
{
    char *data;
    size_t size;
    if (file_read(&data, &size, path, err) < 0) return -1;
    hashes[(*n)++] = hash_bytes(data, size);
    free(data);
    return 0;
}

/* What of the environment changes which launches are recorded, or what the program sees. */
static const char *const variables[] = {"POISE_CUDA_DEVICE",        "POISE_CUDA_SMS",       "POISE_BOUNDS",
                                        "POISE_STRICT_EXIT",        "POISE_TRACE_SKIP",     "POISE_TRACE_KERNELS",
                                        "POISE_TRACE_MAX_INSTS",    "POISE_MAX_WARP_INSTS", "POISE_MAX_IDLE_INSTS",
                                        "POISE_TRACE_MAX_LAUNCHES", "POISE_TURN_INSTS"};

static void add_environment(struct hash hashes[], size_t *n)
{
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        char setting[600];
        const char *value = getenv(variables[i]);
        if (!value) continue;
        const int length = snprintf(setting, sizeof setting, "%s=%s", variables[i], value);
        hashes[(*n)++] = hash_bytes(setting, (size_t)length < sizeof setting ? (size_t)length : sizeof setting - 1);
    }
}

/* The file that an argument names, if it names one. */
static bool names_file(char *path, size_t size, const struct program_run *run, const char *argument)
{
    struct stat st;
    const bool is_ours = *argument == '/' || !run->folder;
    snprintf(path, size, "%s%s%s", is_ours ? "" : run->folder, is_ours ? "" : "/", argument);
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int program_identity(char out[HASH_TEXT_SIZE], const struct program_run *run, struct error *err)
{
    if (cuda_program_check(run->path, err) < 0) return -1;
    struct hash *hashes = calloc(run->n_args + 4 + COUNT_OF(variables), sizeof *hashes);
    size_t n = 0, at = 0;
    if (!hashes) return error_set(err, ERR_MEMORY, "out of memory for a program's arguments");
    int result = add_file(hashes, &n, run->path, err);
    hashes[n++] = hash_bytes(run->args, run->args_size);
    hashes[n++] = hash_bytes(&run->max_launches, sizeof run->max_launches);
    if (run->n_settings) hashes[n++] = hash_bytes(run->settings, run->settings_size);
    add_environment(hashes, &n);
    for (size_t i = 0; i < run->n_args && result == 0; i++, at += strlen(run->args + at) + 1) {
        char path[4096];
        if (names_file(path, sizeof path, run, run->args + at)) result = add_file(hashes, &n, path, err);
    }
    const struct hash all = hash_bytes(hashes, n * sizeof *hashes);
    free(hashes);
    hash_text(&all, out);
    return result;
}

/* Where launches are kept of a run that its time limit ended, however many are wanted. */
static int cut_of(char *dir, size_t size, char identity[HASH_TEXT_SIZE], const struct lab_paths *paths,
                  const struct program_run *run, struct error *err)
{
    struct program_run all = *run;
    all.max_launches = 0;
    if (program_identity(identity, &all, err) < 0) return -1;
    snprintf(dir, size, "%s/own-%s-%.12s.cut", paths->traces, run->stem, identity);
    return 0;
}

size_t program_launches_cut(const struct lab_paths *paths, const struct program_run *run)
{
    char dir[1024], identity[HASH_TEXT_SIZE];
    struct error ignored;
    if (cut_of(dir, sizeof dir, identity, paths, run, &ignored) < 0) return 0;
    return recording_cut_launches(&(struct recording){.cut_dir = dir, .cut_identity = identity});
}

int program_launches(struct launches *list, const struct lab_paths *paths, const struct program_run *run,
                     const char *identity, const struct workload *w, int size, struct error *err)
{
    char dir[1024], cut[1024], cut_identity[HASH_TEXT_SIZE], seconds[32];
    size_t n = 0, at = 0;
    char **argv = calloc(run->n_args + run->n_settings + 7, sizeof *argv);
    if (!argv) return error_set(err, ERR_MEMORY, "out of memory for a program's arguments");
    snprintf(seconds, sizeof seconds, "%llu", (unsigned long long)run->seconds);
    if (run->seconds) {
        static const char *const words[] = {"timeout", "-k", "5"};
        for (size_t i = 0; i < COUNT_OF(words); i++) argv[n++] = (char *)(uintptr_t)words[i];
        argv[n++] = seconds;
    }
    if (run->n_settings) argv[n++] = (char *)(uintptr_t) "env";
    for (size_t i = 0, k = 0; i < run->n_settings; i++, k += strlen(run->settings + k) + 1)
        argv[n++] = (char *)(uintptr_t)(run->settings + k);
    argv[n++] = (char *)(uintptr_t)run->path;
    for (size_t i = 0; i < run->n_args; i++, at += strlen(run->args + at) + 1)
        argv[n++] = (char *)(uintptr_t)(run->args + at);
    snprintf(dir, sizeof dir, "%s/own-%s-%.12s", paths->traces, run->stem, identity);
    if (cut_of(cut, sizeof cut, cut_identity, paths, run, err) < 0) return free(argv), -1;
    const struct recording r = {.argv = argv,
                                .max_launches = run->max_launches,
                                .cuda_lib = paths->cuda_lib,
                                .ends = true,
                                .dir = dir,
                                .cut_dir = cut,
                                .cut_identity = cut_identity,
                                .identity = identity,
                                .folder = run->folder,
                                .failed_log = run->failed_log,
                                .shown = run->path};
    const int result = recording_launches(list, paths, &r, w, size, -1, err);
    free(argv);
    return result;
}
