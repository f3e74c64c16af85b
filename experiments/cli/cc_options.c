/* Reading nvcc's command line [CUDA Compiler Driver NVCC, chapter 4: options and their short names]. */
#include "cli/cc_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/say.h"

#define DEVICE_ARCH 80  /* of the device that programs see unless they are told another */
#define ARCH_DEFAULT 75 /* nvcc 13's */

static int words_add(struct words *w, const char *item, struct error *err)
{
    if (w->n == CC_WORDS_MAX - 64) return error_set(err, ERR_USAGE, "poise cc: more than %d words", CC_WORDS_MAX - 64);
    w->items[w->n++] = item;
    return 0;
}

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static bool ends(const char *text, const char *with)
{
    const size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

/* What an option does. All that take a value take it joined by = or as the next word; -I, -D, -U, -l and -L joined
 * too. */
enum act {
    ACT_NOTE,       /* nothing here, and a note */
    ACT_SILENT,     /* nothing, as it asks for what is the case */
    ACT_NOTE_VALUE, /* nothing here, and a note; takes a value */
    ACT_BOTH,
    ACT_BOTH_VALUE, /* as it is (by its short name), to device and host code */
    ACT_HOST,
    ACT_HOST_VALUE,
    ACT_HOST_AND_LINK,
    ACT_FORWARD_HOST,
    ACT_FORWARD_LINK, /* the value is options, by commas */
    ACT_LIBRARY,
    ACT_LINK,
    ACT_LINK_VALUE,
    ACT_STANDARD,
    ACT_FAST_MATH,
    ACT_FLUSH,
    ACT_CONTRACT,
    ACT_ARCH,
    ACT_CODE,
    ACT_OUTPUT,
    ACT_LANGUAGE,
    ACT_RDC,
    ACT_OBJECTS,
    ACT_DEVICE_OBJECTS,
    ACT_CXX,
    ACT_PTX,
    ACT_IMAGE,
    ACT_DEVICE_LINK,
    ACT_ARCHIVE,
    ACT_PREPROCESS,
    ACT_VERSION,
    ACT_CCCL,
    ACT_REFUSE
};
struct row {
    const char *name, *other;
    enum act act;
    const char *why;
};
static const struct row rows[] = {
    {"-o", "--output-file", ACT_OUTPUT, NULL},
    {"-c", "--compile", ACT_OBJECTS, NULL},
    {"-dc", "--device-c", ACT_DEVICE_OBJECTS, NULL},
    {"-cuda", "--cuda", ACT_CXX, NULL},
    {"-ptx", "--ptx", ACT_PTX, NULL},
    {"-dlink", "--device-link", ACT_DEVICE_LINK, NULL},
    {"-lib", "--lib", ACT_ARCHIVE, NULL},
    {"-link", "--link", ACT_SILENT, NULL},
    {"-E", "--preprocess", ACT_PREPROCESS, NULL},
    {"-M", "--generate-dependencies", ACT_PREPROCESS, NULL},
    {"-MM", "--generate-nonsystem-dependencies", ACT_PREPROCESS, NULL},
    {"-MD", "--generate-dependencies-with-compile", ACT_HOST, NULL},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", ACT_HOST, NULL},
    {"-MP", "--generate-dependency-targets", ACT_HOST, NULL},
    {"-MF", "--dependency-output", ACT_HOST_VALUE, NULL},
    {"-MT", "--dependency-target-name", ACT_HOST_VALUE, NULL},
    {"-MQ", NULL, ACT_HOST_VALUE, NULL},
    {"-V", "--version", ACT_VERSION, NULL},
    {"--cccl", NULL, ACT_CCCL, NULL},
    {"-x", "--x", ACT_LANGUAGE, NULL},
    {"-std", "--std", ACT_STANDARD, NULL},
    {"-arch", "--gpu-architecture", ACT_ARCH, NULL},
    {"--arch", "--cuda-gpu-arch", ACT_ARCH, NULL},
    {"-gencode", "--generate-code", ACT_ARCH, NULL},
    {"-code", "--gpu-code", ACT_CODE, NULL},
    {"-rdc", "--relocatable-device-code", ACT_RDC, NULL},
    {"-fgpu-rdc", "--fgpu-rdc", ACT_RDC, NULL},
    {"-use_fast_math", "--use_fast_math", ACT_FAST_MATH, NULL},
    {"-ftz", "--ftz", ACT_FLUSH, NULL},
    {"-fmad", "--fmad", ACT_CONTRACT, NULL},
    {"-I", "--include-path", ACT_BOTH_VALUE, NULL},
    {"-D", "--define-macro", ACT_BOTH_VALUE, NULL},
    {"-U", "--undefine-macro", ACT_BOTH_VALUE, NULL},
    {"-include", "--pre-include", ACT_BOTH_VALUE, NULL},
    {"-isystem", "--system-include", ACT_BOTH_VALUE, NULL},
    {"-iquote", NULL, ACT_BOTH_VALUE, NULL},
    {"-idirafter", NULL, ACT_BOTH_VALUE, NULL},
    {"-Xclang", NULL, ACT_BOTH_VALUE, NULL},
    {"-l", "--library", ACT_LIBRARY, NULL},
    {"-L", "--library-path", ACT_LINK_VALUE, NULL},
    {"-Xcompiler", "--compiler-options", ACT_FORWARD_HOST, NULL},
    {"-Xlinker", "--linker-options", ACT_FORWARD_LINK, NULL},
    {"-shared", "--shared", ACT_LINK, NULL},
    {"-rdynamic", NULL, ACT_LINK, NULL},
    {"-s", NULL, ACT_LINK, NULL},
    {"-g", "--debug", ACT_HOST, NULL},
    {"-pg", "--profile", ACT_HOST_AND_LINK, NULL},
    {"-pthread", NULL, ACT_HOST_AND_LINK, NULL},
    {"-fopenmp", NULL, ACT_HOST_AND_LINK, NULL},
    {"-w", "--disable-warnings", ACT_BOTH, NULL},
    {"-v", "--verbose", ACT_NOTE, "commands are not shown"},
    {"-m", "--machine", ACT_NOTE_VALUE, "host code is of this machine"},
    {"-m64", "--m64", ACT_SILENT, NULL},
    {"-cudart", "--cudart", ACT_NOTE_VALUE, "the runtime is always shared"},
    {"-cudadevrt", "--cudadevrt", ACT_NOTE_VALUE, "there is no device runtime"},
    {"-ccbin", "--compiler-bindir", ACT_NOTE_VALUE, "clang compiles host code too"},
    {"-G", "--device-debug", ACT_NOTE, "device code is always optimised"},
    {"-lineinfo", "--generate-line-info", ACT_NOTE, "addresses are reported by PTX line"},
    {"-Xptxas", "--ptxas-options", ACT_NOTE_VALUE, "there is no ptxas"},
    {"-Xnvlink", "--nvlink-options", ACT_NOTE_VALUE, "device code is linked as PTX"},
    {"-Xarchive", "--archive-options", ACT_NOTE_VALUE, "libraries are made by ar rcs"},
    {"-maxrregcount", "--maxrregcount", ACT_NOTE_VALUE, "registers are counted from live ranges"},
    {"-res-usage", "--resource-usage", ACT_NOTE, "poise trace info has what kernels use"},
    {"-prec-div", "--prec-div", ACT_NOTE_VALUE, "divisions are rounded as IEEE 754 has it"},
    {"-prec-sqrt", "--prec-sqrt", ACT_NOTE_VALUE, "roots are rounded as IEEE 754 has it"},
    {"-restrict", "--restrict", ACT_NOTE, "pointers are taken as written"},
    {"-dopt", "--dopt", ACT_NOTE_VALUE, "device code is always optimised"},
    {"-Ofc", "--Ofast-compile", ACT_NOTE_VALUE, "device code is always optimised"},
    {"-extra-device-vectorization", "--extra-device-vectorization", ACT_NOTE, "clang decides"},
    {"-dlto", "--dlink-time-opt", ACT_NOTE, "device code is linked as PTX"},
    {"-lto", "--lto", ACT_NOTE, "device code is linked as PTX"},
    {"-t", "--threads", ACT_NOTE_VALUE, "files are compiled one after another"},
    {"-split-compile", "--split-compile", ACT_NOTE_VALUE, "files are compiled one after another"},
    {"-keep", "--keep", ACT_NOTE, "nothing is kept"},
    {"-keep-dir", "--keep-dir", ACT_NOTE_VALUE, "nothing is kept"},
    {"-save-temps", "--save-temps", ACT_NOTE, "nothing is kept"},
    {"-odir", "--output-directory", ACT_NOTE_VALUE, "give each output its place by -o"},
    {"-target-dir", "--target-directory", ACT_NOTE_VALUE, "host code is of this machine"},
    {"-ldir", "--libdevice-directory", ACT_NOTE_VALUE, "device functions are ours"},
    {"-src-in-ptx", "--source-in-ptx", ACT_NOTE, "PTX is clang's"},
    {"-time", "--time", ACT_NOTE_VALUE, "nothing is timed"},
    {"-compress-mode", "--compress-mode", ACT_NOTE_VALUE, "fat binaries are plain"},
    {"-no-compress", "--no-compress", ACT_SILENT, NULL},
    {"-default-stream", "--default-stream", ACT_NOTE_VALUE, "work runs in the order of the calls"},
    {"-extended-lambda", "--extended-lambda", ACT_SILENT, NULL},
    {"-expt-extended-lambda", "--expt-extended-lambda", ACT_SILENT, NULL},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", ACT_SILENT, NULL},
    {"-nohdinitlist", "--no-host-device-initializer-list", ACT_SILENT, NULL},
    {"-nohdmoveforward", "--no-host-device-move-forward", ACT_SILENT, NULL},
    {"-allow-unsupported-compiler", "--allow-unsupported-compiler", ACT_SILENT, NULL},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", ACT_SILENT, NULL},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", ACT_SILENT, NULL},
    {"-Wno-deprecated-declarations", "--Wno-deprecated-declarations", ACT_BOTH, NULL},
    {"-Wreorder", "--Wreorder", ACT_BOTH, NULL},
    {"-Wdefault-stream-launch", "--Wdefault-stream-launch", ACT_NOTE, "clang has no such warning"},
    {"-Wext-lambda-captures-this", "--Wext-lambda-captures-this", ACT_NOTE, "clang has no such warning"},
    {"-Wmissing-launch-bounds", "--Wmissing-launch-bounds", ACT_NOTE, "clang has no such warning"},
    {"-diag-suppress", "--diag-suppress", ACT_NOTE_VALUE, "the numbers are of another compiler"},
    {"-diag-warn", "--diag-warn", ACT_NOTE_VALUE, "the numbers are of another compiler"},
    {"-diag-error", "--diag-error", ACT_NOTE_VALUE, "the numbers are of another compiler"},
    {"-Xcudafe", NULL, ACT_NOTE_VALUE, "the front end is clang's"},
    {"-Xfatbin", NULL, ACT_NOTE_VALUE, "fat binaries are plain"},
    {"-err-no", "--display-error-number", ACT_NOTE, "the numbers are of another compiler"},
    {"-no-err-no", "--no-display-error-number", ACT_SILENT, NULL},
    {"-brief-diag", "--brief-diagnostics", ACT_NOTE_VALUE, "messages are clang's"},
    {"-cubin", "--cubin", ACT_IMAGE, "there is no machine code; the file is PTX, which modules load as well"},
    {"-fatbin", "--fatbin", ACT_IMAGE, "the file is PTX, which modules load as well"},
    {"-run", "--run", ACT_REFUSE, "start the program after it is built"},
    {"-optf", "--options-file", ACT_REFUSE, "give the options themselves"},
    {"-m32", "--m32", ACT_REFUSE, "host and device have 64-bit addresses"},
};
/* What compilers of host code have as well and clang takes as it is, with whatever follows. */
static const char *const plain[] = {"-O",    "-f",    "-W",      "-m",   "-g",      "-pedantic",
                                    "-ansi", "-pipe", "-no-pie", "-pie", "-stdlib="};
