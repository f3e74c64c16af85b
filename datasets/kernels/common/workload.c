#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char wl_ptx[]; /* ptx_blob.c */

static const char *const size_names[WL_N_SIZES] = {"test", "small", "full", "eval"};

struct wl_block {
    struct wl_block *next;
    void *host;
    CUdeviceptr device;
};

/* ---- the program's edge ---- */

static _Noreturn void wl_exit(const struct wl *w, int status, const char *format, va_list args)
{
    fprintf(stderr, "%s: ", w->spec->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(status);
}

_Noreturn void wl_fail(const struct wl *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wl_exit(w, 1, format, args);
}

_Noreturn void wl_refuse(const struct wl *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wl_exit(w, 2, format, args);
}

void wl_check(const struct wl *w, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS) return;
    const char *name = NULL, *text = NULL;
    (void)cuGetErrorName(result, &name);
    (void)cuGetErrorString(result, &text);
    wl_fail(w, "%s: %s (%d): %s", call, name ? name : "unknown error", (int)result, text ? text : "no description");
}

static void wl_usage(FILE *to, const struct wl_spec *spec)
{
    fprintf(
        to,
        "usage: %s [--size test|small|%sfull] %s%s[--flip-output-bit K] [--verbose] [--help]\n%s\n\n"
        "  --size SIZE           test: seconds, for CI; small (default): the quickstart's; full: the papers' scale%s\n",
        spec->name, spec->has_eval ? "eval|" : "", spec->n_inputs ? "[--input I] " : "",
        spec->n_knobs ? "[--set NAME=VALUE[,VALUE]...]... " : "", spec->doc,
        spec->has_eval ? "; eval: what learning is judged by (datasets/FAMILIES.md)" : "");
    for (int i = 0; i < spec->n_inputs; i++)
        fprintf(to, "%s %d: %s\n", i ? "                       " : "  --input I            ", i, spec->inputs[i]);
    if (spec->n_drawn)
        fprintf(to, "                       %d .. %d: drawn with the number as the seed\n", spec->n_inputs,
                spec->n_inputs + spec->n_drawn - 1);
    for (int i = 0; i < spec->n_knobs; i++) {
        const struct wl_knob *k = &spec->knobs[i];
        fprintf(to, "  --set %-16s%s (%" PRIu32 " to %" PRIu32 ", default %" PRIu32 ")\n", k->name, k->doc, k->min,
                k->max, k->value);
    }
    fprintf(to,
            "  --flip-output-bit K   flips bit K of the results copied back: the comparison must then fail (exit 1)\n"
            "  --verbose             names every launch on stderr\n"
            "Exit codes: 0 the results agree with the CPU reference, 1 they do not or CUDA failed, 2 bad usage.\n");
}

static _Noreturn void wl_bad_usage(const struct wl_spec *spec, const char *what, const char *value)
{
    fprintf(stderr, "%s: %s %s\n", spec->name, what, value);
    wl_usage(stderr, spec);
    exit(2);
}

static uint64_t wl_number(const struct wl_spec *spec, const char *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0) wl_bad_usage(spec, option, text);
    return value;
}

static void wl_parse_size(struct wl *w, const char *text)
{
    for (int i = 0; i < WL_N_SIZES; i++)
        if (strcmp(text, size_names[i]) == 0 && (i != WL_EVAL || w->spec->has_eval)) {
            w->size = (enum wl_size)i;
            return;
        }
    wl_bad_usage(w->spec,
                 w->spec->has_eval ? "--size is test, small, eval or full, not" : "--size is test, small or full, not",
                 text);
}

/* NAME=VALUE[,VALUE]... */
static void wl_parse_knob(struct wl *w, const char *text)
{
    const char *equals = strchr(text, '=');
    int i = 0;
    size_t n = equals ? (size_t)(equals - text) : 0;
    while (i < w->spec->n_knobs &&
           !(strncmp(w->spec->knobs[i].name, text, n) == 0 && w->spec->knobs[i].name[n] == '\0'))
        i++;
    if (!equals || i == w->spec->n_knobs)
        wl_bad_usage(w->spec, "--set needs NAME=VALUE with one of the names below, not", text);
    const struct wl_knob *k = &w->spec->knobs[i];
    w->n_knob_values[i] = 0;
    for (const char *p = equals; *p; p += strcspn(p, ",")) {
        char number[16];
        snprintf(number, sizeof number, "%.*s", (int)strcspn(p + 1, ","), p + 1);
        uint64_t value = wl_number(w->spec, "--set needs whole numbers, not", number);
        if (value < k->min || value > k->max) wl_bad_usage(w->spec, "out of range:", text);
        if (w->n_knob_values[i] == WL_KNOB_VALUES_MAX) wl_bad_usage(w->spec, "too many values:", text);
        w->knobs[i][w->n_knob_values[i]++] = (uint32_t)value;
        p++;
    }
}

