/* poise cc: CUDA source to a program with clang alone, by nvcc's command line (cc_options.c). For each .cu file:
 * device code to PTX, the PTX into a fat binary, host code with it; C and C++ files are host code alone; then
 * everything is linked with our libcudart. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cc_cccl.h"
#include "cli/cc_headers.h"
#include "cli/cc_launches.h"
#include "cli/cc_names.h"
#include "cli/cc_options.h"
#include "cli/cc_ptx.h"
#include "cli/cc_run.h"
#include "poise/cuda_limits.h"
#include "poise/fatbin.h"
#include "poise/file.h"
#include "poise/say.h"
#include "poise/hash.h"
#include "poise/lab.h"
#include "poise/ptx.h"

struct cc {
    struct cc_options o;
    unsigned arch; /* what __CUDA_ARCH__ says: 10 * this */
    const char *include, *lib;
    char folder[64], api[4200];
    const char *undefined_values; /* clang's option, see below */
    char unit[64]; /* clang's option with -rdc=true: tells the source's private kernels from others of the name */
    char architectures[200]; /* -D__CUDA_ARCH_LIST__: part of the names of CUB's kernels */
    struct cc_cccl cccl;
    char overlay[128]; /* of the source at hand, for its launches in device code; or "" */
};

/* What clang 14 has: code for others is compiled for the next one below, or for the lowest, and __CUDA_ARCH__ says
 * what was asked for where that is above. */
static unsigned clang_target(unsigned arch)
{
    static const unsigned known[] = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
    unsigned best = known[0];
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i] <= arch) best = known[i];
    return best;
}

/* nvcc's own C++ where none is asked for is C++17. In any, it takes register variables, "a"MACRO"b" is three words, and
 * a list in braces may narrow what is no constant. */
static void add_standard(struct words *w, const struct cc *cc)
{
    if (cc->o.standard.n) cc_add_all(w, &cc->o.standard);
    else cc_add(w, "-std=gnu++17");
    cc_add(w, "-Wno-register");
    cc_add(w, "-Wno-reserved-user-defined-literal"), cc_add(w, "-Wno-c++11-narrowing");
}
/* nvcc's own level for device code, and loops unrolled up to the sizes that nvcc 13 was seen to unroll them to
 * (tests/bench/compilers.sh): whole ones, and parts of others. Addresses of shared memory have 32 bits, as nvcc's have;
 * clang's option means those of constants and of local memory too. */
#define OPTIMISATION \
    "-O3", "-Xclang", "-fcuda-short-ptr", "-mllvm", "-nvptx-short-ptr", "-mllvm", "-unroll-threshold-aggressive=400", \
        "-mllvm", "-unroll-partial-threshold=200"
/* A break out of a block with variables goes by way of the ends of their lives, and the optimiser for GPUs does not
 * find the way straight again: three instructions more in each round of the loop. */
#define PLAIN_BREAKS "-Xclang", "-disable-lifetime-markers"

/* CUDA programs pass variables that only the first lane of a warp has set to functions that take that lane's value. To
 * clang a parameter without a value is an error that cannot happen, and what other lanes do is left out; nvcc does not
 * think so, nor does clang with this option, which has another name before version 15. */
static const char *option_of_undefined_values(void)
{
    const unsigned version = cc_clang_version();
    return version == 0 ? NULL : version < 15 ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis";
}

