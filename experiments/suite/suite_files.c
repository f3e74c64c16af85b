/* The files of a checkout, and small questions about them. */
#include <errno.h>
#include <fts.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "suite/suite_internal.h"

int suite_hint(struct error *err, const char *format, const char *name)
{
    char hint[200];
    snprintf(hint, sizeof hint, format, name);
    return error_at(err, NULL, 0, -1, hint);
}

int suite_arguments_add(struct suite_arguments *out, const char *text)
{
    const size_t n = strlen(text) + 1;
    if (out->size + n > sizeof out->text) return -1;
    memcpy(out->text + out->size, text, n);
    out->size += n;
    out->n++;
    out->is_given = true;
    return 0;
}

static int by_path(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int add_path(struct suite_files *files, const char *path)
{
    if (files->n == files->capacity) {
        const size_t capacity = files->capacity ? 2 * files->capacity : 256;
        char **paths = realloc(files->paths, capacity * sizeof *paths);
        if (!paths) return -1;
        files->paths = paths;
        files->capacity = capacity;
    }
    return (files->paths[files->n] = strdup(path)) ? (int)(files->n++, 0) : -1;
}

int suite_files_list(struct suite_files *out, const char *folder, struct error *err)
{
    char *const roots[] = {(char *)(uintptr_t)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const size_t skip = strlen(folder) + 1;
    int result = 0;
    *out = (struct suite_files){0};
    if (!walk) return error_set(err, ERR_IO, "%s: %s", folder, strerror(errno));
    for (FTSENT *e; result == 0 && (e = fts_read(walk));) {
        if (e->fts_level > 0 && e->fts_name[0] == '.') fts_set(walk, e, FTS_SKIP);
        else if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
            result = error_set(err, ERR_IO, "%s: %s", e->fts_path, strerror(e->fts_errno));
        else if ((e->fts_info == FTS_F || e->fts_info == FTS_SL) && e->fts_pathlen > skip &&
                 add_path(out, e->fts_path + skip) < 0)
            result = error_set(err, ERR_MEMORY, "out of memory for the files of %s", folder);
    }
    fts_close(walk);
    if (out->n) qsort(out->paths, out->n, sizeof *out->paths, by_path);
    if (result < 0) suite_files_fini(out);
    return result;
}

void suite_files_fini(struct suite_files *files)
{
    for (size_t i = 0; i < files->n; i++) free(files->paths[i]);
    free(files->paths);
    *files = (struct suite_files){0};
}

void suite_folder_of(char *out, size_t size, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(out, size, "%.*s", (int)(slash - path), path);
    else snprintf(out, size, ".");
    *name = slash ? slash + 1 : path;
}

bool suite_is_in(const char *path, const char *folder)
{
    const size_t n = strlen(folder);
    return strcmp(folder, ".") == 0 || (strncmp(path, folder, n) == 0 && path[n] == '/');
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), k = strlen(ending);
    return n > k && strcmp(name + n - k, ending) == 0;
}

bool suite_is_cuda(const char *name) { return ends_with(name, ".cu"); }
bool suite_is_source(const char *name)
{
    return suite_is_cuda(name) || ends_with(name, ".c") || ends_with(name, ".cc") || ends_with(name, ".cpp") ||
           ends_with(name, ".cxx");
}

bool suite_is_code(const char *name)
{
    const char *dot = strrchr(name, '.');
    return suite_is_source(name) || (dot && (dot[1] == 'h' || strcmp(dot, ".cuh") == 0));
}

bool suite_is_build_file(const char *path)
{
    static const char *const endings[] = {".cuh", ".h",     ".hpp",    ".hxx",    ".inc", ".inl",
                                          ".mk",  ".cmake", ".config", "akefile", ".txt", ".in"};
    const size_t n = strlen(path);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        const size_t k = strlen(endings[i]);
        if (n >= k && strcmp(path + n - k, endings[i]) == 0) return true;
    }
    return suite_is_source(path);
}

bool suite_is_script(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return ends_with(name, ".sh") || strncmp(name, "run", 3) == 0 || strncasecmp(name, "readme", 6) == 0;
}

bool suite_has(const struct suite_files *files, const char *folder, const char *name)
{
    char path[PATH_MAX];
    const char *key = path;
    snprintf(path, sizeof path, "%s%s%s", strcmp(folder, ".") ? folder : "", strcmp(folder, ".") ? "/" : "", name);
    return files->n && bsearch(&key, files->paths, files->n, sizeof *files->paths, by_path);
}

char *suite_text(const char *checkout, const char *path)
{
    char full[2 * PATH_MAX], *text;
    size_t size;
    struct error ignored;
    snprintf(full, sizeof full, "%s/%s", checkout, path);
    if (file_read(&text, &size, full, &ignored) < 0) return NULL;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0') text[i] = ' ';
    return text;
}

bool suite_has_main(const char *text)
{
    regex_t regex;
    if (regcomp(&regex, "^[^/#;*]*(^|[^A-Za-z0-9_])main[ \t]*\\([^;{]*([{].*)?$",
                REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
        return false;
    const bool found = strstr(text, "main") && regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

void suite_path_from(char *out, size_t size, const char *folder, const char *to)
{
    size_t common = 0, at = 0;
    if (strcmp(folder, ".") == 0) folder = "";
    for (size_t i = 0;; i++) {
        if ((folder[i] == '/' || !folder[i]) && to[i] == '/') common = i + 1;
        if (!folder[i] || folder[i] != to[i]) break;
    }
    if (!*folder) common = 0;
    const char *rest = strlen(folder) < common ? "" : folder + common;
    *out = '\0';
    for (bool is_start = true; *rest; rest++) {
        if (is_start && at < size) at += (size_t)snprintf(out + at, size - at, "../");
        is_start = *rest == '/';
    }
    if (at < size) snprintf(out + at, size - at, "%s", to + common);
}
