// advect: particles that a steady flow carries, for pictures of its streamlines. A thread owns a particle and takes
// steps of Euler's method: the velocity of the cell that it is in moves it on. The fourth number of a cell is what the
// particle gathers on its way. A particle that leaves the grid stays where it left.
#include "cuda_device.h"

extern "C" __global__ void advect(const float4 *field, u32 side, float4 *particles, u32 steps, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    float4 p = particles[i];
    float x = p.x, y = p.y, z = p.z, gathered = p.w;
#pragma unroll 1
    for (; steps != 0; steps--) {
        u32 cx = (u32)(int)x, cy = (u32)(int)y, cz = (u32)(int)z;
        if (cx >= side || cy >= side || cz >= side) break;
        float4 v = field[(cz * side + cy) * side + cx];
        x += v.x;
        y += v.y;
        z += v.z;
        gathered += v.w;
    }
    p.x = x;
    p.y = y;
    p.z = z;
    p.w = gathered;
    particles[i] = p;
}
