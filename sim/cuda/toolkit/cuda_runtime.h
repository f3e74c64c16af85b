/* What `poise cc` includes before every CUDA source: the language's specifiers, types and device functions, and the
 * runtime API. Intrinsics are clang's own headers over the mathematical functions of device_math.h. */
#ifndef POISE_CUDA_RUNTIME_H
#define POISE_CUDA_RUNTIME_H
#define CUDA_VERSION 10010
#include "host_defines.h"
#include <__clang_cuda_math_forward_declares.h>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include "vector_types.h"
#include <cuda_runtime_api.h>

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include "device_math.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include "device_extra.h"

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t char_bytes);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char *, ...);
}

/* ---- the C++ side of the runtime API ---- */
template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes) { return cudaMalloc((void **)(void *)pointer, bytes); }
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0) { return cudaHostAlloc((void **)(void *)pointer, bytes, flags); }
template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags) { return cudaHostAlloc((void **)(void *)pointer, bytes, flags); }
template <class T> static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) { return cudaMallocManaged((void **)(void *)pointer, bytes, flags); }
template <class T> static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) { return cudaMallocPitch((void **)(void *)pointer, pitch, width, height); }
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags = 0) { return cudaHostGetDevicePointer((void **)(void *)device, host, flags); }
template <class T> static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind); }
template <class T> static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind); }
template <class T> static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaStream_t stream = 0) { return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream); }
template <class T> static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaStream_t stream = 0) { return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream); }
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) { return cudaGetSymbolAddress(pointer, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) { return cudaGetSymbolSize(bytes, (const void *)&symbol); }
template <class T> static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0, cudaStream_t stream = 0) { return cudaLaunchKernel((const void *)function, grid, block, arguments, shared_bytes, stream); }
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config) { return cudaFuncSetCacheConfig((const void *)function, config); }
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config) { return cudaFuncSetSharedMemConfig((const void *)function, config); }
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value) { return cudaFuncSetAttribute((const void *)function, attribute, value); }
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) { return cudaFuncGetAttributes(attributes, (const void *)function); }
template <class T> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size, size_t dynamic_shared_bytes) { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, block_size, dynamic_shared_bytes); }
/* The block size that fills an SM with most threads; the largest of equals. */
template <class T> static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, T function, size_t dynamic_shared_bytes = 0, int limit = 0)
{
    int best = 0, blocks = 0, sms = 0;
    *block_size = *min_grid = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    for (int threads = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; error == cudaSuccess && threads > 0; threads -= 32) {
        if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, threads, dynamic_shared_bytes) != cudaSuccess) return cudaErrorInvalidDeviceFunction;
        if (blocks * threads > best) best = blocks * threads, *block_size = threads, *min_grid = blocks * sms;
    }
    return error;
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
#endif
