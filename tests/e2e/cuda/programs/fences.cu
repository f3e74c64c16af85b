/* Fences: a sum over the grid in one launch, the last block adding up what the others left. */
#include "program.h"
#ifndef PROGRAM_DRIVER
__device__ unsigned fences_done = 0;
extern "C" __global__ void fences_kernel(const int *x, volatile long long *partial, long long *total, int n)
{
    __shared__ long long room[128];
    __shared__ bool is_last;
    const int t = threadIdx.x;
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    room[t] = sum;
    for (int half = 64; half; half /= 2) {
        __syncthreads();
        if (t < half) room[t] += room[t + half];
    }
    if (t == 0) {
        partial[blockIdx.x] = room[0];
        __threadfence();
        is_last = atomicAdd(&fences_done, 1u) == gridDim.x - 1;
        __threadfence_system();
    }
    __syncthreads();
    if (!is_last || t) return;
    long long all = 0;
    for (unsigned b = 0; b < gridDim.x; b++) all += partial[b];
    *total = all;
    __threadfence_block();
    fences_done = 0;
}
#endif

PROGRAM(fences)
{
    const int n = 20000, blocks = 12;
    Array<int> x(n);
    Array<long long> partial(blocks), total(1);
    long long wanted = 0;
    for (int i = 0; i < n; i++) wanted += x[i] = (int)noise(i) >> 4;
    x.up();
    for (int round = 0; round < 2; round++) {
        CHECK(!LAUNCH(fences_kernel, dim3(blocks), dim3(128), 0, (const int *)x.device, (volatile long long *)partial.device, total.device, n));
        total.down();
        CHECK(total[0] == wanted);
    }
    return 0;
}
