/* Launches by running kernels (dynamic parallelism), for which clang has no syntax: `poise cc` writes
 * k<<<grid, block, shared, stream>>>(arguments) in device code as
 * poise_launch::by<decltype(&k), (&k)>(grid, block, shared, stream)(arguments). What is called below is what nvcc's
 * code calls, and the functional device provides. The rest of the runtime API that device code may call is here. */
#ifndef POISE_KERNEL_LAUNCHES_H
#define POISE_KERNEL_LAUNCHES_H
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaStreamGraphTailLaunch ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)

extern "C" {
__device__ void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared);
__device__ cudaError_t __cudaCDP2LaunchDeviceV2(void *parameters, cudaStream_t stream);
#define POISE_CDP(name, ...) __device__ cudaError_t cuda##name(__VA_ARGS__) __asm__("__cudaCDP2" #name);
POISE_CDP(StreamCreateWithFlags, cudaStream_t *stream, unsigned flags)
POISE_CDP(StreamDestroy, cudaStream_t stream)
POISE_CDP(StreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned flags)
POISE_CDP(EventCreateWithFlags, cudaEvent_t *event, unsigned flags)
POISE_CDP(EventRecord, cudaEvent_t event, cudaStream_t stream)
POISE_CDP(EventRecordWithFlags, cudaEvent_t event, cudaStream_t stream, unsigned flags)
POISE_CDP(EventDestroy, cudaEvent_t event)
POISE_CDP(GetLastError, void)
POISE_CDP(PeekAtLastError, void)
POISE_CDP(GetDevice, int *device)
POISE_CDP(GetDeviceCount, int *count)
POISE_CDP(DeviceGetAttribute, int *value, cudaDeviceAttr which, int device)
POISE_CDP(MemcpyAsync, void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
POISE_CDP(Memcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
          cudaMemcpyKind kind, cudaStream_t stream)
POISE_CDP(MemsetAsync, void *at, int value, size_t bytes, cudaStream_t stream)
POISE_CDP(Memset2DAsync, void *at, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
POISE_CDP(Malloc, void **memory, size_t bytes)
POISE_CDP(Free, void *memory)
#undef POISE_CDP
/* Of CUDA before 12: Thrust and CUB name them where they compile host code. Their kernels launch none here. */
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t bytes);
__device__ cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared,
                                        cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}
template <class T> __device__ static inline cudaError_t cudaMalloc(T **memory, size_t bytes)
{
    return cudaMalloc((void **)memory, bytes);
}

namespace poise_launch
{
template <class F, F K> struct kernel;
template <class... P, void (*K)(P...)> struct kernel<void (*)(P...), K> {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    static constexpr void (*pointer)(P...) = K; /* naming K itself would be a call of a kernel by device code */

    template <class T> __device__ static void put(char *parameters, size_t &offset, const T &value)
    {
        offset = (offset + alignof(T) - 1) / alignof(T) * alignof(T);
        __builtin_memcpy(parameters + offset, &value, sizeof value);
        offset += sizeof value;
    }
    __device__ void operator()(P... arguments) const
    {
        void *const parameters = __cudaCDP2GetParameterBufferV2((void *)pointer, grid, block, (unsigned)shared);
        if (!parameters) return;
        size_t offset = 0;
        const int each[] = {0, (put((char *)parameters, offset, arguments), 0)...};
        (void)each, (void)offset;
        __cudaCDP2LaunchDeviceV2(parameters, stream);
    }
    __host__ void operator()(P... arguments) const { K<<<grid, block, shared, stream>>>(arguments...); }
};
template <class F, F K>
__host__ __device__ kernel<F, K> by(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr)
{
    return {grid, block, shared, stream};
}
} // namespace poise_launch
#endif
