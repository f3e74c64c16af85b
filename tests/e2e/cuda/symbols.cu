/* Constant and global variables: initialisers, copies to and from symbols, addresses. */
#include "check.h"
__constant__ float weights[4];
__constant__ int fixed[3] = {5, 6, 7};
__device__ int counter = 10;
__device__ float table[64];
__global__ void use(float *out)
{
    const int i = threadIdx.x;
    table[i] = weights[i & 3] * i + fixed[i % 3];
    out[i] = table[i] + counter;
}
int main()
{
    float w[4] = {1, 2, 3, 4}, out[64], t[64], *d;
    int ten = 0, eleven = 11;
    void *address;
    size_t bytes;
    CUDA(cudaMemcpyToSymbol(weights, w, sizeof w));
    CUDA(cudaMemcpyFromSymbol(&ten, counter, sizeof ten));
    CHECK(ten == 10);
    CUDA(cudaGetSymbolAddress(&address, counter));
    CUDA(cudaMemcpy(address, &eleven, sizeof eleven, cudaMemcpyHostToDevice));
    CUDA(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == sizeof t);
    CUDA(cudaMalloc(&d, sizeof out));
    use<<<1, 64>>>(d);
    CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpyFromSymbol(t, table, sizeof(float) * 32, sizeof(float) * 32));
    for (int i = 0; i < 64; i++) {
        const float expected = w[i & 3] * i + (5 + i % 3);
        CHECK(out[i] == expected + 11);
        if (i >= 32) CHECK(t[i - 32] == expected);
    }
    CHECK(cudaMemcpyToSymbol(weights, w, 17) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    std::printf("symbols ok\n");
    return 0;
}
