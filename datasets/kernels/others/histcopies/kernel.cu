// histcopies: a histogram in private copies. Every group of blocks counts into a copy of the bins of its own, in global memory and by
// atomics; then the copies are added up, by atomics again. With one copy a block, nobody meets; with one for all, all do.
#include "cuda_device.h"

extern "C" __global__ void histcopies_count(const u32 *in, u32 n, u32 *copies, u32 bins, u32 group)
{
    u32 *own = copies + blockIdx.x / group * bins;
#pragma unroll 1
    for (u32 i = thread_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i] % bins], 1);
}

// A block a copy: neighbouring threads add neighbouring bins to the totals.
extern "C" __global__ void histcopies_merge(const u32 *copies, u32 *totals, u32 bins)
{
    const u32 *own = copies + blockIdx.x * bins;
#pragma unroll 1
    for (u32 bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&totals[bin], own[bin]);
}
