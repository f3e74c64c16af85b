// histogram: counts in global memory by atomics, with loads of the input coalesced and the counters anywhere.
#include "cuda_device.h"

extern "C" __global__ void histogram_count(const u32 *in, u32 n, u32 *bins, u32 mask)
{
#pragma unroll 1
    for (u32 i = thread_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] & mask], 1);
}
