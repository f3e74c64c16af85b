// srad1: speckle reducing anisotropic diffusion, Rodinia's first version: a thread an element in blocks of 512, neighbours through
// tables of indices in global memory, the image's statistics by a tree of block sums. The image lies column by column.
#include "exact_math.h"

#define BLOCK 512

extern "C" __global__ void srad1_extract(u32 n, float *image)
{
    u32 i = thread_index();
    if (i < n) image[i] = exact_exp(image[i] / 255.0f);
}

extern "C" __global__ void srad1_prepare(u32 n, const float *image, float *sums, float *squares)
{
    u32 i = thread_index();
    if (i >= n) return;
    sums[i] = image[i];
    squares[i] = image[i] * image[i];
}

// The sums of a block's elements go to its first place; elements are `stride` apart, left by the launch before.
extern "C" __global__ void srad1_reduce(u32 n, u32 stride, float *sums, float *squares)
{
    __shared__ float sum[BLOCK], square[BLOCK];
    u32 tx = threadIdx.x, i = thread_index();
    sum[tx] = i < n ? sums[i * stride] : 0.0f;
    square[tx] = i < n ? squares[i * stride] : 0.0f;
    __syncthreads();
#pragma unroll 1
    for (u32 step = 2; step <= BLOCK; step *= 2) {
        if ((tx + 1) % step == 0) {
            sum[tx] += sum[tx - step / 2];
            square[tx] += square[tx - step / 2];
        }
        __syncthreads();
    }
    if (tx != BLOCK - 1) return;
    sums[blockIdx.x * stride * BLOCK] = sum[tx];
    squares[blockIdx.x * stride * BLOCK] = square[tx];
}

// The diffusion coefficient of every element and the differences to its neighbours.
extern "C" __global__ void srad1_coefficient(float lambda, u32 rows, u32 n, const u32 *north, const u32 *south, const u32 *east,
                                             const u32 *west, float *d_north, float *d_south, float *d_east, float *d_west, float q0,
                                             float *c, const float *image)
{
    u32 i = thread_index();
    if (i >= n) return;
    u32 row = i % rows, column = i / rows;
    float here = image[i];
    float dn = image[north[row] + rows * column] - here, ds = image[south[row] + rows * column] - here;
    float dw = image[row + rows * west[column]] - here, de = image[row + rows * east[column]] - here;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here), l = (dn + ds + dw + de) / here;
    float num = 0.5f * g2 - 0.0625f * (l * l), den = 1.0f + 0.25f * l, q = num / (den * den);
    den = (q - q0) / (q0 * (1.0f + q0));
    float value = 1.0f / (1.0f + den);
    value = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
    d_north[i] = dn;
    d_south[i] = ds;
    d_west[i] = dw;
    d_east[i] = de;
    c[i] = value;
}

// Moves the image by the divergence of the flow.
extern "C" __global__ void srad1_update(float lambda, u32 rows, u32 n, const u32 *south, const u32 *east, const float *d_north,
                                        const float *d_south, const float *d_east, const float *d_west, const float *c, float *image)
{
    u32 i = thread_index();
    if (i >= n) return;
    u32 row = i % rows, column = i / rows;
    float here = c[i], c_south = c[south[row] + rows * column], c_east = c[row + rows * east[column]];
    float divergence = here * d_north[i] + c_south * d_south[i] + here * d_west[i] + c_east * d_east[i];
    image[i] += 0.25f * lambda * divergence;
}

extern "C" __global__ void srad1_compress(u32 n, float *image)
{
    u32 i = thread_index();
    if (i < n) image[i] = exact_log(image[i]) * 255.0f;
}
