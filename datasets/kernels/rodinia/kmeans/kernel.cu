// kmeans: assigns every point to the nearest of n_clusters centres. A thread owns a point and walks its features once for
// each centre; points are stored row by row (uncoalesced), the centres are one word a warp.
#include "cuda_device.h"

extern "C" __global__ void kmeans_assign(const float *points, const float *centres, u32 *membership, u32 n_points, u32 n_features,
                                         u32 n_clusters)
{
    u32 point = thread_index();
    if (point >= n_points) return;
    const float *features = points + point * n_features;
    float nearest = 3.4e38f;
    u32 index = 0;
#pragma unroll 1
    for (u32 cluster = 0; cluster < n_clusters; cluster++) {
        float distance = 0.0f;
#pragma unroll 1
        for (u32 f = 0; f < n_features; f += 2, centres += 2) { // n_features is even
            float d0 = features[f] - centres[0];
            distance = fmaf(d0, d0, distance);
            float d1 = features[f + 1] - centres[1];
            distance = fmaf(d1, d1, distance);
        }
        if (distance < nearest) {
            nearest = distance;
            index = cluster;
        }
    }
    membership[point] = index;
}
