/* libnvrtc: a program is a folder for a moment, with the source and the headers that came with it; poise cc -ptx
 * compiles it. Name expressions are asked of the compiler: constants of the device that hold their addresses are added
 * to the source, and taken out of the PTX again, whose initialisers say the names. */
#include "toolkit/nvrtc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "poise/error.h"
#include "poise/file.h"

extern char **environ;
#define MARK "poise_nvrtc_name_"

struct pair {
    char *a, *b; /* a header's name and text; an expression and what it is lowered to */
};
struct _nvrtcProgram {
    char *source, *name, *folder, *ptx, *log; /* folder: the name's */
    struct pair *headers, *names;
    size_t n_headers, n_names;
};

static void pairs_free(struct pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) free(pairs[i].a), free(pairs[i].b);
    free(pairs);
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const names[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION",
                                        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                        "NVRTC_ERROR_INTERNAL_ERROR",
                                        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED"};
    return (size_t)result < sizeof names / sizeof *names ? names[result] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = 12, *minor = 0;
    return NVRTC_SUCCESS;
}

/* poise cc takes every architecture: the code is for the highest that clang and the functional device have. */
static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
    if (!n) return NVRTC_ERROR_INVALID_INPUT;
    *n = (int)(sizeof archs / sizeof *archs);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    if (!out) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, archs, sizeof archs);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int n_headers,
                               const char *const *headers, const char *const *include_names)
{
    if (!out || !source || n_headers < 0 || (n_headers && (!headers || !include_names)))
        return NVRTC_ERROR_INVALID_INPUT;
    const char *slash = name ? strrchr(name, '/') : NULL;
    nvrtcProgram p = calloc(1, sizeof *p);
    if (!p) return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(slash ? slash + 1 : name && *name ? name : "default_program");
    p->folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
    p->headers = calloc((size_t)n_headers + 1, sizeof *p->headers);
    bool is_whole = p->source && p->name && p->folder && p->headers;
    for (int i = 0; is_whole && i < n_headers; i++, p->n_headers++) {
        p->headers[i] = (struct pair){strdup(include_names[i]), strdup(headers[i])};
        is_whole = p->headers[i].a && p->headers[i].b;
    }
    *out = p;
    return is_whole ? NVRTC_SUCCESS : (nvrtcDestroyProgram(out), NVRTC_ERROR_OUT_OF_MEMORY);
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
    nvrtcProgram p = *program;
    pairs_free(p->headers, p->n_headers);
    pairs_free(p->names, p->n_names);
    free(p->source);
    free(p->name);
    free(p->folder);
    free(p->ptx);
    free(p->log);
    free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression) return NVRTC_ERROR_INVALID_INPUT;
    if (p->ptx) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    struct pair *more = realloc(p->names, (p->n_names + 1) * sizeof *more);
    if (!more) return NVRTC_ERROR_OUT_OF_MEMORY;
    p->names = more;
    more[p->n_names++] = (struct pair){strdup(expression), NULL};
    return more[p->n_names - 1].a ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

/* ---- compiling ---- */

/* Of a build or of an installed prefix, beside the library; else wherever PATH has it. */
static void find_poise(char *out, size_t size)
{
    static const char *const places[] = {"../../../experiments/poise", "../../../bin/poise"};
    Dl_info here;
    const char *end = dladdr((void *)(uintptr_t)&find_poise, &here) ? strrchr(here.dli_fname, '/') : NULL;
    for (size_t i = 0; end && i < sizeof places / sizeof *places; i++) {
        snprintf(out, size, "%.*s/%s", (int)(end - here.dli_fname), here.dli_fname, places[i]);
        if (access(out, X_OK) == 0) return;
    }
    snprintf(out, size, "poise");
}

/* A header's name may have folders, but stays below ours. */
static int write_header(const char *folder, const struct pair *h)
{
    char path[4200];
    struct error err;
    if (h->a[0] == '/' || strstr(h->a, "..")) return -1;
    const int n = snprintf(path, sizeof path, "%s/%s", folder, h->a);
    if (n < 0 || (size_t)n >= sizeof path) return -1;
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST) return -1;
        *slash = '/';
    }
    return file_write(path, h->b, strlen(h->b), &err);
}

static int write_source(const char *path, const struct _nvrtcProgram *p)
{
    FILE *out = fopen(path, "we");
    if (!out) return -1;
    fprintf(out, "#line 1 \"%s\"\n%s\n", p->name, p->source);
    for (size_t i = 0; i < p->n_names; i++)
        fprintf(out,
                "#line 1 \"name expression %s\"\nextern \"C\" __device__ __attribute__((used)) const void *const " MARK
                "%zu = "
                "(const void *)(%s);\n",
                p->names[i].a, i, p->names[i].a);
    const bool has_failed = ferror(out);
    return fclose(out) != 0 || has_failed ? -1 : 0;
}

