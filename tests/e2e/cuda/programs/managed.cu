/* Managed and pinned memory: one address on both sides; managed variables, which both sides change in turn. */
#include "program.h"
#ifndef PROGRAM_DRIVER
__device__ __managed__ int managed_counter = 40;
__managed__ float managed_row[8] = {1, 2, 3};
extern "C" __global__ void managed_kernel(int *x, const int *pinned, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += pinned[i] * 2;
    if (i == 0) managed_counter += 2, managed_row[1] *= 10;
}
#endif

PROGRAM(managed)
{
    const int n = 300;
    int *x = NULL, *pinned = NULL;
#ifdef PROGRAM_DRIVER
    CUdeviceptr at = 0;
    driver_module();
    CHECK(!cuMemAllocManaged(&at, n * sizeof(int), 1) && !cuMemHostAlloc((void **)&pinned, n * sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP));
    x = (int *)at;
#else
    CHECK(!cudaMallocManaged(&x, n * sizeof(int)) && !cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped));
#endif
    for (int i = 0; i < n; i++) x[i] = i, pinned[i] = 1000 + i;
    CHECK(!LAUNCH(managed_kernel, dim3(3), dim3(128), 0, x, (const int *)pinned, n) && !synchronise());
    for (int i = 0; i < n; i++) CHECK(x[i] == i + 2 * (1000 + i));
#ifdef PROGRAM_DRIVER
    CUdeviceptr device = 0;
    CHECK(!cuMemHostGetDevicePointer(&device, pinned, 0) && device == (CUdeviceptr)pinned && !cuMemFree(at) && !cuMemFreeHost(pinned));
#else
    cudaPointerAttributes a;
    int *device = NULL;
    CHECK(!cudaPointerGetAttributes(&a, x) && a.type == cudaMemoryTypeManaged && a.devicePointer == x && a.hostPointer == x);
    CHECK(!cudaHostGetDevicePointer(&device, pinned, 0) && device == pinned);
    CHECK(managed_counter == 42 && managed_row[1] == 20 && managed_row[2] == 3);
    managed_counter = 100, managed_row[1] = 0.5f;
    CHECK(!LAUNCH(managed_kernel, dim3(1), dim3(32), 0, x, (const int *)pinned, 1) && !synchronise());
    CHECK(managed_counter == 102 && managed_row[1] == 5 && managed_row[0] == 1);
    CHECK(!cudaFree(x) && !cudaFreeHost(pinned));
#endif
    return 0;
}
