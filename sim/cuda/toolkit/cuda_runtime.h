/* The language's specifiers and types and the runtime API, in C and C++, and in CUDA sources, before which `poise
 * cc` includes this file, the device functions too: intrinsics are clang's own headers over the mathematical
 * functions of device_math.h. */
#ifndef POISE_CUDA_RUNTIME_H
#define POISE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* the guard of CUDA's own header; programs ask for it to know what is included */
#include "host_defines.h"
#include <stddef.h>
#ifdef __CUDA__
#define CUDA_VERSION 10010 /* what clang's headers need to know; cuda.h says its own */
extern "C" {               /* before operator new, which uses them */
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow));
}
#include <__clang_cuda_math_forward_declares.h>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>
#include "vector_types.h"
#include <cuda_runtime_api.h>

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include "device_math.h"
#include "device_math_more.h"
/* Names of which device_together.h has better functions. */
#define __syncthreads_and poise_clang_syncthreads_and
#define __syncthreads_or poise_clang_syncthreads_or
#define __syncthreads_count poise_clang_syncthreads_count
#define __syncwarp poise_clang_syncwarp
#define __barrier_sync poise_clang_barrier_sync
#define __barrier_sync_count poise_clang_barrier_sync_count
#define __threadfence poise_clang_threadfence
#define __threadfence_block poise_clang_threadfence_block
#define __threadfence_system poise_clang_threadfence_system
#define __shfl_sync poise_clang_shfl_sync
#define __shfl_up_sync poise_clang_shfl_up_sync
#define __shfl_down_sync poise_clang_shfl_down_sync
#define __shfl_xor_sync poise_clang_shfl_xor_sync
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#undef __syncthreads_and
#undef __syncthreads_or
#undef __syncthreads_count
#undef __syncwarp
#undef __barrier_sync
#undef __barrier_sync_count
#undef __threadfence
#undef __threadfence_block
#undef __threadfence_system
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#undef CUDA_VERSION /* what CCCL asks of clang */
#define CUDA_VERSION CUDART_VERSION
#include "device_together.h"
#include "device_extra.h"
#include "device_newer.h"
#include "math_overloads.h"
#include "math_host.h"
#include "texture_functions.h"

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t char_bytes);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char *, ...);
}
#include "kernel_launches.h"
#if !defined(__CUDA_ARCH__) && !defined(__CLANG_RDC__) && !defined(__CUDACC_RTC__)
/* Tells the library where the program's managed variables are, before the compiler registers them. Weak: objects link
 * with any libcudart, as makefiles name it, and meet ours when they run. */
extern "C" void __poiseManagedVariables(char *begin, char *end) __attribute__((weak));
extern "C" char __start_poise_managed[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_poise_managed[] __attribute__((weak, visibility("hidden")));
__attribute__((constructor(1000))) static void poise_managed_variables()
{
    if (__start_poise_managed != __stop_poise_managed && __poiseManagedVariables)
        __poiseManagedVariables(__start_poise_managed, __stop_poise_managed);
}
#endif
#else
#include <limits.h>
#include "vector_types.h"
#include <cuda_runtime_api.h>
#ifdef __cplusplus
#include "channel_descriptor.h"
#endif
#endif

#ifdef __cplusplus
#include "runtime_templates.h"
#endif
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t width, size_t height)
{
    const struct cudaPitchedPtr p = {ptr, pitch, width, height};
    return p;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    const struct cudaPos p = {x, y, z};
    return p;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    const struct cudaExtent e = {width, height, depth};
    return e;
}
#endif
