/* Memory of the host that the program registers: kernels reach it at the device's address of it, copies at both. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void registered_kernel(int *there, const int *here, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) (i % 2 ? there[i] += here[i] : there[i] *= 3); /* lanes of one load touch two allocations */
    int *mixed = i % 2 ? there : (int *)here;
    if (i < n && mixed[i] == -1) there[0] = 0;
}
#endif

PROGRAM(registered)
{
    const int n = 300;
    const size_t bytes = n * sizeof(int);
    int *host = (int *)malloc(bytes), *back = (int *)malloc(bytes);
    for (int i = 0; i < n; i++) host[i] = i;
#ifdef PROGRAM_DRIVER
    CUdeviceptr here = 0, there = 0;
    driver_module();
    CHECK(cuMemHostGetDevicePointer(&there, host, 0) != CUDA_SUCCESS);
    CHECK(!cuMemHostRegister(host, bytes, CU_MEMHOSTREGISTER_DEVICEMAP) && !cuMemHostGetDevicePointer(&there, host, 0));
    CHECK(cuMemHostRegister(host + 1, 4, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK(!cuMemAlloc(&here, bytes) && !cuMemcpyHtoD(here, host, bytes));
    CHECK(!LAUNCH(registered_kernel, dim3(3), dim3(128), 0, (int *)there, (const int *)here, n) && !synchronise());
    CHECK(!cuMemcpyDtoH(back, there, bytes));
#else
    int *here = NULL, *there = NULL;
    cudaPointerAttributes a;
    CHECK(cudaHostGetDevicePointer(&there, host, 0) != cudaSuccess);
    CHECK(!cudaHostRegister(host, bytes, cudaHostRegisterMapped) && !cudaHostGetDevicePointer(&there, host, 0));
    CHECK(cudaHostRegister(host + 1, 4, 0) == cudaErrorHostMemoryAlreadyRegistered && cudaGetLastError());
    CHECK(!cudaPointerGetAttributes(&a, host + 5) && a.type == cudaMemoryTypeHost && a.devicePointer == there + 5 &&
          a.hostPointer == host + 5);
    CHECK(!cudaMalloc(&here, bytes) && !cudaMemcpy(here, host, bytes, cudaMemcpyHostToDevice));
    CHECK(!LAUNCH(registered_kernel, dim3(3), dim3(128), 0, there, (const int *)here, n) && !synchronise());
    CHECK(!cudaMemcpy(back, there, bytes, cudaMemcpyDefault));
#endif
    for (int i = 0; i < n; i++) CHECK(host[i] == (i % 2 ? 2 * i : 3 * i) && back[i] == host[i]);
#ifdef PROGRAM_DRIVER
    CHECK(!cuMemHostUnregister(host) && cuMemHostUnregister(host) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK(!cuMemFree(here));
#else
    CHECK(!cudaHostUnregister(host) && cudaHostUnregister(host) == cudaErrorHostMemoryNotRegistered);
    CHECK(!cudaFree(here));
#endif
    for (int i = 0; i < n; i++) CHECK(host[i] == back[i]); /* what was written stays */
    free(host), free(back);
    return 0;
}
