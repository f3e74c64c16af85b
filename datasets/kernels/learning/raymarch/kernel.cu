// raymarch: an image of a volume by rays that walk from voxel to voxel (J. Amanatides and A. Woo, Eurographics 1987). A
// thread owns a pixel. The outermost voxels are negative: they are a rim that ends every ray, so that the walk needs no
// bounds.
#include "cuda_device.h"

// The ray of pixel (x, y) starts at `origin` and goes along corner + x * right + y * down, in units of voxels.
struct camera {
    float origin[3], corner[3], right[3], down[3];
};
extern "C" {
__constant__ struct camera raymarch_camera;
}

#define OPAQUE 0.015625f // a ray ends when less than this share of the light behind would come through

// A ray along one axis: t where it crosses into the next voxel, and how t and the voxel change there.
struct axis {
    float next, delta;
    int step;
};

static inline __device__ float direction(u32 x, u32 y, u32 a)
{
    return fmaf((float)y, raymarch_camera.down[a], fmaf((float)x, raymarch_camera.right[a], raymarch_camera.corner[a]));
}

// Cuts [near, far] to where the ray is within the rim along axis a.
static inline __device__ void clip(float inverse, u32 a, u32 side, float *near, float *far)
{
    float first = (1.0f - raymarch_camera.origin[a]) * inverse,
          last = ((float)(side - 1) - raymarch_camera.origin[a]) * inverse;
    float in = first < last ? first : last, out = first < last ? last : first;
    *near = in > *near ? in : *near;
    *far = out < *far ? out : *far;
}

// The voxel that the ray enters at t; its number along axis a is returned.
static inline __device__ int enter(float d, float inverse, u32 a, u32 side, int pitch, float t, struct axis *axis)
{
    int voxel = (int)fmaf(d, t, raymarch_camera.origin[a]);
    voxel = voxel < 1 ? 1 : voxel > (int)side - 2 ? (int)side - 2 : voxel;
    axis->next = ((float)(voxel + (d > 0.0f)) - raymarch_camera.origin[a]) * inverse;
    axis->delta = d > 0.0f ? inverse : -inverse;
    axis->step = d > 0.0f ? pitch : -pitch;
    return voxel * pitch;
}

extern "C" __global__ void raymarch(const float *grid, float *light_out, float *clear_out, u32 side, u32 width,
                                    u32 height)
{
    u32 px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float dx = direction(px, py, 0), dy = direction(px, py, 1), dz = direction(px, py, 2);
    float ix = 1.0f / dx, iy = 1.0f / dy, iz = 1.0f / dz, t = 0.0f, far = 3.4e38f, light = 0.0f, clear = 1.0f;
    clip(ix, 0, side, &t, &far);
    clip(iy, 1, side, &t, &far);
    clip(iz, 2, side, &t, &far);
    if (t < far) {
        struct axis x, y, z;
        int voxel = enter(dx, ix, 0, side, 1, t, &x);
        voxel += enter(dy, iy, 1, side, (int)side, t, &y);
        voxel += enter(dz, iz, 2, side, (int)(side * side), t, &z);
#pragma unroll 1
        for (float density = grid[voxel]; density >= 0.0f && clear >= OPAQUE; density = grid[voxel]) {
            float next = x.next < y.next ? x.next : y.next;
            next = z.next < next ? z.next : next;
            float share = density * (next - t);
            share = clear * (share < 1.0f ? share : 1.0f);
            light = fmaf(share, density, light);
            clear -= share;
            t = next;
            if (x.next == next) {
                voxel += x.step;
                x.next += x.delta;
            } else if (y.next == next) {
                voxel += y.step;
                y.next += y.delta;
            } else {
                voxel += z.step;
                z.next += z.delta;
            }
        }
    }
    light_out[py * width + px] = light;
    clear_out[py * width + px] = clear;
}
