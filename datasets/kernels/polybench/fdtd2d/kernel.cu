// fdtd2d: two-dimensional finite-difference time domain. Mapping of Polybench/GPU's FDTD-2D: three kernels a time step, a thread
// a cell, blocks of 32 x 8; neighbouring lanes read neighbouring words.
#include "cuda_device.h"

// ey from the vertical difference of hz; the first row is the source.
extern "C" __global__ void fdtd_ey(const float *source, float *ey, const float *hz, u32 t, u32 nx, u32 ny)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny) return;
    u32 at = i * ny + j;
    if (i == 0) ey[at] = source[t];
    else ey[at] = fmaf(-0.5f, hz[at] - hz[at - ny], ey[at]);
}

// ex from the horizontal difference of hz.
extern "C" __global__ void fdtd_ex(float *ex, const float *hz, u32 nx, u32 ny)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx || j >= ny || j == 0) return;
    u32 at = i * ny + j;
    ex[at] = fmaf(-0.5f, hz[at] - hz[at - 1], ex[at]);
}

// hz from the curl of ex and ey.
extern "C" __global__ void fdtd_hz(const float *ex, const float *ey, float *hz, u32 nx, u32 ny)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx - 1 || j >= ny - 1) return;
    u32 at = i * ny + j;
    hz[at] = fmaf(-0.7f, ex[at + 1] - ex[at] + ey[at + ny] - ey[at], hz[at]);
}
