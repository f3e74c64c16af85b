/* Two files whose device code is linked (-rdc=true): this one uses what the other defines. */
#include <cstdio>
extern __device__ int counter;
extern __constant__ float table[4];
__device__ float twice(float x);
__global__ void other(int *out);
static __device__ int own = 3; /* the other file has one of this name as well, and a function */
static __device__ int helper(int x) { return x + own; }
template <class T> __device__ __noinline__ T both(T x) { return x * 2; }
__global__ void first(float *out)
{
    out[threadIdx.x] = twice((float)threadIdx.x) + table[threadIdx.x % 4] + (float)helper(1) + (float)both(3);
    atomicAdd(&counter, 1);
}

int main()
{
    float *x, on_host[4], t[4] = {10, 20, 30, 40};
    int *y, numbers[4], count = 0;
    cudaMalloc(&x, sizeof on_host);
    cudaMalloc(&y, sizeof numbers);
    if (cudaMemcpyToSymbol(table, t, sizeof t) != cudaSuccess) return 1;
    first<<<1, 4>>>(x);
    other<<<1, 4>>>(y);
    cudaMemcpy(on_host, x, sizeof on_host, cudaMemcpyDeviceToHost);
    cudaMemcpy(numbers, y, sizeof numbers, cudaMemcpyDeviceToHost);
    if (cudaMemcpyFromSymbol(&count, counter, sizeof count) != cudaSuccess || count != 8) return 2;
    for (int i = 0; i < 4; i++)
        if (on_host[i] != 2 * i + t[i] + 4 + 6 || numbers[i] != i * 100 + 2) return 3;
    printf("linked\n");
    return 0;
}
