// kmeans: as Rodinia runs it: the points, which come row by row, are turned column by column once; each is then assigned to
// the nearest of n_clusters centres. A thread owns a point. kmeans_invert reads rows (uncoalesced, a row's words one after
// another) and writes columns; kmeans_assign reads columns through a texture and the centres from constant memory.
#include "cuda_device.h"

#define CENTRES_MAX 1088 // words: 32 clusters of 34 features

__constant__ float kmeans_centres[CENTRES_MAX];

extern "C" __global__ void kmeans_invert(const float *rows, float *columns, int n_points, int n_features)
{
    int point = (int)thread_index();
    if (point >= n_points) return;
#pragma unroll 1
    for (int i = 0; i < n_features; i++) columns[point + n_points * i] = rows[point * n_features + i];
}

extern "C" __global__ void kmeans_assign(unsigned long long columns, int *membership, int n_features, int n_points, int n_clusters)
{
    int point = (int)((gridDim.x * blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x), index = -1;
    if (point >= n_points) return;
    float nearest = 3.4e38f;
#pragma unroll 1
    for (int cluster = 0; cluster < n_clusters; cluster++) {
        float distance = 0.0f;
#pragma unroll 1
        for (int i = 0; i < n_features; i++) {
            float d = texel(columns, point + i * n_points) - kmeans_centres[cluster * n_features + i];
            distance = fmaf(d, d, distance);
        }
        if (distance < nearest) {
            nearest = distance;
            index = cluster;
        }
    }
    membership[point] = index;
}
