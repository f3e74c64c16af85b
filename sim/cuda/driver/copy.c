/* cuMem*: allocation, copies and fills, bounds-checked against the live allocations. */
#include "driver/graph.h"

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
        *total_bytes = s->memory.bytes;
        *free_bytes = s->memory.bytes - s->memory.used;
    }
    return shim_unlock(s, result);
}

CUresult memory_give_out(struct shim *s, CUcontext context, CUdeviceptr *address, size_t bytes,
                         enum allocation_kind kind, const char *function)
{
    const uint64_t at = memory_take_as(&s->memory, bytes, context, NULL, kind);
    if (!at)
        return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "%s: no room for %zu bytes; %llu of %llu are in use", function,
                         bytes, (unsigned long long)s->memory.used, (unsigned long long)s->memory.bytes);
    *address = at;
    return CUDA_SUCCESS;
}

CUresult memory_take_back(struct shim *s, CUdeviceptr address, bool is_hosts, const char *function)
{
    struct allocation *a = memory_find(&s->memory, address);
    const bool is_pinned = a && a->kind == ALLOCATION_PINNED;
    if (is_hosts ? !is_pinned || a->lo != address : is_pinned)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx is %s", function, address,
                         is_hosts ? "no pinned memory: cudaFree takes the device's, free() that of malloc()"
                                  : "pinned memory, which cudaFreeHost takes");
    if (!a || a->lo != address || a->module || a->kind >= ALLOCATION_ARRAY)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx was not returned by cuMemAlloc or is freed", function,
                         address);
    if (a->graph) return graph_memory_give(s, a->graph);
    memory_drop(&s->memory, a);
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!address || bytes == 0))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: NULL or 0 bytes");
    if (result == CUDA_SUCCESS) result = capture_allows(context, "cuMemAlloc");
    if (result == CUDA_SUCCESS) result = memory_give_out(s, context, address, bytes, ALLOCATION_DEVICE, "cuMemAlloc");
    return shim_unlock(s, result);
}

CUresult cuMemFree(CUdeviceptr address)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && address) result = capture_allows(context, "cuMemFree"); /* 0: as free(NULL) */
    if (result == CUDA_SUCCESS && address) result = memory_take_back(s, address, false, "cuMemFree");
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

/* Memory for one address on both sides: only where the device lies at its own addresses. */
static CUresult take_shared(const char *function, CUdeviceptr *address, size_t bytes, enum allocation_kind kind)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!address || bytes == 0))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: NULL or 0 bytes", function);
    if (result == CUDA_SUCCESS && !memory_is_shared(&s->memory))
        result = shim_fail(CUDA_ERROR_NOT_SUPPORTED,
                           "%s: the host uses the device's addresses; run the program by poise cuda", function);
    if (result == CUDA_SUCCESS) result = capture_allows(context, function);
    if (result == CUDA_SUCCESS) result = memory_give_out(s, context, address, bytes, kind, function);
    return shim_unlock(s, result);
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
    if (flags != 1 && flags != 2) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAllocManaged: flags %u", flags);
    return take_shared("cuMemAllocManaged", address, bytes, ALLOCATION_MANAGED);
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned int element_bytes)
{
    if (!pitch || width > SIZE_MAX - PITCH_ALIGN || (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAllocPitch: NULL, or elements of %u bytes", element_bytes);
    size_t bytes;
    *pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    return __builtin_mul_overflow(*pitch, height, &bytes)
               ? shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAllocPitch: too large")
               : cuMemAlloc(address, bytes);
}

/* Ordinary memory where the device's addresses are not the host's: kernels cannot reach it then. */
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!pointer || bytes == 0 || flags > 7))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostAlloc: NULL, 0 bytes or unknown flags");
    const bool is_shared = result == CUDA_SUCCESS && memory_is_shared(&s->memory);
    shim_unlock(s, CUDA_SUCCESS);
    if (is_shared) {
        CUdeviceptr address = 0;
        result = take_shared("cuMemHostAlloc", &address, bytes, ALLOCATION_PINNED);
        *pointer = (void *)(uintptr_t)address;
    } else if (result == CUDA_SUCCESS && !(*pointer = calloc(1, bytes))) {
        result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuMemHostAlloc: no room for %zu bytes", bytes);
    }
    return result;
}

CUresult cuMemAllocHost(void **pointer, size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }

CUresult cuMemFreeHost(void *pointer)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !pointer) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemFreeHost: NULL");
    if (result == CUDA_SUCCESS) result = capture_allows(context, "cuMemFreeHost");
    if (result == CUDA_SUCCESS && (memory_is_shared(&s->memory) || memory_covers((uintptr_t)pointer)))
        result = memory_take_back(s, (CUdeviceptr)(uintptr_t)pointer, true, "cuMemFreeHost");
    else if (result == CUDA_SUCCESS) free(pointer); /* of calloc(), of which no list is kept */
    return shim_unlock(s, result);
}

enum direction { TO_DEVICE, TO_HOST, ON_DEVICE };

static CUresult copy(const char *function, enum direction way, uint64_t to, uint64_t from, size_t bytes,
                     CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    unsigned char *target = NULL, *source = NULL;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result != CUDA_SUCCESS || bytes == 0) return shim_unlock(s, result);
    result = (way == TO_HOST ? host_range : device_range)(s, function, to, bytes, &target);
    if (result == CUDA_SUCCESS)
        result = (way == TO_DEVICE ? host_range : device_range)(s, function, from, bytes, &source);
    if (result == CUDA_SUCCESS && stream_is_captured(stream)) {
        const CUmemorytype to_type = way == TO_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                           from_type = way == TO_DEVICE ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return shim_unlock(s, capture_work(stream, &(struct graph_work){CU_GRAPH_NODE_TYPE_MEMCPY,
                                                                        .copy = {.dstMemoryType = to_type,
                                                                                 .dstHost = (void *)(uintptr_t)to,
                                                                                 .dstDevice = to,
                                                                                 .srcMemoryType = from_type,
                                                                                 .srcHost = (void *)(uintptr_t)from,
                                                                                 .srcDevice = from,
                                                                                 .WidthInBytes = bytes,
                                                                                 .Height = 1,
                                                                                 .Depth = 1}}));
    }
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
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS && (to % size || n > s->memory.bytes))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx is not a multiple of %u, or %zu items", function, to,
                           size, n);
    if (result != CUDA_SUCCESS || n == 0) return shim_unlock(s, result);
    result = device_range(s, function, to, (uint64_t)n * size, &host);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    if (stream_is_captured(stream)) {
        const struct graph_work work = {
            CU_GRAPH_NODE_TYPE_MEMSET,
            .fill = {.dst = to, .pitch = n * size, .value = value, .elementSize = size, .width = n, .height = 1}};
        return shim_unlock(s, capture_work(stream, &work));
    }
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

/* Either side, by address. */
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    const bool from_device = memory_covers(from), to_device = memory_covers(to);
    if (to_device) return copy("cuMemcpy", from_device ? ON_DEVICE : TO_DEVICE, to, from, bytes, stream);
    if (from_device) return copy("cuMemcpy", TO_HOST, to, from, bytes, stream);
    return cuMemcpy2DAsync(&(CUDA_MEMCPY2D){.dstMemoryType = CU_MEMORYTYPE_HOST,
                                            .dstHost = (void *)(uintptr_t)to,
                                            .srcMemoryType = CU_MEMORYTYPE_HOST,
                                            .srcHost = (const void *)(uintptr_t)from,
                                            .WidthInBytes = bytes,
                                            .Height = 1},
                           stream);
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return cuMemcpyAsync(to, from, bytes, NULL); }
