/* Traces, programs and patterns of the user's own as launches of workloads that are in no registry. */
#include "poise/own_kernel.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/say.h"
#include "poise/text.h"
#include "workload/recording.h"

enum { OWN_PATH_MAX = 1024, NAME_TAIL = 9 }; /* "~" and eight digits of a hash */

/* ---- workloads ---- */

static struct workload *workload_new(struct own_workloads *list)
{
    struct workload **items = realloc(list->items, (list->n + 1) * sizeof *items), *w = calloc(1, sizeof *w);
    if (items) list->items = items;
    if (!items || !w) {
        free(w);
        return NULL;
    }
    return list->items[list->n++] = w;
}

struct workload *own_workloads_copy(struct own_workloads *workloads, const struct workload *from, enum workload_set set)
{
    struct workload *w = workload_new(workloads);
    if (!w) return NULL;
    *w = *from;
    w->set = set;
    return w;
}

static bool is_taken(const struct own_workloads *list, const struct registry *registry, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i]->name, name) == 0) return true;
    for (size_t i = 0; registry && i < registry->n; i++)
        if (strcmp(registry->workloads[i].name, name) == 0) return true;
    return false;
}

/* What a file is called in tables: its name without the ending. Where that is taken, digits of `hash` follow. */
static void name_of(char out[64], const char *path, const char *hash, const struct own_workloads *list,
                    const struct registry *registry)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strstr(name, ".ptrace");
    size_t n = end ? (size_t)(end - name) : strlen(name);
    if (n > 63 - NAME_TAIL) n = 63 - NAME_TAIL;
    for (size_t i = 0; i < n; i++) out[i] = isalnum((unsigned char)name[i]) || strchr("._+-", name[i]) ? name[i] : '_';
    out[n] = '\0';
    if (is_taken(list, registry, out)) snprintf(out + n, 64 - n, "~%.8s", hash);
}

static struct workload *add_workload(struct own_workloads *list, const char *name, enum workload_set set,
                                     struct error *err)
{
    struct workload *w = workload_new(list);
    if (!w) {
        error_set(err, ERR_MEMORY, "out of memory for a kernel");
        return NULL;
    }
    *w = (struct workload){.suite = "own", .set = set, .inputs = {-1}, .n_inputs = 1};
    snprintf(w->name, sizeof w->name, "%s", name);
    memcpy(w->benchmark, w->name, sizeof w->benchmark);
    return w;
}

/* ---- files ---- */

struct adding {
    struct launches *list;
    struct own_workloads *workloads;
    const struct registry *registry;
    const struct lab_paths *paths;
    enum workload_set set;
    struct workload *group; /* that of the declared benchmark; NULL: none was declared, or not yet */
    uint32_t n;             /* launches of the group so far */
};

/* The folder of the spec with its '/'; false where there is no spec, or the path is absolute. */
static bool spec_folder(char out[OWN_PATH_MAX], const struct own_kernel *k)
{
    const char *slash = strrchr(k->file, '/');
    if (!slash || k->path[0] == '/') return false;
    snprintf(out, OWN_PATH_MAX, "%.*s", (int)(slash - k->file + 1), k->file);
    return true;
}

/* Something of the user's was found otherwise than it was written. */
__attribute__((format(printf, 2, 3))) static void note(const struct own_kernel *k, const char *format, ...)
{
    char text[3 * OWN_PATH_MAX], place[OWN_PATH_MAX + 40] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (k->file[0]) snprintf(place, sizeof place, "%s:%d:%d: ", k->file, k->line, k->column);
    say_note(stderr, "%s%s", place, text);
}

static void take_launch(struct workload *w, struct launch *l, uint32_t index)
{
    l->workload = w;
    l->size = l->input = -1;
    l->index = index;
    l->is_profiled = true;
    snprintf(l->label, sizeof l->label, "%s/%u", w->name, (unsigned)index);
}

static struct workload *workload_of(struct adding *a, const struct own_kernel *k, const char *path, const char *hash,
                                    struct error *err)
{
    char name[64];
    if (a->group) return a->group;
    if (k->benchmark[0]) return a->group = add_workload(a->workloads, k->benchmark, a->set, err);
    name_of(name, path, hash, a->workloads, a->registry);
    return add_workload(a->workloads, name, a->set, err);
}

