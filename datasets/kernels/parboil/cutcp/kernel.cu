// cutcp: Coulombic potential on a lattice with a cutoff, as Parboil's. A block computes an 8 x 8 x 8 region, a thread four points
// of it. It walks a list of neighbouring bins (in constant memory); 128 threads load four bins of eight atoms at a time into
// shared memory; then each atom is compared with the four points, and what is within the cutoff is added.
#include "cuda_device.h"

#define DEPTH 8 // atoms of a bin; a charge of 0 ends it
#define MAX_NEIGHBOURS 256

struct atom { float x, y, z, q; };
struct offset { int x, y, z; };
extern "C" {
__constant__ offset cutcp_neighbours[MAX_NEIGHBOURS];
}

// bins: with a rim of `rim` bins on every side of the nx x ny x nz regions. grid: nx x (ny nz) blocks of 8 x 16 threads.
extern "C" __global__ void cutcp_lattice(const float *bins, float *lattice, u32 n_neighbours, int rim, int nx, int ny, int nz, float spacing,
                                         float cutoff2)
{
    __shared__ float loaded[4 * DEPTH * 4];
    int bx = (int)blockIdx.x, by = (int)blockIdx.y % ny, bz = (int)blockIdx.y / ny;
    int t = (int)(threadIdx.y * 8 + threadIdx.x), x = (int)threadIdx.x, y = (int)threadIdx.y % 2, z = (int)threadIdx.y / 2;
    int wide = nx + 2 * rim, high = ny + 2 * rim;
    float px = (float)(8 * bx + x) * spacing, py = (float)(8 * by + y) * spacing, pz = (float)(8 * bz + z) * spacing;
    float energy0 = 0.0f, energy1 = 0.0f, energy2 = 0.0f, energy3 = 0.0f, inverse = 1.0f / cutoff2;
#pragma unroll 1
    for (u32 first = 0; first < n_neighbours; first += 4) {
        u32 which = first + (u32)t / 32;
        __syncthreads();
        if (which < n_neighbours) {
            const offset &o = cutcp_neighbours[which];
            int bin = bx + rim + o.x + wide * (by + rim + o.y + high * (bz + rim + o.z));
            loaded[t] = bins[bin * (4 * DEPTH) + t % 32];
        }
        __syncthreads();
        u32 n_loaded = n_neighbours - first < 4 ? n_neighbours - first : 4;
#pragma unroll 1
        for (u32 bin = 0; bin < n_loaded; bin++) {
#pragma unroll 1
            for (u32 i = 0; i < DEPTH; i++) {
                const float *a = loaded + bin * (4 * DEPTH) + 4 * i;
                float q = a[3];
                if (q == 0.0f) break;
                float dx = a[0] - px, dz = a[2] - pz, dy = a[1] - py, xz = fmaf(dx, dx, dz * dz);
#define ADD(energy)                                                                                                    \
    {                                                                                                                  \
        float r2 = fmaf(dy, dy, xz);                                                                                   \
        if (r2 < cutoff2) {                                                                                            \
            float s = fmaf(-r2, inverse, 1.0f);                                                                        \
            energy = fmaf(q / sqrtf(r2) * s, s, energy);                                                               \
        }                                                                                                              \
        dy -= 2.0f * spacing;                                                                                          \
    }
                ADD(energy0)
                ADD(energy1)
                ADD(energy2)
                ADD(energy3)
            }
        }
    }
    float *out = lattice + 8 * bx + x + 8 * nx * (8 * by + y + 8 * ny * (8 * bz + z));
    out[0] = energy0;
    out[2 * 8 * nx] = energy1;
    out[4 * 8 * nx] = energy2;
    out[6 * 8 * nx] = energy3;
}