/* Libraries that are one with ours, and those of CUDA of which nothing is here. */
static const char *const inside[] = {"cudart", "cudart_static", "cuda", "cudadevrt", "nvToolsExt", "culibos"};
static const char *const absent[] = {"cufftw", "nvjpeg", "nvblas", "npp", "cupti", "nvidia-ml", "nccl"};

static void note(const char *option, const char *why) { say_note(stderr, "%s has no effect: %s", option, why); }

/* ---- architectures ---- */
static bool is_architecture(unsigned long n)
{
    static const uint8_t known[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
                                    70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i] == n) return true;
    return false;
}

/* sm_80, compute_90a, arch=compute_75,code=sm_75, 75: every number after sm_ or compute_ of `arch`. */
static int add_arch(struct cc_options *o, const char *option, const char *value, struct error *err)
{
    const char *text = starts(value, "arch=") ? value + 5 : value;
    if (strcmp(text, "native") == 0) text = "sm_80";
    if (starts(text, "all")) text = "sm_75";
    const char *digits = starts(text, "sm_") ? text + 3 : starts(text, "compute_") ? text + 8 : text;
    char *end;
    const unsigned long n = strtoul(digits, &end, 10);
    if (end == digits || !is_architecture(n) || (*end && *end != ',' && !isalpha((unsigned char)*end)))
        return error_set(err, ERR_USAGE, "poise cc: %s: %s is no architecture such as sm_75", option, value);
    if (o->n_archs < CC_ARCHS_MAX) o->archs[o->n_archs++] = (unsigned)n;
    return 0;
}

