// lavamd: forces between particles of neighbouring boxes in a cut-off scheme. A block owns a box and a thread a particle; each
// neighbour box is brought to shared memory and all its particles are walked, the exponential in double precision.
#include "exact_math.h"

#define PARTICLES_MAX 100
#define NEIGHBOURS 26
struct four { double v, x, y, z; };
struct box { int x, y, z, number; u32 first; int n_neighbours; int neighbour[NEIGHBOURS]; };

extern "C" __global__ void lavamd_forces(double alpha, u32 particles, const box *boxes, const four *places, const double *charges, four *forces)
{
    __shared__ four mine[PARTICLES_MAX], theirs[PARTICLES_MAX];
    __shared__ double charge[PARTICLES_MAX];
    const box *home = boxes + blockIdx.x;
    u32 tx = threadIdx.x, first = home->first;
    double a2 = 2.0 * alpha * alpha;
#pragma unroll 1
    for (u32 i = tx; i < particles; i += blockDim.x) mine[i] = places[first + i];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 1 + home->n_neighbours; k++) {
        u32 from = boxes[k == 0 ? (int)blockIdx.x : home->neighbour[k - 1]].first;
#pragma unroll 1
        for (u32 i = tx; i < particles; i += blockDim.x) {
            theirs[i] = places[from + i];
            charge[i] = charges[from + i];
        }
        __syncthreads();
#pragma unroll 1
        for (u32 i = tx; i < particles; i += blockDim.x)
#pragma unroll 1
            for (u32 j = 0; j < particles; j++) {
                double r2 = mine[i].v + theirs[j].v - (mine[i].x * theirs[j].x + mine[i].y * theirs[j].y + mine[i].z * theirs[j].z);
                double vij = exact_exp_double(-(a2 * r2)), fs = 2.0 * vij;
                forces[first + i].v += charge[j] * vij;
                forces[first + i].x += charge[j] * (fs * (mine[i].x - theirs[j].x));
                forces[first + i].y += charge[j] * (fs * (mine[i].y - theirs[j].y));
                forces[first + i].z += charge[j] * (fs * (mine[i].z - theirs[j].z));
            }
        __syncthreads();
    }
}
