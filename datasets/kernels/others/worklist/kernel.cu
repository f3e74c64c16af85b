// worklist: breadth-first search in one launch, with worklists that all blocks share. A thread takes vertices from the list of this level by
// an atomic ticket, lowers its neighbours' levels by atomicMin, and puts those it was first to reach on the list of the next level; a barrier
// over the grid, made of an atomic counter, ends the level. L1 is not coherent: what others write is read by volatile loads.
#include "cuda_device.h"

#define UNREACHED 0xffffffffu

static inline __device__ u32 fresh(const u32 *at) { return *(volatile const u32 *)at; }

// All blocks must be resident together; the counter only grows.
static inline __device__ void grid_barrier(u32 *arrivals, u32 goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrivals, 1);
        while (*(volatile u32 *)arrivals < goal) {}
        __threadfence();
    }
    __syncthreads();
}

// lists: two, of n vertices each. lengths and tickets: one a level; lengths[0] is 1. Ends after the level that finds nothing.
extern "C" __global__ void worklist_bfs(const u32 *row, const u32 *col, u32 *levels, u32 *lists, u32 *lengths, u32 *tickets, u32 *arrivals, u32 n)
{
#pragma unroll 1
    for (u32 level = 0;; level++) {
        const u32 *list = lists + level % 2 * n;
        u32 *next = lists + (level + 1) % 2 * n, length = fresh(&lengths[level]);
        if (length == 0) break;
#pragma unroll 1
        for (u32 i = atomicAdd(&tickets[level], 1); i < length; i = atomicAdd(&tickets[level], 1)) {
            u32 v = fresh(&list[i]);
#pragma unroll 1
            for (u32 edge = row[v], end = row[v + 1]; edge < end; edge++) {
                u32 other = col[edge];
                if (atomicMin(&levels[other], level + 1) == UNREACHED) next[atomicAdd(&lengths[level + 1], 1)] = other;
            }
        }
        grid_barrier(arrivals, (level + 1) * gridDim.x);
    }
}
