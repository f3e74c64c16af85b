// epochfold: a time series folded at trial periods (D. Leahy et al., "On searches for pulsed emission", ApJ 266, 1983). A
// thread owns one phase bin of one trial: it sums the samples that lie a whole number of periods after its phase.
#include "cuda_device.h"

#define FRACTION_BITS 12 // of places in the series

extern "C" __global__ void fold(const float *series, const u32 *periods, float *profiles, u32 samples, u32 bins, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 period = periods[thread / bins], end = samples << FRACTION_BITS;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 at = period / bins * (thread % bins); at < end; at += period) sum += series[at >> FRACTION_BITS];
    profiles[thread] = sum;
}
