/* Atomics in shared and global memory, and the kinds of atomic functions. */
#include "check.h"
__global__ void histogram(const unsigned char *in, int n, unsigned *bins)
{
    __shared__ unsigned mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void kinds(int *v, float *sum, unsigned long long *big)
{
    const int i = threadIdx.x;
    atomicMax(&v[0], i);
    atomicMin(&v[1], -i);
    atomicOr(&v[2], 1 << (i & 7));
    atomicSub(&v[3], 2);
    if (atomicCAS(&v[4], 0, i + 1) == 0) atomicExch(&v[5], i + 1);
    atomicAdd(sum, 0.5f);
    atomicAdd(big, 1ull << 33);
}
int main()
{
    const int n = 10000;
    static unsigned char in[n];
    unsigned bins[64], expected[64] = {0}, *db;
    unsigned char *d;
    for (int i = 0; i < n; i++) in[i] = (unsigned char)((i * 31 + i / 7) % 64), expected[in[i]]++;
    CUDA(cudaMalloc(&d, n));
    CUDA(cudaMalloc(&db, sizeof bins));
    CUDA(cudaMemset(db, 0, sizeof bins));
    CUDA(cudaMemcpy(d, in, n, cudaMemcpyHostToDevice));
    histogram<<<4, 128>>>(d, n, db);
    CUDA(cudaMemcpy(bins, db, sizeof bins, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) CHECK(bins[i] == expected[i]);
    int v[6], *dv;
    float sum, *ds;
    unsigned long long big, *dl;
    CUDA(cudaMalloc(&dv, sizeof v));
    CUDA(cudaMalloc(&ds, sizeof sum));
    CUDA(cudaMalloc(&dl, sizeof big));
    CUDA(cudaMemset(dv, 0, sizeof v));
    CUDA(cudaMemset(ds, 0, sizeof sum));
    CUDA(cudaMemset(dl, 0, sizeof big));
    kinds<<<1, 96>>>(dv, ds, dl);
    CUDA(cudaMemcpy(v, dv, sizeof v, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&sum, ds, sizeof sum, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&big, dl, sizeof big, cudaMemcpyDeviceToHost));
    CHECK(v[0] == 95 && v[1] == -95 && v[2] == 255 && v[3] == -192 && v[4] != 0 && v[4] == v[5]);
    CHECK(sum == 48 && big == 96ull << 33);
    std::printf("histogram ok\n");
    return 0;
}
