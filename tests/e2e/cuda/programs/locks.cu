/* Locks by compare and swap: one thread of each warp in a critical section, and every thread with a loop that lets go inside. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void locks_kernel(int *lock, volatile int *data, int *order)
{
    if ((threadIdx.x & 31) == 0) {
        while (atomicCAS(&lock[0], 0, 1) != 0) continue;
        __threadfence();
        const int at = data[0];
        data[0] = at + 1;
        order[at] = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
        __threadfence();
        atomicExch(&lock[0], 0);
    }
    for (bool done = false; !done;) {
        if (atomicCAS(&lock[1], 0, 1) == 0) {
            data[1] = data[1] + (int)threadIdx.x;
            __threadfence();
            atomicExch(&lock[1], 0);
            done = true;
        }
    }
}
#endif

PROGRAM(locks)
{
    const int blocks = 4, threads = 128, warps = blocks * threads / 32;
    Array<int> lock(2), data(2), order(warps, -1);
    CHECK(!LAUNCH(locks_kernel, dim3(blocks), dim3(threads), 0, lock.device, (volatile int *)data.device, order.device));
    data.down(), order.down(), lock.down();
    std::vector<int> seen(warps);
    for (int k = 0; k < warps; k++) CHECK(order[k] >= 0 && order[k] < warps && !seen[order[k]]++);
    CHECK(data[0] == warps && data[1] == blocks * threads * (threads - 1) / 2 && !lock[0] && !lock[1]);
    return 0;
}
