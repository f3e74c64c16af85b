/* Copies and fills of the runtime API. Where a pointer leads is seen from its address, as with unified addressing; what
 * lies in the device's range must lie in an allocation. */
#include "driver/graph.h"
#include "runtime/runtime.h"

#include <string.h>

/* The host's address of `bytes` bytes at a pointer of either side. */
static CUresult side(const struct shim *s, const char *function, const void *pointer, size_t bytes, bool must_be_device,
                     unsigned char **out)
{
    const uint64_t address = (uintptr_t)pointer;
    if (must_be_device && !memory_covers(address))
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx is no device pointer", function,
                         (unsigned long long)address);
    return host_range(s, function, address, bytes, out);
}

struct rows { /* `height` rows of `width` bytes, `pitch` apart */
    const void *pointer;
    size_t pitch;
};

static cudaError_t copy_rows(const char *function, struct rows to, struct rows from, size_t width, size_t height,
                             enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const cudaError_t ready = runtime_ready();
    if (ready != cudaSuccess) return runtime_note(ready);
    if ((unsigned)kind > cudaMemcpyDefault) return runtime_note(cudaErrorInvalidMemcpyDirection);
    if (width == 0 || height == 0) return cudaSuccess;
    if (width > to.pitch || width > from.pitch) return runtime_note(cudaErrorInvalidPitchValue);
    if (height - 1 > (SIZE_MAX - width) / to.pitch || height - 1 > (SIZE_MAX - width) / from.pitch)
        return runtime_note(cudaErrorInvalidValue);
    struct shim *s = shim_lock();
    unsigned char *out, *in;
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS)
        result = side(s, function, to.pointer, to.pitch * (height - 1) + width,
                      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice, &out);
    if (result == CUDA_SUCCESS)
        result = side(s, function, from.pointer, from.pitch * (height - 1) + width,
                      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice, &in);
    if (result == CUDA_SUCCESS && stream_is_captured(stream)) {
        const struct graph_work work = {CU_GRAPH_NODE_TYPE_MEMCPY, .copy = {.dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                                                                            .dstDevice = (uintptr_t)to.pointer,
                                                                            .dstPitch = to.pitch,
                                                                            .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                                                                            .srcDevice = (uintptr_t)from.pointer,
                                                                            .srcPitch = from.pitch,
                                                                            .WidthInBytes = width,
                                                                            .Height = height,
                                                                            .Depth = 1}};
        result = capture_work(stream, &work);
    } else if (result == CUDA_SUCCESS) {
        for (size_t y = 0; y < height; y++) memmove(out + y * to.pitch, in + y * from.pitch, width);
        shim_spend_copy(s, width * height);
    }
    return runtime_note_driver(shim_unlock(s, result));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows("cudaMemcpy", (struct rows){to, bytes}, (struct rows){from, bytes}, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, NULL);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows("cudaMemcpy2D", (struct rows){to, to_pitch}, (struct rows){from, from_pitch}, width, height, kind,
                     stream);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    if (to_device || from_device) return runtime_note(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    if (to_device || from_device) return runtime_note(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t fill_rows(const char *function, void *to, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream)
{
    const cudaError_t ready = runtime_ready();
    if (ready != cudaSuccess) return runtime_note(ready);
    if (width == 0 || height == 0) return cudaSuccess;
    if (width > pitch) return runtime_note(cudaErrorInvalidPitchValue);
    if (height - 1 > (SIZE_MAX - width) / pitch) return runtime_note(cudaErrorInvalidValue);
    struct shim *s = shim_lock();
    unsigned char *out;
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS) result = side(s, function, to, pitch * (height - 1) + width, true, &out);
    if (result == CUDA_SUCCESS && stream_is_captured(stream)) {
        const struct graph_work work = {CU_GRAPH_NODE_TYPE_MEMSET,
                                        .fill = {(uintptr_t)to, pitch, (unsigned char)value, 1, width, height}};
        result = capture_work(stream, &work);
    } else if (result == CUDA_SUCCESS)
        for (size_t y = 0; y < height; y++) memset(out + y * pitch, value, width);
    return runtime_note_driver(shim_unlock(s, result));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return fill_rows("cudaMemset", to, bytes, value, bytes, 1, stream);
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) { return cudaMemsetAsync(to, value, bytes, NULL); }
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return fill_rows("cudaMemset2D", to, pitch, value, width, height, NULL);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return fill_rows("cudaMemset2D", to, pitch, value, width, height, stream);
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
        error = cudaMemset2DAsync((char *)to.ptr + z * to.pitch * to.ysize, to.pitch, value, extent.width,
                                  extent.height, stream);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent, NULL);
}

/* Between devices: there is one, and its number is 0. */
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    if (!p) return runtime_note(cudaErrorInvalidValue);
    if (p->srcDevice || p->dstDevice) return runtime_note(cudaErrorInvalidDevice);
    const struct cudaMemcpy3DParms copy = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                           p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    return cudaMemcpy3DAsync(&copy, stream);
}
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { return cudaMemcpy3DPeerAsync(p, NULL); }

/* ---- symbols ---- */
cudaError_t runtime_symbol_range(void **pointer, const void *symbol, size_t bytes, size_t offset)
{
    CUdeviceptr address;
    size_t size;
    const cudaError_t error = runtime_variable(&address, &size, symbol);
    if (error != cudaSuccess) return error;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    *pointer = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *pointer;
    const cudaError_t error = runtime_symbol_range(&pointer, symbol, bytes, offset);
    return error == cudaSuccess ? cudaMemcpyAsync(pointer, from, bytes, kind, stream) : runtime_note(error);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, NULL);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *pointer;
    const cudaError_t error = runtime_symbol_range(&pointer, symbol, bytes, offset);
    return error == cudaSuccess ? cudaMemcpyAsync(to, pointer, bytes, kind, stream) : runtime_note(error);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, NULL);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    return runtime_note(pointer ? runtime_symbol_range(pointer, symbol, 0, 0) : cudaErrorInvalidValue);
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    CUdeviceptr address;
    return runtime_note(bytes ? runtime_variable(&address, bytes, symbol) : cudaErrorInvalidValue);
}
