// dedisperse: the search for pulsars: plasma between the stars delays low frequencies, more of it (a higher dispersion
// measure) the more, so the channels of a radio telescope are added after each was shifted (the plain method; on GPUs
// B. Barsdell and others, MNRAS 2012). A thread owns a sample of the sum for one measure (blockIdx.y).
#include "cuda_device.h"

#define CHANNELS_MAX 4096

extern "C" {
__constant__ float dedisperse_delays[CHANNELS_MAX]; // in samples, for each unit of measure
}

extern "C" __global__ void dedisperse(const float *channels, float *sums, u32 n_channels, u32 pitch, u32 samples)
{
    u32 t = thread_index();
    if (t >= samples) return;
    float measure = (float)blockIdx.y, sum = 0.0f;
    const float *own = channels + t;
#pragma unroll 1
    for (u32 c = 0; c < n_channels; c++, own += pitch) sum += own[(u32)fmaf(measure, dedisperse_delays[c], 0.5f)];
    sums[blockIdx.y * samples + t] = sum;
}
