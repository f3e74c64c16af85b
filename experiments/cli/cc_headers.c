/* Precompiled headers. Half of what clang does for a short program is to read cuda_runtime.h and what a program
 * includes of Thrust, CUB and libcu++; what it has read it can write down and map into memory later, if all its words
 * are the same. A header's name in the cache is a hash of these words and of the text that it stands for; beside it lie
 * that text and the files it was made of, with their sizes and times, so that one of a changed header is made anew.
 *
 * Making one costs as much as one compilation gains, so it is made when the same words come for the second time: the
 * first leaves an empty file KEY.seen. */
#include "cli/cc_headers.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cli/cc_cccl.h"
#include "cli/cc_run.h"
#include "poise/file.h"
#include "poise/hash.h"

#define SEEN_S (7 * 24 * 3600) /* after so many seconds words that came once are forgotten */
#define KEPT_MAX 64u /* precompiled headers in the cache, of 6 to 20 MB; the one that was used least recently goes */

/* ---- what a source includes first ---- */
/* Of the C++ library, of C's, of Thrust, CUB and libcu++: what says nothing when it is compiled, and the same wherever
 * it is included first. */
static bool is_stable(const char *name, size_t n)
{
    static const char *const known[] = {"assert.h", "cuda.h",   "cuda_runtime.h", "float.h",  "inttypes.h",
                                        "limits.h", "math.h",   "stdbool.h",      "stddef.h", "stdint.h",
                                        "stdio.h",  "stdlib.h", "string.h",       "time.h"};
    if (cc_is_library_header(name)) return true;
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strlen(known[i]) == n && memcmp(name, known[i], n) == 0) return true;
    for (size_t i = 0; i < n; i++)
        if (!islower((unsigned char)name[i]) && name[i] != '_') return false;
    return n > 0;
}

/* Behind blanks and comments. */
static const char *skip_blank(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "//", 2) == 0) at = strchrnul(at, '\n');
        else if (strncmp(at, "/*", 2) == 0 && strstr(at + 2, "*/")) at = strstr(at + 2, "*/") + 2;
        else return at;
    }
}

/* The includes that a source begins with, up to one that is not stable, one a line; *has_library: of Thrust or CUB. */
static void leading_includes(FILE *out, const char *text, bool *has_library)
{
    static const char include[] = "include";
    for (const char *at = skip_blank(text); *at == '#'; at = skip_blank(at)) {
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, include, sizeof include - 1) != 0) return;
        at += sizeof include - 1;
        at += strspn(at, " \t");
        if (*at != '<') return;
        const size_t n = strcspn(++at, ">\n");
        if (at[n] != '>' || !is_stable(at, n)) return;
        fprintf(out, "#include <%.*s>\n", (int)n, at);
        *has_library |= cc_is_library_header(at);
        at += n + 1;
    }
}

/* *out is malloc'd: the text of the header that stands for what the source begins with; "" is cuda_runtime.h alone. */
static bool text_for(char **out, const char *source)
{
    struct error ignored = {0};
    char *text;
    size_t size, length;
    bool has_library = false;
    if (file_read(&text, &size, source, &ignored) < 0) return false;
    FILE *stream = open_memstream(out, &length);
    if (stream) leading_includes(stream, text, &has_library);
    free(text);
    if (!stream || fclose(stream) != 0) return false;
    if (!has_library) **out = '\0';
    return true;
}

/* ---- the cache ---- */
/* Where the user includes a file of his own first, or asks for dependencies, clang reads the headers themselves. */
static bool is_usual(const struct words *w)
{
    size_t includes = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->items[i], "-include") == 0) includes++;
        else if (strncmp(w->items[i], "-M", 2) == 0 || strcmp(w->items[i], "-ivfsoverlay") == 0) return false;
    }
    return includes == 1;
}

static bool key_of(char key[HASH_TEXT_SIZE], const struct words *w, const char *text)
{
    char cwd[4096];
    struct hasher *hasher = hasher_new();
    if (!hasher || !getcwd(cwd, sizeof cwd)) return false;
    for (size_t i = 0; i < w->n; i++) {
        hasher_add(hasher, w->items[i], strlen(w->items[i]) + 1);
        /* a folder of headers that depends on where we are */
        if (strncmp(w->items[i], "-I", 2) == 0) hasher_add(hasher, cwd, strlen(cwd) + 1);
    }
    hasher_add(hasher, text, strlen(text));
    const struct hash hash = hasher_finish(hasher);
    hash_text(&hash, key);
    return true;
}

