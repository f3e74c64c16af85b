// pagerank: power iteration over a graph in compressed sparse rows, as Pannotia's pull variant: pagerank_share divides each
// rank by its vertex's degree (coalesced), pagerank_gather sums the shares of a vertex's neighbours (uncoalesced: a thread
// owns a vertex, the lanes walk 32 adjacency lists).
#include "cuda_device.h"

extern "C" __global__ void pagerank_init(float *rank, float value, u32 n)
{
    u32 v = thread_index();
    if (v < n) rank[v] = value;
}

extern "C" __global__ void pagerank_share(const u32 *row, const float *rank, float *share, u32 n)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 degree = row[v + 1] - row[v];
    share[v] = degree ? rank[v] / (float)degree : 0.0f;
}

extern "C" __global__ void pagerank_gather(const u32 *row, const u32 *col, const float *share, float *rank, float base, float damping, u32 n)
{
    u32 v = thread_index();
    if (v >= n) return;
    float sum = 0.0f;
#pragma unroll 1
    for (const u32 *edge = col + row[v], *end = col + row[v + 1]; edge != end; edge++) sum += share[*edge];
    rank[v] = fmaf(damping, sum, base);
}