unsigned cc_options_arch(const struct cc_options *o)
{
    unsigned best = 0;
    for (size_t i = 0; i < o->n_archs; i++) {
        const unsigned a = o->archs[i];
        const bool fits = a <= DEVICE_ARCH, best_fits = best <= DEVICE_ARCH;
        if (!best || (fits && (!best_fits || a > best)) || (!fits && !best_fits && a < best)) best = a;
    }
    return best ? best : ARCH_DEFAULT;
}

void cc_options_arch_list(const struct cc_options *o, char *out, size_t room)
{
    unsigned last = 0;
    size_t n = (size_t)snprintf(out, room, "-D__CUDA_ARCH_LIST__=");
    if (!o->n_archs) snprintf(out + n, room - n, "%u0", ARCH_DEFAULT);
    for (size_t k = 0; k < o->n_archs; k++) {
        unsigned next = 0;
        for (size_t i = 0; i < o->n_archs; i++)
            if (o->archs[i] > last && (!next || o->archs[i] < next)) next = o->archs[i];
        if (!next || n >= room) break;
        n += (size_t)snprintf(out + n, room - n, last ? ",%u0" : "%u0", next);
        last = next;
    }
}

unsigned cc_options_arch_below(const struct cc_options *o, unsigned arch)
{
    unsigned best = 0;
    for (size_t i = 0; i < o->n_archs; i++)
        if (o->archs[i] < arch && o->archs[i] > best) best = o->archs[i];
    return best;
}

