// interp3d: trilinear interpolation in a grid of side^3 values. A thread owns a point and reads the eight corners of
// the cell that the point lies in.
#include "cuda_device.h"

static inline __device__ float between(float a, float b, float share) { return fmaf(share, b - a, a); }

extern "C" __global__ void interp3d(const float *grid, const float *px, const float *py, const float *pz, float *out,
                                    u32 side, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    float x = px[i], y = py[i], z = pz[i];
    u32 cx = (u32)x, cy = (u32)y, cz = (u32)z;
    x -= (float)cx;
    y -= (float)cy;
    z -= (float)cz;
    const float *a = grid + (cz * side + cy) * side + cx, *b = a + side;
    float low = between(between(a[0], a[1], x), between(b[0], b[1], x), y);
    a += side * side;
    b += side * side;
    float high = between(between(a[0], a[1], x), between(b[0], b[1], x), y);
    out[i] = between(low, high, z);
}
