// dist2: the highest rank among a vertex's neighbours and theirs, by which a round of distance-2 colouring chooses
// vertices (A. Gebremedhin, F. Manne and A. Pothen, SIAM Review 2005): a vertex that is higher than all of them takes a
// colour. A thread owns a vertex.
#include "cuda_device.h"

extern "C" __global__ void dist2_highest(const u32 *row, const u32 *col, const u32 *rank, u32 *highest, u32 n)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 best = 0;
#pragma unroll 1
    for (const u32 *near = col + row[v], *near_end = col + row[v + 1]; near != near_end; near++) {
        u32 u = *near;
#pragma unroll 1
        for (const u32 *far = col + row[u], *far_end = col + row[u + 1]; far != far_end; far++) {
            u32 other = *far, value = rank[other];
            if (other != v && value > best) best = value;
        }
        u32 value = rank[u];
        if (value > best) best = value;
    }
    highest[v] = best;
}
