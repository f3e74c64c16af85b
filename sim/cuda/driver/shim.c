#include "driver/graph.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "poise/cuda_shim.h"
#include "poise/number.h"

static struct shim the_shim = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local struct shim_thread the_thread;

struct shim_thread *shim_thread(void) { return &the_thread; }

struct shim *shim_lock(void)
{
    pthread_mutex_lock(&the_shim.lock);
    return &the_shim;
}

CUresult shim_unlock(struct shim *s, CUresult result)
{
    pthread_mutex_unlock(&s->lock);
    return result;
}

static _Atomic uint64_t n_told;
uint64_t shim_told(void) { return n_told; }

void shim_tell(const char *text) { shim_tell_of(text, text); }

void shim_tell_of(const char *what, const char *text)
{
    struct shim_thread *t = shim_thread();
    const struct hash line = hash_bytes(what, strlen(what));
    t->told = true;
    n_told++;
    for (unsigned i = 0; i < t->n_lines; i++)
        if (memcmp(&t->lines[i], &line, sizeof line) == 0) return;
    if (t->n_lines == TOLD_LINES) return;
    t->lines[t->n_lines++] = line;
    fprintf(stderr, "poise: %s\n%s", text,
            t->n_lines == TOLD_LINES ? "poise: further errors of this thread are not shown\n" : "");
}

static void note(struct shim_thread *t, CUresult code, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void note(struct shim_thread *t, CUresult code, const char *format, va_list args)
{
    const int n = snprintf(t->last_error, sizeof t->last_error, "%s: ", cuda_error_name(code));
    vsnprintf(t->last_error + n, sizeof t->last_error - (size_t)n, format, args);
}

CUresult shim_fail(CUresult code, const char *format, ...)
{
    struct shim_thread *t = shim_thread();
    va_list args;
    va_start(args, format);
    note(t, code, format, args);
    va_end(args);
    shim_tell(t->last_error);
    return code;
}

CUresult shim_answer(CUresult code, const char *format, ...)
{
    struct shim_thread *t = shim_thread();
    va_list args;
    va_start(args, format);
    note(t, code, format, args);
    va_end(args);
    t->told = true;
    return code;
}

CUresult shim_fail_with(CUresult code, const struct error *err)
{
    return err->hint[0] ? shim_fail(code, "%s (%s)", err->text, err->hint) : shim_fail(code, "%s", err->text);
}

#define OVERHEAD_NS 5000
void shim_spend_launch(struct shim *s, uint64_t warp_insts)
{
    s->busy_ns += OVERHEAD_NS + warp_insts * 1000 / ((uint64_t)s->device.sms * (s->device.clock_khz / 1000));
}
void shim_spend_copy(struct shim *s, uint64_t bytes) { s->busy_ns += OVERHEAD_NS + bytes / 6; }

const char *poise_cuda_last_error(void) { return shim_thread()->last_error; }

bool context_is_live(const struct shim *s, CUcontext context)
{
    for (CUcontext c = s->contexts; c; c = c->next)
        if (c == context) return true;
    return false;
}

CUresult shim_ready(struct shim *s, CUcontext *context)
{
    const struct shim_thread *t = shim_thread();
    if (!s->initialized) return shim_fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
    if (!context) return CUDA_SUCCESS;
    *context = t->depth ? t->stack[t->depth - 1] : NULL;
    if (!*context) return shim_fail(CUDA_ERROR_INVALID_CONTEXT, "this thread has no current context");
    if (!context_is_live(s, *context))
        return shim_fail(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context was destroyed");
    if ((*context)->sticky) shim_thread()->told = true; /* by the first failure, whose text stays */
    return (*context)->sticky;
}

/* The device that POISE_CUDA_DEVICE and POISE_CUDA_SMS name, or the default. */
static CUresult choose_device(struct shim *s)
{
    struct error err;
    const char *name = getenv("POISE_CUDA_DEVICE"), *text = getenv("POISE_CUDA_SMS");
    uint64_t sms = 0;
    if (text && *text && !whole_parse(text, 1, CUDA_DEVICE_MAX_SMS, &sms))
        return shim_fail(CUDA_ERROR_NO_DEVICE, "POISE_CUDA_SMS = %s is not a whole number of SMs from 1 to %u", text,
                         CUDA_DEVICE_MAX_SMS);
    if (cuda_device_choose(&s->device, name && *name ? name : CUDA_DEVICE_DEFAULT, sms, &err) < 0)
        return shim_fail_with(CUDA_ERROR_NO_DEVICE, &err);
    return CUDA_SUCCESS;
}

/* What happens to an access outside every allocation, by POISE_BOUNDS. */
static CUresult choose_bounds(struct shim *s)
{
    static const char *const names[] = {[BOUNDS_WARN] = "warn", [BOUNDS_STRICT] = "strict", [BOUNDS_PAGE] = "page"};
    const char *name = getenv("POISE_BOUNDS");
    s->bounds = BOUNDS_WARN;
    if (!name || !*name) return CUDA_SUCCESS;
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) return s->bounds = (enum bounds)i, CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_VALUE, "POISE_BOUNDS = %s is none of strict, warn and page", name);
}

CUresult cuInit(unsigned int flags)
{
    struct shim *s = shim_lock();
    CUresult result = CUDA_SUCCESS;
    if (flags != 0) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuInit: flags must be 0, not %u", flags);
    else if (!s->initialized &&
             ((result = choose_device(s)) != CUDA_SUCCESS || (result = choose_bounds(s)) != CUDA_SUCCESS))
        return shim_unlock(s, result);
    else if (!s->initialized && !memory_init(&s->memory))
        result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuInit: cannot reserve %llu bytes of address space",
                           DEVICE_MEMORY_BYTES);
    else if (!s->initialized) {
        s->initialized = true;
        s->limits[CU_LIMIT_STACK_SIZE] = 1024; /* as CUDA's */
        s->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
        s->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = HEAP_BYTES_DEFAULT;
    }
    return shim_unlock(s, result);
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuDriverGetVersion: NULL");
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */
static CUcontext context_new(struct shim *s)
{
    CUcontext c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->next = s->contexts;
    s->contexts = c;
    return c;
}

void context_free(struct shim *s, CUcontext context)
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
    return shim_unlock(s, shim_ready(s, &context));
}
