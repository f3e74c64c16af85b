/* What goes wrong is told by code: wrong shapes, wrong addresses, wrong handles; and names and texts of codes. */
#include "program.h"
#include <unistd.h>
#ifndef PROGRAM_DRIVER
extern "C" __global__ void errors_kernel(int *x, long long offset) { x[offset + threadIdx.x] = 5; }
#endif

PROGRAM(errors)
{
    Array<int> *x = new Array<int>(32);
    CHECK(LAUNCH(errors_kernel, dim3(0), dim3(32), 0, x->device, 0ll) && LAUNCH(errors_kernel, dim3(1), dim3(2048), 0, x->device, 0ll));
    CHECK(!LAUNCH(errors_kernel, dim3(1), dim3(32), 0, x->device, 0ll));
#ifdef PROGRAM_DRIVER
    const char *text = NULL;
    CUfunction f;
    CHECK(cuModuleGetFunction(&f, driver_module(), "no_such_kernel") == CUDA_ERROR_NOT_FOUND && cuMemFree(12345) == CUDA_ERROR_INVALID_VALUE);
    CHECK(!cuGetErrorName(CUDA_ERROR_NOT_FOUND, &text) && !strcmp(text, "CUDA_ERROR_NOT_FOUND") && !cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text) && !strcmp(text, "out of memory"));
#else
    CHECK(cudaMalloc((void **)NULL, 4) == cudaErrorInvalidValue && cudaPeekAtLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice && cudaFree((void *)12345) == cudaErrorInvalidValue);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice") && !strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    cudaGetLastError();
#endif
    fflush(stderr);
    const int kept = dup(2);
    CHECK(freopen("/dev/null", "w", stderr));
    int status = LAUNCH(errors_kernel, dim3(1), dim3(32), 0, x->device, 1ll << 38);
    if (!status) status = synchronise();
    fflush(stderr);
    dup2(kept, 2), close(kept);
    CHECK(status == 700 && synchronise() == 700);
#ifdef PROGRAM_DRIVER
    driver_module(true);
#else
    cudaDeviceReset();
    cudaGetLastError();
#endif
    return 0;
}
