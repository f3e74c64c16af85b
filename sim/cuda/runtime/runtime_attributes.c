/* Attributes of streams and functions, and questions about the one device, of the runtime API. What streams are told
 * about caches, priorities and waiting is kept for questions: work is done when a call returns. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

int shim_not_offered(const char *name); /* driver/queries.c */
int runtime_not_offered(const char *name);
int runtime_not_offered(const char *name) { return (int)runtime_note((cudaError_t)shim_not_offered(name)); }

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (!config) return runtime_note(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return runtime_note(runtime_ready());
}
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaCtxResetPersistingL2Cache(void) { return runtime_note(runtime_ready()); }
/* A device is not its own peer. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int peer)
{
    (void)attribute, (void)device, (void)peer;
    return runtime_note(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    CUfunction f;
    cudaError_t error = name ? runtime_function(&f, function) : cudaErrorInvalidValue;
    if (error == cudaSuccess) error = (cudaError_t)cuFuncGetName(name, f);
    return runtime_note(error);
}

/* ---- streams ---- */
/* The handle as a number; the default stream is the legacy one, whose handle is 1. */
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    CUcontext context;
    cudaError_t error = id ? runtime_ready() : cudaErrorInvalidValue;
    if (error == cudaSuccess) error = (cudaError_t)cuStreamGetCtx(stream, &context);
    if (error != cudaSuccess) return runtime_note(error);
    *id = stream ? (uintptr_t)stream : 1;
    return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) { FORWARD(cuStreamGetDevice(stream, device)); }

/* What cudaStreamSetAttribute said, of all streams. */
struct setting {
    struct setting *next;
    cudaStream_t stream;
    cudaLaunchAttributeID attribute;
    cudaLaunchAttributeValue value;
};
static struct setting *settings; /* under the runtime's lock */

static struct setting *find_setting(cudaStream_t stream, cudaLaunchAttributeID attribute)
{
    struct setting *set = settings;
    while (set && (set->stream != stream || set->attribute != attribute)) set = set->next;
    return set;
}

void runtime_forget_settings(cudaStream_t stream)
{
    struct runtime *r = runtime_lock();
    for (struct setting **link = &settings, *set; (set = *link);) {
        if (set->stream == stream) *link = set->next, free(set);
        else link = &set->next;
    }
    runtime_unlock(r);
}

static cudaError_t check(cudaStream_t stream, const void *value)
{
    CUcontext context;
    const cudaError_t error = value ? runtime_ready() : cudaErrorInvalidValue;
    return error == cudaSuccess ? (cudaError_t)cuStreamGetCtx(stream, &context) : error;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value)
{
    cudaError_t error = check(stream, value);
    if (error != cudaSuccess) return runtime_note(error);
    struct runtime *r = runtime_lock();
    struct setting *set = find_setting(stream, attribute);
    if (!set && (set = calloc(1, sizeof *set))) {
        *set = (struct setting){.next = settings, .stream = stream, .attribute = attribute};
        settings = set;
    }
    if (set) set->value = *value;
    else error = cudaErrorMemoryAllocation;
    runtime_unlock(r);
    return runtime_note(error);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value)
{
    const cudaError_t error = check(stream, value);
    if (error != cudaSuccess) return runtime_note(error);
    struct runtime *r = runtime_lock();
    const struct setting *set = find_setting(stream, attribute);
    if (set) *value = set->value;
    else memset(value, 0, sizeof *value);
    runtime_unlock(r);
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    cudaError_t error = check(to, "");
    if (error == cudaSuccess) error = check(from, "");
    for (int attribute = 1; error == cudaSuccess && attribute <= cudaLaunchAttributeNvlinkUtilCentricScheduling;
         attribute++) {
        cudaLaunchAttributeValue value;
        struct runtime *r = runtime_lock();
        const struct setting *set = find_setting(from, (cudaLaunchAttributeID)attribute);
        if (set) value = set->value;
        runtime_unlock(r);
        if (set) error = cudaStreamSetAttribute(to, (cudaLaunchAttributeID)attribute, &value);
    }
    return runtime_note(error);
}
