// gridsync: blocks that hand data to each other within one launch. In each round a block reads what another block has written in the round
// before, computes, writes its own, and meets all others at a barrier over the grid, made of one atomic counter. L1 is not coherent, so what
// others have written is read by volatile loads.
#include "cuda_device.h"

// All blocks must be resident together. `goal`: arrivals by the end of this barrier; the counter only grows.
static inline __device__ void grid_barrier(u32 *arrivals, u32 goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrivals, 1);
        while (*(volatile u32 *)arrivals < goal) {}
        __threadfence();
    }
    __syncthreads();
}

// Of the two buffers, each of a word a thread, round r reads number r % 2 and writes the other.
extern "C" __global__ void gridsync(u32 *buffers, u32 *arrivals, u32 rounds)
{
    u32 n = gridDim.x * blockDim.x;
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++) {
        const u32 *from = buffers + r % 2 * n;
        u32 *to = buffers + (r + 1) % 2 * n, producer = (blockIdx.x + r + 1) % gridDim.x;
        u32 value = *(volatile const u32 *)&from[producer * blockDim.x + threadIdx.x];
        to[thread_index()] = value * 3 + blockIdx.x;
        grid_barrier(arrivals, (r + 1) * gridDim.x);
    }
}
