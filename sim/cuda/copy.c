/* cuMem*: allocation, copies and fills, bounds-checked against the live allocations. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!free_bytes || !total_bytes))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemGetInfo: NULL");
    if (result == CUDA_SUCCESS) {
        *total_bytes = DEVICE_MEMORY_BYTES;
        *free_bytes = DEVICE_MEMORY_BYTES - s->memory.used;
    }
    return shim_unlock(s, result);
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!address || bytes == 0))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: NULL or 0 bytes");
    if (result == CUDA_SUCCESS) {
        const uint64_t at = memory_take(&s->memory, bytes, context, NULL);
        if (at)
            *address = at;
        else
            result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc: no room for %zu bytes; %llu of %llu are in use",
                               bytes, (unsigned long long)s->memory.used, DEVICE_MEMORY_BYTES);
    }
    return shim_unlock(s, result);
}

CUresult cuMemFree(CUdeviceptr address)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && address != 0) { /* as free(NULL) */
        struct allocation *a = memory_find(&s->memory, address);
        if (a && a->lo == address && !a->module)
            memory_drop(&s->memory, a);
        else
            result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemFree: 0x%llx was not returned by cuMemAlloc or is freed",
                               address);
    }
    return shim_unlock(s, result);
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    const struct allocation *a = result == CUDA_SUCCESS ? memory_find(&s->memory, address) : NULL;
    if (result == CUDA_SUCCESS && !a)
        result = shim_fail(CUDA_ERROR_NOT_FOUND, "cuMemGetAddressRange: no allocation holds 0x%llx", address);
    if (result == CUDA_SUCCESS) {
        if (base) *base = a->lo;
        if (bytes) *bytes = a->hi - a->lo;
    }
    return shim_unlock(s, result);
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!pointer || bytes == 0 || flags > 7))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostAlloc: NULL, 0 bytes or unknown flags");
    if (result == CUDA_SUCCESS && !(*pointer = calloc(1, bytes)))
        result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuMemHostAlloc: no room for %zu bytes", bytes);
    return shim_unlock(s, result);
}

CUresult cuMemAllocHost(void **pointer, size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }

CUresult cuMemFreeHost(void *pointer)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !pointer) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemFreeHost: NULL");
    if (result == CUDA_SUCCESS) free(pointer);
    return shim_unlock(s, result);
}

/* The host bytes behind [address, address + bytes), which must lie within one allocation. */
CUresult device_range(const struct shim *s, const char *function, uint64_t address, uint64_t bytes, unsigned char **host)
{
    const struct allocation *a = memory_find(&s->memory, address);
    if (!a)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx lies in no allocation", function,
                         (unsigned long long)address);
    if (bytes > a->hi - address)
        return shim_fail(CUDA_ERROR_INVALID_VALUE,
                         "%s: %llu bytes at 0x%llx go %llu beyond the end of the allocation at 0x%llx of %llu bytes",
                         function, (unsigned long long)bytes, (unsigned long long)address,
                         (unsigned long long)(bytes - (a->hi - address)), (unsigned long long)a->lo,
                         (unsigned long long)(a->hi - a->lo));
    *host = memory_host(&s->memory, address);
    return CUDA_SUCCESS;
}

enum direction { TO_DEVICE, TO_HOST, ON_DEVICE };

static CUresult copy(const char *function, enum direction way, uint64_t to, uint64_t from, size_t bytes,
                     CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    unsigned char *target = way == TO_HOST ? (unsigned char *)(uintptr_t)to : NULL;
    unsigned char *source = way == TO_DEVICE ? (unsigned char *)(uintptr_t)from : NULL;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result != CUDA_SUCCESS || bytes == 0) return shim_unlock(s, result);
    if (way != TO_HOST) result = device_range(s, function, to, bytes, &target);
    if (way != TO_DEVICE && result == CUDA_SUCCESS) result = device_range(s, function, from, bytes, &source);
    if (result == CUDA_SUCCESS && (!target || !source))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: host pointer is NULL", function);
    if (result == CUDA_SUCCESS) memmove(target, source, bytes);
    return shim_unlock(s, result);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return copy("cuMemcpyHtoD", TO_DEVICE, to, (uintptr_t)from, bytes, NULL);
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return copy("cuMemcpyDtoH", TO_HOST, (uintptr_t)to, from, bytes, NULL);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy("cuMemcpyDtoD", ON_DEVICE, to, from, bytes, NULL);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return copy("cuMemcpyHtoDAsync", TO_DEVICE, to, (uintptr_t)from, bytes, stream);
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy("cuMemcpyDtoHAsync", TO_HOST, (uintptr_t)to, from, bytes, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy("cuMemcpyDtoDAsync", ON_DEVICE, to, from, bytes, stream);
}

/* n items of `size` bytes (1, 2 or 4), all equal to value. */
static CUresult fill(const char *function, CUdeviceptr to, unsigned value, unsigned size, size_t n, CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    unsigned char *host = NULL;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_find(context, stream);
    if (result == CUDA_SUCCESS && (to % size || n > DEVICE_MEMORY_BYTES))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx is not a multiple of %u, or %zu items", function, to,
                           size, n);
    if (result != CUDA_SUCCESS || n == 0) return shim_unlock(s, result);
    result = device_range(s, function, to, (uint64_t)n * size, &host);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    if (size == 1) memset(host, (int)value, n);
    for (size_t i = 0; size > 1 && i < n; i++) memcpy(host + i * size, &value, size); /* little-endian */
    return shim_unlock(s, CUDA_SUCCESS);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t n) { return fill("cuMemsetD8", to, value, 1, n, NULL); }
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t n)
{
    return fill("cuMemsetD16", to, value, 2, n, NULL);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t n)
{
    return fill("cuMemsetD32", to, value, 4, n, NULL);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream)
{
    return fill("cuMemsetD8Async", to, value, 1, n, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream)
{
    return fill("cuMemsetD16Async", to, value, 2, n, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t n, CUstream stream)
{
    return fill("cuMemsetD32Async", to, value, 4, n, stream);
}
