// sssp: single-source shortest paths by rounds of relaxation over all vertices until no distance falls (the topology-driven
// Bellman-Ford of LonestarGPU). A thread owns a vertex and walks its adjacency list: the neighbour's number, the edge's
// weight and the neighbour's distance are three loads that the lanes of a warp make at 32 places each.
#include "cuda_device.h"

#define UNREACHED 0xffffffffu

extern "C" __global__ void sssp_init(u32 *distance, u32 source, u32 n)
{
    u32 v = thread_index();
    if (v < n) distance[v] = v == source ? 0 : UNREACHED;
}

extern "C" __global__ void sssp_relax(const u32 *row, const u32 *col, const u32 *weight, u32 *distance, u32 n, u32 *changed)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 mine = distance[v], falls = 0;
    if (mine == UNREACHED) return;
#pragma unroll 1
    for (u32 edge = row[v], end = row[v + 1]; edge < end; edge++) {
        u32 other = col[edge], through = mine + weight[edge];
        if (through >= distance[other]) continue;
        if (atomicMin(&distance[other], through) > through) falls = 1;
    }
    if (falls) *changed = 1;
}
