/* Building one program: its makefile or CMake file with our compiler in place of nvcc, else its sources together. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/clock.h"
#include "poise/file.h"
#include "suite/suite_internal.h"

#define BUILD_FOLDER "poise-build"

struct building {
    struct suite_shop *shop;
    const struct suite_program *program;
    struct suite_row *row;
    char folder[2 * PATH_MAX]; /* of the copy */
    char log[2 * PATH_MAX];
    char found[PATH_MAX]; /* the executable, from the folder */
    char others[300];     /* and what else was built */
    uint64_t seconds;
};

static bool is_of_program(const struct suite_shop *shop, const char *path, const struct suite_program *p)
{
    if (!suite_is_in(path, p->folder)) return false;
    for (size_t i = 0; i < shop->suite->n; i++) { /* one that lies deeper has it */
        const char *other = shop->suite->programs[i].folder;
        if (strlen(other) > strlen(p->folder) && suite_is_in(other, p->folder) && suite_is_in(path, other))
            return false;
    }
    return true;
}

/* Does any program have the file to itself? */
static bool is_shared(const struct suite_shop *shop, const char *path)
{
    for (size_t i = 0; i < shop->suite->n; i++)
        if (suite_is_in(path, shop->suite->programs[i].folder)) return false;
    return true;
}

/* What decides how a program comes out: the compiler, how it is built, and the sources of its folder and of folders
 * that are no program's. */
static int identify(char out[HASH_TEXT_SIZE], const struct building *b, struct error *err)
{
    struct hasher *hasher = hasher_new();
    const struct suite_program *p = b->program;
    int result = hasher ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (result < 0) return -1;
    hasher_add(hasher, b->shop->compiler, sizeof b->shop->compiler);
    hasher_add(hasher, p->build, strlen(p->build) + 1);
    for (size_t i = 0; i < b->shop->files.n && result == 0; i++) {
        char path[2 * PATH_MAX], *data;
        size_t size;
        struct stat st;
        const char *file = b->shop->files.paths[i];
        if (!suite_is_build_file(file) || !(is_of_program(b->shop, file, p) || is_shared(b->shop, file))) continue;
        snprintf(path, sizeof path, "%s/%s", b->shop->suite->folder, file);
        if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > 16 << 20) continue;
        result = file_read(&data, &size, path, err);
        if (result < 0) break;
        hasher_add(hasher, file, strlen(file) + 1);
        hasher_add(hasher, data, size);
        free(data);
    }
    const struct hash all = hasher_finish(hasher);
    hash_text(&all, out);
    return result;
}

/* ---- the copy ---- */

static const char *from_tree(const struct suite_shop *shop, const char *path)
{
    const char *rest = path + strlen(shop->tree);
    while (*rest == '/') rest++;
    return rest;
}

static const char *text_of(const json_t *state, const char *key)
{
    const char *text = json_string_value(json_object_get(state, key));
    return text ? text : "";
}

static void state_name(char *out, size_t size, const struct suite_shop *shop, const struct suite_program *p)
{
    snprintf(out, size, "%s%s", p->name, *shop->nvcc ? ".nvcc" : "");
}

/* Did another program of the folder come out of the same sources? Then what was built there stays. */
static bool is_built_beside(const struct building *b, const char *identity)
{
    bool found = false;
    for (size_t i = 0; i < b->shop->suite->n && !found; i++) {
        const struct suite_program *p = &b->shop->suite->programs[i];
        char name[80];
        if (p == b->program || strcmp(p->folder, b->program->folder) != 0) continue;
        state_name(name, sizeof name, b->shop, p);
        json_t *state = suite_state_read(b->shop->work, name);
        found = strcmp(text_of(state, "identity"), identity) == 0 && json_is_true(json_object_get(state, "built"));
        json_decref(state);
    }
    return found;
}

/* What was built before goes: all that the checkout has not, but for folders of programs that lie deeper. */
static int clean(const struct building *b, struct error *err)
{
    char *const roots[] = {(char *)(uintptr_t)b->folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!walk) return error_set(err, ERR_IO, "%s: %s", b->folder, strerror(errno));
    for (FTSENT *e; (e = fts_read(walk));) {
        const char *path = from_tree(b->shop, e->fts_path);
        if (e->fts_level == 0) continue;
        if (!is_of_program(b->shop, path, b->program)) fts_set(walk, e, FTS_SKIP);
        else if (e->fts_info == FTS_DP) rmdir(e->fts_path); /* stays where it is not empty */
        else if ((e->fts_info == FTS_F || e->fts_info == FTS_SL) && !suite_has(&b->shop->files, ".", path))
            unlink(e->fts_path);
    }
    fts_close(walk);
    return 0;
}

