#include "driver/shim.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "poise/cuda_shim.h"
#include "poise/number.h"

/* A graph is freed with and without the lock, and gives memory back under it. */
static struct shim the_shim = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
static _Thread_local struct shim_thread the_thread;

struct shim_thread *shim_thread(void) { return &the_thread; }

bool memory_covers(uint64_t address) { return address - DEVICE_MEMORY_BASE < the_shim.memory.bytes; }

unsigned char shim_default_per_thread;
bool shim_default_is_per_thread(CUstream stream)
{
    return stream == CU_STREAM_PER_THREAD || (!stream && shim_default_per_thread);
}

struct shim *shim_lock(void)
{
    pthread_mutex_lock(&the_shim.lock);
    return &the_shim;
}

struct shim *shim_try_lock(void) { return pthread_mutex_trylock(&the_shim.lock) == 0 ? &the_shim : NULL; }

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
    launch_progress_clear(&the_shim.recorder.progress);
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

/* Whether the host may touch the device's memory, by POISE_HOST_ACCESS. */
static CUresult choose_host_access(struct shim *s)
{
    const char *name = getenv("POISE_HOST_ACCESS");
    s->is_host_strict = name && strcmp(name, "strict") == 0;
    if (!name || !*name || s->is_host_strict || strcmp(name, "free") == 0) return CUDA_SUCCESS;
    return shim_fail(CUDA_ERROR_INVALID_VALUE, "POISE_HOST_ACCESS = %s is none of free and strict", name);
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
             ((result = choose_device(s)) != CUDA_SUCCESS || (result = choose_bounds(s)) != CUDA_SUCCESS ||
              (result = choose_host_access(s)) != CUDA_SUCCESS))
        return shim_unlock(s, result);
    else if (!s->initialized && !memory_init(&s->memory, s->device.memory_bytes, s->is_host_strict))
        result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuInit: cannot reserve %llu bytes of address space%s",
                           (unsigned long long)s->device.memory_bytes,
                           s->is_host_strict ? " at the device's addresses, as host access strict needs it" : "");
    else if (!s->initialized) {
        s->initialized = true;
        if (s->is_host_strict) host_access_watch(&s->memory);
        s->limits[CU_LIMIT_STACK_SIZE] = 1024; /* as CUDA's */
        s->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
        s->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = HEAP_BYTES_DEFAULT;
        s->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
        s->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
        s->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    }
    return shim_unlock(s, result);
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuDriverGetVersion: NULL");
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}
