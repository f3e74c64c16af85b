// md: Lennard-Jones forces from lists of neighbours. A thread owns an atom and walks its list, which is stored so that
// the lists of consecutive atoms are read coalesced; the positions of the neighbours are gathered, 16 bytes each.
#include "cuda_device.h"

extern "C" __global__ void md_forces(const float4 *position, const u32 *neighbours, const u32 *counts, float4 *force,
                                     u32 atoms, float cutoff2)
{
    u32 i = thread_index();
    if (i >= atoms) return;
    float4 own = position[i], sum;
    sum.x = sum.y = sum.z = sum.w = 0.0f;
    const u32 *list = neighbours + i;
#pragma unroll 1
    for (u32 left = counts[i]; left != 0; left--, list += atoms) {
        float4 other = position[*list];
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        float r2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
        if (r2 < cutoff2) { // the list reaches a little further, so that it lasts for some steps
            float inverse = 1.0f / r2, r6 = inverse * inverse * inverse;
            float s = own.w * other.w * inverse * (r6 * (r6 - 1.0f)); // w: the root of 12 times the depth of the well
            sum.x = fmaf(dx, s, sum.x);
            sum.y = fmaf(dy, s, sum.y);
            sum.z = fmaf(dz, s, sum.z);
        }
    }
    force[i] = sum;
}