static void begin_cuda(struct words *w, const struct cc *cc, const char *arch_option)
{
    w->n = 0;
    ADD_LIST(w, cc_clang(), "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-fdeclspec",
             "-Wno-unknown-cuda-version", "-D__CUDACC__", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=0",
             "-D__CUDACC_VER_BUILD__=0", cc->architectures, "-Xclang", "-fcuda-allow-variadic-functions", "-include",
             "cuda_runtime.h", "-isystem", cc->cccl.front);
    cc_add_all(w, &cc->cccl.words);
    ADD_LIST(w, "-isystem", cc->include, "-isystem", cc->api, arch_option);
    if (cc->o.links_device_code) ADD_LIST(w, "-fgpu-rdc", "-fuse-cuid=none", "-Xclang", cc->unit);
    if (cc->overlay[0]) ADD_LIST(w, "-ivfsoverlay", cc->overlay);
    cc_add_all(w, &cc->o.both);
    add_standard(w, cc);
}
static void begin_host(struct words *w, const struct cc *cc, enum source_kind kind)
{
    w->n = 0;
    if (kind == SOURCE_CUDA) {
        begin_cuda(w, cc, "--cuda-gpu-arch=sm_75"); /* host code does not see it */
        cc_add(w, "--cuda-host-only");
        ADD_LIST(w, "-Xclang", "-target-sdk-version=11.0"); /* launches by the calls that every libcudart has */
    } else {
        ADD_LIST(w, cc_clang(), "-x", kind == SOURCE_C ? "c" : "c++", "-isystem", cc->include, "-isystem", cc->api);
        cc_add_all(w, &cc->o.both);
        if (kind == SOURCE_CXX) add_standard(w, cc);
    }
    /* A later -O wins. nvcc's host compiler is gcc, by which whole numbers of 32 bits wrap around in most places where
     * clang takes that for impossible: generators of random numbers in C rely on it. */
    ADD_LIST(w, "-O2", "-fwrapv");
    cc_add_all(w, &cc->o.host);
}

/* Whether the functional device can execute it: at run time the program's first launch would say it. Units that are
 * to be linked are read when they are together. ERR_LIMIT: no device can. */
static bool can_run(const struct cc *cc, const char *source, const char *text, size_t size, struct error *why)
{
    struct ptx_module *module = NULL;
    char name[300];
    if (cc->o.links_device_code) return true;
    snprintf(name, sizeof name, "PTX of %.280s", source);
    const bool is_good =
        ptx_module_new(&module, name, text, size, why) == 0 && cuda_limits_check(module, name, why) == 0;
    ptx_module_free(module);
    return is_good;
}

/* Compiler and flags go into the text, for the provenance of traces. *out is malloc'd. */
static int with_flags(char **out, size_t *size, const struct cc *cc, unsigned arch, const char *ptx, struct error *err)
{
    char *text, flags[400] = "";
    size_t n = 0;
    const struct words *const lists[] = {&cc->o.both, &cc->o.standard, &cc->o.device};
    if (file_read(&text, size, ptx, err) < 0) return -1;
    if (cc_mend_ptx(&text, size, err) < 0) return free(text), -1;
    const int named = cc->o.links_device_code ? cc_private_names(&text, size, err)
                      : cc->o.stage == CC_PTX ? cc_plain_names(&text, size, err)
                                              : 0;
    if (named < 0) return free(text), -1;
    for (size_t k = 0; k < COUNT_OF(lists); k++)
        for (size_t i = 0; i < lists[k]->n && n < sizeof flags - 1; i++)
            n += (size_t)snprintf(flags + n, sizeof flags - n, " %s", lists[k]->items[i]);
    const int length = asprintf(out, "// compiler: %s, by poise cc\n// flags: --cuda-gpu-arch=sm_%u -O3%s\n%s",
                                cc_clang(), arch, flags, text);
    free(text);
    *size = (size_t)length;
    return length < 0 ? error_set(err, ERR_MEMORY, "out of memory") : 0;
}

/* word, then what stands between braces: in its line a specifier of the device, where one is asked for. */
static bool opens(const char *text, const char *word, bool of_device)
{
    for (const char *at = text; (at = strstr(at, word));) {
        const char *line = at;
        at += strlen(word);
        if (at[strspn(at, " \t\r\n")] != '{') continue;
        while (line > text && line[-1] != '\n') line--;
        const char *constant = strstr(line, "__constant__"), *device = strstr(line, "__device__");
        if (!of_device || (constant && constant < at) || (device && device < at)) return true;
    }
    return false;
}

/* A line with `static` and a specifier of the device. */
static bool keeps_static(const char *text)
{
    for (const char *at = text; (at = strstr(at, "static")); at++) {
        const char *line = at, *end = strchrnul(at, '\n');
        while (line > text && line[-1] != '\n') line--;
        const size_t size = (size_t)(end - line);
        if (memmem(line, size, "__constant__", 12) || memmem(line, size, "__device__", 10)) return true;
    }
    return false;
}

