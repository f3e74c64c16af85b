/* All sources of a folder together. What the compiler and the linker miss is looked for in the checkout, as a person
 * would: a folder that has the header, a source that defines the function, a library that has it. */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "suite/suite_internal.h"

enum { WORDS_MAX = 256, ROUNDS_MAX = 8 };

struct compiling {
    const struct suite_shop *shop;
    const struct suite_program *program;
    const char *folder; /* of the program, from the checkout */
    char *words[WORDS_MAX];
    size_t n;
};

static bool has_word(const struct compiling *c, const char *word)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->words[i], word) == 0) return true;
    return false;
}

/* 1: added; 0: it is there, or there is no room. */
static int add_word(struct compiling *c, const char *word)
{
    if (has_word(c, word) || c->n >= WORDS_MAX - 4) return 0;
    if (!(c->words[c->n] = strdup(word))) return 0;
    c->n++;
    return 1;
}

static int add_include(struct compiling *c, const char *folder)
{
    char word[2 * PATH_MAX];
    snprintf(word, sizeof word, "-I%.4095s/%.4000s", c->shop->tree, folder);
    return add_word(c, word);
}

/* Is this file part of another source, as `#include "kernel.cu"` makes it? */
static bool is_included(const struct compiling *c, const char *name)
{
    const size_t length = strlen(name);
    bool found = false;
    for (size_t i = 0; i < c->shop->files.n && !found; i++) {
        char in[PATH_MAX];
        const char *other, *path = c->shop->files.paths[i];
        suite_folder_of(in, sizeof in, path, &other);
        if (strcmp(in, c->folder) != 0 || strcmp(other, name) == 0 || !suite_is_code(other)) continue;
        char *text = suite_text(c->shop->suite->folder, path);
        for (const char *at = text; at && !found && (at = strstr(at, "#include")); at += 8) {
            const char *end = strchrnul(at, '\n'), *where = strstr(at, name);
            found = where && where < end && strchr("\"</", where[-1]) && strchr("\">", where[length]);
        }
        free(text);
    }
    return found;
}

static int add_sources(struct compiling *c)
{
    int n = 0;
    for (size_t i = 0; i < c->shop->files.n; i++) {
        char in[PATH_MAX];
        const char *name;
        suite_folder_of(in, sizeof in, c->shop->files.paths[i], &name);
        if (strcmp(in, c->folder) == 0 && suite_is_source(name) && !is_included(c, name)) n += add_word(c, name);
    }
    return n;
}

/* ---- what is missing ---- */

/* How much of two paths is the same from the front: what lies nearer is meant. */
static size_t nearness(const char *path, const char *folder)
{
    size_t n = 0;
    while (path[n] && path[n] == folder[n]) n++;
    return n;
}

/* What the machine's own MPI is compiled and linked with. */
static int add_mpi(struct compiling *c)
{
    char line[1024], *rest = NULL;
    int n = 0;
    FILE *pipe =
        popen("pkg-config --cflags --libs mpi-c 2>/dev/null || pkg-config --cflags --libs mpich 2>/dev/null", "r");
    if (!pipe) return 0;
    if (!fgets(line, sizeof line, pipe)) *line = '\0';
    pclose(pipe);
    for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
        if (strncmp(word, "-I", 2) == 0 || strncmp(word, "-L", 2) == 0 || strncmp(word, "-l", 2) == 0)
            n += add_word(c, word);
    return n;
}

static int find_header(struct compiling *c, const char *header)
{
    const char *best = NULL;
    const size_t k = strlen(header);
    for (size_t i = 0; i < c->shop->files.n; i++) {
        const char *path = c->shop->files.paths[i];
        const size_t n = strlen(path);
        if (n < k || strcmp(path + n - k, header) != 0 || (n > k && path[n - k - 1] != '/')) continue;
        if (!best || nearness(path, c->folder) > nearness(best, c->folder)) best = path;
    }
    if (!best) return strcmp(header, "mpi.h") == 0 ? add_mpi(c) : 0;
    char folder[PATH_MAX];
    const size_t n = strlen(best) - k;
    snprintf(folder, sizeof folder, "%.*s", n ? (int)n - 1 : 1, n ? best : ".");
    return add_include(c, folder);
}

/* A line that begins the definition of the function: its name and '(' without a ';' behind it, at the line's start. */
static bool defines(const char *text, const char *name)
{
    const size_t k = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += k) {
        const char *behind = at + k, *line = at;
        while (line > text && line[-1] != '\n') line--;
        if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) continue;
        behind += strspn(behind, " \t");
        if (*behind != '(' || isspace((unsigned char)*line) || *line == '/' || *line == '#') continue;
        behind += strcspn(behind, "{;=");
        if (*behind == '{') return true;
    }
    return false;
}

static int find_function(struct compiling *c, const char *name)
{
    static const struct {
        const char *begins, *library;
    } libraries[] = {{"cublas", "-lcublas"},          {"cufft", "-lcufft"},
                     {"curand", "-lcurand"},          {"cusparse", "-lcusparse"},
                     {"cusolver", "-lcusolver"},      {"nvrtc", "-lnvrtc"},
                     {"nvJitLink", "-lnvJitLink"},    {"omp_", "-Xcompiler=-fopenmp"},
                     {"GOMP_", "-Xcompiler=-fopenmp"}};
    for (size_t i = 0; i < COUNT_OF(libraries); i++)
        if (strncmp(name, libraries[i].begins, strlen(libraries[i].begins)) == 0)
            return add_word(c, libraries[i].library);
    if (strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2])) return add_word(c, "-lcuda");
    const char *best = NULL;
    size_t best_score = 0;
    for (size_t i = 0; i < c->shop->files.n; i++) {
        const char *path = c->shop->files.paths[i];
        if (!suite_is_source(path) || suite_is_in(path, c->folder)) continue;
        /* of several versions the one for CUDA, then the nearest */
        const size_t score = 1 + nearness(path, c->folder) + (strcasestr(path, "cuda") ? 1000 : 0);
        if (score <= best_score || strcasestr(path, "opencl")) continue;
        char *text = suite_text(c->shop->suite->folder, path);
        if (text && !suite_has_main(text) && defines(text, name)) best = path, best_score = score;
        free(text);
    }
    char word[2 * PATH_MAX];
    snprintf(word, sizeof word, "%s/%s", c->shop->tree, best ? best : "");
    return best ? add_word(c, word) : 0;
}