static bool stamp(char *out, size_t room, const char *path)
{
    struct stat s;
    if (stat(path, &s) < 0) return false;
    snprintf(out, room, "%jd %jd.%09ld", (intmax_t)s.st_size, (intmax_t)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    return true;
}

/* Whether every file that it was made of is as it was: lines of a size, a time and a path. */
static bool is_current(const char *list, const char *header)
{
    struct error ignored = {0};
    char *text, now[80];
    size_t size;
    bool same = access(header, R_OK) == 0 && file_read(&text, &size, list, &ignored) == 0;
    if (!same) return false;
    for (char *rest = text, *line; same && (line = strtok_r(rest, "\n", &rest));) {
        char *const path = strchr(line, '\t');
        if (path) *path = '\0';
        same = path && stamp(now, sizeof now, path + 1) && strcmp(now, line) == 0;
    }
    free(text);
    return same;
}

/* From a makefile's rule, as clang writes it, to that list. */
static bool write_list(const char *list, const char *rule)
{
    struct error ignored = {0};
    char *text, *lines = NULL, now[80];
    size_t size, length;
    if (file_read(&text, &size, rule, &ignored) < 0) return false;
    FILE *out = open_memstream(&lines, &length);
    bool good = out != NULL;
    char *rest = strchr(text, ':');
    for (char *path; good && rest && (path = strtok_r(rest, " \t\r\n\\:", &rest));) {
        good = stamp(now, sizeof now, path);
        fprintf(out, "%s\t%s\n", now, path);
    }
    free(text);
    if (!out || fclose(out) != 0) return false;
    good = good && file_write(list, lines, length, &ignored) == 0;
    free(lines);
    return good;
}

static bool ends_in(const char *name, const char *end)
{
    const size_t n = strlen(name), length = strlen(end);
    return n > length && strcmp(name + n - length, end) == 0;
}

static void forget_oldest(const char *folder)
{
    char path[4500], oldest[4500] = "";
    struct stat s;
    struct timespec least = {0};
    size_t n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (ends_in(e->d_name, ".seen") && stat(path, &s) == 0 && time(NULL) - s.st_mtim.tv_sec > SEEN_S) unlink(path);
        if (!ends_in(e->d_name, ".pch") || stat(path, &s) < 0) continue;
        if (n++ == 0 || s.st_mtim.tv_sec < least.tv_sec) snprintf(oldest, sizeof oldest, "%s", path), least = s.st_mtim;
    }
    if (dir) closedir(dir);
    if (n <= KEPT_MAX) return;
    unlink(oldest);
    for (const char *const *other = (const char *const[]){"list", "h", NULL}; *other; other++) {
        snprintf(path, sizeof path, "%.*s.%s", (int)(strlen(oldest) - 4), oldest, *other);
        unlink(path);
    }
}

static bool make(const struct words *w, const char *base, const char *text)
{
    struct error ignored = {0};
    struct words build = *w;
    char header[4400], made[4400], name[4400], list[4400], rule[4400];
    snprintf(header, sizeof header, "%s.h", base);
    snprintf(name, sizeof name, "%s.pch", base);
    snprintf(list, sizeof list, "%s.list", base);
    snprintf(made, sizeof made, "%s.%d.made", base, (int)getpid());
    snprintf(rule, sizeof rule, "%s.%d.rule", base, (int)getpid());
    /* two that make the same header write the same text: the file keeps its time, which clang looks at */
    if (access(header, R_OK) < 0 && file_write(header, text, strlen(text), &ignored) < 0) return false;
    /* Templates are instantiated here, once: that is 0.4 of the time of a compilation that includes the header. */
    ADD_LIST(&build, "-fsyntax-only", "-fpch-instantiate-templates", "-MD", "-MF", rule, "-MT", "header", "-Xclang",
             "-emit-pch", "-Xclang", "-o", "-Xclang", made, header);
    const bool good = cc_run_quietly(&build) && write_list(list, rule) && rename(made, name) == 0;
    unlink(made);
    unlink(rule);
    return good;
}

/* Whether these words have come before; from now on they have. */
static bool is_known(const char *base)
{
    char path[4400];
    snprintf(path, sizeof path, "%s.seen", base);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return true; /* or nothing can be written here, which make() finds out */
    close(file);
    return false;
}

void cc_headers_use(struct words *w, const char *source, char *path, size_t room)
{
    char folder[4200], key[HASH_TEXT_SIZE], base[4300], list[4400], *text = NULL;
    if (!is_usual(w) || !cc_cache_folder(folder, sizeof folder, "headers") || !text_for(&text, source)) return;
    if (key_of(key, w, text)) {
        snprintf(base, sizeof base, "%s/%s", folder, key);
        snprintf(path, room, "%s.pch", base);
        snprintf(list, sizeof list, "%s.list", base);
        bool good = is_current(list, path);
        if (good) utimensat(AT_FDCWD, path, NULL, 0);
        else if (is_known(base)) forget_oldest(folder), good = make(w, base, text);
        for (size_t i = 0; good && i < w->n; i++)
            if (strcmp(w->items[i], "-include") == 0) {
                w->items[i] = "-include-pch";
                w->items[i + 1] = path;
                break;
            }
    }
    free(text);
}
