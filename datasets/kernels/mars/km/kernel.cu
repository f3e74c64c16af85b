// km: k-means as MapReduce. A map task is a point: it finds the nearest centre and emits (centre, point); grouping by key; a reduce
// task is one centre: it adds its points and makes the new centre. Coordinates are integers, as in Mars.
#include "mapreduce.cuh"

// keys: the nearest centre's number + 1. The lanes of a warp walk 32 points (uncoalesced) and one centre (a broadcast).
extern "C" __global__ void km_map(const int *points, const int *centres, u32 n_features, u32 n_centres, u32 *keys, u32 *changed, u32 n)
{
    u32 task = thread_index();
    if (task >= n) return;
    const int *point = points + task * n_features;
    u32 nearest = 0, least = ~0u;
#pragma unroll 1
    for (u32 c = 0; c < n_centres; c++) {
        const int *centre = centres + c * n_features;
        u32 distance = 0;
#pragma unroll 1
        for (u32 f = 0; f < n_features; f++) {
            int d = point[f] - centre[f];
            distance += (u32)(d * d);
        }
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    if (keys[task] != nearest + 1) *changed = 1;
    keys[task] = nearest + 1;
}

// A thread owns one feature of one slot's centre.
extern "C" __global__ void km_reduce(const u32 *table, const u32 *start, const u32 *order, const int *points, int *centres, u32 n_features,
                                     u32 n_slots)
{
    u32 task = thread_index(), slot = task / n_features, f = task % n_features;
    if (slot >= n_slots || table[slot] == 0) return;
    u32 first = start[slot], end = start[slot + 1];
    int sum = 0;
#pragma unroll 1
    for (u32 i = first; i < end; i++) sum += points[order[i] * n_features + f];
    centres[(table[slot] - 1) * n_features + f] = sum / (int)(end - first);
}
