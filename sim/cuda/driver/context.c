/* Contexts: made, destroyed with all that is theirs, and the stack of them that each thread has. */
#include "driver/graph.h"

#include <stdlib.h>

static CUcontext context_new(struct shim *s)
{
    CUcontext c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->next = s->contexts;
    s->contexts = c;
    return c;
}

static void context_free(struct shim *s, CUcontext context)
{
    CUcontext *link = &s->contexts;
    while (*link != context) link = &(*link)->next;
    *link = context->next;
    while (context->modules) module_free(s, context->modules);
    for (CUstream stream; (stream = context->streams); free(stream)) {
        context->streams = stream->next;
        capture_forget(stream);
    }
    for (CUevent event; (event = context->events); free(event)) {
        context->events = event->next;
        free(event->tail);
    }
    objects_free(context);
    arrays_free(context);
    for (size_t i = 0; i < s->memory.n; i++)
        if (s->memory.allocations[i].owner == context && s->memory.allocations[i].kind == ALLOCATION_HEAP)
            s->heap_bytes -= s->memory.allocations[i].hi - s->memory.allocations[i].lo;
    memory_drop_owned(&s->memory, context, NULL);
    free(context);
}

static CUresult check_device(CUdevice device)
{
    return device == 0 ? CUDA_SUCCESS
                       : shim_fail(CUDA_ERROR_INVALID_DEVICE, "device %d: there is one device, 0", device);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS)
        result = context ? check_device(device) : shim_fail(CUDA_ERROR_INVALID_VALUE, "cuDevicePrimaryCtxRetain: NULL");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    if (!s->primary) s->primary = context_new(s);
    if (!s->primary) return shim_unlock(s, shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a context"));
    s->primary_users++;
    *context = s->primary;
    return shim_unlock(s, CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS) result = check_device(device);
    if (result == CUDA_SUCCESS && s->primary_users == 0)
        result = shim_fail(CUDA_ERROR_INVALID_CONTEXT, "the primary context is not retained");
    if (result == CUDA_SUCCESS && --s->primary_users == 0) {
        context_free(s, s->primary);
        s->primary = NULL;
    }
    return shim_unlock(s, result);
}

static CUresult push(CUcontext context)
{
    struct shim_thread *t = shim_thread();
    if (t->depth == CONTEXT_STACK)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "more than %d contexts pushed", CONTEXT_STACK);
    t->stack[t->depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS) result = check_device(device);
    if (result == CUDA_SUCCESS && (!context || flags > 0xff))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxCreate: NULL or flags %u", flags);
    if (result == CUDA_SUCCESS && shim_thread()->depth == CONTEXT_STACK)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "too many contexts");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    CUcontext c = context_new(s);
    if (!c) return shim_unlock(s, shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a context"));
    *context = c;
    return shim_unlock(s, push(c));
}

CUresult cuCtxDestroy(CUcontext context)
{
    struct shim *s = shim_lock();
    struct shim_thread *t = shim_thread();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS && (!context_is_live(s, context) || context == s->primary))
        result = shim_fail(CUDA_ERROR_INVALID_CONTEXT, "cuCtxDestroy: not a context made by cuCtxCreate");
    if (result == CUDA_SUCCESS) {
        if (t->depth && t->stack[t->depth - 1] == context) t->depth--;
        context_free(s, context);
    }
    return shim_unlock(s, result);
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS)
        result = context_is_live(s, context) ? push(context)
                                             : shim_fail(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPushCurrent: not a context");
    return shim_unlock(s, result);
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    struct shim *s = shim_lock();
    struct shim_thread *t = shim_thread();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS && t->depth == 0)
        result = shim_fail(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPopCurrent: this thread has no current context");
    if (result == CUDA_SUCCESS) {
        t->depth--;
        if (context) *context = t->stack[t->depth];
    }
    return shim_unlock(s, result);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    struct shim *s = shim_lock();
    struct shim_thread *t = shim_thread();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS && context && !context_is_live(s, context))
        result = shim_fail(CUDA_ERROR_INVALID_CONTEXT, "cuCtxSetCurrent: not a context");
    if (result == CUDA_SUCCESS) {
        if (t->depth) t->depth--;
        if (context) result = push(context);
    }
    return shim_unlock(s, result);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    struct shim *s = shim_lock();
    const struct shim_thread *t = shim_thread();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS && !context) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetCurrent: NULL");
    if (result == CUDA_SUCCESS) *context = t->depth ? t->stack[t->depth - 1] : NULL;
    return shim_unlock(s, result);
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    if (!flags) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetFlags: NULL");
    *flags = CU_CTX_MAP_HOST;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    (void)context;
    if (!version) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetApiVersion: NULL");
    *version = 3020; /* what every CUDA since has answered */
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !device) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetDevice: NULL");
    if (result == CUDA_SUCCESS) *device = 0;
    return shim_unlock(s, result);
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && config > CU_FUNC_CACHE_PREFER_EQUAL)
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cache configuration %d", (int)config);
    return shim_unlock(s, result);
}

/* Launches run to their end within cuLaunchKernel: there is never anything to wait for. */
CUresult cuCtxSynchronize(void)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = capture_is_over(context, "synchronizing the device");
    return shim_unlock(s, result);
}
