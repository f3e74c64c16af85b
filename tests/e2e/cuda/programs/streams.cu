/* Streams and events: work in order, waits, callbacks after what came before, times that grow. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void streams_kernel(int *x, int factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + 1;
}
static void streams_count(void *data) { ++*(int *)data; }
static void CUDART_CB streams_callback(cudaStream_t, cudaError_t status, void *data) { *(int *)data += status == cudaSuccess ? 10 : 1000; }
#else
static void streams_count(void *data) { ++*(int *)data; }
#endif

PROGRAM(streams)
{
    const int n = 4096;
    Array<int> x(n, 3);
    std::vector<int> result(n);
    int counted = 0;
    float ms = -1;
#ifdef PROGRAM_DRIVER
    CUstream a, b;
    CUevent start, half, end;
    int three = 3, five = 5, count = n;
    void *first[] = {&x.device, &three, &count}, *second[] = {&x.device, &five, &count};
    CHECK(!cuStreamCreate(&a, CU_STREAM_NON_BLOCKING) && !cuStreamCreate(&b, 0) && !cuEventCreate(&start, 0) && !cuEventCreate(&half, 0) && !cuEventCreate(&end, 0));
    CUfunction f = driver_function("streams_kernel");
    CHECK(!cuEventRecord(start, a) && !cuLaunchKernel(f, 16, 1, 1, 256, 1, 1, 0, a, first, NULL) && !cuEventRecord(half, a) && !cuLaunchHostFunc(a, streams_count, &counted));
    CHECK(!cuStreamWaitEvent(b, half, 0) && !cuLaunchKernel(f, 16, 1, 1, 256, 1, 1, 0, b, second, NULL));
    CHECK(!cuMemcpyDtoHAsync(result.data(), (CUdeviceptr)x.device, n * sizeof(int), b) && !cuEventRecord(end, b) && !cuStreamSynchronize(b) && !cuStreamQuery(a));
    CHECK(!cuEventElapsedTime(&ms, start, end) && counted == 1 && !cuEventQuery(end) && !cuEventDestroy(half) && !cuStreamDestroy(a) && cuStreamDestroy(a));
#else
    cudaStream_t a, b;
    cudaEvent_t start, half, end;
    CHECK(!cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) && !cudaStreamCreate(&b) && !cudaEventCreate(&start) && !cudaEventCreate(&half) && !cudaEventCreate(&end));
    CHECK(!cudaEventRecord(start, a));
    streams_kernel<<<16, 256, 0, a>>>(x.device, 3, n);
    CHECK(!cudaEventRecord(half, a) && !cudaLaunchHostFunc(a, streams_count, &counted) && !cudaStreamAddCallback(a, streams_callback, &counted, 0));
    CHECK(!cudaStreamWaitEvent(b, half, 0));
    streams_kernel<<<16, 256, 0, b>>>(x.device, 5, n);
    CHECK(!cudaMemcpyAsync(result.data(), x.device, n * sizeof(int), cudaMemcpyDeviceToHost, b) && !cudaEventRecord(end, b) && !cudaStreamSynchronize(b) && !cudaStreamSynchronize(a));
    CHECK(!cudaEventElapsedTime(&ms, start, end) && counted == 11 && !cudaEventQuery(end) && !cudaStreamQuery(a));
    CHECK(!cudaEventDestroy(half) && !cudaStreamDestroy(a) && cudaStreamDestroy(a) && cudaGetLastError() != cudaSuccess);
#endif
    CHECK(ms > 0);
    for (int i = 0; i < n; i++) CHECK(result[i] == (3 * 3 + 1) * 5 + 1);
    return 0;
}
