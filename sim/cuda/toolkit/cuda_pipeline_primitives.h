/* Asynchronous copies to shared memory, by the primitives. As on devices before sm_80, a copy is done when it is
 * asked for. */
#ifndef POISE_CUDA_PIPELINE_H
#define POISE_CUDA_PIPELINE_H
#define POISE_D static inline __device__ __attribute__((always_inline))
POISE_D void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, size_t bytes,
                                     size_t zeros = 0)
{
    const size_t n = bytes - zeros;
    if (n == 16) *(uint4 *)to = *(const uint4 *)from;
    else if (n == 8) *(uint2 *)to = *(const uint2 *)from;
    else if (n == 4) *(unsigned *)to = *(const unsigned *)from;
    else
        for (size_t i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
    for (size_t i = n; i < bytes; i++) ((char *)to)[i] = 0;
}
POISE_D void __pipeline_commit() {}
POISE_D void __pipeline_wait_prior(size_t) {}
#undef POISE_D
#endif
