/* The state of the runtime API, and the modules, kernels and variables of a program: loaded when first needed. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>
#include "poise/cuda_shim.h"
#include "poise/fatbin.h"
#include "poise/ptx_link.h"

static struct runtime the_runtime = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local struct runtime_thread the_thread;

struct runtime_thread *runtime_thread(void) { return &the_thread; }
struct runtime *runtime_lock(void)
{
    pthread_mutex_lock(&the_runtime.lock);
    return &the_runtime;
}
void runtime_unlock(struct runtime *r) { pthread_mutex_unlock(&r->lock); }

/* The fault that a launch came to: 0 while no call of the program has answered with it, as it does not show in the
 * launch itself where an assertion failed. */
static cudaError_t fault_or(cudaError_t error)
{
    struct runtime *r = runtime_lock();
    struct shim *s = shim_lock();
    const struct shim_thread *t = shim_thread();
    CUcontext c = t->depth ? t->stack[t->depth - 1] : r->context;
    if (c && !context_is_live(s, c)) c = NULL;
    if (c && c->sticky && (cudaError_t)c->sticky == error) c->is_sticky_known = true;
    if (c && c->is_sticky_known && error == cudaSuccess) error = (cudaError_t)c->sticky;
    shim_unlock(s, CUDA_SUCCESS);
    runtime_unlock(r);
    return error;
}
cudaError_t runtime_fault(void) { return fault_or(cudaSuccess); }

cudaError_t runtime_note_at(cudaError_t error, const char *function)
{
    struct shim_thread *t = shim_thread();
    const cudaError_t own = error;
    error = fault_or(error);
    if (error != own) t->told = true; /* by the launch */
    if (error != cudaSuccess) {
        char text[200];
        the_thread.last_error = error;
        const bool is_public = strstr(function, "cuda") != NULL; /* else a helper of several API functions */
        snprintf(text, sizeof text, "%s: %s%s%s", cudaGetErrorName(error), is_public ? function : "",
                 is_public ? ": " : "", cudaGetErrorString(error));
        if (!t->told) shim_tell(text);
    }
    t->told = false;
    return error;
}

static bool is_live(CUcontext context)
{
    struct shim *s = shim_lock();
    const bool live = context && context_is_live(s, context);
    shim_unlock(s, CUDA_SUCCESS);
    return live;
}

/* A thread that made or chose a context by the driver API goes on in it, unless `is_chosen`; all others use
 * the primary one. */
static cudaError_t ready(bool is_chosen)
{
    struct runtime *r = runtime_lock();
    CUcontext current = NULL;
    CUresult result = cuInit(0);
    if (result == CUDA_SUCCESS && !r->context) result = cuDevicePrimaryCtxRetain(&r->context, 0);
    if (result == CUDA_SUCCESS) result = cuCtxGetCurrent(&current);
    if (result == CUDA_SUCCESS && current != r->context && (is_chosen || !is_live(current)))
        result = cuCtxSetCurrent(r->context);
    if (result == CUDA_SUCCESS) {
        struct shim *s = shim_lock();
        result = shim_unlock(s, shim_ready(s, &current)); /* after a fault every call answers with it */
    }
    runtime_unlock(r);
    return (cudaError_t)result;
}
cudaError_t runtime_ready(void) { return ready(false); }
cudaError_t runtime_choose(void) { return ready(true); }

cudaError_t runtime_reset(void)
{
    struct runtime *r = runtime_lock();
    CUresult result = CUDA_SUCCESS;
    if (r->context) {
        cuCtxSetCurrent(NULL);
        result = cuDevicePrimaryCtxRelease(0);
        r->context = NULL;
    }
    for (struct runtime_binary *b = r->binaries; b; b = b->next) b->module = NULL, b->is_tried = false;
    for (struct runtime_function *f = r->functions; f; f = f->next) f->function = NULL;
    runtime_unlock(r);
    return (cudaError_t)result;
}