/* ---- one option ---- */
/* The row, and in *value what is joined to the name by = or directly; NULL for neither. */
static const struct row *find(const char *a, const char **value)
{
    static const char joined[] = "IDULl";
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *const names[] = {rows[i].name, rows[i].other};
        for (size_t k = 0; k < 2; k++) {
            const size_t n = names[k] ? strlen(names[k]) : 0;
            if (!n || strncmp(a, names[k], n) != 0) continue;
            const bool has_letter = n == 2 && strchr(joined, a[1]) != NULL;
            if (a[n] == '\0') return *value = NULL, &rows[i];
            if (a[n] == '=' && !has_letter) return *value = a + n + 1, &rows[i];
        }
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strlen(rows[i].name) == 2 && strchr(joined, rows[i].name[1]) && strncmp(a, rows[i].name, 2) == 0)
            return *value = a + 2, &rows[i];
    return NULL;
}

static bool takes_value(enum act act)
{
    static const enum act with[] = {ACT_NOTE_VALUE, ACT_BOTH_VALUE, ACT_HOST_VALUE, ACT_FORWARD_HOST, ACT_FORWARD_LINK,
                                    ACT_LIBRARY,    ACT_LINK_VALUE, ACT_STANDARD,   ACT_FLUSH,        ACT_CONTRACT,
                                    ACT_ARCH,       ACT_CODE,       ACT_OUTPUT,     ACT_LANGUAGE,     ACT_CCCL};
    for (size_t i = 0; i < COUNT_OF(with); i++)
        if (with[i] == act) return true;
    return false;
}

