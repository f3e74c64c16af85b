// lookup: where 32-bit keys stand in a sorted array, by bisection (std::lower_bound for many keys at once). A thread
// searches one key after the other; the threads of a warp have neighbouring queries.
#include "cuda_device.h"

extern "C" __global__ void lookup(const u32 *sorted, const u32 *queries, u32 *positions, u32 n_sorted, u32 n_queries)
{
#pragma unroll 1
    for (u32 i = thread_index(); i < n_queries; i += gridDim.x * blockDim.x) {
        u32 key = queries[i], low = 0, high = n_sorted;
#pragma unroll 1
        while (low < high) {
            u32 middle = (low + high) / 2;
            if (sorted[middle] < key) low = middle + 1;
            else high = middle;
        }
        positions[i] = low;
    }
}
