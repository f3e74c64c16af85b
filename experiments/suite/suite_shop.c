/* Where a suite is built: a copy of the checkout, and a folder that makefiles and CMake take for CUDA's toolkit.
 *
 *   TRACES/suites/NAME-HASH/clang/tree      the copy, in which programs are built and run
 *   TRACES/suites/NAME-HASH/clang/toolkit   bin/nvcc, include, lib64
 *   TRACES/suites/NAME-HASH/clang/logs      what building printed
 *   TRACES/suites/NAME-HASH/nvcc/           the same by nvcc, for programs that only two ways can check
 *   TRACES/suites/NAME-HASH/states          what was done with which content */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/file.h"
#include "suite/suite_internal.h"
#include "workload/recording.h"

void suite_work_folder(char *out, size_t size, const struct lab_paths *paths, const char *suite, const char *checkout)
{
    char hash[HASH_TEXT_SIZE], resolved[PATH_MAX];
    const struct hash h = hash_bytes(checkout, strlen(checkout));
    hash_text(&h, hash);
    const char *traces = realpath(paths->traces, resolved) ? resolved : paths->traces;
    snprintf(out, size, "%s/suites/%s-%.8s", traces, suite, hash);
}

json_t *suite_state_read(const char *work, const char *name)
{
    char path[PATH_MAX + 200];
    struct error ignored;
    snprintf(path, sizeof path, "%s/states/%s.json", work, name);
    return access(path, R_OK) == 0 ? file_read_json(path, &ignored) : NULL;
}

int suite_state_write(const char *work, const char *name, json_t *state, struct error *err)
{
    char path[PATH_MAX + 200];
    snprintf(path, sizeof path, "%s/states", work);
    int result = file_make_folders(path, err);
    char *text = state ? json_dumps(state, JSON_INDENT(1)) : NULL;
    json_decref(state);
    snprintf(path, sizeof path, "%s/states/%s.json", work, name);
    if (result == 0)
        result = text ? file_write(path, text, strlen(text), err) : error_set(err, ERR_MEMORY, "out of memory");
    free(text);
    return result;
}

int suite_run(const struct suite_shop *shop, const char *folder, char *const argv[], const char *log, uint64_t seconds,
              int *status, struct error *err)
{
    char *words[300] = {"timeout", "-k", "5"}, number[32], *settings[8] = {NULL};
    size_t n = 3, k = 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)seconds);
    words[n++] = number;
    for (size_t i = 0; argv[i] && n < COUNT_OF(words) - 1; i++) words[n++] = argv[i];
    const char *path = getenv("PATH"), *libraries = getenv("LD_LIBRARY_PATH");
    int bad = asprintf(&settings[k++], "PATH=%s/bin:%s", shop->toolkit, path ? path : "/usr/bin:/bin") < 0;
    bad |= asprintf(&settings[k++], "LD_LIBRARY_PATH=%s%s%s", shop->paths->cuda_lib, libraries ? ":" : "",
                    libraries ? libraries : "") < 0;
    bad |= asprintf(&settings[k++], "CUDA_PATH=%s", shop->toolkit) < 0;
    bad |= asprintf(&settings[k++], "CPATH=%s/old", shop->toolkit) < 0;
    bad |= asprintf(&settings[k++], "MAKEFLAGS=") < 0;
    bad |= asprintf(&settings[k++], "POISE_THREADS=1") < 0;
    const struct recording r = {.argv = words, .folder = folder, .stop = shop->paths->stop, .shown = argv[0]};
    int result = bad ? error_set(err, ERR_MEMORY, "out of memory for an environment")
                     : recording_execute(&r, (const char *const *)settings, k, log, status, err);
    if (result < 0 && err->code == ERR_RUN) result = 0; /* the status says it */
    for (size_t i = 0; i < k; i++) free(settings[i]);
    return result;
}

/* ---- the copy ---- */

static int copy_bytes(int to, int from)
{
    for (;;) {
        const ssize_t n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0);
        if (n == 0) return 0;
        if (n < 0 && errno != EINTR) break;
    }
    char block[1 << 16]; /* between file systems that cannot */
    for (;;) {
        const ssize_t n = read(from, block, sizeof block);
        if (n <= 0) return n < 0 ? -1 : 0;
        for (ssize_t at = 0; at < n;) {
            const ssize_t done = write(to, block + at, (size_t)(n - at));
            if (done < 0) return -1;
            at += done;
        }
    }
}

