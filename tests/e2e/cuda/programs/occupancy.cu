/* Attributes of kernels and of the device, occupancy, launches with attributes, launches that do not fit. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void __launch_bounds__(256) occupancy_kernel(float *out, int n)
{
    __shared__ float room[1024];
    const int t = threadIdx.x;
    for (int k = t; k < 1024; k += blockDim.x) room[k] = (float)k;
    __syncthreads();
    if (t < n) out[t] = room[(t * 17) % 1024];
}
#endif

PROGRAM(occupancy)
{
    Array<float> out(256);
    int blocks = 0, sms = 0, threads = 0, shared = 0, n = 256;
#ifdef PROGRAM_DRIVER
    CUfunction f = driver_function("occupancy_kernel");
    CHECK(!cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f) && !cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    CHECK(!cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0) && !cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1, config.blockDimX = 256;
    void *arguments[] = {&out.device, &n};
    CHECK(!cuLaunchKernelEx(&config, f, arguments, NULL) && LAUNCH(occupancy_kernel, dim3(1), dim3(512), 0, out.device, n));
    size_t total = 0, available = 0;
    CHECK(!cuMemGetInfo(&available, &total) && available <= total && total >= (1u << 30));
#else
    cudaFuncAttributes a;
    cudaDeviceProp p;
    CHECK(!cudaFuncGetAttributes(&a, occupancy_kernel) && a.numRegs > 0 && !cudaGetDeviceProperties(&p, 0) && p.warpSize == 32 && p.multiProcessorCount > 0);
    threads = a.maxThreadsPerBlock, shared = (int)a.sharedSizeBytes;
    CHECK(!cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, occupancy_kernel, 256, 0) && !cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    int least = 0, best = 0;
    CHECK(!cudaOccupancyMaxPotentialBlockSize(&least, &best, occupancy_kernel, 0, 0) && best > 0 && best <= 256 && least >= sms);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1), config.blockDim = dim3(256);
    CHECK(!cudaLaunchKernelEx(&config, occupancy_kernel, out.device, n));
    CHECK(LAUNCH(occupancy_kernel, dim3(1), dim3(512), 0, out.device, n));
    size_t total = 0, available = 0;
    CHECK(!cudaMemGetInfo(&available, &total) && available <= total && total == p.totalGlobalMem);
#endif
    CHECK(threads == 256 && shared == 4096 && blocks >= 1 && blocks <= 48 / 4 && sms > 0);
    out.down();
    for (int t = 0; t < 256; t++) CHECK(out[t] == (float)(t * 17 % 1024));
    return 0;
}
