// shuffles: a permutation test: the labels of samples are shuffled many times, and each time the values of the labelled
// ones are summed (R. Fisher, The Design of Experiments, 1935; shuffled as by Durstenfeld, CACM 1964). A thread owns a
// permutation; label i of all permutations lies together.
#include "cuda_device.h"

extern "C" __global__ void permutation_sums(u8 *labels, const u32 *values, const u32 *seeds, u32 *sums, u32 samples, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u8 *own = labels + thread;
    u32 state = seeds[thread], sum = 0;
#pragma unroll 1
    for (u32 left = samples; left != 0; left--) {
        state = state * 1664525u + 1013904223u;
        u32 drawn = (u32)((unsigned long long)state * left >> 32), last = left - 1;
        u8 label = own[drawn * n];
        own[drawn * n] = own[last * n];
        own[last * n] = label;
        if (label) sum += values[last];
    }
    sums[thread] = sum;
}
