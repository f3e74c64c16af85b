// bootstrap: means of samples drawn with replacement (B. Efron, "Bootstrap methods: another look at the jackknife", Annals of
// Statistics 7, 1979), m of n as P. Bickel, F. Goetze and W. van Zwet have it. A thread owns a replicate.
#include "cuda_device.h"

extern "C" __global__ void replicate_sums(const u32 *sample, const u32 *seeds, u32 *sums, u32 size, u32 draws, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u32 state = seeds[thread], sum = 0;
#pragma unroll 1
    for (u32 left = draws; left != 0; left--) {
        state = state * 1664525u + 1013904223u;
        sum += sample[(u32)((unsigned long long)state * size >> 32)];
    }
    sums[thread] = sum;
}