static bool is_executable(const char *path, const struct stat *st)
{
    Elf64_Ehdr head;
    const char *name = strrchr(path, '/');
    if (!S_ISREG(st->st_mode) || !(st->st_mode & S_IXUSR) || (name && strstr(name, ".so"))) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_elf = fd >= 0 && read(fd, &head, sizeof head) == (ssize_t)sizeof head &&
                        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && (head.e_type == ET_EXEC || head.e_type == ET_DYN);
    if (fd >= 0) close(fd);
    return is_elf;
}

/* How well a name suits: the one that is asked for, the folder's, any. */
static unsigned rank(const struct building *b, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *wanted = strrchr(b->program->program, '/'), *folder = strrchr(b->program->folder, '/');
    wanted = wanted ? wanted + 1 : b->program->program;
    folder = folder ? folder + 1 : b->program->folder;
    if (*b->program->program && strcmp(path, b->program->program) == 0) return 4;
    if (*wanted && strcmp(name, wanted) == 0) return 3;
    return strncasecmp(name, folder, strlen(name)) == 0 ? 2 : 1;
}

/* Looks for what was built; false where there is nothing, or not what is asked for. */
static bool find_executable(struct building *b)
{
    char *const roots[] = {b->folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    unsigned best = 0;
    size_t at = 0;
    b->others[0] = b->found[0] = '\0';
    for (FTSENT *e; walk && (e = fts_read(walk));) {
        const char *path = e->fts_path + strlen(b->folder) + 1;
        if (e->fts_level > 0 && (strcmp(e->fts_name, "CMakeFiles") == 0 ||
                                 !is_of_program(b->shop, from_tree(b->shop, e->fts_path), b->program))) {
            fts_set(walk, e, FTS_SKIP);
            continue;
        }
        if (e->fts_info != FTS_F || suite_has(&b->shop->files, b->program->folder, path) ||
            !is_executable(e->fts_path, e->fts_statp))
            continue;
        const unsigned mine = rank(b, path);
        if (mine > best || (mine == best && strcmp(path, b->found) < 0)) {
            best = mine;
            snprintf(b->found, sizeof b->found, "%s", path);
        }
        if (at < sizeof b->others - 1)
            at += (size_t)snprintf(b->others + at, sizeof b->others - at, "%s%s", at ? ", " : "", path);
    }
    if (walk) fts_close(walk);
    return best > 0 && (!*b->program->program || best >= 3);
}

/* ---- ways ---- */

static void log_path(struct building *b, const char *way)
{
    snprintf(b->log, sizeof b->log, "%s/%s.%s.log", b->shop->logs, b->program->name, way);
}

/* What went wrong, of the first way that failed. */
static void keep_error(struct building *b, int status, const char *way)
{
    char *text = NULL, prefix[PATH_MAX + 2];
    size_t size;
    struct error ignored;
    struct suite_row *row = b->row;
    const bool is_part = strcmp(row->kind, "make") == 0; /* of a makefile that is not a whole one */
    if (*row->why && !is_part) return;
    *row->why = '\0';
    snprintf(prefix, sizeof prefix, "%s/", b->shop->tree);
    if (status == 124) {
        snprintf(row->kind, sizeof row->kind, "time");
        snprintf(row->why, sizeof row->why, "%s was not done in %llu s", way, (unsigned long long)b->seconds);
    } else if (file_read(&text, &size, b->log, &ignored) == 0) {
        suite_first_error(row->kind, sizeof row->kind, row->why, sizeof row->why, text, prefix);
        if (status == 0) *row->why = '\0';
    }
    free(text);
    if (*row->why) return;
    snprintf(row->kind, sizeof row->kind, "%s", status ? way : "nothing built");
    if (status) snprintf(row->why, sizeof row->why, "%s ended with status %d", way, status);
    else if (*b->others)
        snprintf(row->why, sizeof row->why, "%.100s was not built; there is %.250s", b->program->program, b->others);
    else snprintf(row->why, sizeof row->why, "%s built no program", way);
}

/* The words behind the first of `build`; they point into `text`. */
static size_t further_words(char *words[], size_t n, size_t most, char *text, const char *build)
{
    snprintf(text, 512, "%s", build);
    return n + suite_words(words + n, most - n, text + strcspn(text, " "));
}

static int by_makefile(struct building *b, const char *folder, bool *is_built, struct error *err)
{
    static const char *const variables[] = {"CUDA_PATH",         "CUDA_DIR",      "CUDA_HOME",         "CUDA_ROOT",
                                            "CUDA_INSTALL_PATH", "CUDA_SDK_PATH", "CUDA_TOOLKIT_PATH", "CUDA_LIB_PATH",
                                            "CUDA_LIB_DIR",      "NVCC"};
    char settings[COUNT_OF(variables)][PATH_MAX + 40], text[512], *argv[64];
    size_t n = 0;
    int status = 0;
    argv[n++] = (char *)(uintptr_t) "make";
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        const bool is_library = strncmp(variables[i], "CUDA_LIB_", 9) == 0;
        snprintf(settings[i], sizeof settings[i], "%s=%s%s", variables[i], b->shop->toolkit,
                 is_library                          ? "/lib64"
                 : strcmp(variables[i], "NVCC") == 0 ? "/bin/nvcc"
                                                     : "");
        argv[n++] = settings[i];
    }
    n = further_words(argv, n, COUNT_OF(argv) - 1, text, b->program->build);
    argv[n] = NULL;
    log_path(b, "make");
    if (suite_run(b->shop, folder, argv, b->log, b->seconds, &status, err) < 0) return -1;
    *is_built = find_executable(b);
    if (!*is_built) keep_error(b, status, "make");
    return 0;
}

