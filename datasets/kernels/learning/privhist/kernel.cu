// privhist: a histogram of an image in 64 bins, without atomics: every thread counts its own part of the image in bins
// of its own, which are summed by a second kernel. Both the part and the bins of a thread lie together, so a warp
// touches 32 lines a turn.
#include "counters.cuh"

#define BINS 64 // a byte's upper six bits

extern "C" __global__ void privhist_count(const u32 *image, u32 *bins, u32 words)
{
    u32 thread = thread_index();
    const u32 *word = image + thread * words;
    u32 *own = bins + thread * BINS;
#pragma unroll 1
    for (const u32 *end = word + words; word != end; word++) {
        u32 pixels = *word;
        own[pixels >> 2 & 63]++;
        own[pixels >> 10 & 63]++;
        own[pixels >> 18 & 63]++;
        own[pixels >> 26]++;
    }
}

extern "C" __global__ void privhist_sum(const u32 *bins, u32 *histogram, u32 share)
{
    counters_sum(bins, histogram, BINS, share);
}
