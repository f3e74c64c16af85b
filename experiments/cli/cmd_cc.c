/* poise cc: CUDA source to a program with clang alone. For each .cu file: device code to PTX, the PTX into a fat binary, host
 * code with it; then everything is linked with our libcudart. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/fatbin.h"
#include "poise/file.h"
#include "poise/lab.h"

extern char **environ;
#define ARGUMENTS_MAX 512
#define ARCH_DEFAULT "sm_75"
#define PTX_FEATURE "+ptx70"

struct words { const char *items[ARGUMENTS_MAX]; size_t n; };
struct cc {
    struct words compile, link, sources, objects; /* options of either, .cu files, what is linked */
    const char *output, *arch, *include, *lib;
    char folder[64], arch_option[64], api[4200];
    bool stops_at_objects, stops_at_ptx; /* -ptx is a kind of -c */
    bool links_device_code, stops_at_device_link; /* -rdc; -dlink */
};

static void add(struct words *w, const char *item)
{
    if (w->n < ARGUMENTS_MAX - 40) w->items[w->n++] = item;
}
static void add_all(struct words *w, const struct words *more)
{
    for (size_t i = 0; i < more->n; i++) add(w, more->items[i]);
}

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static bool ends(const char *text, const char *with)
{
    const size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

/* clang, with its messages on our stderr. */
static int clang_run(struct words *w, const char *what, struct error *err)
{
    char *argv[ARGUMENTS_MAX + 1];
    pid_t pid;
    int status;
    for (size_t i = 0; i < w->n; i++) argv[i] = (char *)(uintptr_t)w->items[i];
    argv[w->n] = NULL;
    const int failed = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    if (failed) {
        error_set(err, ERR_RUN, "%s: %s", argv[0], strerror(failed));
        return error_at(err, NULL, 0, -1, "apt-get install clang, or set POISE_CLANG to a clang 14 or later");
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return error_set(err, ERR_IO, "waiting for %s: %s", argv[0], strerror(errno));
    return status == 0 ? 0 : error_set(err, ERR_RUN, "%s failed", what);
}

static const char *clang(void) { return getenv("POISE_CLANG") ? getenv("POISE_CLANG") : "clang"; }

static void begin(struct words *w, const struct cc *cc)
{
    static const char *const fixed[] = {"-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-fdeclspec",
                                        "-Wno-unknown-cuda-version", "-include", "cuda_runtime.h", "-isystem"};
    w->n = 0;
    add(w, clang());
    for (size_t i = 0; i < COUNT_OF(fixed); i++) add(w, fixed[i]);
    add(w, cc->include);
    add(w, "-isystem");
    add(w, cc->api);
    add(w, cc->arch_option);
    if (cc->links_device_code) add(w, "-fgpu-rdc");
    add_all(w, &cc->compile);
}

/* Compiler and flags go into the text, for the provenance of traces. */
static int wrap(const struct cc *cc, const char *ptx, const char *text_only, const char *fatbin, struct error *err)
{
    char *text, *whole;
    unsigned char *data = NULL;
    char flags[400] = "";
    size_t size, n = 0;
    if (file_read(&text, &size, ptx, err) < 0) return -1;
    for (size_t i = 0; i < cc->compile.n && n < sizeof flags - 1; i++)
        n += (size_t)snprintf(flags + n, sizeof flags - n, " %s", cc->compile.items[i]);
    const int length = asprintf(&whole, "// compiler: %s, by poise cc\n// flags: --cuda-gpu-arch=%s%s\n%s", clang(), cc->arch, flags, text);
    free(text);
    if (length < 0) return error_set(err, ERR_MEMORY, "out of memory");
    int result = text_only ? file_write(text_only, whole, (size_t)length, err)
                           : fatbin_from_ptx(&data, &size, whole, (size_t)length, (uint32_t)atoi(cc->arch + 3), err);
    if (result == 0 && !text_only) result = file_write(fatbin, data, size, err);
    free(data);
    free(whole);
    return result;
}

static int compile(const struct cc *cc, const char *source, size_t index, const char *object, struct error *err)
{
    struct words w;
    char ptx[128], fatbin[128];
    snprintf(ptx, sizeof ptx, "%s/%zu.ptx", cc->folder, index);
    snprintf(fatbin, sizeof fatbin, "%s/%zu.fatbin", cc->folder, index);
    begin(&w, cc);
    /* Without a toolkit clang assumes an old PTX, which lacks the intrinsics with .sync. */
    const char *const device[] = {"--cuda-device-only", "-Xclang", "-target-feature", "-Xclang", PTX_FEATURE, "-S", source, "-o", ptx};
    for (size_t i = 0; i < COUNT_OF(device); i++) add(&w, device[i]);
    if (clang_run(&w, source, err) < 0 || wrap(cc, ptx, cc->stops_at_ptx ? object : NULL, fatbin, err) < 0) return -1;
    if (cc->stops_at_ptx) return 0;
    begin(&w, cc);
    const char *const host[] = {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin, "-c", source, "-o", object};
    for (size_t i = 0; i < COUNT_OF(host); i++) add(&w, host[i]);
    return clang_run(&w, source, err);
}

/* Files compiled to be linked call a function each, by a name of their own, to say where their device code is. Those that no
 * object defines yet are defined here: our library links the code when it is needed. */
static int define_registrations(const struct cc *cc, const char *source, size_t *n, struct error *err)
{
    static const char script[] = "nm \"$@\" 2>/dev/null | awk '$NF ~ /^__cudaRegisterLinkedBinary/ {if ($(NF - 1) == \"U\") u[$NF]; else d[$NF]} END {for (k in u) if (!(k in d)) print k}' | sort";
    struct words w = {.n = 0};
    char list[160], *text, *line;
    size_t size;
    snprintf(list, sizeof list, "%s/registrations.txt", cc->folder);
    char command[512];
    snprintf(command, sizeof command, "{ %s; } >%s", script, list);
    for (const char *const *word = (const char *const[]){"/bin/sh", "-c", command, "nm", NULL}; *word; word++) add(&w, *word);
    add_all(&w, &cc->objects);
    if (clang_run(&w, "nm", err) < 0 || file_read(&text, &size, list, err) < 0) return -1;
    FILE *out = fopen(source, "we");
    *n = 0;
    if (out) fputs("void __poiseRegisterLinkedBinary(void (*globals)(void **), void *wrapper);\n", out);
    for (char *rest = text; out && (line = strtok_r(rest, "\n", &rest));) {
        fprintf(out, "void %s(void (*globals)(void **), void *wrapper) { __poiseRegisterLinkedBinary(globals, wrapper); }\n", line);
        ++*n;
    }
    free(text);
    const bool has_failed = !out || (ferror(out) | (fclose(out) != 0));
    return !has_failed ? 0 : error_set(err, ERR_IO, "%s: %s", source, strerror(errno));
}

static int device_link(struct cc *cc, const char *object, struct error *err)
{
    char source[160];
    size_t n;
    snprintf(source, sizeof source, "%s/registrations.c", cc->folder);
    if (define_registrations(cc, source, &n, err) < 0) return -1;
    if (n == 0 && !cc->stops_at_device_link) return 0;
    struct words w = {.n = 0};
    for (const char *const *word = (const char *const[]){clang(), "-x", "c", "-fPIC", "-c", source, "-o", object, NULL}; *word; word++) add(&w, *word);
    if (clang_run(&w, "device link", err) < 0) return -1;
    if (!cc->stops_at_device_link) add(&cc->objects, object);
    return 0;
}

static int link_all(const struct cc *cc, struct error *err)
{
    struct words w = {.n = 0};
    char rpath[4200];
    snprintf(rpath, sizeof rpath, "-Wl,-rpath,%s", cc->lib);
    const char *const first[] = {clang(), "--driver-mode=g++", "-isystem", cc->include, "-isystem", cc->api};
    const char *const last[] = {"-L", cc->lib, "-lcudart", rpath, "-lm", "-o", cc->output};
    for (size_t i = 0; i < COUNT_OF(first); i++) add(&w, first[i]);
    add_all(&w, &cc->compile);
    add_all(&w, &cc->objects);
    add_all(&w, &cc->link);
    for (size_t i = 0; i < COUNT_OF(last); i++) add(&w, last[i]);
    return clang_run(&w, cc->output, err);
}

/* Options of nvcc that clang does not have, as far as they mean anything here. 1: done, 0: not one, and *used more. */
static int nvcc_option(struct cc *cc, const char *a, const char *value, size_t *used)
{
    static const char *const with_value[] = {"-gencode", "--generate-code", "-cudart", "--cudart", "-code", "--compress-mode", "-compress-mode"};
    for (size_t i = 0; i < COUNT_OF(with_value); i++)
        if (strcmp(a, with_value[i]) == 0) return *used = 1, 1;
        else if (starts(a, with_value[i]) && a[strlen(with_value[i])] == '=') return 1;
    if (strcmp(a, "-lineinfo") == 0 || strcmp(a, "--ptxas-options=-v") == 0) return 1;
    if (strcmp(a, "-Xptxas") == 0) return *used = 1, 1;
    if (strcmp(a, "-Xcompiler") == 0 && value) return add(&cc->compile, value), *used = 1, 1;
    if (ends(a, "use_fast_math")) return add(&cc->compile, "-ffast-math"), add(&cc->compile, "-fcuda-approx-transcendentals"), 1;
    if ((strcmp(a, "-arch") == 0 || strcmp(a, "--arch") == 0) && value) return cc->arch = value, *used = 1, 1;
    if (starts(a, "-arch=")) return cc->arch = a + 6, 1;
    if (starts(a, "--arch=")) return cc->arch = a + 7, 1;
    return 0;
}

static int sort_argument(struct cc *cc, const char *a, const char *value, size_t *used, struct error *err)
{
    static const char *const pairs[] = {"-I", "-D", "-U", "-include", "-isystem", "-Xclang"};
    if (strcmp(a, "-rdc") == 0 || strcmp(a, "--relocatable-device-code") == 0) return cc->links_device_code = value && strcmp(value, "true") == 0, *used = 1, 0;
    if (strcmp(a, "-fgpu-rdc") == 0 || starts(a, "-rdc=") || starts(a, "--relocatable-device-code=")) return cc->links_device_code = !ends(a, "=false"), 0;
    if (strcmp(a, "-dc") == 0 || strcmp(a, "--device-c") == 0) return cc->links_device_code = cc->stops_at_objects = true, 0;
    if (strcmp(a, "-dlink") == 0 || strcmp(a, "--device-link") == 0) return cc->stops_at_device_link = true, 0;
    if (strcmp(a, "-lcudadevrt") == 0) return 0;
    if (nvcc_option(cc, a, value, used)) return 0;
    if (strcmp(a, "-c") == 0) return cc->stops_at_objects = true, 0;
    if (strcmp(a, "-ptx") == 0 || strcmp(a, "--ptx") == 0) return cc->stops_at_objects = cc->stops_at_ptx = true, 0;
    if (strcmp(a, "-o") == 0) {
        if (!value) return error_set(err, ERR_USAGE, "poise cc: -o needs a file");
        return cc->output = value, *used = 1, 0;
    }
    if (a[0] != '-') return add(ends(a, ".cu") ? &cc->sources : &cc->objects, a), 0;
    if (starts(a, "-l") || starts(a, "-L") || starts(a, "-Wl,")) {
        if (strcmp(a, "-lcudart") != 0) add(&cc->link, a);
        return 0;
    }
    add(&cc->compile, a);
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (strcmp(a, pairs[i]) == 0 && value) return add(&cc->compile, value), *used = 1, 0;
    return 0;
}

static void remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char file[512];
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        unlink(file);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

/* name.o for -c, as compilers do; else a file of the temporary folder. */
static void object_name(char *out, size_t size, const struct cc *cc, size_t i)
{
    const char *source = cc->sources.items[i], *slash = strrchr(source, '/');
    if (!cc->stops_at_objects) snprintf(out, size, "%s/%zu.o", cc->folder, i);
    else if (cc->output) snprintf(out, size, "%s", cc->output);
    else snprintf(out, size, "%.*s.%s", (int)strlen(slash ? slash + 1 : source) - 3, slash ? slash + 1 : source, cc->stops_at_ptx ? "ptx" : "o");
}

static int build(struct cc *cc, struct error *err)
{
    char objects[TEXTS_MAX][128];
    int result = 0;
    for (size_t i = 0; result == 0 && i < cc->sources.n; i++) {
        char object[4096];
        object_name(object, sizeof object, cc, i);
        result = compile(cc, cc->sources.items[i], i, object, err);
        if (cc->stops_at_objects) continue;
        snprintf(objects[i], sizeof objects[i], "%.127s", object);
        add(&cc->objects, objects[i]);
    }
    if (result < 0 || cc->stops_at_objects) return result;
    char linked[128];
    snprintf(linked, sizeof linked, "%s/registrations.o", cc->folder);
    if (device_link(cc, cc->stops_at_device_link ? cc->output : linked, err) < 0) return -1;
    return cc->stops_at_device_link ? 0 : link_all(cc, err);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    char include[512], lib[512];
    struct cc cc = {.arch = ARCH_DEFAULT, .include = include, .lib = lib, .folder = "/tmp/poise-cc-XXXXXX"};
    (void)options;
    lab_path(include, sizeof include, "POISE_CUDA_INCLUDE", "share/poise/toolkit", POISE_CUDA_INCLUDE_DEFAULT);
    lab_path(lib, sizeof lib, "POISE_CUDA_LIB", "lib/poise/cuda", POISE_CUDA_LIB_DEFAULT);
    add(&cc.compile, "-O2"); /* a later -O wins */
    for (size_t i = 0; i < arguments->n; i++) {
        size_t used = 0;
        if (strcmp(arguments->items[i], "--json") == 0) continue; /* cli->json */
        if (sort_argument(&cc, arguments->items[i], i + 1 < arguments->n ? arguments->items[i + 1] : NULL, &used, err) < 0) return -1;
        i += used;
    }
    if (cc.sources.n + cc.objects.n == 0) return error_set(err, ERR_USAGE, "poise cc needs a source: poise cc prog.cu -o prog");
    if (cc.stops_at_objects && cc.output && cc.sources.n > 1) return error_set(err, ERR_USAGE, "poise cc: -c or -ptx with -o takes one source");
    if (!starts(cc.arch, "sm_")) return error_set(err, ERR_USAGE, "poise cc: -arch=%s: an architecture such as sm_75 is needed", cc.arch);
    if (!cc.stops_at_objects && !cc.output) cc.output = "a.out";
    snprintf(cc.api, sizeof cc.api, "%s/../include", cc.include);
    snprintf(cc.arch_option, sizeof cc.arch_option, "--cuda-gpu-arch=%s", cc.arch);
    if (!mkdtemp(cc.folder)) return error_set(err, ERR_IO, "%s: %s", cc.folder, strerror(errno));
    const int result = build(&cc, err);
    remove_folder(cc.folder);
    if (result < 0 || !cli->json) return result;
    json_t *json = lab_json();
    json_object_set_new(json, "output", cc.output ? json_string(cc.output) : json_null()); /* null: one object for each source */
    json_object_set_new(json, "arch", json_string(cc.arch));
    json_object_set_new(json, "sources", json_integer((json_int_t)cc.sources.n));
    return cli_print_json(json, err);
}

static const struct option_row rows[] = {{"json", 0, OPTION_FLAG, 0, NULL, "print what was built as JSON"}};

const struct command command_cc = {"cc", "compile CUDA source with clang alone, for the functional device",
    "SOURCE.cu... [-o PROGRAM] [-c | -ptx] [-rdc=true] [-arch=sm_75] [OPTIONS OF CLANG]",
    "The program runs as it is, by poise cuda, and under poise trace record. Other sources, objects and libraries are linked in;\n"
    "common options of nvcc are understood. Device code that spans files needs -rdc=true (or -dc for each, then a link).\n"
    "POISE_CLANG names another clang.\n",
    rows, COUNT_OF(rows), 0, run};
