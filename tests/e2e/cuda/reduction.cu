/* Sum by a tree in shared memory, static and dynamic, with barriers. */
#include "check.h"
template <class T> __global__ void sum_static(const T *in, T *out, int n)
{
    __shared__ T part[256];
    T mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
extern __shared__ int dynamic_part[];
__global__ void sum_dynamic(const int *in, int *out)
{
    const int t = threadIdx.x;
    dynamic_part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        const int v = t >= s ? dynamic_part[t - s] : 0;
        __syncthreads();
        dynamic_part[t] += v;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = dynamic_part[t];
}
int main()
{
    const int n = 5000;
    double in[n], out[8], total = 0, *din, *dout;
    int whole[512], scan[512], *dw, *ds;
    for (int i = 0; i < n; i++) in[i] = i * 0.5;
    CUDA(cudaMalloc(&din, sizeof in));
    CUDA(cudaMalloc(&dout, sizeof out));
    CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
    sum_static<double><<<8, 256>>>(din, dout, n);
    CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) total += out[i];
    CHECK(total == 0.5 * n * (n - 1) / 2);
    for (int i = 0; i < 512; i++) whole[i] = i % 7;
    CUDA(cudaMalloc(&dw, sizeof whole));
    CUDA(cudaMalloc(&ds, sizeof scan));
    CUDA(cudaMemcpy(dw, whole, sizeof whole, cudaMemcpyHostToDevice));
    sum_dynamic<<<2, 256, 256 * sizeof(int)>>>(dw, ds);
    CUDA(cudaMemcpy(scan, ds, sizeof scan, cudaMemcpyDeviceToHost));
    for (int i = 0, sum = 0; i < 512; i++) {
        sum = (i == 256 ? 0 : sum) + whole[i];
        CHECK(scan[i] == sum);
    }
    std::printf("reduction ok\n");
    return 0;
}
