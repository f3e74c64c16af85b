/* Launches that fit a current device and not a small one: 1024 threads with more than 32 registers each, and a CTA with more
 * than 48 KiB of shared memory. Whether they fit a simulated GPU is no matter of the program's. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif
/* 40 numbers that all depend on each other: they are alive at once. */
HOST_DEVICE static inline unsigned registers_mix(const unsigned *in, unsigned from, unsigned n)
{
    unsigned x[40], sum = 0;
    for (unsigned k = 0; k < 40; k++) x[k] = in[(from + k) % n];
    for (unsigned round = 0; round < 3; round++)
        for (unsigned k = 0; k < 40; k++) x[k] = x[k] * 5 + x[(k + 17) % 40];
    for (unsigned k = 0; k < 40; k++) sum = sum * 3 + x[k];
    return sum;
}
#ifndef PROGRAM_DRIVER
extern "C" __global__ void registers_kernel(const unsigned *in, unsigned *out, unsigned n) { out[blockIdx.x * blockDim.x + threadIdx.x] = registers_mix(in, threadIdx.x * 40, n); }
extern "C" __global__ void registers_shared_kernel(int *out)
{
    extern __shared__ int room[];
    for (int i = (int)threadIdx.x; i < 24 * 1024; i += (int)blockDim.x) room[i] = i;
    __syncthreads();
    out[threadIdx.x] = room[24 * 1024 - 1 - threadIdx.x];
}
#endif

PROGRAM(registers)
{
    const unsigned n = 3000, threads = 1024;
    Array<unsigned> in(n), out(2 * threads);
    Array<int> reversed(threads);
    for (unsigned i = 0; i < n; i++) in[i] = noise(i);
    in.up();
    CHECK(!LAUNCH(registers_kernel, dim3(2), dim3(threads), 0, (const unsigned *)in.device, out.device, n));
    out.down();
    for (unsigned t = 0; t < threads; t++) CHECK(out[t] == registers_mix(in.host.data(), t * 40, n) && out[threads + t] == out[t]);
#ifdef PROGRAM_DRIVER
    CHECK(!cuFuncSetAttribute(driver_function("registers_shared_kernel"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 96 * 1024));
#else
    CHECK(!cudaFuncSetAttribute((const void *)registers_shared_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
#endif
    CHECK(!LAUNCH(registers_shared_kernel, dim3(1), dim3(threads), 96 * 1024, reversed.device));
    reversed.down();
    for (int t = 0; t < (int)threads; t++) CHECK(reversed[(size_t)t] == 24 * 1024 - 1 - t);
    return 0;
}
