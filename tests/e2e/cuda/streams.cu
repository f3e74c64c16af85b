/* Streams, events, pinned memory, asynchronous copies; errors of launches. */
#include "check.h"
__global__ void scale(float *x, int n, float by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
int main()
{
    const int n = 4096;
    float *host, *d, ms = -1;
    cudaStream_t stream[2];
    cudaEvent_t start, stop;
    CUDA(cudaMallocHost(&host, 2 * n * sizeof(float)));
    CUDA(cudaMalloc(&d, 2 * n * sizeof(float)));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    for (int i = 0; i < 2 * n; i++) host[i] = i;
    CUDA(cudaEventRecord(start, 0));
    for (int s = 0; s < 2; s++) {
        CUDA(cudaStreamCreate(&stream[s]));
        CUDA(cudaMemcpyAsync(d + s * n, host + s * n, n * sizeof(float), cudaMemcpyHostToDevice, stream[s]));
        scale<<<n / 256, 256, 0, stream[s]>>>(d + s * n, n, s + 2.0f);
        CUDA(cudaMemcpyAsync(host + s * n, d + s * n, n * sizeof(float), cudaMemcpyDeviceToHost, stream[s]));
    }
    CUDA(cudaEventRecord(stop, 0));
    CUDA(cudaEventSynchronize(stop));
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    CHECK(ms > 0 && ms < 100);
    for (int s = 0; s < 2; s++) {
        CUDA(cudaStreamSynchronize(stream[s]));
        CHECK(cudaStreamQuery(stream[s]) == cudaSuccess);
        CUDA(cudaStreamDestroy(stream[s]));
        for (int i = 0; i < n; i++) CHECK(host[s * n + i] == (s * n + i) * (s + 2.0f));
    }
    scale<<<1, 2048>>>(d, n, 1);
    CHECK(cudaPeekAtLastError() != cudaSuccess && cudaGetLastError() != cudaSuccess && cudaGetLastError() == cudaSuccess);
    CUDA(cudaFuncSetCacheConfig(scale, cudaFuncCachePreferL1));
    int blocks = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    CHECK(blocks >= 1);
    CUDA(cudaEventDestroy(start));
    CUDA(cudaFreeHost(host));
    std::printf("streams ok, %.6f ms\n", ms);
    return 0;
}
