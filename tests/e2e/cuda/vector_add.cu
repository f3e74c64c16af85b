/* c = a + b, with a last block that is not full. Ends with status 7, to see that it arrives. */
#include "check.h"
__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    float *a = new float[n], *b = new float[n], *c = new float[n], *da, *db, *dc;
    for (int i = 0; i < n; i++) a[i] = i, b[i] = 2.0f * i;
    CUDA(cudaMalloc(&da, n * sizeof *a));
    CUDA(cudaMalloc(&db, n * sizeof *a));
    CUDA(cudaMalloc((void **)&dc, n * sizeof *a));
    CUDA(cudaMemcpy(da, a, n * sizeof *a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, n * sizeof *a, cudaMemcpyHostToDevice));
    for (int k = 0; k < 3; k++) add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(c, dc, n * sizeof *a, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) CHECK(c[i] == 3.0f * i);
    CUDA(cudaFree(da));
    std::printf("vector_add %d ok\n", n);
    return 7;
}
