/* Memory of the host that a program registers: it gets a range of device addresses, behind which are the host's own
 * bytes. Addresses of the range depend on the calls alone, so traces are the same in every run; the host's pointer
 * itself is none of the device's (CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM is 0). */
#include "driver/shim.h"

/* What is registered and shares a byte with [host, host + bytes); NULL: nothing. */
static const struct allocation *registered_in(const struct device_memory *m, const unsigned char *host, size_t bytes)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct allocation *a = &m->allocations[i];
        if (a->kind == ALLOCATION_REGISTERED && host < a->host + (a->hi - a->lo) && a->host < host + bytes) return a;
    }
    return NULL;
}

const struct allocation *memory_find_registered(const struct device_memory *m, const void *host)
{
    return registered_in(m, host, 1);
}

CUresult cuMemHostRegister(void *host, size_t bytes, unsigned int flags)
{
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                           CU_MEMHOSTREGISTER_READ_ONLY;
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    uint64_t at = 0;
    if (result == CUDA_SUCCESS && (!host || bytes == 0 || flags & ~known))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostRegister: NULL, 0 bytes or unknown flags");
    if (result == CUDA_SUCCESS && (registered_in(&s->memory, host, bytes) || memory_covers((uintptr_t)host)))
        result = shim_fail(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "cuMemHostRegister: %p is registered", host);
    if (result == CUDA_SUCCESS && !(at = memory_take(&s->memory, bytes, context, NULL)))
        result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuMemHostRegister: no addresses for %zu bytes", bytes);
    if (result == CUDA_SUCCESS) {
        struct allocation *a = memory_find(&s->memory, at);
        a->kind = ALLOCATION_REGISTERED;
        a->host = host;
    }
    return shim_unlock(s, result);
}

CUresult cuMemHostUnregister(void *host)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    const struct allocation *a = memory_find_registered(&s->memory, host);
    if (result == CUDA_SUCCESS && (!a || a->host != host))
        result = shim_fail(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "cuMemHostUnregister: %p is not what was registered",
                           host);
    if (result == CUDA_SUCCESS) memory_drop(&s->memory, memory_find(&s->memory, a->lo));
    return shim_unlock(s, result);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *host, unsigned int flags)
{
    if (!address || flags)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostGetDevicePointer: NULL or flags %u", flags);
    struct shim *s = shim_lock();
    const struct allocation *a = memory_find_registered(&s->memory, host);
    CUresult result = CUDA_SUCCESS;
    if (a) *address = a->lo + (uint64_t)((const unsigned char *)host - a->host);
    else if (memory_covers((uintptr_t)host)) *address = (uintptr_t)host;
    else result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostGetDevicePointer: %p is not registered", host);
    return shim_unlock(s, result);
}
