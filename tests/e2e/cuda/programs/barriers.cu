/* Barriers: all threads, some of them by number, arrivals without waiting, counts and votes over the block. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void barriers_kernel(const int *x, int *out)
{
    __shared__ int room[64];
    const int t = threadIdx.x, warp = t / 32, v = x[t];
    int *r = out + 4 * t;
    r[0] = __syncthreads_count(v > 50), r[1] = __syncthreads_and(v < 100), r[2] = __syncthreads_or(v == 1000);
    if (warp < 2) { /* producers go on after they have arrived */
        room[t] = v * 2;
        asm volatile("bar.arrive 1, 128;" : : : "memory");
        r[3] = 0;
    } else {
        asm volatile("bar.sync 1, 128;" : : : "memory");
        r[3] = room[t - 64] + room[(t - 64) ^ 1];
    }
    asm volatile("barrier.sync 2;" : : : "memory");
    if (warp == 0) asm volatile("bar.sync 3, 32;" : : : "memory");
}
#endif

PROGRAM(barriers)
{
    const int n = 128;
    Array<int> x(n), out(4 * n);
    int count = 0;
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 100), count += x[i] > 50;
    x.up();
    CHECK(!LAUNCH(barriers_kernel, dim3(1), dim3(n), 0, (const int *)x.device, out.device));
    out.down();
    for (int t = 0; t < n; t++) {
        CHECK(out[4 * t] == count && out[4 * t + 1] != 0 && out[4 * t + 2] == 0);
        CHECK(out[4 * t + 3] == (t < 64 ? 0 : 2 * (x[t - 64] + x[(t - 64) ^ 1])));
    }
    return 0;
}
