// kmn: k-means as Rodinia runs it: the points, which come row by row, are turned column by column once; each is then
// assigned to the nearest of n_clusters centres. A thread owns a point. kmn_invert reads rows (uncoalesced, a row's words
// one after another) and writes columns; kmn_assign reads columns (coalesced) and the centres from constant memory.
#include "cuda_device.h"

#define CENTRES_MAX 1024 // words: clusters times features

__constant__ float kmn_centres[CENTRES_MAX];

extern "C" __global__ void kmn_invert(const float *rows, float *columns, u32 n_points, u32 n_features)
{
    u32 point = thread_index();
    if (point >= n_points) return;
    const float *from = rows + point * n_features;
    float *to = columns + point;
#pragma unroll 1
    for (const float *end = from + n_features; from != end; from++, to += n_points) *to = *from;
}

extern "C" __global__ void kmn_assign(const float *columns, u32 *membership, u32 n_points, u32 n_features,
                                      u32 n_clusters)
{
    u32 point = thread_index();
    if (point >= n_points) return;
    const float *centre = kmn_centres;
    float nearest = 3.4e38f;
    u32 index = 0;
#pragma unroll 1
    for (u32 cluster = 0; cluster < n_clusters; cluster++) {
        const float *feature = columns + point;
        float distance = 0.0f;
#pragma unroll 1
        for (const float *end = centre + n_features; centre != end; centre++, feature += n_points) {
            float d = *feature - *centre;
            distance = fmaf(d, d, distance);
        }
        if (distance < nearest) {
            nearest = distance;
            index = cluster;
        }
    }
    membership[point] = index;
}