/* A copy that lives as long as the options do; NULL with an error where there is no room. */
static const char *keep(struct cc_options *o, const char *text, size_t n, struct error *err)
{
    if (sizeof o->pieces - o->pieces_used < n + 1)
        return error_set(err, ERR_USAGE, "poise cc: options of more than %zu bytes", sizeof o->pieces), NULL;
    char *at = o->pieces + o->pieces_used;
    memcpy(at, text, n);
    at[n] = '\0';
    o->pieces_used += n + 1;
    return at;
}

/* The parts of -Xcompiler and -Xlinker, between commas and blanks; -Wl,... stays whole. */
static int forward(struct cc_options *o, const char *value, bool to_linker, struct error *err)
{
    for (const char *at = value; *at;) {
        const size_t n =
            starts(at, "-Wl,") || starts(at, "-Wp,") || starts(at, "-Wa,") ? strcspn(at, " ") : strcspn(at, ", ");
        if (n) {
            const char *piece = keep(o, at, n, err);
            if (!piece) return -1;
            const bool is_link = to_linker || starts(piece, "-Wl,") || starts(piece, "-fopenmp") ||
                                 starts(piece, "-pthread") || starts(piece, "-fsanitize");
            if (to_linker && words_add(&o->link, "-Xlinker", err) < 0) return -1;
            if (is_link && words_add(&o->link, piece, err) < 0) return -1;
            if (!to_linker && !starts(piece, "-Wl,") && words_add(&o->host, piece, err) < 0) return -1;
        }
        at += n + (at[n] != '\0');
    }
    return 0;
}

static int library(struct cc_options *o, const char *name, struct error *err)
{
    char option[64];
    snprintf(option, sizeof option, "-l%.60s", name);
    if (strcmp(name, "gomp") == 0) return o->links_gomp = true, 0;
    for (size_t i = 0; i < COUNT_OF(inside); i++)
        if (strcmp(name, inside[i]) == 0) return 0;
    for (size_t i = 0; i < COUNT_OF(absent); i++)
        if (starts(name, absent[i]))
            return note(option, "nothing of this library is here; what is used of it the linker will name"), 0;
    const char *whole = keep(o, option, strlen(option), err);
    return whole ? words_add(&o->link, whole, err) : -1;
}

static int two(struct words *w, const char *a, const char *b, struct error *err)
{
    return words_add(w, a, err) < 0 ? -1 : words_add(w, b, err);
}

static int language(struct cc_options *o, const char *value, struct error *err)
{
    if (strcmp(value, "cu") == 0 || strcmp(value, "cuda") == 0) return o->language = SOURCE_CUDA, 0;
    if (strcmp(value, "c++") == 0) return o->language = SOURCE_CXX, 0;
    if (strcmp(value, "c") == 0) return o->language = SOURCE_C, 0;
    if (strcmp(value, "none") == 0) return o->language = -1, 0;
    return error_set(err, ERR_USAGE, "poise cc: -x %s: cu, c++ or c", value);
}

