// bricks: sums along rays through a sparse volume (K. Museth, "VDB", ACM ToG 32, 2013): a directory has the number of each
// brick of 8 x 8 x 8 values that is stored, or 0. A thread owns a ray, whose place is in fixed point.
#include "cuda_device.h"

#define FRACTION_BITS 16 // of places in the volume
#define BRICK_BITS 3

extern "C" __global__ void march(const u32 *directory, const float *pool, const u32 *rays, float *sums, u32 side_bits,
                                 u32 steps, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u32 x = rays[thread], y = rays[thread + n], dx = rays[thread + 2 * n], dy = rays[thread + 3 * n], z = 0;
    const u32 side = 1u << side_bits, mask = (side << (FRACTION_BITS + BRICK_BITS)) - 1;
    const u32 dz = (mask + 1) / steps;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 i = 0; i < steps; i++) {
        u32 vx = x >> FRACTION_BITS, vy = y >> FRACTION_BITS, vz = z >> FRACTION_BITS;
        u32 brick =
            directory[((((vz >> BRICK_BITS) << side_bits) + (vy >> BRICK_BITS)) << side_bits) + (vx >> BRICK_BITS)];
        if (brick) sum += pool[(brick << 3 * BRICK_BITS) + ((vz & 7) << 6) + ((vy & 7) << 3) + (vx & 7)];
        x = (x + dx) & mask;
        y = (y + dy) & mask;
        z += dz;
    }
    sums[thread] = sum;
}
