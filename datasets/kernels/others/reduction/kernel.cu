// reduction: the sum of a vector in three ways that differ in how their atomics meet.
//   reduction_one     every thread adds its few elements, then adds to one word
//   reduction_spread  the same, but to one of 64 words, each in a line of its own, by thread number
//   reduction_block   a tree in shared memory first: one atomic a block
#include "cuda_device.h"

#define THREADS 256
#define LINE_WORDS 32

static inline __device__ u32 own_sum(const u32 *in, u32 n)
{
    u32 sum = 0;
#pragma unroll 1
    for (u32 i = thread_index(); i < n; i += gridDim.x * blockDim.x) sum += in[i];
    return sum;
}

extern "C" __global__ void reduction_one(const u32 *in, u32 n, u32 *total) { atomicAdd(total, own_sum(in, n)); }

extern "C" __global__ void reduction_spread(const u32 *in, u32 n, u32 *totals, u32 words)
{
    atomicAdd(&totals[thread_index() % words * LINE_WORDS], own_sum(in, n));
}

extern "C" __global__ void reduction_block(const u32 *in, u32 n, u32 *total)
{
    __shared__ u32 sums[THREADS];
    u32 t = threadIdx.x;
    sums[t] = own_sum(in, n);
#pragma unroll 1
    for (u32 half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) sums[t] += sums[t + half];
    }
    if (t == 0) atomicAdd(total, sums[0]);
}