/* Whether the source, or a file that it includes from its own folder, has variables of the device that no
 * other file can mean: a namespace or a structure without a name, or, in a module of its own (`alone`), `static`
 * ones. */
static bool hides_variables(const char *source, bool alone, unsigned depth)
{
    char *text;
    size_t size;
    struct error ignored = {0};
    if (depth > 8 || file_read(&text, &size, source, &ignored) < 0) return false;
    bool found = opens(text, "namespace", false) || opens(text, "struct", true) || opens(text, "union", true) ||
                 (alone && keeps_static(text));
    const char *slash = strrchr(source, '/');
    const int folder = slash ? (int)(slash + 1 - source) : 0;
    static const char word[] = "#include \"";
    for (const char *at = text; !found && (at = strstr(at, word));) {
        char path[4200];
        at += strlen(word);
        snprintf(path, sizeof path, "%.*s%.*s", folder, source, (int)strcspn(at, "\"\n"), at);
        found = hides_variables(path, alone, depth + 1);
    }
    free(text);
    return found;
}

/* Such variables are private to the device's code for clang, which then leaves them out or takes them for constant,
 * while the host copies to them by name: they become visible in the text of its intermediate code. */
static int show_variables(const char *path, struct error *err)
{
    static const char word[] = " = internal ";
    char *text;
    size_t size;
    if (file_read(&text, &size, path, err) < 0) return -1;
    for (char *line = text; *line;) {
        char *end = strchrnul(line, '\n'), *at = line[0] == '@' ? strstr(line, word) : NULL;
        if (at && at < end) {
            const char *rest = at + strlen(word), *variable = strstr(rest, " global "); /* else a constant */
            const bool is_device = !strncmp(rest, "addrspace(1)", 12) || !strncmp(rest, "addrspace(4)", 12);
            if (is_device && variable && variable < end) memset(at + 3, ' ', strlen("internal"));
        }
        line = *end ? end + 1 : end;
    }
    const int result = file_write(path, text, size, err);
    free(text);
    return result;
}

/* w compiles device code up to its intermediate code; from there to PTX. */
static int compile_shown(struct words *w, const struct cc *cc, unsigned target, const char *source, size_t index,
                         const char *ptx, struct error *err)
{
    char intermediate[128], march[32];
    bool contracts = true;
    snprintf(intermediate, sizeof intermediate, "%s/%zu.ll", cc->folder, index);
    snprintf(march, sizeof march, "-march=sm_%u", target);
    ADD_LIST(w, "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-S", source, "-o", intermediate);
    if (cc_run(w, source, err) < 0 || show_variables(intermediate, err) < 0) return -1;
    w->n = 0;
    for (size_t i = 0; i < cc->o.device.n; i++) contracts &= strcmp(cc->o.device.items[i], "-ffp-contract=off") != 0;
    ADD_LIST(w, cc_clang(), "--target=nvptx64-nvidia-cuda", march, "-nocudalib", "--cuda-path=/nonexistent",
             "-Wno-unused-command-line-argument", "-Wno-override-module", OPTIMISATION, "-Xclang", "-target-feature",
             "-Xclang", target < 80 ? "+ptx70" : "+ptx75", contracts ? "-ffp-contract=fast" : "-ffp-contract=off", "-x",
             "ir", "-S", intermediate, "-o", ptx);
    return cc_run(w, source, err);
}

