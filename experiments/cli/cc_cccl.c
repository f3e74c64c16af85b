#include "cli/cc_cccl.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cc_run.h"
#include "poise/file.h"
#include "poise/hash.h"

/* Folders of headers, and the packages that have them. A folder of --cccl need not have the last. */
static const struct library {
    const char *start, *names, *packages;
} libraries[] = {{"thrust/", "Thrust and CUB", "libthrust-dev libcub-dev"},
                 {"cub/", "Thrust and CUB", "libthrust-dev libcub-dev"},
                 {"cuda/", "headers of libcu++", "libcu++-dev"},
                 {"nv/", "headers of libcu++", "libcu++-dev"}};

static const struct library *library_of(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        if (strncmp(name, libraries[i].start, strlen(libraries[i].start)) == 0) return &libraries[i];
    return NULL;
}

bool cc_is_library_header(const char *name) { return library_of(name) != NULL; }

/* The first that the folder lacks; NULL: it has all. */
static const char *lacks(const char *folder, bool with_libcuxx)
{
    static const char *const parts[] = {"thrust/version.h", "cub/version.cuh", "cuda/std/version"};
    char path[PATH_MAX + 64];
    for (size_t i = 0; i < COUNT_OF(parts) - !with_libcuxx; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        if (access(path, R_OK) < 0) return parts[i];
    }
    return NULL;
}

/* Before CUDA 13 a toolkit has them among headers that we have our own of: a folder of the cache that has links to them
 * alone takes its place. */
static int leave_out_others(char *folder, size_t room, const char *real, struct error *err)
{
    static const char *const parts[] = {"thrust", "cub", "cuda", "nv"};
    char name[80], key[HASH_TEXT_SIZE], target[PATH_MAX + 64], link[PATH_MAX + 200];
    const struct hash hash = hash_bytes(real, strlen(real));
    hash_text(&hash, key);
    snprintf(name, sizeof name, "cccl/%s", key);
    if (!cc_cache_folder(folder, room, name))
        return error_set(err, ERR_IO, "poise cc: --cccl %s needs a folder for links, in XDG_CACHE_HOME or HOME", real);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        snprintf(target, sizeof target, "%s/%s", real, parts[i]);
        snprintf(link, sizeof link, "%s/%s", folder, parts[i]);
        if (access(target, R_OK) == 0 && symlink(target, link) < 0 && errno != EEXIST)
            return error_set(err, ERR_IO, "%s: %s", link, strerror(errno));
    }
    return 0;
}

static int use(struct cc_cccl *c, const char *folder, struct error *err)
{
    char real[PATH_MAX], runtime[PATH_MAX + 32];
    if (!realpath(folder, real)) return error_set(err, ERR_INPUT, "poise cc: --cccl %s: %s", folder, strerror(errno));
    snprintf(runtime, sizeof runtime, "%s/cuda_runtime.h", real);
    snprintf(c->folder, sizeof c->folder, "%s", real);
    if (access(runtime, R_OK) == 0 && leave_out_others(c->folder, sizeof c->folder, real, err) < 0) return -1;
    c->is_found = true;
    /* marks for a profiler have no effect here, and newer CUB wants more of their header than ours has */
    ADD_LIST(&c->words, "-isystem", c->folder, "-DNVTX_DISABLE");
    return 0;
}

int cc_cccl_find(struct cc_cccl *c, const char *given, const char *toolkit, struct error *err)
{
    static const char *const by_itself[] = {"/usr/include", "/usr/local/include"};
    static const char *const places[] = {"include/cccl", "include"};
    const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    char path[PATH_MAX];
    snprintf(c->front, sizeof c->front, "%s/front", toolkit);
    if (given) {
        const char *part = lacks(given, false);
        if (!part) return use(c, given, err);
        error_set(err, ERR_INPUT, "poise cc: --cccl %s: there is no %s/%s", given, given, part);
        return error_at(err, NULL, 0, -1, "name a folder that has thrust/ and cub/");
    }
    for (size_t i = 0; i < COUNT_OF(by_itself); i++)
        if (!lacks(by_itself[i], true)) return c->is_found = true, 0;
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        for (size_t k = 0; roots[i] && k < COUNT_OF(places); k++) {
            snprintf(path, sizeof path, "%s/%s", roots[i], places[k]);
            if (!lacks(path, true)) return use(c, path, err);
        }
    return 0;
}

int cc_cccl_tell_missing(struct words *w, const char *source, const char *folder, struct error *err)
{
    char rule[200], *text, *missing = NULL;
    size_t size;
    struct error ignored = {0};
    snprintf(rule, sizeof rule, "%s/missing.rule", folder);
    ADD_LIST(w, "-M", "-MG", "-MF", rule, source);
    if (!cc_run_quietly(w) || file_read(&text, &size, rule, &ignored) < 0) return -1;
    /* what clang does not find it names as the source does */
    for (char *rest = text, *word; !missing && (word = strtok_r(rest, " \n\\", &rest));)
        if (cc_is_library_header(word)) missing = word;
    if (missing) {
        const struct library *library = library_of(missing);
        char hint[300];
        error_set(err, ERR_INPUT, "%s includes %s, and %s are not installed", source, missing, library->names);
        snprintf(hint, sizeof hint,
                 "apt-get install %s, or give --cccl DIR, a folder that has thrust/, cub/ and cuda/ (a CUDA toolkit's "
                 "include/cccl, before CUDA 13 its include)",
                 library->packages);
        error_at(err, NULL, 0, -1, hint);
    }
    free(text);
    return -1;
}
