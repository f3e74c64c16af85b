// hotspot: heat on a chip, several steps a launch. A block of 16 x 16 threads holds a tile with a halo of a cell for each step in
// shared memory.
#include "cuda_device.h"

#define SIDE 16

static inline __device__ int clamp(int a, int low, int high) { return a < low ? low : a > high ? high : a; }

extern "C" __global__ void hotspot_steps(u32 steps, const float *power, const float *source, float *result, u32 columns, u32 rows,
                                         float scale, float rx, float ry, float rz)
{
    __shared__ float heat[SIDE][SIDE], watts[SIDE][SIDE], next[SIDE][SIDE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, inner = SIDE - 2 * (int)steps;
    int top = inner * (int)blockIdx.y - (int)steps, left = inner * (int)blockIdx.x - (int)steps;
    int y = top + ty, x = left + tx;
    bool inside = y >= 0 && y < (int)rows && x >= 0 && x < (int)columns, computed = false;
    u32 at = (u32)y * columns + (u32)x;
    if (inside) {
        heat[ty][tx] = source[at];
        watts[ty][tx] = power[at];
    }
    __syncthreads();
    int low_y = top < 0 ? -top : 0, high_y = top + SIDE > (int)rows ? (int)rows - 1 - top : SIDE - 1;
    int low_x = left < 0 ? -left : 0, high_x = left + SIDE > (int)columns ? (int)columns - 1 - left : SIDE - 1;
    int north = clamp(ty - 1, low_y, high_y), south = clamp(ty + 1, low_y, high_y);
    int west = clamp(tx - 1, low_x, high_x), east = clamp(tx + 1, low_x, high_x);
#pragma unroll 1
    for (int i = 0; i < (int)steps; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= SIDE - i - 2 && ty >= i + 1 && ty <= SIDE - i - 2 && inside) {
            float here = heat[ty][tx];
            float flow = fmaf(heat[south][tx] + heat[north][tx] - 2.0f * here, ry, watts[ty][tx]);
            flow = fmaf(heat[ty][east] + heat[ty][west] - 2.0f * here, rx, flow);
            next[ty][tx] = fmaf(scale, fmaf(80.0f - here, rz, flow), here);
            computed = true;
        }
        __syncthreads();
        if (i == (int)steps - 1) break;
        if (computed) heat[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed) result[at] = next[ty][tx];
}