/* The PTX for one architecture; *out is malloc'd. */
static int compile_for(char **out, size_t *size, const struct cc *cc, unsigned arch, const char *source, size_t index,
                       struct error *err)
{
    struct words w;
    char ptx[128], option[64], macro[64], headers[4400];
    const unsigned target = clang_target(arch);
    snprintf(ptx, sizeof ptx, "%s/%zu.ptx", cc->folder, index);
    snprintf(option, sizeof option, "--cuda-gpu-arch=sm_%u", target);
    snprintf(macro, sizeof macro, "-D__CUDA_ARCH__=%u0", arch);
    begin_cuda(&w, cc, option);
    cc_add_all(&w, &cc->o.device);
    /* Without a toolkit clang assumes an old PTX, which lacks the intrinsics with .sync. */
    ADD_LIST(&w, "--cuda-device-only", OPTIMISATION, PLAIN_BREAKS, "-Xclang", "-target-feature", "-Xclang",
             target < 80 ? "+ptx70" : "+ptx75");
    if (cc->undefined_values) ADD_LIST(&w, "-Xclang", cc->undefined_values);
    if (arch != target) ADD_LIST(&w, "-Wno-macro-redefined", "-U__CUDA_ARCH__", macro);
    if (!cc->o.links_device_code) cc_headers_use(&w, source, headers, sizeof headers);
    if (hides_variables(source, cc->o.stage == CC_PTX, 0)) {
        if (compile_shown(&w, cc, target, source, index, ptx, err) < 0) return -1;
        return with_flags(out, size, cc, arch, ptx, err);
    }
    ADD_LIST(&w, "-S", source, "-o", ptx);
    return cc_run(&w, source, err) < 0 ? -1 : with_flags(out, size, cc, arch, ptx, err);
}

/* Of several architectures the next lower one is taken where the device cannot run the code for the first. */
static int compile_device(const struct cc *cc, const char *source, size_t index, const char *text_only,
                          const char *fatbin, struct error *err)
{
    char *first, *lower = NULL;
    size_t size, lower_size = 0;
    unsigned arch = cc->arch;
    unsigned char *data = NULL;
    struct error why = {0}, again = {0};
    if (compile_for(&first, &size, cc, arch, source, index, err) < 0) return -1;
    if (!can_run(cc, source, first, size, &why)) {
        if (why.code == ERR_LIMIT) return free(first), *err = why, err->code = ERR_INPUT, -1;
        unsigned next = arch;
        while ((next = cc_options_arch_below(&cc->o, next)) >= clang_target(0)) {
            free(lower);
            if (compile_for(&lower, &lower_size, cc, next, source, index, err) < 0) return free(first), -1;
            if (can_run(cc, source, lower, lower_size, &again)) break;
        }
        if (next >= clang_target(0)) free(first), first = lower, size = lower_size, arch = next;
        else
            free(lower),
                say_warning(stderr, "the functional device cannot run this device code: %s (-ptx writes the PTX)",
                            why.text);
    }
    int result =
        text_only ? file_write(text_only, first, size, err) : fatbin_from_ptx(&data, &size, first, size, arch, err);
    if (result == 0 && !text_only) result = file_write(fatbin, data, size, err);
    free(data);
    free(first);
    return result;
}

/* Kernels that are private to a file, and those of its lambdas, get names that say of which: the same to the
 * compilations of device and host code, and at every build. */
static int name_unit(struct cc *cc, const char *source, struct error *err)
{
    char *text;
    size_t size;
    if (file_read(&text, &size, source, err) < 0) return -1;
    snprintf(cc->unit, sizeof cc->unit, "-cuid=%016llx%016llx", (unsigned long long)hash_checksum(text, size),
             (unsigned long long)hash_checksum(source, strlen(source)));
    free(text);
    return 0;
}

/* -cuda: a C++ file for any compiler of host code, which has what clang made of the source as assembly. */
static int write_cxx(const char *assembly, const char *source, const char *path, struct error *err)
{
    char *text, *whole;
    size_t size;
    if (file_read(&text, &size, assembly, err) < 0) return -1;
    const int length = asprintf(&whole,
                                "// %s by poise cc -cuda: assembly of the host, with the device's code in it.\n"
                                "__asm__(R\"poise-cuda(\n%s\n.text\n)poise-cuda\");\n",
                                source, text);
    free(text);
    if (length < 0) return error_set(err, ERR_MEMORY, "out of memory");
    const int result = file_write(path, whole, (size_t)length, err);
    free(whole);
    return result;
}