/* The next folder above, or the folder itself, whose CMake file is a project. */
static void find_project(char out[400], const struct building *b)
{
    snprintf(out, 400, "%s", b->program->folder);
    for (;;) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/CMakeLists.txt", out);
        char *text = suite_text(b->shop->suite->folder, path);
        const bool is_project =
            text && (strstr(text, "project(") || strstr(text, "project (") || strstr(text, "PROJECT("));
        free(text);
        if (is_project) return;
        char *slash = strrchr(out, '/');
        if (!slash && strcmp(out, ".") == 0) break;
        if (slash) *slash = '\0';
        else snprintf(out, 400, ".");
    }
    snprintf(out, 400, "%s", b->program->folder);
}

static int by_cmake(struct building *b, bool *is_built, struct error *err)
{
    char project[400], source[2 * PATH_MAX], build[2 * PATH_MAX + 40], compiler[PATH_MAX + 80], root[PATH_MAX + 40];
    char text[512], *argv[64];
    size_t n = 0;
    int status = 0;
    find_project(project, b);
    snprintf(source, sizeof source, "%s/%s", b->shop->tree, project);
    snprintf(build, sizeof build, "%s/" BUILD_FOLDER, b->folder);
    snprintf(compiler, sizeof compiler, "-DCMAKE_CUDA_COMPILER=%s/bin/nvcc", b->shop->toolkit);
    snprintf(root, sizeof root, "-DCUDAToolkit_ROOT=%s", b->shop->toolkit);
    const char *const words[] = {
        "cmake", "-S", source, "-B", build, "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release", compiler, root};
    for (size_t i = 0; i < COUNT_OF(words); i++) argv[n++] = (char *)(uintptr_t)words[i];
    n = further_words(argv, n, COUNT_OF(argv) - 1, text, b->program->build);
    argv[n] = NULL;
    log_path(b, "cmake");
    if (suite_run(b->shop, b->folder, argv, b->log, b->seconds, &status, err) < 0) return -1;
    if (status == 0) {
        char below[3 * PATH_MAX];
        const char *rest = strcmp(project, ".") ? b->program->folder + strlen(project) : b->program->folder;
        snprintf(below, sizeof below, "%s/%s", build, *rest == '/' ? rest + 1 : strcmp(rest, ".") ? rest : "");
        char *const make[] = {(char *)(uintptr_t) "make", NULL};
        if (suite_run(b->shop, below, make, b->log, b->seconds, &status, err) < 0) return -1;
    }
    *is_built = find_executable(b);
    if (!*is_built) keep_error(b, status, "cmake");
    return 0;
}

