// A program with a makefile that names nvcc and says itself whether it is right.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>
#include <cutil_inline.h> // of CUDA 4, and of no folder of this suite
#include <helper_math.h>
#include "host.h"
__global__ void saxpy(float a, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 64, launches = argc > 2 ? atoi(argv[2]) : 1;
    std::vector<float> x(n), y(n, 1.0f);
    float *dx, *dy;
    for (int i = 0; i < n; i++) x[i] = (float)i;
    cudaMalloc((void **)&dx, n * sizeof(float));
    cudaMalloc((void **)&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < launches; k++) saxpy<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(k ? 0.0f : 2.0f, dx, dy, n);
    cudaThreadSynchronize(); // as old programs do
    cutilCheckMsg("saxpy");
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (argc > 3) pause(); // one that does not end
    const float3 sum = make_float3(x[1], x[2], x[3]) + 1.0f; // 2 3 4
    unsigned timer;
    int bad = !cutCreateTimer(&timer) || !cutComparefe(&sum.y, &x[3], 1, 1e-6f) || dot(sum, sum) != 29.0f;
    for (int i = 0; i < n; i++) bad += y[i] != 2.0f * i + 1.0f;
    printf("saxpy of %d numbers: %d mismatches\n", n, bad);
    return 0; // also where it is wrong, as programs do
}