static int add_trace(struct adding *a, const struct own_kernel *k, const char *path, struct error *err)
{
    struct launch launch;
    char hash[HASH_TEXT_SIZE];
    for (size_t i = 0; i < a->list->n; i++) { /* patterns of one list may overlap */
        const struct launch *l = &a->list->items[i];
        const bool is_of_it = !k->benchmark[0] || strcmp(l->workload->benchmark, k->benchmark) == 0;
        if (l->workload->set == a->set && is_of_it && strcmp(l->path, path) == 0) return 0;
    }
    if (launch_from_file(&launch, path, err) < 0) return -1;
    hash_text(&launch.hash, hash);
    struct workload *w = workload_of(a, k, path, hash, err);
    if (!w) return -1;
    take_launch(w, &launch, k->benchmark[0] ? a->n++ : 0);
    return launches_add(a->list, &launch, err);
}

static int is_trace_name(const struct dirent *e)
{
    const size_t n = strlen(e->d_name);
    return e->d_name[0] != '.' && n > 7 && strcmp(e->d_name + n - 7, ".ptrace") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

/* A folder stands for its traces. 1: some; 0: none. */
static int add_folder(struct adding *a, const struct own_kernel *k, const char *folder, struct error *err)
{
    struct dirent **names;
    const int n = scandir(folder, &names, is_trace_name, by_name);
    if (n < 0) return error_set(err, ERR_IO, "%s: %s", folder, strerror(errno));
    int result = n > 0;
    for (int i = 0; i < n; i++) {
        char path[2 * OWN_PATH_MAX + 264];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (result == 1 && add_trace(a, k, path, err) < 0) result = -1;
        free(names[i]);
    }
    free(names);
    return result;
}

/* `folder` as a pattern that matches itself alone, then the pattern. */
static void write_pattern(char out[2 * OWN_PATH_MAX], const char *folder, const char *pattern)
{
    size_t n = 0;
    for (; *folder; folder++) {
        if (strchr("*?[\\", *folder)) out[n++] = '\\';
        out[n++] = *folder;
    }
    snprintf(out + n, 2 * OWN_PATH_MAX - n, "%s", pattern);
}

static int add_matches(struct adding *a, const struct own_kernel *k, const char *folder, struct error *err)
{
    char pattern[2 * OWN_PATH_MAX];
    glob_t found;
    write_pattern(pattern, folder, k->path);
    const int failed = glob(pattern, 0, NULL, &found);
    if (failed == GLOB_NOMATCH) return 0;
    if (failed) return error_set(err, ERR_IO, "%s%s: these traces cannot be listed", folder, k->path);
    /* Stars are no part of names; brackets may be meant as one. */
    if (strchr(k->path, '['))
        note(k, "no file is called '%s'; as a pattern it names %zu, from %s on", k->path, found.gl_pathc,
             found.gl_pathv[0]);
    int result = 1;
    for (size_t i = 0; i < found.gl_pathc && result == 1; i++)
        if (add_trace(a, k, found.gl_pathv[i], err) < 0) result = -1;
    globfree(&found);
    return result;
}

/* The path itself, and only where there is no such thing, what it matches. 1: some; 0: none. */
static int add_traces_in(struct adding *a, const struct own_kernel *k, const char *folder, struct error *err)
{
    char path[2 * OWN_PATH_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s%s", folder, k->path);
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) ? add_folder(a, k, path, err) : add_trace(a, k, path, err) < 0 ? -1 : 1;
    return strpbrk(k->path, "*?[") ? add_matches(a, k, folder, err) : 0;
}

static int add_traces(struct adding *a, const struct own_kernel *k, struct error *err)
{
    char folder[OWN_PATH_MAX];
    const bool has_folder = spec_folder(folder, k);
    int found = has_folder ? add_traces_in(a, k, folder, err) : 0;
    if (found == 0 && (found = add_traces_in(a, k, "", err)) > 0 && has_folder)
        note(k, "'%s' is not in the folder of the spec; that of the current folder was taken", k->path);
    if (found) return found < 0 ? -1 : 0;
    error_set(err, ERR_INPUT, "no trace '%s'", k->path);
    return error_at(err, NULL, 0, -1, "poise cuda --trace-dir DIR ./PROGRAM records traces: DIR/*.ptrace");
}

/* ---- programs ---- */

static int find_program(char out[OWN_PATH_MAX], const struct own_kernel *k, struct error *err)
{
    char folder[OWN_PATH_MAX];
    const bool has_folder = spec_folder(folder, k);
    if (has_folder && snprintf(out, OWN_PATH_MAX, "%s%s", folder, k->path) < OWN_PATH_MAX && access(out, X_OK) == 0)
        return 0;
    snprintf(out, OWN_PATH_MAX, "%s%s", strchr(k->path, '/') ? "" : "./", k->path);
    if (access(out, X_OK) == 0) {
        if (has_folder) note(k, "'%s' is not in the folder of the spec; that of the current folder was taken", k->path);
        return 0;
    }
    error_set(err, ERR_INPUT, "program '%s': %s", k->path, strerror(errno));
    return error_at(err, NULL, 0, -1, "poise cc FILE.cu -o PROGRAM makes one");
}

/* Launches of the program that the spec asks for go to the list. */
static int choose(struct adding *a, const struct own_kernel *k, struct workload *w, struct launches *all,
                  struct error *err)
{
    const size_t n = k->n_launches ? k->n_launches : all->n;
    for (size_t i = 0; i < n; i++) {
        const uint32_t index = k->n_launches ? k->launches[i] : (uint32_t)i;
        if (index >= all->n)
            return error_set(err, ERR_INPUT, "launch %u: %s has %zu launches (0 .. %zu)", (unsigned)index, k->path,
                             all->n, all->n - 1);
        take_launch(w, &all->items[index], k->benchmark[0] ? a->n++ : index);
        if (launches_add(a->list, &all->items[index], err) < 0) return -1;
    }
    return 0;
}

static int add_program(struct adding *a, const struct own_kernel *k, struct error *err)
{
    char path[OWN_PATH_MAX], identity[HASH_TEXT_SIZE], stem[64];
    struct program_run run = {
        .path = path, .stem = stem, .args = k->args, .n_args = k->n_args, .args_size = k->args_size};
    for (size_t i = 0; i < k->n_launches; i++)
        if (k->launches[i] + 1 > run.max_launches) run.max_launches = k->launches[i] + 1;
    if (find_program(path, k, err) < 0 || program_identity(identity, &run, err) < 0) return -1;
    name_of(stem, path, identity, &(struct own_workloads){0}, NULL);
    struct workload *w = workload_of(a, k, path, identity, err);
    if (!w) return -1;
    struct launches all = {0};
    int result = program_launches(&all, a->paths, &run, identity, w, -1, err);
    if (result == 0) result = choose(a, k, w, &all, err);
    launches_fini(&all);
    return result;
}

/* ---- patterns ---- */

/* The trace of a pattern is kept by what its knobs and its writer are; whoever comes first writes it. */
static int add_pattern(struct adding *a, const struct own_kernel *k, struct error *err)
{
    char text[PATTERN_TEXT_MAX + 32], knobs[PATTERN_TEXT_MAX], hash[HASH_TEXT_SIZE], path[OWN_PATH_MAX];
    struct launch launch;
    const int n =
        snprintf(text, sizeof text, "%d %d %s", PATTERN_VERSION, (int)TRACE_VERSION, pattern_text(&k->pattern, knobs));
    const struct hash identity = hash_bytes(text, (size_t)n);
    hash_text(&identity, hash);
    snprintf(path, sizeof path, "%s/pattern-%.16s.ptrace", a->paths->traces, hash);
    if (access(path, R_OK) != 0 &&
        (file_make_folders(a->paths->traces, err) < 0 || pattern_write(&k->pattern, path, NULL, err) < 0))
        return -1;
    if (launch_from_file(&launch, path, err) < 0) return -1;
    struct workload *w = a->group;
    if (!w) w = add_workload(a->workloads, k->benchmark[0] ? k->benchmark : k->path, a->set, err);
    if (!w) return -1;
    if (k->benchmark[0]) a->group = w;
    take_launch(w, &launch, a->n++);
    return launches_add(a->list, &launch, err);
}

/* ---- all ---- */

static int add_kernel(struct adding *a, const struct own_kernel *k, struct error *err)
{
    if ((k->is_pattern ? add_pattern(a, k, err) : k->is_program ? add_program(a, k, err) : add_traces(a, k, err)) == 0)
        return 0;
    if (!k->file[0]) return -1;
    error_while(err, "%s:%d:%d", k->file, k->line, k->column);
    err->line = k->line;
    snprintf(err->file, sizeof err->file, "%.255s", k->file);
    return -1;
}

static bool is_same_group(const struct own_kernel *a, const struct own_kernel *b)
{
    return a->benchmark[0] && strcmp(a->benchmark, b->benchmark) == 0;
}

int own_launches(struct launches *list, struct own_workloads *workloads, const struct own_kernel *kernels, size_t n,
                 enum workload_set set, const struct registry *registry, const struct lab_paths *paths,
                 struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct adding a = {.list = list, .workloads = workloads, .registry = registry, .paths = paths, .set = set};
        bool is_done = false;
        for (size_t k = 0; k < i; k++) is_done |= is_same_group(&kernels[k], &kernels[i]);
        for (size_t k = i; k < n && !is_done; k++)
            if ((k == i || is_same_group(&kernels[i], &kernels[k])) && add_kernel(&a, &kernels[k], err) < 0) return -1;
    }
    return 0;
}
