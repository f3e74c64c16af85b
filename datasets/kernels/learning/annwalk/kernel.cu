// annwalk: nearest neighbours by descent in a graph of neighbours from several starts (K. Hajebi and others, IJCAI
// 2011). A warp owns a query; each of its lanes compares one of the 32 neighbours of the vertex that the walk stands
// on, and the walk goes on at the nearest of them. Where none is nearer, it starts anew elsewhere. The lowest five bits
// of a distance give way to the number of the lane.
#include "cuda_device.h"

#define WARPS 4
#define DEGREE 32
#define QUADS 8
typedef float quad __attribute__((ext_vector_type(4)));

static __device__ u32 start_of(u32 query, u32 number, u32 vertices)
{
    u32 h = (query * 64 + number) * 2654435761u;
    h ^= h >> 15;
    return h * 2246822519u % vertices;
}

extern "C" __global__ void ann_walk(const quad *vectors, const u32 *graph, const quad *queries, u32 *nearest,
                                    u32 vertices, u32 hops)
{
    __shared__ quad own[WARPS][QUADS];
    __shared__ u32 least[2][WARPS];
    u32 warp = threadIdx.x / DEGREE, lane = threadIdx.x % DEGREE, query = blockIdx.x * WARPS + warp;
    if (lane < QUADS) own[warp][lane] = queries[query * QUADS + lane];
    if (lane < 2) least[lane][warp] = 0xffffffffu;
    u32 starts = 0, here = 0xffffffffu, best = 0xffffffffu, best_vertex = 0, v = start_of(query, 0, vertices);
    __syncthreads();
#pragma unroll 1
    for (u32 hop = 0; hop < hops; hop++) {
        u32 neighbour = graph[v * DEGREE + lane], *found = &least[hop & 1][warp];
        const quad *row = vectors + neighbour * QUADS;
        float sum = 0.0f;
#pragma unroll 1
        for (u32 k = 0; k < QUADS; k++) {
            quad d = row[k] - own[warp][k];
            sum = fmaf(d.w, d.w, fmaf(d.z, d.z, fmaf(d.y, d.y, fmaf(d.x, d.x, sum))));
        }
        u32 bits;
        __builtin_memcpy(&bits, &sum, sizeof bits);
        atomicMin(found, (bits & ~31u) | lane);
        __syncthreads();
        u32 key = *found;
        if (lane == 0) least[~hop & 1][warp] = 0xffffffffu;
        if ((key & ~31u) < here) {
            here = key & ~31u;
            v = graph[v * DEGREE + (key & 31)];
            if (here < best) {
                best = here;
                best_vertex = v;
            }
        } else {
            here = 0xffffffffu;
            v = start_of(query, ++starts, vertices);
        }
        __syncthreads();
    }
    if (lane == 0) nearest[query] = best_vertex;
}