/* The driver's answer about a name; `missing` where there is none of that name. */
static cudaError_t found(CUresult result, cudaError_t missing)
{
    return result == CUDA_ERROR_NOT_FOUND ? missing : (cudaError_t)result;
}

/* A program that cannot run here ends in some error of its own; the reason is told once. */
static cudaError_t refuse(cudaError_t code, const char *text, const char *hint)
{
    char line[1400];
    snprintf(line, sizeof line, "%s%s%s", text, *hint ? "\n  " : "", hint);
    shim_tell(line);
    return code;
}

/* libcudadevrt, which nvcc links into every such program: what of it can be offered is built in. */
static bool is_device_library(const char *text) { return strstr(text, "cuda_device_runtime_cu"); }

/* The PTX of files that were compiled to be linked. */
static int link_parts(char **text, size_t *size, const struct runtime_binary *b, struct error *err)
{
    struct ptx_unit *units = NULL;
    size_t n = 0;
    int result = 0;
    for (const void *const *part = b->parts; *part && result == 0; part++) {
        struct ptx_unit *grown = realloc(units, (n + 1) * sizeof *units), unit;
        char *one;
        if (!grown) result = error_set(err, ERR_MEMORY, "no memory for a program's device code");
        else units = grown;
        if (result == 0 && fatbin_bytes(*part) &&
            fatbin_ptx(&one, &unit.size, *part, fatbin_bytes(*part), device_capability(), err) == 0) {
            unit.text = one;
            if (is_device_library(one)) free(one);
            else units[n++] = unit;
        } else if (result == 0 && b->n_parts && (unit.text = calloc(1, 1))) { /* registered names count them */
            unit.size = 0;
            units[n++] = unit;
        }
    }
    if (result == 0 && n) result = ptx_link(text, size, units, n, err);
    else if (result == 0) result = err->text[0] ? -1 : error_set(err, ERR_INPUT, "a program without device code");
    for (size_t i = 0; i < n; i++) free((char *)(uintptr_t)units[i].text);
    free(units);
    return result;
}

/* The architecture that a PTX text was made for: 80 for sm_80; 0 if it does not say. */
static uint32_t target_of(const char *text)
{
    const char *at = strstr(text, ".target sm_");
    return at ? (uint32_t)strtoul(at + strlen(".target sm_"), NULL, 10) : 0;
}

/* The module of a fat binary. PTX of a high architecture may use instructions that there are not here, such as
 * cp.async: then what the program has for the next lower one is taken. */
static cudaError_t load_fat(CUmodule *module, const void *data)
{
    cudaError_t first = cudaSuccess;
    uint32_t capability = device_capability();
    for (;;) {
        struct error err = {0};
        char *text;
        size_t size;
        if (fatbin_ptx(&text, &size, data, fatbin_bytes(data), capability, &err) < 0)
            return refuse(cudaErrorNoKernelImageForDevice, err.text, err.hint);
        const uint32_t target = target_of(text);
        const bool is_lower = target && target <= capability; /* else it is the lowest of all */
        if (first && !is_lower) return free(text), first;
        const CUresult result = cuModuleLoadData(module, text);
        free(text);
        if (result == CUDA_SUCCESS) return cudaSuccess;
        if (!first) first = refuse((cudaError_t)result, poise_cuda_last_error(), "");
        if (result != CUDA_ERROR_INVALID_PTX || !is_lower) return first;
        capability = target - 1;
    }
}

static cudaError_t load_linked(struct runtime_binary *b)
{
    struct error err = {0};
    char *text;
    size_t size;
    if (link_parts(&text, &size, b, &err) < 0) return refuse(cudaErrorNoKernelImageForDevice, err.text, err.hint);
    const CUresult result = cuModuleLoadData(&b->module, text);
    free(text);
    return result == CUDA_SUCCESS ? cudaSuccess : refuse((cudaError_t)result, poise_cuda_last_error(), "");
}