static int compile(struct cc *cc, const struct cc_source *source, size_t index, struct error *err)
{
    struct words w;
    char fatbin[128], headers[4400];
    snprintf(fatbin, sizeof fatbin, "%s/%zu.fatbin", cc->folder, index);
    if (cc->o.links_device_code && name_unit(cc, source->path, err) < 0) return -1;
    cc->overlay[0] = 0;
    if (source->kind == SOURCE_CUDA &&
        cc_launches_overlay(cc->overlay, sizeof cc->overlay, source->path, &cc->o.both, cc->folder, index, err) < 0)
        return -1;
    if (cc->o.stage == CC_PTX) return compile_device(cc, source->path, index, source->object, NULL, err);
    if (cc->o.stage == CC_PREPROCESS) {
        begin_host(&w, cc, source->kind);
        ADD_LIST(&w, cc->o.preprocess, source->path);
        if (cc->o.output) ADD_LIST(&w, "-o", cc->o.output);
        return cc_run(&w, source->path, err);
    }
    if (source->kind == SOURCE_CUDA && compile_device(cc, source->path, index, NULL, fatbin, err) < 0) return -1;
    begin_host(&w, cc, source->kind);
    if (source->kind == SOURCE_CUDA && !cc->o.links_device_code)
        cc_headers_use(&w, source->path, headers, sizeof headers);
    if (source->kind == SOURCE_CUDA) ADD_LIST(&w, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin);
    if (cc->o.stage == CC_CXX) {
        char assembly[128];
        snprintf(assembly, sizeof assembly, "%s/%zu.s", cc->folder, index);
        ADD_LIST(&w, "-fno-addrsig", "-g0", "-S", source->path, "-o", assembly); /* of GNU as too */
        return cc_run(&w, source->path, err) < 0 ? -1 : write_cxx(assembly, source->path, source->object, err);
    }
    ADD_LIST(&w, "-c", source->path, "-o", source->object);
    return cc_run(&w, source->path, err);
}

/* Files compiled to be linked call a function each, by a name of their own, to say where their device code is. Those
 * that no object defines yet are defined here: our library links the code when it is needed. */
static int define_registrations(const struct cc *cc, const char *source, size_t *n, struct error *err)
{
    static const char script[] = "nm \"$@\" 2>/dev/null | awk '$NF ~ /^__cudaRegisterLinkedBinary/ {if ($(NF - 1) == "
                                 "\"U\") u[$NF]; else d[$NF]} END {for (k in u) if (!(k in d)) print k}' | sort";
    struct words w = {.n = 0};
    char list[160], *text, *line;
    size_t size;
    snprintf(list, sizeof list, "%s/registrations.txt", cc->folder);
    char command[512];
    snprintf(command, sizeof command, "{ %s; } >%s", script, list);
    for (const char *const *word = (const char *const[]){"/bin/sh", "-c", command, "nm", NULL}; *word; word++)
        cc_add(&w, *word);
    for (size_t i = 0; i < cc->o.link.n; i++)
        if (cc->o.link.items[i][0] != '-') cc_add(&w, cc->o.link.items[i]);
    if (cc_run(&w, "nm", err) < 0 || file_read(&text, &size, list, err) < 0) return -1;
    FILE *out = fopen(source, "we");
    *n = 0;
    if (out) fputs("void __poiseRegisterLinkedBinary(void (*globals)(void **), void *wrapper);\n", out);
    for (char *rest = text; out && (line = strtok_r(rest, "\n", &rest));) {
        fprintf(out,
                "void %s(void (*globals)(void **), void *wrapper) { __poiseRegisterLinkedBinary(globals, wrapper); }\n",
                line);
        ++*n;
    }
    free(text);
    const bool has_failed = !out || (ferror(out) | (fclose(out) != 0));
    return !has_failed ? 0 : error_set(err, ERR_IO, "%s: %s", source, strerror(errno));
}

/* Whether it links objects or archives that this call has not compiled. */
static bool links_objects_of_others(const struct cc *cc)
{
    size_t n = 0;
    for (size_t i = 0; i < cc->o.link.n; i++) n += cc->o.link.items[i][0] != '-';
    return n > cc->o.n_sources;
}

