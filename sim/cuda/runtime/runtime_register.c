/* What a program registers before main: fat binaries, kernels, variables. Modules are loaded when first needed. */
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

cudaError_t runtime_note_at(cudaError_t error, const char *function)
{
    struct shim_thread *t = shim_thread();
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

cudaError_t runtime_ready(void)
{
    struct runtime *r = runtime_lock();
    CUcontext current = NULL;
    CUresult result = cuInit(0);
    if (result == CUDA_SUCCESS && !r->context) result = cuDevicePrimaryCtxRetain(&r->context, 0);
    if (result == CUDA_SUCCESS) result = cuCtxGetCurrent(&current);
    if (result == CUDA_SUCCESS && current != r->context) result = cuCtxSetCurrent(r->context);
    runtime_unlock(r);
    return (cudaError_t)result;
}

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

static cudaError_t load(struct runtime_binary *b)
{
    if (b->is_tried) return b->status;
    b->is_tried = true;
    if (b->parts) return b->status = load_linked(b);
    if (!b->data || fatbin_bytes(b->data) == 0)
        return b->status = refuse(cudaErrorInvalidKernelImage, "the program's device code is no fat binary", "");
    return b->status = load_fat(&b->module, b->data);
}

cudaError_t runtime_kernel(CUfunction *out, struct runtime_function *f)
{
    struct runtime *r = runtime_lock();
    cudaError_t error = load(f->binary);
    if (error == cudaSuccess && !f->function &&
        cuModuleGetFunction(&f->function, f->binary->module, f->name) != CUDA_SUCCESS)
        error = cudaErrorInvalidDeviceFunction;
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
    cudaError_t error = v ? load(v->binary) : cudaErrorInvalidSymbol;
    if (error == cudaSuccess && cuModuleGetGlobal(address, bytes, v->binary->module, v->name) != CUDA_SUCCESS)
        error = cudaErrorInvalidSymbol;
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
    cudaError_t error = v ? load(v->binary) : cudaErrorInvalidTexture;
    if (error == cudaSuccess && cuModuleGetTexRef(out, v->binary->module, v->name) != CUDA_SUCCESS)
        error = cudaErrorInvalidTexture;
    runtime_unlock(r);
    return error;
}

/* ---- what compilers call ---- */
static struct runtime_binary *binary_of(void **handle)
{
    return handle ? (struct runtime_binary *)(void *)((char *)handle - offsetof(struct runtime_binary, handle)) : NULL;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    const struct fatbin_wrapper *w = wrapper;
    struct runtime_binary *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->data = w->magic == FATBIN_WRAPPER_MAGIC ? w->data : NULL;
    if (b->data && w->version == FATBIN_LINKED_VERSION) b->parts = (const void **)(uintptr_t)w->file;
    struct runtime *r = runtime_lock();
    b->next = r->binaries;
    r->binaries = b;
    runtime_unlock(r);
    return &b->handle;
}

/* A file that poise cc compiled to be linked: all of them are one binary, until its code has been needed. */
void __poiseRegisterLinkedBinary(void (*globals)(void **), void *wrapper)
{
    const struct fatbin_wrapper *w = wrapper;
    struct runtime *r = runtime_lock();
    struct runtime_binary *b = r->binaries;
    while (b && (b->n_parts == 0 || b->is_tried)) b = b->next;
    if (!b && (b = calloc(1, sizeof *b))) {
        b->next = r->binaries;
        r->binaries = b;
    }
    const void **grown = b ? realloc(b->parts, (b->n_parts + 2) * sizeof *grown) : NULL;
    if (grown) {
        b->parts = grown;
        b->parts[b->n_parts++] = w->data;
        b->parts[b->n_parts] = NULL;
    }
    runtime_unlock(r);
    if (grown) globals(&b->handle);
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* Called when the program or a shared library ends: its code and the names in it are about to go. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct runtime_binary *b = binary_of(handle);
    struct runtime *r = runtime_lock();
    for (struct runtime_function **link = &r->functions, *f; (f = *link);) {
        if (f->binary == b) *link = f->next, free(f);
        else link = &f->next;
    }
    for (struct runtime_variable **link = &r->variables, *v; (v = *link);) {
        if (v->binary == b) *link = v->next, free(v->known), free(v);
        else link = &v->next;
    }
    struct runtime_binary **link = &r->binaries;
    while (*link && *link != b) link = &(*link)->next;
    if (*link) *link = b->next;
    runtime_unlock(r);
    if (b && b->n_parts) free(b->parts);
    free(b);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    struct runtime_function *f = handle ? calloc(1, sizeof *f) : NULL;
    if (!f) return;
    struct runtime *r = runtime_lock();
    *f = (struct runtime_function){.next = r->functions, .binary = binary_of(handle), .host = host, .name = name};
    r->functions = f;
    runtime_unlock(r);
}

static struct runtime_variable *register_variable(void **handle, const void *host, bool is_reference, void **pointer,
                                                  const char *name, size_t bytes)
{
    struct runtime_variable *v = handle ? calloc(1, sizeof *v) : NULL;
    if (!v) return NULL;
    struct runtime *r = runtime_lock();
    *v = (struct runtime_variable){.next = r->variables,
                                   .binary = binary_of(handle),
                                   .host = host,
                                   .is_reference = is_reference,
                                   .pointer = pointer,
                                   .name = name,
                                   .bytes = bytes};
    r->variables = v;
    runtime_unlock(r);
    return v;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_external, size_t bytes,
                       int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    struct runtime_variable *v = register_variable(handle, host, false, NULL, name, bytes);
    if (v) runtime_managed_begin(v);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_external, size_t bytes,
                              int is_constant, int is_global)
{
    (void)device, (void)is_external, (void)is_constant, (void)is_global;
    register_variable(handle, host, false, host, name, bytes);
}

void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device, const char *name,
                           int dimensions, int normalised, int is_external)
{
    (void)device, (void)dimensions, (void)normalised, (void)is_external;
    register_variable(handle, host, true, NULL, name, 0);
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device, const char *name,
                           int dimensions, int is_external)
{
    (void)device, (void)dimensions, (void)is_external;
    register_variable(handle, host, true, NULL, name, 0);
}

/* The program is about to use a managed variable: device memory lies at its own address on the host. */
char __cudaInitModule(void **handle)
{
    const struct runtime_binary *b = binary_of(handle);
    if (!b || runtime_ready() != cudaSuccess) return 0;
    struct runtime *r = runtime_lock();
    struct runtime_variable *v = r->variables;
    runtime_unlock(r);
    for (; v; v = v->next) {
        CUdeviceptr address;
        size_t bytes;
        if (v->binary != b || !v->pointer) continue;
        if (runtime_variable(&address, &bytes, v->host) != cudaSuccess) return 0;
        *v->pointer = (void *)(uintptr_t)address;
    }
    return 1;
}
