// A program of a CMake project.
#include <cstdio>
#include "host.h"
__global__ void shift(int *x) { x[threadIdx.x] = x[threadIdx.x] + 3; }
int main()
{
    int x[BLOCK], *d;
    for (int i = 0; i < BLOCK; i++) x[i] = i;
    cudaMalloc((void **)&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    shift<<<1, BLOCK>>>(d);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    bool is_right = true;
    for (int i = 0; i < BLOCK; i++) is_right &= x[i] == i + 3;
    puts(is_right ? "Test PASSED" : "Test FAILED");
    return 0;
}