static int device_link(struct cc *cc, const char *object, struct error *err)
{
    char source[160];
    size_t n;
    snprintf(source, sizeof source, "%s/registrations.c", cc->folder);
    if (cc->o.stage == CC_LINK && !cc->o.links_device_code && !links_objects_of_others(cc)) return 0;
    if (define_registrations(cc, source, &n, err) < 0) return -1;
    if (n == 0 && cc->o.stage != CC_DEVICE_LINK) return 0;
    struct words w = {.n = 0};
    ADD_LIST(&w, cc_clang(), "-x", "c", "-fPIC", "-c", source, "-o", object);
    if (cc_run(&w, "device link", err) < 0) return -1;
    if (cc->o.stage != CC_DEVICE_LINK) cc_add(&cc->o.link, object);
    return 0;
}

static int link_all(const struct cc *cc, struct error *err)
{
    struct words w = {.n = 0};
    char rpath[4200];
    snprintf(rpath, sizeof rpath, "-Wl,-rpath,%s", cc->lib);
    char library[4200];
    snprintf(library, sizeof library, "%s/libcudart.so", cc->lib);
    if (access(library, R_OK) < 0) {
        error_set(err, ERR_RUN, "%s: %s", library, strerror(errno));
        return error_at(err, NULL, 0, -1, OWN_KERNELS_HINT);
    }
    ADD_LIST(&w, cc_clang(), "--driver-mode=g++");
    cc_add_all(&w, &cc->o.link);
    ADD_LIST(&w, "-L", cc->lib, "-lcudart", rpath, "-lm", "-o", cc->o.output);
    return cc_run(&w, cc->o.output, err);
}

static int make_library(const struct cc *cc, struct error *err)
{
    struct words w = {.n = 0};
    ADD_LIST(&w, "ar", "rcs", cc->o.output);
    for (size_t i = 0; i < cc->o.link.n; i++)
        if (cc->o.link.items[i][0] != '-') cc_add(&w, cc->o.link.items[i]);
    return cc_run(&w, cc->o.output, err);
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
static void name_object(const struct cc *cc, size_t i)
{
    struct cc_source *source = &cc->o.sources[i];
    const char *slash = strrchr(source->path, '/'), *name = slash ? slash + 1 : source->path, *dot = strrchr(name, '.');
    const bool is_each = cc->o.stage == CC_OBJECTS || cc->o.stage == CC_CXX || cc->o.stage == CC_PTX;
    if (!is_each) snprintf(source->object, sizeof source->object, "%s/%zu.o", cc->folder, i);
    else if (cc->o.output) snprintf(source->object, sizeof source->object, "%s", cc->o.output);
    else
        snprintf(source->object, sizeof source->object, "%.*s.%s", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)),
                 name,
                 cc->o.stage == CC_PTX   ? cc->o.ptx_ending
                 : cc->o.stage == CC_CXX ? "cu.cpp.ii"
                                         : "o");
}

/* Of a source that failed, where that is so. Always -1. */
static int tell_missing(const struct cc *cc, const struct cc_source *source, struct error *err)
{
    struct words w;
    if (err->code != ERR_RUN || source->kind != SOURCE_CUDA || cc->cccl.is_found) return -1;
    begin_host(&w, cc, source->kind);
    return cc_cccl_tell_missing(&w, source->path, cc->folder, err);
}

static int build(struct cc *cc, struct error *err)
{
    char linked[128];
    for (size_t i = 0; i < cc->o.n_sources; i++) {
        name_object(cc, i);
        if (compile(cc, &cc->o.sources[i], i, err) < 0) return tell_missing(cc, &cc->o.sources[i], err);
    }
    snprintf(linked, sizeof linked, "%s/registrations.o", cc->folder);
    switch (cc->o.stage) {
    case CC_LIBRARY: return make_library(cc, err);
    case CC_DEVICE_LINK: return device_link(cc, cc->o.output ? cc->o.output : "a_dlink.o", err);
    case CC_LINK: return device_link(cc, linked, err) < 0 ? -1 : link_all(cc, err);
    default: return 0;
    }
}

static void choose_arch(struct cc *cc)
{
    const unsigned asked = cc_options_arch(&cc->o), target = clang_target(asked);
    cc->arch = asked < target ? target : asked;
    if (asked < target)
        say_note(stderr, "sm_%u is compiled as sm_%u, the lowest that clang and these headers have", asked, target);
}

