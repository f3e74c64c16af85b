// pbfs: breadth-first search with queues, as Parboil's. pbfs_one_block runs level after level in a single block while the frontier
// fits in it, the queue of the next level in shared memory; pbfs_level expands one large frontier, a thread a vertex of it: found
// vertices go to one of eight queues in shared memory (by lane, so that fewer atomics meet), which the block then copies to its
// share of the global queue.
#include "cuda_device.h"

#define QUEUES 8
#define CAPACITY 128 // of each queue in shared memory; what does not fit goes to the global queue at once
#define THREADS 256

// Lowers the cost of a vertex; true for the one thread that has to put it into the queue of this level.
static inline __device__ bool visit(u32 other, u32 cost, u32 *costs, u32 *level_of, u32 level)
{
    if (atomicMin(&costs[other], cost) <= cost) return false;
    return atomicMax(&level_of[other], level) < level;
}

// One block. state: length of the frontier, level. Ends when the frontier is empty or larger than the block.
extern "C" __global__ void pbfs_one_block(const u32 *row, const u32 *col, u32 *costs, u32 *level_of, u32 *queue, u32 *state)
{
    __shared__ u32 frontier[THREADS], n_next;
    u32 t = threadIdx.x, n = state[0], level = state[1];
    if (t < n) frontier[t] = queue[t];
    while (n > 0 && n <= THREADS) {
        if (t == 0) n_next = 0;
        __syncthreads();
        u32 v = t < n ? frontier[t] : 0;
        __syncthreads();
        level++;
        if (t < n) {
            u32 cost = costs[v] + 1;
#pragma unroll 1
            for (u32 edge = row[v], end = row[v + 1]; edge < end; edge++) {
                u32 other = col[edge];
                if (!visit(other, cost, costs, level_of, level)) continue;
                u32 at = atomicAdd(&n_next, 1);
                if (at < THREADS) frontier[at] = other;
                queue[at] = other;
            }
        }
        __syncthreads();
        n = n_next;
        __syncthreads();
    }
    if (t == 0) {
        state[0] = n;
        state[1] = level;
    }
}

extern "C" __global__ void pbfs_level(const u32 *row, const u32 *col, u32 *costs, u32 *level_of, const u32 *frontier, u32 n, u32 level,
                                      u32 *next, u32 *n_next)
{
    __shared__ volatile u32 queue[QUEUES][CAPACITY]; // volatile: else the compiler merges its stores with those to global memory
    __shared__ u32 length[QUEUES], start[QUEUES];
    u32 t = threadIdx.x, i = thread_index(), mine = t % QUEUES;
    if (t < QUEUES) length[t] = 0;
    __syncthreads();
    if (i < n) {
        u32 v = frontier[i], cost = costs[v] + 1;
#pragma unroll 1
        for (u32 edge = row[v], end = row[v + 1]; edge < end; edge++) {
            u32 other = col[edge];
            if (!visit(other, cost, costs, level_of, level)) continue;
            u32 at = atomicAdd(&length[mine], 1);
            if (at < CAPACITY) queue[mine][at] = other;
            else next[atomicAdd(n_next, 1)] = other;
        }
    }
    __syncthreads();
    if (t == 0) {
        u32 total = 0;
        for (u32 k = 0; k < QUEUES; k++) {
            length[k] = length[k] < CAPACITY ? length[k] : CAPACITY;
            total += length[k];
        }
        u32 at = atomicAdd(n_next, total);
        for (u32 k = 0; k < QUEUES; k++) {
            start[k] = at;
            at += length[k];
        }
    }
    __syncthreads();
#pragma unroll 1
    for (u32 k = 0; k < QUEUES; k++)
        for (u32 at = t; at < length[k]; at += THREADS) next[start[k] + at] = queue[k][at];
}