static int apply(struct cc_options *o, const struct row *row, const char *option, const char *value, struct error *err)
{
    switch (row->act) {
    case ACT_SILENT: return 0;
    case ACT_NOTE:
    case ACT_NOTE_VALUE: return note(option, row->why), 0;
    case ACT_BOTH: return words_add(&o->both, row->name, err);
    case ACT_BOTH_VALUE: return two(&o->both, row->name, value, err);
    case ACT_HOST: return words_add(&o->host, row->name, err);
    case ACT_HOST_VALUE: return two(&o->host, row->name, value, err);
    case ACT_HOST_AND_LINK: return words_add(&o->host, row->name, err) < 0 ? -1 : words_add(&o->link, row->name, err);
    case ACT_FORWARD_HOST: return forward(o, value, false, err);
    case ACT_FORWARD_LINK: return forward(o, value, true, err);
    case ACT_LIBRARY: return library(o, value, err);
    case ACT_LINK: return words_add(&o->link, row->name, err);
    case ACT_LINK_VALUE: return two(&o->link, row->name, value, err);
    case ACT_STANDARD: {
        char text[40];
        snprintf(text, sizeof text, "-std=%.30s", value);
        const char *whole = keep(o, text, strlen(text), err);
        return whole ? words_add(&o->standard, whole, err) : -1;
    }
    case ACT_FAST_MATH: return two(&o->device, "-ffast-math", "-fcuda-approx-transcendentals", err);
    case ACT_FLUSH:
        return words_add(
            &o->device,
            strcmp(value, "true") == 0 ? "-fcuda-flush-denormals-to-zero" : "-fno-cuda-flush-denormals-to-zero", err);
    case ACT_CONTRACT:
        return words_add(&o->device, strcmp(value, "false") == 0 ? "-ffp-contract=off" : "-ffp-contract=fast", err);
    case ACT_ARCH: return add_arch(o, option, value, err);
    case ACT_CODE: return 0; /* PTX is made for -arch */
    case ACT_OUTPUT: return o->output = value, 0;
    case ACT_LANGUAGE: return language(o, value, err);
    case ACT_RDC: return o->links_device_code = !value || strcmp(value, "true") == 0, 0;
    case ACT_OBJECTS: return o->stage = CC_OBJECTS, 0;
    case ACT_DEVICE_OBJECTS: return o->links_device_code = true, o->stage = CC_OBJECTS, 0;
    case ACT_CXX: return o->stage = CC_CXX, 0;
    case ACT_PTX: return o->stage = CC_PTX, o->ptx_ending = "ptx", 0;
    case ACT_IMAGE: note(option, row->why); return o->stage = CC_PTX, o->ptx_ending = row->name + 1, 0;
    case ACT_DEVICE_LINK: return o->stage = CC_DEVICE_LINK, 0;
    case ACT_ARCHIVE: return o->stage = CC_LIBRARY, 0;
    case ACT_PREPROCESS: return o->preprocess = row->name, o->stage = CC_PREPROCESS, 0;
    case ACT_CCCL: return o->cccl = value, 0;
    case ACT_VERSION: return o->asks_version = true, 0;
    case ACT_REFUSE: break;
    }
    return error_set(err, ERR_USAGE, "poise cc: %s is not offered: %s", option, row->why);
}

/* ---- files ---- */
static int add_file(struct cc_options *o, const char *path, struct error *err)
{
    static const struct {
        const char *ending;
        enum source_kind kind;
    } kinds[] = {{".cu", SOURCE_CUDA}, {".c", SOURCE_C},   {".cpp", SOURCE_CXX}, {".cc", SOURCE_CXX},
                 {".cxx", SOURCE_CXX}, {".C", SOURCE_CXX}, {".c++", SOURCE_CXX}};
    int kind = o->language;
    /* clang would wait for whoever writes to it; what a shell gives as /dev/fd/N has a writer */
    if (strcmp(path, "-") != 0 && strncmp(path, "/dev/", 5) != 0 && file_check_regular(path, err) < 0) return -1;
    for (size_t i = 0; kind < 0 && i < COUNT_OF(kinds); i++)
        if (ends(path, kinds[i].ending)) kind = (int)kinds[i].kind;
    if (kind < 0) return words_add(&o->link, path, err); /* objects, archives, shared libraries */
    if (o->n_sources == TEXTS_MAX) return error_set(err, ERR_USAGE, "poise cc: more than %d sources", TEXTS_MAX);
    struct cc_source *source = &o->sources[o->n_sources++];
    *source = (struct cc_source){.path = path, .kind = (enum source_kind)kind};
    return words_add(&o->link, source->object, err);
}

