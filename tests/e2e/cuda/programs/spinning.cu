/* A barrier over the grid made of an atomic counter and a loop that waits, in an ordinary launch: a reduction in several rounds.
 * The device's clock counts the launch's warp instructions, so waiting must not be most of what is executed. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void spinning_kernel(unsigned *values, unsigned n, unsigned *arrived, long long *clocks)
{
    const unsigned threads = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned round = 0;
    for (unsigned half = n / 2; half; half /= 2) {
        for (unsigned i = id; i < half; i += threads) values[i] += values[half + i];
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1u);
            round++;
            while (*(volatile unsigned *)arrived < round * gridDim.x) continue;
            __threadfence();
        }
        __syncthreads();
    }
    if (id == 0) *clocks = clock64();
}
#endif

PROGRAM(spinning)
{
    const unsigned n = 16384;
    Array<unsigned> values(n), arrived(1);
    Array<long long> clocks(1);
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) sum += values[i] = noise(i);
    values.up();
    CHECK(!LAUNCH(spinning_kernel, dim3(32), dim3(64), 0, values.device, n, arrived.device, clocks.device));
    values.down(), clocks.down();
    CHECK(values[0] == sum);
    CHECK(clocks[0] > 0 && clocks[0] < 200000);
    return 0;
}