static int print_json(const struct cc *cc, struct error *err)
{
    char arch[16];
    json_t *json = lab_json();
    snprintf(arch, sizeof arch, "sm_%u", cc->arch);
    /* null: one object for each source */
    json_object_set_new(json, "output", cc->o.output ? json_string(cc->o.output) : json_null());
    json_object_set_new(json, "arch", json_string(arch));
    json_object_set_new(json, "sources", json_integer((json_int_t)cc->o.n_sources));
    return cli_print_json(json, err);
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    char include[512], lib[512];
    struct cc *cc = calloc(1, sizeof *cc);
    (void)options;
    if (cc) cc->o.sources = calloc(TEXTS_MAX, sizeof *cc->o.sources);
    if (!cc || !cc->o.sources) return free(cc), error_set(err, ERR_MEMORY, "out of memory");
    int result = cc_options_read(&cc->o, arguments, err);
    if (result == 0 && cc->o.asks_version) {
        printf("poise cc\nCuda compilation tools, release 12.0, V12.0.0, by clang\n");
    } else if (result == 0) {
        lab_path(include, sizeof include, "POISE_CUDA_INCLUDE", "share/poise/toolkit", POISE_CUDA_INCLUDE_DEFAULT);
        lab_path(lib, sizeof lib, "POISE_CUDA_LIB", "lib/poise/cuda", POISE_CUDA_LIB_DEFAULT);
        cc->include = include;
        cc->lib = lib;
        snprintf(cc->api, sizeof cc->api, "%s/../include", include);
        snprintf(cc->folder, sizeof cc->folder, "/tmp/poise-cc-XXXXXX");
        choose_arch(cc);
        cc_options_arch_list(&cc->o, cc->architectures, sizeof cc->architectures);
        if (cc_cccl_find(&cc->cccl, cc->o.cccl, include, err) < 0) {
            result = -1;
        } else if (!mkdtemp(cc->folder)) {
            result = error_set(err, ERR_IO, "%s: %s", cc->folder, strerror(errno));
        } else {
            cc->undefined_values = option_of_undefined_values();
            result = build(cc, err);
            remove_folder(cc->folder);
        }
        if (result == 0 && cli->json) result = print_json(cc, err);
    }
    free(cc->o.sources);
    free(cc);
    return result;
}

static const struct option_row rows[] = {{.name = "json", .kind = OPTION_FLAG, .doc = "print what was built as JSON"}};

const struct command command_cc = {
    "cc",
    "compile CUDA, C++ and C with clang alone, for the functional device",
    "FILE... [-o PROGRAM] [-c | -ptx | -lib] [-rdc=true] [-arch=sm_75] [OPTIONS OF NVCC]",
    "A drop-in for nvcc in makefiles (make NVCC=\"poise cc\"): sources by their endings or -x, objects, archives and "
    "libraries in any\n"
    "order, -I -D -U -O -g -std -l -L -Xcompiler -Xlinker, -c, -dc, -dlink, -lib, -cuda, -M. Options without a meaning "
    "here "
    "are noted,\n"
    "unknown ones refused. The program runs as it is, by poise cuda, and under poise trace record.\n"
    "Of several architectures (-arch, -gencode) device code is compiled for the highest up to 8.0, else the lowest; "
    "__CUDA_ARCH__\n"
    "is that one. Where its instructions are not offered a lower one is taken, or a warning says so. Device code that "
    "spans files needs -rdc=true (or -dc for\n"
    "each, then a link). POISE_CLANG names another clang.\n"
    "Thrust, CUB and libcu++ are NVIDIA's: Debian's libthrust-dev, libcub-dev and libcu++-dev, else those of a CUDA "
    "toolkit in\n"
    "CUDA_HOME or /usr/local/cuda; "
    "--cccl DIR takes those of a folder that has thrust/ and cub/. What has been read of headers is kept in "
    "~/.cache/poise/headers\n"
    "(XDG_CACHE_HOME), which may be removed.\n",
    rows,
    COUNT_OF(rows),
    0,
    run};
