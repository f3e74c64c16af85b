/* What running kernels ask of the host: printf, malloc and free, textures and surfaces by handle. And the limits that
 * programs set for them. */
#include "driver/shim.h"

#include <stdio.h>

static void print(void *self, const char *text, size_t size)
{
    const struct service_call *call = self;
    launch_progress_clear(&call->shim->recorder.progress);
    fwrite(text, 1, size, stdout); /* the program's own stream, so that both sides' lines keep their order */
}

static uint64_t allocate(void *self, uint64_t bytes)
{
    const struct service_call *call = self;
    struct shim *s = call->shim;
    if (bytes == 0 || bytes > s->limits[CU_LIMIT_MALLOC_HEAP_SIZE] - s->heap_bytes) return 0;
    const uint64_t at = memory_take(&s->memory, bytes, call->context, NULL);
    if (!at) return 0;
    memory_find(&s->memory, at)->kind = ALLOCATION_HEAP;
    s->heap_bytes += bytes;
    return at;
}

static int release(void *self, uint64_t address)
{
    const struct service_call *call = self;
    struct shim *s = call->shim;
    struct allocation *a = memory_find(&s->memory, address);
    if (!a || a->lo != address || a->kind != ALLOCATION_HEAP) return -1;
    s->heap_bytes -= a->hi - a->lo;
    memory_drop(&s->memory, a);
    return 0;
}

static const struct ptx_texture *texture(void *self, uint64_t handle)
{
    const struct service_call *call = self;
    for (const struct texture_object *o = call->context->objects; o; o = o->next)
        if (o->handle == handle) return &o->texture;
    return NULL;
}

/* An access outside every allocation: hardware sees pages, not allocations. */
static bool stray(void *self, const struct ptx_stray *x)
{
    struct service_call *call = self;
    struct shim *s = call->shim;
    char what[300], text[400];
    if (!memory_is_mapped(&s->memory, x->address, x->bytes)) return false;
    s->memory.is_stained = true;
    snprintf(text, sizeof text,
             "kernel %.200s: block (%u,%u,%u) thread (%u,%u,%u), line %u: %.60s at 0x%llx is outside every allocation",
             x->kernel, x->cta[0], x->cta[1], x->cta[2], x->thread[0], x->thread[1], x->thread[2], x->line,
             x->instruction, (unsigned long long)x->address);
    if (call->strays++ == 0) snprintf(call->first_stray, sizeof call->first_stray, "%s", text);
    snprintf(what, sizeof what, "stray %.200s %u", x->kernel, x->line);
    if (s->bounds == BOUNDS_WARN) {
        char line[500];
        snprintf(line, sizeof line, "%s; it continues, as a GPU's pages would let it (--bounds strict stops it)", text);
        shim_tell_of(what, line);
    }
    return true;
}

static void progress(void *self, uint64_t ctas, uint64_t n_ctas, uint64_t warp_insts)
{
    const struct service_call *call = self;
    launch_progress_tell(&call->shim->recorder.progress, ctas, n_ctas, warp_insts);
}

static void undefined(void *self, const char *kernel, uint32_t line, const char *what)
{
    char text[500];
    (void)self;
    snprintf(text, sizeof text, "kernel %.200s: line %u: %s", kernel, line, what);
    shim_tell(text);
}

static uint32_t attribute(void *self, int which, int device, int32_t *value)
{
    const struct service_call *call = self;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return device_attribute(call->shim, which, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

struct ptx_services services_for(struct service_call *call)
{
    return (struct ptx_services){.stray = call->shim->bounds == BOUNDS_STRICT ? NULL : stray,
                                 .progress = progress,
                                 .texture = texture,
                                 .print = print,
                                 .allocate = allocate,
                                 .undefined = undefined,
                                 .release = release,
                                 .launch_room = device_launch_room,
                                 .launch = device_launch,
                                 .copy = device_copy,
                                 .attribute = attribute,
                                 .self = call};
}

/* Whether the device has the limit, as the CUDA Driver API says at cuCtxSetLimit. */
static CUresult check_limit(const struct shim *s, const char *call, CUlimit limit)
{
    if ((unsigned)limit >= sizeof s->limits / sizeof s->limits[0])
        return shim_fail(CUDA_ERROR_UNSUPPORTED_LIMIT, "%s: the device has no limit %u", call, (unsigned)limit);
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH && s->device.major >= 9)
        return shim_fail(CUDA_ERROR_UNSUPPORTED_LIMIT,
                         "%s: devices of compute capability 9.0 and later have no "
                         "depth of synchronisation",
                         call);
    return CUDA_SUCCESS;
}

/* The heap's size counts; the stack and the buffer of printf are as large as they need to be, the others are hints. */
CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = check_limit(s, "cuCtxSetLimit", limit);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && (value < s->heap_bytes || value > s->memory.bytes))
        return shim_unlock(s, shim_fail(CUDA_ERROR_INVALID_VALUE,
                                        "cuCtxSetLimit: a heap of %zu bytes; %llu are in use, the device has %llu",
                                        value, (unsigned long long)s->heap_bytes, (unsigned long long)s->memory.bytes));
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH && value > 24)
        return shim_unlock(s, shim_fail(CUDA_ERROR_INVALID_VALUE,
                                        "cuCtxSetLimit: kernels synchronise to a depth of 24, not %zu", value));
    if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > 128) value = 128;
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) value = 0; /* the device sets no part of L2 aside */
    s->limits[limit] = value;
    return shim_unlock(s, result);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !value) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetLimit: NULL");
    if (result == CUDA_SUCCESS) result = check_limit(s, "cuCtxGetLimit", limit);
    if (result == CUDA_SUCCESS) *value = s->limits[limit];
    return shim_unlock(s, result);
}