/* nvcc's -Werror takes kinds of warnings, which are none of clang's. */
static bool is_warning_kind(const char *value)
{
    static const char *const kinds[] = {"all-warnings",
                                        "cross-execution-space-call",
                                        "reorder",
                                        "default-stream-launch",
                                        "deprecated-declarations",
                                        "missing-launch-bounds",
                                        "ext-lambda-captures-this"};
    for (size_t i = 0; value && i < COUNT_OF(kinds); i++)
        if (strcmp(value, kinds[i]) == 0) return true;
    return false;
}

/* Takes arguments[i] and says in *used how many more. */
static int read_one(struct cc_options *o, const struct texts *arguments, size_t i, size_t *used, struct error *err)
{
    const char *a = arguments->items[i], *next = i + 1 < arguments->n ? arguments->items[i + 1] : NULL, *value;
    *used = 0;
    if (strcmp(a, "--json") == 0) return 0; /* cli->json */
    if (a[0] != '-' || strcmp(a, "-") == 0) return add_file(o, a, err);
    if ((strcmp(a, "-Werror") == 0 || strcmp(a, "--Werror") == 0) && is_warning_kind(next))
        return *used = 1, note(a, "clang's own warnings are by -Xcompiler"), 0;
    if (starts(a, "-Wl,")) return words_add(&o->link, a, err);
    const struct row *row = find(a, &value);
    if (row && takes_value(row->act) && !value) {
        if (!next) return error_set(err, ERR_USAGE, "poise cc: %s needs a value", a);
        value = next;
        *used = 1;
    } else if (row && row->act == ACT_RDC && !value && a[1] != 'f' && a[2] != 'f') {
        value = next;
        *used = next != NULL;
    }
    if (row) return apply(o, row, a, value, err);
    for (size_t k = 0; k < COUNT_OF(plain); k++)
        if (starts(a, plain[k])) return words_add(&o->host, a, err);
    return error_set(err, ERR_USAGE, "poise cc: unknown option %s; -Xcompiler gives one to the compiler of host code",
                     a);
}

int cc_options_read(struct cc_options *o, const struct texts *arguments, struct error *err)
{
    o->language = -1;
    for (size_t i = 0, used; i < arguments->n; i += 1 + used)
        if (read_one(o, arguments, i, &used, err) < 0) return -1;
    if (o->asks_version) return 0;
    /* clang's OpenMP has a library of its own, which has all names of the other. */
    bool has_openmp = false;
    for (size_t i = 0; i < o->link.n; i++) has_openmp |= starts(o->link.items[i], "-fopenmp");
    if (o->links_gomp && !has_openmp && words_add(&o->link, "-lgomp", err) < 0) return -1;
    if (o->link.n == 0) return error_set(err, ERR_USAGE, "poise cc needs a source: poise cc prog.cu -o prog");
    const bool is_each =
        o->stage == CC_OBJECTS || o->stage == CC_CXX || o->stage == CC_PTX || o->stage == CC_PREPROCESS;
    if (is_each && o->output && o->n_sources > 1)
        return error_set(err, ERR_USAGE, "poise cc: -c, -cuda, -ptx or -E with -o takes one source");
    for (size_t i = 0; (o->stage == CC_PTX || o->stage == CC_CXX) && i < o->n_sources; i++)
        if (o->sources[i].kind != SOURCE_CUDA)
            return error_set(err, ERR_USAGE, "poise cc: %s: %s has no device code",
                             o->stage == CC_PTX ? "-ptx" : "-cuda", o->sources[i].path);
    if (o->stage == CC_LINK && !o->output) o->output = "a.out";
    if (o->stage == CC_LIBRARY && !o->output) o->output = "a.a";
    return 0;
}