static int by_sources(struct building *b, bool *is_built, struct error *err)
{
    char output[PATH_MAX];
    int status;
    snprintf(output, sizeof output, "%.255s", *b->program->program ? b->program->program : b->program->name);
    log_path(b, "sources");
    if (suite_build_sources(b->shop, b->program, b->folder, output, b->log, &status, err) < 0) return -1;
    *is_built = status == 0;
    if (*is_built) snprintf(b->found, sizeof b->found, "%s", output);
    else keep_error(b, status, "sources");
    return 0;
}

static int build(struct building *b, const char *identity, struct error *err)
{
    bool is_built = false;
    struct suite_row *row = b->row;
    const char *how = strncmp(b->program->build, "make", 4) == 0    ? "make"
                      : strncmp(b->program->build, "cmake", 5) == 0 ? "cmake"
                                                                    : "sources";
    if (strcmp(how, "sources") != 0 && !is_built_beside(b, identity) && clean(b, err) < 0) return -1;
    if (strcmp(how, "make") == 0 && by_makefile(b, b->folder, &is_built, err) < 0) return -1;
    if (strcmp(how, "cmake") == 0 && by_cmake(b, &is_built, err) < 0) return -1;
    if (!is_built && strcmp(row->kind, "time") != 0) {
        how = "sources";
        if (by_sources(b, &is_built, err) < 0) return -1;
    }
    row->built = is_built ? SUITE_GOOD : SUITE_FAILED;
    snprintf(row->how, sizeof row->how, "%s", how);
    if (is_built) row->kind[0] = row->why[0] = '\0';
    return 0;
}

/* ---- state ---- */

void suite_row_from_build(struct suite_row *row, const json_t *state)
{
    row->built = json_is_true(json_object_get(state, "built")) ? SUITE_GOOD : SUITE_FAILED;
    row->seconds = json_number_value(json_object_get(state, "seconds"));
    snprintf(row->how, sizeof row->how, "%s", text_of(state, "how"));
    snprintf(row->kind, sizeof row->kind, "%s", text_of(state, "kind"));
    snprintf(row->why, sizeof row->why, "%s", text_of(state, "why"));
}

int suite_build(struct suite_row *row, struct suite_shop *shop, struct error *err)
{
    char name[80], identity[HASH_TEXT_SIZE];
    const struct suite_program *p = row->program;
    struct building *b = calloc(1, sizeof *b);
    if (!b) return error_set(err, ERR_MEMORY, "out of memory for a build");
    b->shop = shop, b->program = p, b->row = row;
    b->seconds = p->seconds ? p->seconds : shop->suite->seconds ? shop->suite->seconds : shop->options->seconds;
    snprintf(b->folder, sizeof b->folder, "%s/%s", shop->tree, p->folder);
    state_name(name, sizeof name, shop, p);
    int result = identify(identity, b, err);
    json_t *state = result == 0 ? suite_state_read(shop->work, name) : NULL;
    const bool is_known =
        state && strcmp(text_of(state, "identity"), identity) == 0 && strcmp(text_of(state, "asked"), p->program) == 0;
    const bool is_good = is_known && json_is_true(json_object_get(state, "built"));
    char program[3 * PATH_MAX];
    snprintf(program, sizeof program, "%s/%s", b->folder, text_of(state, "program"));
    if (result == 0 && is_known && (is_good ? access(program, X_OK) == 0 : !shop->options->is_again)) {
        suite_row_from_build(row, state);
    } else if (result == 0) {
        const double start = clock_s();
        result = build(b, identity, err);
        row->seconds = clock_s() - start;
        row->is_new = true;
        if (result == 0)
            result =
                suite_state_write(shop->work, name,
                                  json_pack("{s:s,s:s,s:b,s:s,s:s,s:s,s:s,s:f}", "identity", identity, "asked",
                                            p->program, "built", row->built == SUITE_GOOD, "program", b->found, "how",
                                            row->how, "kind", row->kind, "why", row->why, "seconds", row->seconds),
                                  err);
    }
    json_decref(state);
    free(b);
    return result;
}

void suite_program_of(char *out, size_t size, const char *work, const char *name)
{
    json_t *state = suite_state_read(work, name);
    snprintf(out, size, "%s", json_is_true(json_object_get(state, "built")) ? text_of(state, "program") : "");
    json_decref(state);
}

void suite_executable(char *out, size_t size, const char *work, const struct suite_program *p)
{
    char program[PATH_MAX];
    suite_program_of(program, sizeof program, work, p->name);
    if (*program) snprintf(out, size, "%s/clang/tree/%s/%s", work, p->folder, program);
    else *out = '\0';
}
