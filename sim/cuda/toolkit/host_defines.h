/* CUDA's declaration specifiers. In plain C and C++ they mean nothing, so that one header serves all three. */
#ifndef POISE_HOST_DEFINES_H
#define POISE_HOST_DEFINES_H
#define __HOST_DEFINES_H__
#ifdef __CUDA__
#define POISE_SPECIFIER(...) __attribute__((__VA_ARGS__))
#else
#define POISE_SPECIFIER(...)
#endif
#define __host__ POISE_SPECIFIER(host)
#define __device__ POISE_SPECIFIER(device)
#define __global__ POISE_SPECIFIER(global)
#define __shared__ POISE_SPECIFIER(shared)
#define __constant__ POISE_SPECIFIER(constant)
#if defined(__CUDA__) && !defined(__CLANG_RDC__) /* where device code is linked later, managed variables need nvcc */
#define __managed__ __attribute__((device, section("poise_managed")))
#endif
/* The third, the largest cluster, changes no code. */
#define POISE_BOUNDS_1(threads) threads
#define POISE_BOUNDS_2(threads, blocks) threads, blocks
#define POISE_BOUNDS_3(threads, blocks, cluster) threads, blocks
#define POISE_BOUNDS_OF(a, b, c, which, ...) which
#define __launch_bounds__(...) \
    POISE_SPECIFIER( \
        launch_bounds(POISE_BOUNDS_OF(__VA_ARGS__, POISE_BOUNDS_3, POISE_BOUNDS_2, POISE_BOUNDS_1, )(__VA_ARGS__)))
#define __grid_constant__
/* Launches of clusters are for PTX by nvcc. */
#define __cluster_dims__(...) \
    _Pragma("GCC error \"__cluster_dims__ is not supported: take it away, or compile by nvcc\"")
#define __device_builtin__
#define __cudart_builtin__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
#define __CUDACC_VER__ "superseded by __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__ and __CUDACC_VER_BUILD__"
#endif
