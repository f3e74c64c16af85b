/* Blocks that wait for later blocks and warps that wait for later warps, by flags in memory, in an ordinary launch. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void waiting_kernel(volatile int *flags, int *out, unsigned *arrived)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) ready = 7; /* the second warp */
    if (threadIdx.x == 0) {
        while (ready != 7) continue;
        flags[blockIdx.x] = (int)blockIdx.x + 1;
        __threadfence();
        const int next = (int)((blockIdx.x + 1) % gridDim.x);
        while (flags[next] == 0) continue;
        out[blockIdx.x] = flags[next];
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < gridDim.x) continue;
    }
}
#endif

PROGRAM(waiting)
{
    const int blocks = 5;
    Array<int> flags(blocks), out(blocks);
    Array<unsigned> arrived(1);
    CHECK(!LAUNCH(waiting_kernel, dim3(blocks), dim3(64), 0, (volatile int *)flags.device, out.device, arrived.device));
    out.down();
    for (int b = 0; b < blocks; b++) CHECK(out[b] == (b + 1) % blocks + 1);
    return 0;
}
