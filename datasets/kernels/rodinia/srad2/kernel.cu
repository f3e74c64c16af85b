// srad2: speckle reducing anisotropic diffusion, Rodinia's second version: two kernels, tiles of 16 x 16 in shared memory. Each thread
// loads its element and those of the neighbouring tiles that its row and column need, so most halo loads are redundant.
#include "cuda_device.h"

#define SIDE 16

// Diffusion coefficients and the differences to the four neighbours.
extern "C" __global__ void srad2_coefficient(float *east, float *west, float *north, float *south, const float *image, float *c, u32 columns,
                                             u32 rows, float q0)
{
    __shared__ float tile[SIDE][SIDE], above[SIDE][SIDE], below[SIDE][SIDE], right[SIDE][SIDE], left[SIDE][SIDE];
    u32 tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    u32 corner = columns * SIDE * by + SIDE * bx, at = corner + columns * ty + tx;
    above[ty][tx] = image[by == 0 ? SIDE * bx + tx : corner + tx - columns];
    below[ty][tx] = image[by == gridDim.y - 1 ? columns * (rows - 1) + SIDE * bx + tx : corner + columns * SIDE + tx];
    left[ty][tx] = image[bx == 0 ? columns * (SIDE * by + ty) : corner + columns * ty - 1];
    right[ty][tx] = image[bx == gridDim.x - 1 ? columns * (SIDE * by + ty) + columns - 1 : corner + columns * ty + SIDE];
    tile[ty][tx] = image[at];
    __syncthreads();
    float here = tile[ty][tx];
    float n = (ty == 0 ? above[ty][tx] : tile[ty - 1][tx]) - here, s = (ty == SIDE - 1 ? below[ty][tx] : tile[ty + 1][tx]) - here;
    float w = (tx == 0 ? left[ty][tx] : tile[ty][tx - 1]) - here, e = (tx == SIDE - 1 ? right[ty][tx] : tile[ty][tx + 1]) - here;
    float g2 = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here;
    float num = 0.5f * g2 - 0.0625f * (l * l), den = 1.0f + 0.25f * l, q = num / (den * den);
    den = (q - q0) / (q0 * (1.0f + q0));
    float value = 1.0f / (1.0f + den);
    c[at] = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
    east[at] = e;
    west[at] = w;
    south[at] = s;
    north[at] = n;
}

// Moves the image by the divergence of the flow.
extern "C" __global__ void srad2_update(const float *east, const float *west, const float *north, const float *south, float *image,
                                        const float *c, u32 columns, u32 rows, float lambda)
{
    __shared__ float tile[SIDE][SIDE], below[SIDE][SIDE], right[SIDE][SIDE];
    u32 tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    u32 corner = columns * SIDE * by + SIDE * bx, at = corner + columns * ty + tx;
    below[ty][tx] = c[by == gridDim.y - 1 ? columns * (rows - 1) + SIDE * bx + tx : corner + columns * SIDE + tx];
    right[ty][tx] = c[bx == gridDim.x - 1 ? columns * (SIDE * by + ty) + columns - 1 : corner + columns * ty + SIDE];
    tile[ty][tx] = c[at];
    __syncthreads();
    float here = tile[ty][tx], c_south = ty == SIDE - 1 ? below[ty][tx] : tile[ty + 1][tx];
    float c_east = tx == SIDE - 1 ? right[ty][tx] : tile[ty][tx + 1];
    float divergence = here * north[at] + c_south * south[at] + here * west[at] + c_east * east[at];
    image[at] += 0.25f * lambda * divergence;
}
