/* Pools of memory that streams take and give back. Work is done when a call returns, so memory is free again at once
 * and a pool keeps none in reserve: it counts what is taken from it and remembers its settings. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
    cudaMemPool_t next;
    uint64_t release_threshold, used, high;
    int reuse[3]; /* by cudaMemPoolAttr from cudaMemPoolReuseFollowEventDependencies on */
};
struct pooled { /* memory that is out */
    struct pooled *next;
    const void *pointer;
    uint64_t bytes;
    cudaMemPool_t pool;
};
/* Under the runtime's lock. */
static struct CUmemPoolHandle_st standard = {.reuse = {1, 1, 1}};
static cudaMemPool_t pools, current; /* current: NULL for the standard one */
static struct pooled *taken;

/* The pool of a handle, with the lock held; NULL where there is none. */
static cudaMemPool_t known(cudaMemPool_t pool)
{
    cudaMemPool_t p = pool == &standard ? pool : pools;
    while (p && p != pool) p = p->next;
    return p;
}

static cudaError_t device_pool(cudaMemPool_t *pool, int device, bool is_standard)
{
    const cudaError_t error = !pool ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : runtime_ready();
    if (error == cudaSuccess) *pool = current && !is_standard ? current : &standard;
    return runtime_note(error);
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) { return device_pool(pool, device, true); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return device_pool(pool, device, false); }
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    struct runtime *r = runtime_lock();
    const cudaError_t error = device ? cudaErrorInvalidDevice : known(pool) ? cudaSuccess : cudaErrorInvalidValue;
    if (error == cudaSuccess) current = pool == &standard ? NULL : pool;
    runtime_unlock(r);
    return runtime_note(error);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    cudaError_t error = pool && properties ? runtime_ready() : cudaErrorInvalidValue;
    if (error == cudaSuccess && properties->handleTypes != cudaMemHandleTypeNone) error = cudaErrorNotSupported;
    if (error == cudaSuccess && properties->location.type == cudaMemLocationTypeDevice && properties->location.id)
        error = cudaErrorInvalidDevice;
    if (error != cudaSuccess) return runtime_note(error);
    cudaMemPool_t made = calloc(1, sizeof *made);
    if (!made) return runtime_note(cudaErrorMemoryAllocation);
    struct runtime *r = runtime_lock();
    *made = (struct CUmemPoolHandle_st){.next = pools, .reuse = {1, 1, 1}};
    *pool = pools = made;
    runtime_unlock(r);
    return cudaSuccess;
}

/* What is taken from it stays valid, as on a device, where the pool goes once all is given back. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    struct runtime *r = runtime_lock();
    cudaMemPool_t *link = &pools;
    while (*link && *link != pool) link = &(*link)->next;
    const bool was_here = *link != NULL;
    if (was_here) {
        *link = pool->next;
        if (current == pool) current = NULL;
        for (struct pooled *p = taken; p; p = p->next)
            if (p->pool == pool) p->pool = NULL;
        free(pool);
    }
    runtime_unlock(r);
    return runtime_note(was_here ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    struct runtime *r = runtime_lock();
    const bool is_known = known(pool);
    (void)bytes; /* nothing is kept in reserve */
    runtime_unlock(r);
    return runtime_note(is_known ? cudaSuccess : cudaErrorInvalidValue);
}

/* One direction for both: the member that an attribute is, NULL where it is not one. */
static uint64_t *counter(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: return &pool->release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return &pool->used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return &pool->high;
    default: return NULL;
    }
}
static int *reuse(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    const unsigned i = (unsigned)attribute - cudaMemPoolReuseFollowEventDependencies;
    return i < 3 ? &pool->reuse[i] : NULL;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct runtime *r = runtime_lock();
    cudaError_t error = value && known(pool) ? cudaSuccess : cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        const uint64_t *number = counter(pool, attribute);
        const int *flag = reuse(pool, attribute);
        if (number) memcpy(value, number, sizeof *number);
        else if (flag) memcpy(value, flag, sizeof *flag);
        else error = cudaErrorInvalidValue;
    }
    runtime_unlock(r);
    return runtime_note(error);
}
/* The high marks can only be reset: to what is in use now. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct runtime *r = runtime_lock();
    cudaError_t error = value && known(pool) ? cudaSuccess : cudaErrorInvalidValue;
    uint64_t number = 0;
    if (error == cudaSuccess && reuse(pool, attribute)) memcpy(reuse(pool, attribute), value, sizeof(int));
    else if (error == cudaSuccess && counter(pool, attribute)) {
        memcpy(&number, value, sizeof number);
        if (attribute == cudaMemPoolAttrReleaseThreshold) pool->release_threshold = number;
        else if (counter(pool, attribute) == &pool->high && number == 0) pool->high = pool->used;
        else error = cudaErrorInvalidValue;
    } else error = cudaErrorInvalidValue;
    runtime_unlock(r);
    return runtime_note(error);
}

/* The device has access to its own pools, and there is no other device. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t n)
{
    struct runtime *r = runtime_lock();
    cudaError_t error = known(pool) && (access || !n) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < n; i++)
        if (access[i].location.type == cudaMemLocationTypeDevice && access[i].location.id)
            error = cudaErrorInvalidDevice;
        else if (access[i].flags == cudaMemAccessFlagsProtNone) error = cudaErrorInvalidValue;
    runtime_unlock(r);
    return runtime_note(error);
}
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    struct runtime *r = runtime_lock();
    const bool is_known = known(pool);
    runtime_unlock(r);
    if (!flags || !location || !is_known) return runtime_note(cudaErrorInvalidValue);
    *flags = location->type == cudaMemLocationTypeDevice && location->id == 0 ? cudaMemAccessFlagsProtReadWrite
                                                                              : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

/* ---- taking and giving back ---- */
cudaMemPool_t runtime_pool_current(void) { return current ? current : &standard; }

bool runtime_pool_is_known(cudaMemPool_t pool)
{
    struct runtime *r = runtime_lock();
    const bool is_known = known(pool);
    runtime_unlock(r);
    return is_known;
}

bool runtime_pool_taken(cudaMemPool_t pool, const void *pointer, size_t bytes)
{
    struct pooled *p = malloc(sizeof *p);
    if (!p) return false;
    struct runtime *r = runtime_lock();
    *p = (struct pooled){taken, pointer, bytes, pool};
    taken = p;
    pool->used += bytes;
    if (pool->high < pool->used) pool->high = pool->used;
    runtime_unlock(r);
    return true;
}

void runtime_pool_freed(const void *pointer)
{
    struct runtime *r = runtime_lock();
    for (struct pooled **link = &taken, *p; (p = *link); link = &p->next)
        if (p->pointer == pointer) {
            *link = p->next;
            if (p->pool) p->pool->used -= p->bytes;
            free(p);
            break;
        }
    runtime_unlock(r);
}