/* Unless the copy has this size and time already. What is no file, as a link to nothing, is left out. */
static int copy_file(const char *from, const char *to, struct error *err)
{
    char temporary[2 * PATH_MAX + 20], folder[2 * PATH_MAX];
    const char *name;
    struct stat st, old;
    if (stat(from, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
    if (stat(to, &old) == 0 && old.st_size == st.st_size && old.st_mtim.tv_sec == st.st_mtim.tv_sec &&
        old.st_mtim.tv_nsec == st.st_mtim.tv_nsec)
        return 0;
    suite_folder_of(folder, sizeof folder, to, &name);
    if (file_make_folders(folder, err) < 0) return -1;
    snprintf(temporary, sizeof temporary, "%s.copy", to);
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (st.st_mode & 0777) | 0200);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    const bool is_good = in >= 0 && out >= 0 && copy_bytes(out, in) == 0 && futimens(out, times) == 0;
    const int why = errno;
    if (in >= 0) close(in);
    if (out >= 0 && close(out) == 0 && is_good && rename(temporary, to) == 0) return 0;
    unlink(temporary);
    return error_set(err, ERR_IO, "copying %s: %s", from, strerror(why ? why : errno));
}

static int copy_checkout(const struct suite_shop *shop, struct error *err)
{
    for (size_t i = 0; i < shop->files.n; i++) {
        char from[2 * PATH_MAX], to[2 * PATH_MAX];
        snprintf(from, sizeof from, "%s/%s", shop->suite->folder, shop->files.paths[i]);
        snprintf(to, sizeof to, "%s/%s", shop->tree, shop->files.paths[i]);
        if (copy_file(from, to, err) < 0) return -1;
        if (shop->paths->stop && *shop->paths->stop)
            return error_set(err, ERR_INTERRUPTED, "interrupted while the checkout was copied");
    }
    return 0;
}

/* ---- the toolkit ---- */

static int make_link(const char *to, const char *folder, const char *name, struct error *err)
{
    char path[PATH_MAX + 300], before[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const ssize_t n = readlink(path, before, sizeof before - 1);
    if (n >= 0 && (size_t)n == strlen(to) && strncmp(before, to, (size_t)n) == 0) return 0;
    unlink(path);
    return symlink(to, path) == 0 ? 0 : error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
}

/* A link for each file of a folder. */
static int link_all(const char *from, const char *folder, struct error *err)
{
    char path[2 * PATH_MAX];
    DIR *in = opendir(from);
    int result = 0;
    if (!in) return error_set(err, ERR_IO, "%s: %s", from, strerror(errno));
    for (struct dirent *e; result == 0 && (e = readdir(in));) {
        snprintf(path, sizeof path, "%s/%s", from, e->d_name);
        if (e->d_name[0] != '.') result = make_link(path, folder, e->d_name, err);
    }
    closedir(in);
    return result;
}

/* Archives that makefiles and CMake name, which our one library serves. */
static const char *const archives[] = {"libcudadevrt.so", "libcudart_static.so", "libcudadevrt.a",
                                       "libcudart_static.a"};

static int make_clang_toolkit(const struct suite_shop *shop, struct error *err)
{
    char path[PATH_MAX + 40], library[PATH_MAX + 40], from[2 * PATH_MAX];
    const char *toolkit = shop->options->toolkit;
    snprintf(path, sizeof path, "%s/nvvm/libdevice", shop->toolkit);
    if (file_make_folders(path, err) < 0) return -1;
    snprintf(path, sizeof path, "%s/include/poise", shop->toolkit);
    if (file_make_folders(path, err) < 0) return -1;
    snprintf(path, sizeof path, "%s/include", shop->toolkit);
    snprintf(from, sizeof from, "%s/../include/poise", toolkit);
    char below[2 * PATH_MAX];
    snprintf(below, sizeof below, "%s/poise", path);
    if (link_all(from, below, err) < 0 || link_all(toolkit, path, err) < 0) return -1;
    for (size_t i = 0; i < 2; i++) {
        static const char *const names[] = {"cuda.h", "cuda_runtime_api.h"};
        snprintf(from, sizeof from, "%s/../include/%s", toolkit, names[i]);
        if (make_link(from, path, names[i], err) < 0) return -1;
    }
    snprintf(library, sizeof library, "%s/lib64", shop->toolkit);
    if (file_make_folders(library, err) < 0 || link_all(shop->paths->cuda_lib, library, err) < 0) return -1;
    for (size_t i = 0; i < COUNT_OF(archives); i++)
        if (make_link("libcudart.so", library, archives[i], err) < 0) return -1;
    snprintf(path, sizeof path, "%s/bin", shop->toolkit);
    snprintf(from, sizeof from, "%s/suite/nvcc", toolkit);
    return make_link("lib64", shop->toolkit, "lib", err) < 0 || make_link(shop->options->poise, path, "poise", err) < 0
               ? -1
               : make_link(from, path, "nvcc", err);
}

static int make_nvcc_toolkit(const struct suite_shop *shop, struct error *err)
{
    char path[PATH_MAX + 40], from[2 * PATH_MAX], real[PATH_MAX], root[PATH_MAX];
    if (!realpath(shop->nvcc, real)) return error_set(err, ERR_IO, "%s: %s", shop->nvcc, strerror(errno));
    snprintf(root, sizeof root, "%s", real);
    for (int i = 0; i < 2; i++) *strrchr(root, '/') = '\0';
    snprintf(path, sizeof path, "%s/bin", shop->toolkit);
    snprintf(from, sizeof from, "%s/suite/nvcc-shared", shop->options->toolkit);
    if (make_link(real, path, "real", err) < 0 || make_link(from, path, "nvcc", err) < 0) return -1;
    snprintf(from, sizeof from, "%s/include", root);
    if (make_link(from, shop->toolkit, "include", err) < 0) return -1;
    snprintf(from, sizeof from, "%s/lib64", root);
    return make_link(from, shop->toolkit, "lib64", err) < 0 ? -1 : make_link("lib64", shop->toolkit, "lib", err);
}

static int make_toolkit(const struct suite_shop *shop, struct error *err)
{
    char path[PATH_MAX + 40], from[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/bin", shop->toolkit);
    if (file_make_folders(path, err) < 0) return -1;
    snprintf(from, sizeof from, "%s/suite/include", shop->options->toolkit);
    if (make_link(from, shop->toolkit, "old", err) < 0) return -1;
    return *shop->nvcc ? make_nvcc_toolkit(shop, err) : make_clang_toolkit(shop, err);
}

static int add_identity(struct hasher *hasher, const char *path, struct error *err)
{
    char *data;
    size_t size;
    if (file_read(&data, &size, path, err) < 0) return -1;
    hasher_add(hasher, data, size);
    free(data);
    return 0;
}

/* Programs are built again once the compiler is another. */
static int identify_compiler(struct suite_shop *shop, struct error *err)
{
    struct suite_files headers;
    struct hasher *hasher = hasher_new();
    if (!hasher) return error_set(err, ERR_MEMORY, "out of memory");
    int result = add_identity(hasher, *shop->nvcc ? shop->nvcc : shop->options->poise, err);
    if (result == 0 && !*shop->nvcc) result = suite_files_list(&headers, shop->options->toolkit, err);
    else headers = (struct suite_files){0};
    for (size_t i = 0; i < headers.n && result == 0; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", shop->options->toolkit, headers.paths[i]);
        result = add_identity(hasher, path, err);
    }
    suite_files_fini(&headers);
    const struct hash all = hasher_finish(hasher);
    hash_text(&all, shop->compiler);
    return result;
}

bool suite_find_nvcc(char *out, size_t size)
{
    if (file_in_path(out, size, "nvcc")) return true;
    snprintf(out, size, "/usr/local/cuda/bin/nvcc");
    if (access(out, X_OK) == 0) return true;
    *out = '\0';
    return false;
}

int suite_shop_open(struct suite_shop *out, const struct suite *suite, const struct suite_options *options,
                    const struct lab_paths *paths, bool by_nvcc, struct error *err)
{
    char work[PATH_MAX - 64];
    *out = (struct suite_shop){.suite = suite, .options = options, .paths = paths};
    suite_work_folder(work, sizeof work, paths, suite->name, suite->folder);
    memcpy(out->work, work, sizeof work);
    const char *way = by_nvcc ? "nvcc" : "clang";
    if (by_nvcc && !suite_find_nvcc(out->nvcc, sizeof out->nvcc)) return error_set(err, ERR_INPUT, "there is no nvcc");
    snprintf(out->tree, sizeof out->tree, "%s/%s/tree", work, way);
    snprintf(out->toolkit, sizeof out->toolkit, "%s/%s/toolkit", work, way);
    snprintf(out->logs, sizeof out->logs, "%s/%s/logs", work, way);
    if (file_make_folders(out->tree, err) < 0 || file_make_folders(out->logs, err) < 0 || make_toolkit(out, err) < 0 ||
        identify_compiler(out, err) < 0 || suite_files_list(&out->files, suite->folder, err) < 0)
        return -1;
    return copy_checkout(out, err);
}

void suite_shop_close(struct suite_shop *shop) { suite_files_fini(&shop->files); }
