// kmeans: assigns every point to the nearest of n_clusters centres. A thread owns a point and walks its features once for
// each centre; points are stored row by row (uncoalesced), a row has n_attributes of which the first n_features count; the
// centres are one word a warp.
#include "cuda_device.h"

extern "C" __global__ void kmeans_assign(const float *points, const float *centres, u32 *membership, u32 n_points, u32 n_attributes,
                                         u32 n_features, u32 n_clusters)
{
    u32 point = thread_index();
    if (point >= n_points) return;
    const float *features = points + point * n_attributes;
    float nearest = 3.4e38f;
    u32 index = 0;
#pragma unroll 1
    for (u32 cluster = 0; cluster < n_clusters; cluster++) {
        float distance = 0.0f;
        const float *f = features;
#pragma unroll 1
        for (u32 left = n_features; left != 0; left -= 4, f += 4, centres += 4) { // a multiple of 4
            float d0 = f[0] - centres[0];
            distance = fmaf(d0, d0, distance);
            float d1 = f[1] - centres[1];
            distance = fmaf(d1, d1, distance);
            float d2 = f[2] - centres[2];
            distance = fmaf(d2, d2, distance);
            float d3 = f[3] - centres[3];
            distance = fmaf(d3, d3, distance);
        }
        if (distance < nearest) {
            nearest = distance;
            index = cluster;
        }
    }
    membership[point] = index;
}
