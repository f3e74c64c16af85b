// streamcluster: what opening a centre at one point would save. A thread owns a point; coordinates lie dimension by dimension
// (coalesced), the points' records are 32 bytes (eight lines a warp), and every point has a row of its own in the table of what
// each centre would lose (uncoalesced, scattered by the point's centre).
#include "cuda_device.h"

#define DIMENSIONS_MAX 256
struct point { float weight; u32 gap; unsigned long long coordinates; long long centre; float cost; u32 end; };

extern "C" __global__ void streamcluster_cost(u32 n, u32 dimensions, u32 candidate, const point *points, u32 n_centres,
                                              const float *coordinates, float *savings, const int *centre_table, int *switches)
{
    __shared__ float centre[DIMENSIONS_MAX];
    u32 i = thread_index();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (u32 d = 0; d < dimensions; d++) centre[d] = coordinates[d * n + candidate];
    __syncthreads();
    if (i >= n) return;
    float cost = 0.0f;
#pragma unroll 1
    for (u32 d = 0; d < dimensions; d++) {
        float difference = coordinates[d * n + i] - centre[d];
        cost = fmaf(difference, difference, cost);
    }
    cost *= points[i].weight;
    float now = points[i].cost;
    float *row = savings + i * (n_centres + 1);
    if (cost < now) {
        switches[i] = 1;
        row[n_centres] += cost - now;
    } else {
        row[centre_table[points[i].centre]] += now - cost;
    }
}