static cudaError_t load_any(struct runtime_binary *b)
{
    if (b->parts) return load_linked(b);
    if (!b->data || fatbin_bytes(b->data) == 0)
        return refuse(cudaErrorInvalidKernelImage, "the program's device code is no fat binary", "");
    return load_fat(&b->module, b->data);
}

static cudaError_t load(const struct runtime *r, struct runtime_binary *b)
{
    if (b->is_tried) return b->status;
    b->is_tried = true;
    const CUresult result = cuCtxPushCurrent(r->context);
    if (result != CUDA_SUCCESS) return b->status = (cudaError_t)result;
    b->status = load_any(b);
    cuCtxPopCurrent(NULL);
    return b->status;
}

cudaError_t runtime_kernel(CUfunction *out, struct runtime_function *f)
{
    struct runtime *r = runtime_lock();
    cudaError_t error = load(r, f->binary);
    if (error == cudaSuccess && !f->function)
        error = found(cuModuleGetFunction(&f->function, f->binary->module, f->name), cudaErrorInvalidDeviceFunction);
    *out = f->function;
    runtime_unlock(r);
    return error;
}

static struct runtime_function *find_function(const void *host)
{
    struct runtime *r = runtime_lock();
    struct runtime_function *f = r->functions;
    while (f && f->host != host) f = f->next;
    runtime_unlock(r);
    return f;
}

cudaError_t runtime_function(CUfunction *out, const void *host)
{
    const cudaError_t error = runtime_ready();
    if (error != cudaSuccess) return error;
    struct runtime_function *f = find_function(host);
    return f ? runtime_kernel(out, f) : cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaGetKernel(cudaFunction_t *kernel, const void *function)
{
    struct runtime_function *f = find_function(function);
    *kernel = (cudaFunction_t)f; /* opaque to the program */
    return f ? cudaSuccess : runtime_note(cudaErrorInvalidDeviceFunction);
}

/* Its name in the module: files that were linked may each have had one of that name. */
static const char *name_in_module(char *renamed, size_t size, const struct runtime_variable *v)
{
    if (!v->unit) return v->name;
    snprintf(renamed, size, PTX_LINK_RENAMED, (int)strlen(v->name), v->name, v->unit);
    return module_has_variable(v->binary->module, renamed) ? renamed : v->name;
}

cudaError_t runtime_variable(CUdeviceptr *address, size_t *bytes, const void *symbol)
{
    const cudaError_t ready = runtime_ready();
    if (ready != cudaSuccess) return ready;
    if (!symbol) return cudaErrorInvalidSymbol;
    struct runtime *r = runtime_lock();
    struct runtime_variable *v = r->variables;
    while (v && v->host != symbol) v = v->next;
    if (!v)
        for (v = r->variables; v && strcmp(v->name, symbol) != 0; v = v->next) continue;
    cudaError_t error = v ? load(r, v->binary) : cudaErrorInvalidSymbol;
    char renamed[4096];
    if (error == cudaSuccess)
        error = found(cuModuleGetGlobal(address, bytes, v->binary->module, name_in_module(renamed, sizeof renamed, v)),
                      cudaErrorInvalidSymbol);
    runtime_unlock(r);
    return error;
}

cudaError_t runtime_reference(CUtexref *out, const void *host)
{
    const cudaError_t ready = runtime_ready();
    if (ready != cudaSuccess) return ready;
    struct runtime *r = runtime_lock();
    struct runtime_variable *v = r->variables;
    while (v && !(v->is_reference && v->host == host)) v = v->next;
    cudaError_t error = v ? load(r, v->binary) : cudaErrorInvalidTexture;
    if (error == cudaSuccess)
        error = found(cuModuleGetTexRef(out, v->binary->module, v->name), cudaErrorInvalidTexture);
    runtime_unlock(r);
    return error;
}