static void wl_parse(struct wl *w, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--help") == 0) {
            wl_usage(stdout, w->spec);
            exit(0);
        }
        if (strcmp(option, "--verbose") == 0) {
            w->verbose = true;
            continue;
        }
        bool known = strcmp(option, "--size") == 0 || strcmp(option, "--flip-output-bit") == 0 ||
                     (strcmp(option, "--input") == 0 && w->spec->n_inputs > 0) ||
                     (strcmp(option, "--set") == 0 && w->spec->n_knobs > 0);
        if (!known) wl_bad_usage(w->spec, "unknown argument", option);
        if (++i == argc) wl_bad_usage(w->spec, "a value is missing after", option);
        if (strcmp(option, "--size") == 0) {
            wl_parse_size(w, argv[i]);
        } else if (strcmp(option, "--input") == 0) {
            uint64_t input = wl_number(w->spec, "--input is a number, not", argv[i]);
            if (input >= (uint64_t)(w->spec->n_inputs + w->spec->n_drawn))
                wl_bad_usage(w->spec, "there is no input", argv[i]);
            w->input = (int)input;
        } else if (strcmp(option, "--set") == 0) {
            wl_parse_knob(w, argv[i]);
        } else {
            w->flips = true;
            w->flip_bit = wl_number(w->spec, "--flip-output-bit is a number, not", argv[i]);
        }
    }
}

void wl_begin(struct wl *w, const struct wl_spec *spec, int argc, char **argv)
{
    *w = (struct wl){.spec = spec, .size = WL_SMALL};
    for (int i = 0; i < spec->n_knobs; i++) w->knobs[i][0] = spec->knobs[i].value, w->n_knob_values[i] = 1;
    wl_parse(w, argc, argv);
    CUcontext context = NULL;
    WL_CU(w, cuInit(0));
    WL_CU(w, cuDeviceGet(&w->device, 0));
    WL_CU(w, cuDevicePrimaryCtxRetain(&context, w->device));
    WL_CU(w, cuCtxSetCurrent(context));
    WL_CU(w, cuModuleLoadData(&w->module, wl_ptx));
}

static void wl_release(struct wl *w)
{
    while (w->blocks) {
        struct wl_block *block = w->blocks;
        w->blocks = block->next;
        if (block->device) WL_CU(w, cuMemFree(block->device));
        free(block->host);
        free(block);
    }
    WL_CU(w, cuModuleUnload(w->module));
    WL_CU(w, cuDevicePrimaryCtxRelease(w->device));
}

int wl_end(struct wl *w)
{
    char input[32] = "";
    if (w->spec->n_inputs) snprintf(input, sizeof input, ", input %d", w->input);
    wl_release(w);
    if (w->flips && w->flip_bit >= w->output_bits) {
        fprintf(stderr, "%s: --flip-output-bit %" PRIu64 ": the results have %" PRIu64 " bits\n", w->spec->name,
                w->flip_bit, w->output_bits);
        return 2;
    }
    if (w->n_wrong || w->n_compared == 0) {
        printf("%s: size %s%s: %" PRIu64 " launches, %" PRIu64 " of %" PRIu64
               " outputs differ from the CPU reference, first %s\n",
               w->spec->name, size_names[w->size], input, w->n_launches, w->n_wrong, w->n_compared, w->first_wrong);
        return 1;
    }
    printf("%s: size %s%s: %" PRIu64 " launches, %" PRIu64 " outputs agree with the CPU reference\n", w->spec->name,
           size_names[w->size], input, w->n_launches, w->n_compared);
    return 0;
}

/* ---- memory ---- */

static struct wl_block *wl_block_new(struct wl *w)
{
    struct wl_block *block = calloc(1, sizeof *block);
    if (!block) wl_fail(w, "out of host memory");
    block->next = w->blocks;
    w->blocks = block;
    return block;
}

void *wl_host(struct wl *w, size_t count, size_t bytes)
{
    struct wl_block *block = wl_block_new(w);
    block->host = calloc(count ? count : 1, bytes);
    if (!block->host) wl_fail(w, "out of host memory: %zu x %zu bytes", count, bytes);
    return block->host;
}

CUdeviceptr wl_alloc(struct wl *w, size_t bytes)
{
    struct wl_block *block = wl_block_new(w);
    WL_CU(w, cuMemAlloc(&block->device, bytes));
    WL_CU(w, cuMemsetD8(block->device, 0, bytes));
    return block->device;
}

