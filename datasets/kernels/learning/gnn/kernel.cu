// gnn: the aggregation step of a graph neural network: the mean of the features of a vertex's neighbours. A thread owns
// a pair of vertex and four columns, so the eight threads of a vertex read the row of one neighbour after another, 16
// bytes each. Vertices are taken in the order of their degrees, so that the four of a warp have lists of about one
// length.
#include "cuda_device.h"

#define LANES 8

struct __attribute__((aligned(8))) two { u32 a, b; }; // neighbours; lists have an even length
struct row { float4 column[LANES]; };

extern "C" __global__ void gnn_mean(const u32 *order, const u32 *start, const two *neighbours, const float *shares,
                                    const row *features, row *means, u32 vertices)
{
    u32 lane = threadIdx.x % LANES, place = thread_index() / LANES;
    if (place >= vertices) return;
    u32 vertex = order[place];
    const row *own = (const row *)&features->column[lane]; // its column 0 is this lane's
    float4 sum;
    sum.x = sum.y = sum.z = sum.w = 0.0f;
#pragma unroll 1
    for (const two *next = neighbours + start[vertex], *end = neighbours + start[vertex + 1]; next != end; next++) {
        two n = *next;
        float4 a = own[n.a].column[0], b = own[n.b].column[0];
        sum.x = sum.x + a.x + b.x;
        sum.y = sum.y + a.y + b.y;
        sum.z = sum.z + a.z + b.z;
        sum.w = sum.w + a.w + b.w;
    }
    float share = shares[vertex];
    sum.x *= share;
    sum.y *= share;
    sum.z *= share;
    sum.w *= share;
    means[vertex].column[lane] = sum;
}
