/* Memory of the runtime API. Device memory lies at the same addresses on the host (memory.c), so pinned and managed
 * memory come from it as well; a host pointer is any other one. */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

static cudaError_t take(void **pointer, size_t bytes, enum allocation_kind kind, const char *function)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && !pointer) error = cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_note(error);
    *pointer = NULL;
    if (bytes == 0) return cudaSuccess;
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && kind == ALLOCATION_MANAGED && !memory_is_shared(&s->memory))
        result = shim_fail(CUDA_ERROR_NOT_SUPPORTED,
                           "%s: the host uses the device's addresses; run the program by poise cuda", function);
    CUdeviceptr at = 0;
    if (result == CUDA_SUCCESS) result = capture_allows(context, function);
    if (result == CUDA_SUCCESS) result = memory_give_out(s, context, &at, bytes, kind, function);
    *pointer = (void *)(uintptr_t)at;
    return runtime_note_driver(shim_unlock(s, result));
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) { return take(pointer, bytes, ALLOCATION_DEVICE, "cudaMalloc"); }

cudaError_t cudaFree(void *pointer)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuMemFree((CUdeviceptr)(uintptr_t)pointer);
    if (error == cudaSuccess && pointer) runtime_pool_freed(pointer);
    return runtime_note(error);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuMemFreeAsync((CUdeviceptr)(uintptr_t)pointer, stream);
    if (error == cudaSuccess && pointer) runtime_pool_freed(pointer); /* a graph's memory is of no pool */
    return runtime_note(error);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CUdeviceptr at = 0;
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && (!pointer || !runtime_pool_is_known(pool))) error = cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_note(error);
    *pointer = NULL;
    if (bytes == 0) return cudaSuccess;
    error = (cudaError_t)cuMemAllocAsync(&at, bytes, stream);
    if (error == cudaSuccess) error = cudaStreamIsCapturing(stream, &status);
    if (error != cudaSuccess) return runtime_note(error);
    *pointer = (void *)(uintptr_t)at;
    if (status != cudaStreamCaptureStatusNone || runtime_pool_taken(pool, *pointer, bytes)) return cudaSuccess;
    cudaFree(*pointer);
    return runtime_note(cudaErrorMemoryAllocation);
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(pointer, bytes, runtime_pool_current(), stream);
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return runtime_note(cudaErrorInvalidValue);
    return take(pointer, bytes, ALLOCATION_MANAGED, "cudaMallocManaged");
}

/* Ordinary memory where the device's addresses are not the host's: kernels cannot reach it then. */
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && (!pointer || flags > 7)) error = cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_note(error);
    struct shim *s = shim_lock();
    const bool is_shared = memory_is_shared(&s->memory);
    shim_unlock(s, CUDA_SUCCESS);
    if (is_shared) return take(pointer, bytes, ALLOCATION_PINNED, "cudaHostAlloc");
    *pointer = calloc(1, bytes ? bytes : 1);
    return runtime_note(*pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

cudaError_t cudaFreeHost(void *pointer)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess && pointer) error = (cudaError_t)cuMemFreeHost(pointer);
    return runtime_note(error);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    const cudaError_t ready = runtime_ready();
    CUdeviceptr address = 0;
    if (ready != cudaSuccess || !device || flags) return runtime_note(ready ? ready : cudaErrorInvalidValue);
    const CUresult result = cuMemHostGetDevicePointer(&address, host, 0);
    *device = (void *)(uintptr_t)address;
    return runtime_note_driver(result);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    if (!flags || !host) return runtime_note(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return runtime_note(runtime_ready());
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    FORWARD(cuMemHostRegister(pointer, bytes, flags));
}
cudaError_t cudaHostUnregister(void *pointer) { FORWARD(cuMemHostUnregister(pointer)); }

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - PITCH_ALIGN) return runtime_note(cudaErrorInvalidValue);
    *pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    if (*pitch && height > SIZE_MAX / *pitch) return runtime_note(cudaErrorMemoryAllocation);
    return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    if (!pointer || (extent.depth && extent.height > SIZE_MAX / extent.depth))
        return runtime_note(cudaErrorInvalidValue);
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuMemGetInfo(free_bytes, total_bytes);
    return runtime_note(error);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    static const enum cudaMemoryType types[] = {
        [ALLOCATION_DEVICE] = cudaMemoryTypeDevice,   [ALLOCATION_PINNED] = cudaMemoryTypeHost,
        [ALLOCATION_MANAGED] = cudaMemoryTypeManaged, [ALLOCATION_ARRAY] = cudaMemoryTypeDevice,
        [ALLOCATION_HEAP] = cudaMemoryTypeDevice,     [ALLOCATION_REGISTERED] = cudaMemoryTypeHost};
    const cudaError_t error = runtime_ready();
    if (error != cudaSuccess || !attributes) return runtime_note(error ? error : cudaErrorInvalidValue);
    struct shim *s = shim_lock();
    const struct allocation *const registered = memory_find_registered(&s->memory, pointer),
                                   *const a = registered ? registered
                                              : memory_covers((uintptr_t)pointer)
                                                  ? memory_find(&s->memory, (uintptr_t)pointer)
                                                  : NULL;
    void *const plain = (void *)(uintptr_t)pointer;
    *attributes = (struct cudaPointerAttributes){.type = a ? types[a->kind] : cudaMemoryTypeUnregistered,
                                                 .device = a ? 0 : -2,
                                                 .devicePointer = a ? plain : NULL,
                                                 .hostPointer = plain};
    if (registered) {
        attributes->devicePointer = (void *)(uintptr_t)(a->lo + ((uintptr_t)pointer - (uintptr_t)a->host));
    } else if (a && a->kind == ALLOCATION_REGISTERED) {
        attributes->hostPointer = a->host + ((uintptr_t)pointer - a->lo);
    } else if (a && a->kind != ALLOCATION_PINNED && a->kind != ALLOCATION_MANAGED) {
        attributes->hostPointer = NULL;
    }
    return runtime_note_driver(shim_unlock(s, CUDA_SUCCESS));
}

/* ---- hints about where memory should be ---- */
static cudaError_t hint(const void *pointer, size_t bytes)
{
    const cudaError_t ready = runtime_ready();
    if (ready != cudaSuccess) return runtime_note(ready);
    unsigned char *host;
    struct shim *s = shim_lock();
    const CUresult result = device_range(s, "memory hint", (uintptr_t)pointer, bytes, &host);
    return runtime_note_driver(shim_unlock(s, result));
}
/* CUDA 13 gives the place as a struct of two ints and has flags: the same registers and more, which do not matter
 * here. */
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    return (void)device, (void)stream, hint(pointer, bytes);
}
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    return (void)advice, (void)device, hint(pointer, bytes);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags)
{
    (void)stream, (void)flags;
    return hint(pointer, bytes);
}