/* Its status; -1 where it could not be started. What it says goes to the file. */
static int run(char *const argv[], const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* "... .b64 poise_nvrtc_name_0 = _Z3addIfEvPT_;" says a name; the line goes. */
static bool take_names(struct _nvrtcProgram *p)
{
    for (size_t i = 0; i < p->n_names; i++) {
        char mark[64];
        snprintf(mark, sizeof mark, MARK "%zu ", i);
        char *at = strstr(p->ptx, mark), *equals = at ? strchr(at, '=') : NULL, *end = at ? strchr(at, '\n') : NULL;
        if (!equals || !end || equals > end) return false;
        char *name = equals + 1 + strspn(equals + 1, " ");
        if (strncmp(name, "generic(", 8) == 0) name += 8;
        p->names[i].b = strndup(name, strcspn(name, " );\n"));
        if (!p->names[i].b) return false;
        while (at > p->ptx && at[-1] != '\n') at--;
        memmove(at, end + 1, strlen(end + 1) + 1);
    }
    return true;
}

static nvrtcResult compile_in(struct _nvrtcProgram *p, const char *folder, int n_options, const char *const *options)
{
    char source[300], ptx[300], log[300], poise[4300];
    struct error err;
    size_t size;
    snprintf(source, sizeof source, "%s/program.cu", folder);
    snprintf(ptx, sizeof ptx, "%s/program.ptx", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    for (size_t i = 0; i < p->n_headers; i++)
        if (write_header(folder, &p->headers[i]) < 0) return NVRTC_ERROR_INVALID_INPUT;
    if (write_source(source, p) < 0) return NVRTC_ERROR_INTERNAL_ERROR;
    const char **argv = calloc((size_t)n_options + 12, sizeof *argv);
    if (!argv) return NVRTC_ERROR_OUT_OF_MEMORY;
    size_t n = 0;
    find_poise(poise, sizeof poise);
    argv[n++] = poise, argv[n++] = "cc", argv[n++] = "-ptx", argv[n++] = source, argv[n++] = "-o", argv[n++] = ptx;
    argv[n++] = "-I", argv[n++] = folder;
    /* Headers beside the source are found, as the guide has it, unless an option says otherwise. */
    bool looks_beside = true;
    for (int i = 0; i < n_options; i++)
        if (strcmp(options[i], "-no-source-include") == 0 || strcmp(options[i], "--no-source-include") == 0)
            looks_beside = false;
        else argv[n++] = options[i];
    if (looks_beside) argv[n++] = "-I", argv[n++] = p->folder;
    const int status = run((char *const *)(uintptr_t)argv, log);
    free(argv);
    free(p->log);
    if (file_read(&p->log, &size, log, &err) < 0)
        p->log = strdup("poise cc cannot be run: it is not beside libnvrtc.so, nor in PATH\n");
    if (status != 0) return status == 2 ? NVRTC_ERROR_INVALID_OPTION : NVRTC_ERROR_COMPILATION;
    if (file_read(&p->ptx, &size, ptx, &err) < 0) return NVRTC_ERROR_INTERNAL_ERROR;
    if (take_names(p)) return NVRTC_SUCCESS;
    free(p->ptx);
    p->ptx = NULL;
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

static void remove_folder(const char *folder)
{
    char *const argv[] = {(char *)(uintptr_t) "rm", (char *)(uintptr_t) "-rf", (char *)(uintptr_t)folder, NULL};
    run(argv, "/dev/null");
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n_options, const char *const *options)
{
    char folder[200];
    const char *base = getenv("TMPDIR");
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (n_options < 0 || (n_options && !options) || p->ptx) return NVRTC_ERROR_INVALID_INPUT;
    snprintf(folder, sizeof folder, "%.150s/poise-nvrtc-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) return NVRTC_ERROR_INTERNAL_ERROR;
    const nvrtcResult result = compile_in(p, folder, n_options, options);
    remove_folder(folder);
    return result;
}

/* ---- results ---- */

static nvrtcResult text_size(const struct _nvrtcProgram *p, const char *text, size_t *size)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!size || !text) return NVRTC_ERROR_INVALID_INPUT;
    *size = strlen(text) + 1;
    return NVRTC_SUCCESS;
}
static nvrtcResult text_copy(const struct _nvrtcProgram *p, const char *text, char *out)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!out || !text) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, text, strlen(text) + 1);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size) { return text_size(p, p ? p->ptx : NULL, size); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx) { return text_copy(p, p ? p->ptx : NULL, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size) { return nvrtcGetPTXSize(p, size); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin) { return nvrtcGetPTX(p, cubin); }
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *size) { return nvrtcGetPTXSize(p, size); }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *ir) { return nvrtcGetPTX(p, ir); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    return text_size(p, p && p->log ? p->log : "", size);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) { return text_copy(p, p && p->log ? p->log : "", log); }

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name) return NVRTC_ERROR_INVALID_INPUT;
    if (!p->ptx) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < p->n_names; i++)
        if (strcmp(p->names[i].a, expression) == 0) return *name = p->names[i].b, NVRTC_SUCCESS;
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