/* Older compilers' headers brought these along, and programs were written without an #include of their own. */
static int find_declaration(struct compiling *c, const char *name)
{
    static const struct {
        const char *header, *names;
    } rows[] = {{"unistd.h", " read write close lseek unlink access getpid usleep sleep getcwd "},
                {"string.h", " memcpy memset memcmp memmove strlen strcmp strncmp strcpy strcat strdup strstr strtok "},
                {"stdlib.h", " exit malloc calloc free atoi atof rand srand abs qsort getenv "},
                {"limits.h", " INT_MAX INT_MIN UINT_MAX LONG_MAX CHAR_BIT "},
                {"float.h", " FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON "},
                {"stdint.h", " uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t "},
                {"sys/time.h", " gettimeofday "},
                {"math.h", " sqrt fabs pow floor ceil "}};
    char word[310];
    snprintf(word, sizeof word, " %.300s ", name);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char option[40];
        if (!strstr(rows[i].names, word)) continue;
        snprintf(option, sizeof option, "--pre-include=%s", rows[i].header);
        return add_word(c, option);
    }
    return 0;
}

/* Each first group of the pattern in the text goes to `find`; how many of them helped. */
static int mend(struct compiling *c, const char *text, const char *pattern,
                int (*find)(struct compiling *c, const char *name))
{
    regex_t regex;
    regmatch_t m[2];
    int n = 0;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE) != 0) return 0;
    for (const char *at = text; regexec(&regex, at, 2, m, 0) == 0; at += m[0].rm_eo) {
        char name[300];
        snprintf(name, sizeof name, "%.*s", (int)(m[1].rm_eo - m[1].rm_so), at + m[1].rm_so);
        n += find(c, name);
    }
    regfree(&regex);
    return n;
}

/* Did anything change that could help? */
static bool mend_all(struct compiling *c, const char *log)
{
    char *text;
    size_t size;
    struct error ignored;
    if (file_read(&text, &size, log, &ignored) < 0) return false;
    int n = mend(c, text, "fatal error: '([^']+)' file not found", find_header);
    n += mend(c, text, "fatal error: ([^: ]+): No such file", find_header);
    n += mend(c, text, "undefined reference to [`']([A-Za-z_0-9]+)", find_function);
    n += mend(c, text, "error: use of undeclared identifier '([A-Za-z_0-9]+)'", find_declaration);
    n += mend(c, text, "error: unknown type name '([A-Za-z_0-9]+)'", find_declaration);
    n += mend(c, text, "error: [^A-Za-z_0-9]+([A-Za-z_0-9]+)[^A-Za-z_0-9]+ (was not declared|does not name)",
              find_declaration);
    free(text);
    return n > 0;
}

/* ---- the command ---- */

static int run(const struct compiling *c, const char *folder, const char *output, const char *log, uint64_t seconds,
               int *status, struct error *err)
{
    char *argv[WORDS_MAX + 16];
    size_t n = 0;
    static const char *const first[] = {"nvcc", "-O2", "-I."};
    for (size_t i = 0; i < COUNT_OF(first); i++) argv[n++] = (char *)(uintptr_t)first[i];
    for (size_t i = 0; i < c->n; i++) argv[n++] = c->words[i];
    argv[n++] = (char *)(uintptr_t) "-lm";
    argv[n++] = (char *)(uintptr_t) "-o";
    argv[n++] = (char *)(uintptr_t)output;
    argv[n] = NULL;
    return suite_run(c->shop, folder, argv, log, seconds, status, err);
}

/* What the file says behind `sources`; does it name sources? */
static bool add_arguments(struct compiling *c)
{
    char text[512], *words[256];
    bool names_source = false;
    if (strncmp(c->program->build, "sources", 7) != 0) return false;
    snprintf(text, sizeof text, "%s", c->program->build);
    const size_t n = suite_words(words, 256, text + strcspn(text, " "));
    for (size_t i = 0; i < n; i++) {
        names_source |= *words[i] != '-' && suite_is_source(words[i]);
        add_word(c, words[i]);
    }
    return names_source;
}

int suite_build_sources(const struct suite_shop *shop, const struct suite_program *p, const char *folder,
                        const char *output, const char *log, int *status, struct error *err)
{
    struct compiling *c = calloc(1, sizeof *c);
    int result = 0;
    if (!c) return error_set(err, ERR_MEMORY, "out of memory for a build");
    const uint64_t seconds = p->seconds             ? p->seconds
                             : shop->suite->seconds ? shop->suite->seconds
                                                    : shop->options->seconds;
    c->shop = shop, c->program = p, c->folder = p->folder;
    if (!add_arguments(c)) add_sources(c);
    *status = 1;
    for (unsigned round = 0; round < ROUNDS_MAX && result == 0; round++) {
        result = run(c, folder, output, log, seconds, status, err);
        if (result < 0 || *status == 0 || *status == 124 || !mend_all(c, log)) break;
    }
    for (size_t i = 0; i < c->n; i++) free(c->words[i]);
    free(c);
    return result;
}
