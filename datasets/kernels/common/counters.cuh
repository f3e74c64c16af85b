// Counters of a thread's own, `counters` of them for each thread, one after another; and their sums over all threads.
#ifndef COUNTERS_CUH
#define COUNTERS_CUH
#include "cuda_device.h"

// A block sums the counters of `share` threads and a thread of it one counter, coalesced; sums starts at 0.
static inline __device__ void counters_sum(const u32 *own, u32 *sums, u32 counters, u32 share)
{
    u32 counter = threadIdx.x, sum = 0;
    const u32 *from = own + blockIdx.x * share * counters + counter;
#pragma unroll 4
    for (u32 left = share; left != 0; left--, from += counters) sum += *from;
    atomicAdd(&sums[counter], sum);
}
#endif
