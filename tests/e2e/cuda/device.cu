/* What a program asks about the device, and what it is told about a kernel. */
#include <cstring>
#include "check.h"
__global__ __launch_bounds__(128) void kernel(int *x) { __shared__ int s[32]; s[threadIdx.x & 31] = *x; __syncthreads(); *x = s[0]; }
int main()
{
    cudaDeviceProp p;
    cudaFuncAttributes a;
    int n = 0, device = -1, value = 0;
    CUDA(cudaGetDeviceCount(&n));
    CUDA(cudaSetDevice(0));
    CUDA(cudaGetDevice(&device));
    CHECK(n == 1 && device == 0 && cudaSetDevice(1) == cudaErrorInvalidDevice);
    cudaGetLastError();
    CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK(std::strstr(p.name, "Poise") && p.warpSize == 32 && p.multiProcessorCount == 32 && p.maxThreadsPerBlock == 1024);
    CHECK(p.major == 3 && p.minor == 5 && p.maxThreadsDim[2] == 64 && p.maxGridSize[1] == 65535 && p.managedMemory == 1);
    CHECK(p.totalConstMem == 65536 && p.maxThreadsPerMultiProcessor >= 1024 && p.l2CacheSize > 0 && p.memoryBusWidth == 384);
    CHECK(p.sharedMemPerBlock >= 16384 && p.sharedMemPerMultiprocessor >= p.sharedMemPerBlock && p.totalGlobalMem == 4ull << 30);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == 32);
    CUDA(cudaFuncGetAttributes(&a, kernel));
    CHECK(a.sharedSizeBytes == 128 && a.maxThreadsPerBlock == 128 && a.numRegs > 0);
    CHECK(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    void *big;
    CHECK(cudaMalloc(&big, 1ull << 40) == cudaErrorMemoryAllocation);
    CUDA(cudaDeviceReset());
    std::printf("device ok\n");
    return 0;
}
