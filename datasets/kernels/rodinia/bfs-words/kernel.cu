// bfs: level-synchronous breadth-first search with two kernels a level, as Rodinia's. A thread owns a node; those of the
// frontier walk their adjacency lists (uncoalesced) and look up every neighbour (scattered).
#include "cuda_device.h"

extern "C" __global__ void bfs_expand(const u32 *row, const u32 *col, u32 *frontier, u32 *next, const u32 *visited, u32 *cost, u32 n)
{
    u32 node = thread_index();
    if (node >= n || !frontier[node]) return;
    frontier[node] = 0;
    u32 level = cost[node] + 1;
#pragma unroll 1
    for (const u32 *edge = col + row[node], *end = col + row[node + 1]; edge != end; edge++) {
        u32 other = *edge;
        if (visited[other]) continue;
        cost[other] = level;
        next[other] = 1;
    }
}

extern "C" __global__ void bfs_advance(u32 *frontier, u32 *next, u32 *visited, u32 *again, u32 n)
{
    u32 node = thread_index();
    if (node >= n || !next[node]) return;
    frontier[node] = 1;
    visited[node] = 1;
    next[node] = 0;
    *again = 1;
}
