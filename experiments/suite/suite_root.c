/* Which folder a suite needs: programs of a folder may take headers, makefiles and data that lie above it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "suite/suite_internal.h"

enum { ABOVE_MAX = 3 };

static size_t depth_of(const char *folder)
{
    size_t n = strcmp(folder, ".") != 0;
    for (; *folder; folder++) n += *folder == '/';
    return n;
}

static bool is_path_character(char c) { return c > ' ' && !strchr("\"'<>()[]{}$:;,*?|&=`\\", c); }

/* How many folders above the checkout the path at `at` leads, where it leads to something: "../../common/a.h", read in
 * a folder one deep, leads one above. A source has to name a file, since helpers look through "../../../" and the
 * like; a makefile may name a folder, or what building makes in one. */
static size_t levels_above(const char *checkout, const char *folder, const char *at, bool is_source)
{
    char path[3 * PATH_MAX], word[PATH_MAX];
    size_t up = 0, n = 0;
    struct stat st;
    while (strncmp(at + 3 * up, "../", 3) == 0) up++;
    while (n + 1 < sizeof word && is_path_character(at[n])) n++;
    const size_t depth = depth_of(folder);
    if (up <= depth || n == 3 * up) return 0;
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    snprintf(path, sizeof path, "%s/%s/%s", checkout, folder, word);
    if (stat(path, &st) == 0) return !is_source || S_ISREG(st.st_mode) ? up - depth : 0;
    char *slash = strrchr(path, '/');
    if (is_source || slash < path + strlen(path) - n + 3 * up) return 0;
    *slash = '\0';
    return stat(path, &st) == 0 ? up - depth : 0;
}

static size_t levels_of_text(const char *checkout, const char *folder, const char *text, bool is_source)
{
    size_t most = 0;
    for (const char *at = text; (at = strstr(at, "../"));) {
        const bool is_start = at == text || !(is_path_character(at[-1]) || at[-1] == '/');
        /* -I../include, -L../lib; another letter or a variable in front: not from this folder */
        const bool is_option = at > text + 1 && at[-2] == '-' && strchr("ILi", at[-1]);
        const size_t levels = is_start || is_option ? levels_above(checkout, folder, at, is_source) : 0;
        if (levels > most) most = levels;
        while (strncmp(at, "../", 3) == 0) at += 3;
    }
    return most;
}

int suite_root(char *root, size_t size, char *below, size_t below_size, const char *folder, struct error *err)
{
    struct suite_files files;
    size_t most = 0;
    snprintf(root, size, "%s", folder);
    snprintf(below, below_size, ".");
    if (suite_files_list(&files, folder, err) < 0) return -1;
    for (size_t i = 0; i < files.n && most < ABOVE_MAX; i++) {
        char in[PATH_MAX];
        const char *name;
        if (!suite_is_build_file(files.paths[i]) && !suite_is_script(files.paths[i])) continue;
        suite_folder_of(in, sizeof in, files.paths[i], &name);
        char *text = suite_text(folder, files.paths[i]);
        const size_t levels = text ? levels_of_text(folder, in, text, suite_is_code(name)) : 0;
        if (levels > most && levels <= ABOVE_MAX) most = levels;
        free(text);
    }
    suite_files_fini(&files);
    const char *home = getenv("HOME");
    for (; most; most--) { /* not the whole disk, nor all that somebody has */
        char *slash = strrchr(root, '/');
        if (slash == root ||
            (home && slash && strlen(home) == (size_t)(slash - root) && strncmp(home, root, strlen(home)) == 0))
            break;
        *slash = '\0';
    }
    if (strlen(root) < strlen(folder)) snprintf(below, below_size, "%s", folder + strlen(root) + 1);
    return 0;
}
