/* The part of CUDA's device language that our kernels use, so that Debian's clang compiles them without a CUDA toolkit
 * (-nocudainc). With nvcc, or with clang and a toolkit, __CUDACC_VER_MAJOR__ or __CLANG_CUDA_RUNTIME_WRAPPER_H__ is
 * defined and the vendor's own definitions are used instead. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#if !defined(__CUDACC_VER_MAJOR__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

#define SREG_3D(type, reg) \
    struct type { \
        __declspec(property(get = get_x)) unsigned x; \
        __declspec(property(get = get_y)) unsigned y; \
        __declspec(property(get = get_z)) unsigned z; \
        static __device__ unsigned get_x() { return __nvvm_read_ptx_sreg_##reg##_x(); } \
        static __device__ unsigned get_y() { return __nvvm_read_ptx_sreg_##reg##_y(); } \
        static __device__ unsigned get_z() { return __nvvm_read_ptx_sreg_##reg##_z(); } \
    }
SREG_3D(sreg_thread, tid);
SREG_3D(sreg_block, ctaid);
SREG_3D(sreg_block_dim, ntid);
SREG_3D(sreg_grid_dim, nctaid);
#undef SREG_3D
extern const __device__ __attribute__((weak)) sreg_thread threadIdx;
extern const __device__ __attribute__((weak)) sreg_block blockIdx;
extern const __device__ __attribute__((weak)) sreg_block_dim blockDim;
extern const __device__ __attribute__((weak)) sreg_grid_dim gridDim;

/* clang takes a __shared__ variable for one thread's own and moves its loads over the plain built-in barrier. */
static inline __device__ void block_barrier()
{
    __asm__ volatile("" ::: "memory");
    __syncthreads();
    __asm__ volatile("" ::: "memory");
}
#define __syncthreads block_barrier
static inline __device__ unsigned atomicAdd(unsigned *p, unsigned v)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
static inline __device__ unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
static inline __device__ unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
static inline __device__ unsigned atomicCAS(unsigned *p, unsigned old, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v);
}
static inline __device__ unsigned atomicExch(unsigned *p, unsigned v)
{
    return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v);
}
static inline __device__ void __threadfence() { __nvvm_membar_gl(); }
static inline __device__ int __any_sync(unsigned mask, int p)
{
    int any;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.any.pred p, p, %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(any)
                 : "r"(p), "r"(mask));
    return any;
}
/* Loads and stores of 8 and 16 bytes at once, as CUDA's types of these names; kernels use their members alone. */
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef unsigned uint4 __attribute__((ext_vector_type(4)));
static inline __device__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline __device__ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline __device__ float sqrtf(float a) { return __builtin_sqrtf(a); }
#endif

typedef unsigned int u32;
typedef unsigned char u8;

/* A float of a texture object that is linear in memory (wl_texture). */
static inline __device__ float texel(unsigned long long texture, int i)
{
    float x, y, z, w;
    asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(texture), "r"(i));
    return x;
}

/* The index of this thread in a one-dimensional launch. */
static inline __device__ u32 thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/* sum + a . b over n elements in order; n is a multiple of 4. Unrolled by 4 and ended by an address, which keeps the
 * callers at 20 registers or fewer: with 32768 registers an SM, all 1536 threads then have room. */
static inline __device__ float dot(const float *a, const float *b, u32 n, float sum)
{
#pragma unroll 1
    for (const float *end = a + n; a != end; a += 4, b += 4) {
        sum = fmaf(a[0], b[0], sum);
        sum = fmaf(a[1], b[1], sum);
        sum = fmaf(a[2], b[2], sum);
        sum = fmaf(a[3], b[3], sum);
    }
    return sum;
}

/* The same for a column: element i of a is a[i * pitch]. */
static inline __device__ float dot_column(const float *a, u32 pitch, const float *b, u32 n, float sum)
{
#pragma unroll 1
    for (const float *end = b + n; b != end; b += 2) {
        sum = fmaf(*a, b[0], sum);
        a += pitch;
        sum = fmaf(*a, b[1], sum);
        a += pitch;
    }
    return sum;
}
#endif