CUdeviceptr wl_upload(struct wl *w, const void *from, size_t bytes)
{
    struct wl_block *block = wl_block_new(w);
    WL_CU(w, cuMemAlloc(&block->device, bytes));
    WL_CU(w, cuMemcpyHtoD(block->device, from, bytes));
    return block->device;
}

void wl_write(struct wl *w, CUdeviceptr to, const void *from, size_t bytes) { WL_CU(w, cuMemcpyHtoD(to, from, bytes)); }

void wl_read(struct wl *w, void *to, CUdeviceptr from, size_t bytes) { WL_CU(w, cuMemcpyDtoH(to, from, bytes)); }

void wl_output(struct wl *w, void *to, CUdeviceptr from, size_t bytes)
{
    wl_read(w, to, from, bytes);
    uint64_t first = w->output_bits, bits = (uint64_t)bytes * 8;
    w->output_bits += bits;
    if (w->flips && w->flip_bit >= first && w->flip_bit - first < bits) {
        uint64_t bit = w->flip_bit - first;
        ((unsigned char *)to)[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    }
}

void wl_symbol(struct wl *w, const char *name, const void *from, size_t bytes)
{
    CUdeviceptr address;
    size_t room = 0;
    CUresult result = cuModuleGetGlobal(&address, &room, w->module, name);
    if (result != CUDA_SUCCESS) wl_check(w, result, name);
    if (bytes > room) wl_fail(w, "%s has %zu bytes, not %zu", name, room, bytes);
    wl_write(w, address, from, bytes);
}

/* ---- launches ---- */

CUtexObject wl_texture(struct wl *w, CUdeviceptr from, size_t n)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    resource.res.linear.devPtr = from;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = n * sizeof(float);
    CUDA_TEXTURE_DESC texture = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject object;
    WL_CU(w, cuTexObjectCreate(&object, &resource, &texture, NULL));
    return object;
}

CUfunction wl_function(struct wl *w, const char *name)
{
    CUfunction function = NULL;
    CUresult result = cuModuleGetFunction(&function, w->module, name);
    if (result != CUDA_SUCCESS) wl_check(w, result, name);
    return function;
}

void wl_launch(struct wl *w, CUfunction kernel, unsigned gx, unsigned gy, unsigned bx, unsigned by, void **args)
{
    if (w->verbose)
        fprintf(stderr, "%s: launch %" PRIu64 ": grid %ux%u block %ux%u\n", w->spec->name, w->n_launches, gx, gy, bx,
                by);
    w->n_launches++;
    WL_CU(w, cuLaunchKernel(kernel, gx, gy, 1, bx, by, 1, 0, NULL, args, NULL));
    WL_CU(w, cuCtxSynchronize());
}

/* ---- comparison ---- */

static void wl_wrong(struct wl *w, const char *what, size_t index, const char *detail)
{
    if (w->n_wrong++ == 0) snprintf(w->first_wrong, sizeof w->first_wrong, "%s[%zu] %s", what, index, detail);
}

void wl_compare_u32(struct wl *w, const char *what, const uint32_t *got, const uint32_t *want, size_t n)
{
    w->n_compared += n;
    for (size_t i = 0; i < n; i++) {
        if (got[i] == want[i]) continue;
        char detail[64];
        snprintf(detail, sizeof detail, "is %" PRIu32 ", expected %" PRIu32, got[i], want[i]);
        wl_wrong(w, what, i, detail);
    }
}

void wl_compare_f32(struct wl *w, const char *what, const float *got, const float *want, size_t n)
{
    w->n_compared += n;
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&got[i], &want[i], sizeof got[i]) == 0) continue;
        char detail[64];
        snprintf(detail, sizeof detail, "is %.9g, expected %.9g", (double)got[i], (double)want[i]);
        wl_wrong(w, what, i, detail);
    }
}

void wl_compare_f64(struct wl *w, const char *what, const double *got, const double *want, size_t n)
{
    w->n_compared += n;
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&got[i], &want[i], sizeof got[i]) == 0) continue;
        char detail[64];
        snprintf(detail, sizeof detail, "is %.17g, expected %.17g", got[i], want[i]);
        wl_wrong(w, what, i, detail);
    }
}

void wl_expect(struct wl *w, bool holds, const char *what, size_t index)
{
    w->n_compared++;
    if (!holds) wl_wrong(w, what, index, "does not hold");
}

/* ---- data ---- */

uint64_t wl_rng_next(struct wl_rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

uint32_t wl_rng_below(struct wl_rng *rng, uint32_t n)
{
    return (uint32_t)(((wl_rng_next(rng) >> 32) * (uint64_t)n) >> 32);
}

float wl_rng_unit(struct wl_rng *rng) { return (float)(wl_rng_next(rng) >> 40) * 0x1p-24f; }

void wl_rng_fill(struct wl_rng *rng, float *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = wl_rng_unit(rng);
}
