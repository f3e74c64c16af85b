// louvain: the community to which each vertex would move (V. Blondel and others, "Fast unfolding of communities in large
// networks", J. Stat. Mech., 2008), each link counted by itself as in the first pass: the neighbour's community for which
// the link's weight, less what the two totals would have by chance, is greatest. A thread owns a vertex.
#include "cuda_device.h"

extern "C" __global__ void best_community(const u32 *row, const u32 *col, const float *weight, const u32 *group,
                                          const float *total, u32 *best, float all, u32 n)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 own = group[v], choice = own;
    float most = 0.0f, degree = (float)(row[v + 1] - row[v]) / all;
#pragma unroll 1
    for (u32 e = row[v], end = row[v + 1]; e != end; e++) {
        u32 other = group[col[e]];
        float gain = fmaf(-degree, total[other], weight[e]);
        if (other != own && gain > most) {
            most = gain;
            choice = other;
        }
    }
    best[v] = choice;
}
