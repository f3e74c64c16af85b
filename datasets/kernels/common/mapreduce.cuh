// The kernels that MapReduce programs share: exclusive scan (block, then sums, then add) and grouping by key through a
// hash table with open addressing. Included by the kernel.cu of each program, so its PTX is complete.
#ifndef MAPREDUCE_CUH
#define MAPREDUCE_CUH
#include "cuda_device.h"

#define MR_THREADS 256
#define MR_ITEMS 8 // items a thread scans by itself, so that a block covers 2048

// The scan keeps the built-in barrier, and so the code that its traces were recorded from; a thread's own total never changes under it.
#pragma push_macro("__syncthreads")
#undef __syncthreads

// out = exclusive scan of in within each block of 2048 items; sums[block] = the block's total.
extern "C" __global__ void mr_scan_block(const u32 *in, u32 *out, u32 *sums, u32 n)
{
    __shared__ u32 total[MR_THREADS];
    u32 first = (blockIdx.x * MR_THREADS + threadIdx.x) * MR_ITEMS, sum = 0;
#pragma unroll 1
    for (u32 i = first; i < first + MR_ITEMS && i < n; i++) sum += in[i];
    total[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (u32 step = 1; step < MR_THREADS; step *= 2) {
        u32 other = threadIdx.x >= step ? total[threadIdx.x - step] : 0;
        __syncthreads();
        total[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x == MR_THREADS - 1) sums[blockIdx.x] = total[threadIdx.x];
    u32 before = total[threadIdx.x] - sum;
#pragma unroll 1
    for (u32 i = first; i < first + MR_ITEMS && i < n; i++) {
        u32 value = in[i];
        out[i] = before;
        before += value;
    }
}

#pragma pop_macro("__syncthreads")

// Adds the scanned block sums.
extern "C" __global__ void mr_scan_add(u32 *out, const u32 *sums, u32 n)
{
    u32 i = thread_index();
    if (i < n) out[i] += sums[i / (MR_THREADS * MR_ITEMS)];
}

// Gives every record the slot of its key (never 0) in a table of mask + 1 slots, and counts the records of each slot.
extern "C" __global__ void mr_group(const u32 *keys, u32 n, u32 *table, u32 *counts, u32 *slots, u32 mask)
{
    u32 i = thread_index();
    if (i >= n) return;
    u32 key = keys[i], slot = key & mask;
    for (;;) {
        u32 old = atomicCAS(&table[slot], 0, key);
        if (old == 0 || old == key) break;
        slot = (slot + 1) & mask;
    }
    atomicAdd(&counts[slot], 1);
    slots[i] = slot;
}

// order = the record numbers, those of a slot together from start[slot]. Takes counts down to 0.
extern "C" __global__ void mr_scatter(const u32 *slots, u32 n, const u32 *start, u32 *counts, u32 *order)
{
    u32 i = thread_index();
    if (i >= n) return;
    u32 slot = slots[i];
    order[start[slot] + atomicAdd(&counts[slot], ~0u) - 1] = i;
}
#endif
