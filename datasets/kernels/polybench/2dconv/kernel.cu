// 2dconv: a 3 x 3 convolution of an image. Mapping of Polybench/GPU's 2DConvolution: a thread owns a pixel, blocks of 32 x 8,
// all nine taps from global memory; neighbouring lanes read neighbouring words.
#include "cuda_device.h"

extern "C" __global__ void conv_2d(const float *in, float *out, u32 rows, u32 columns)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i == 0 || j == 0 || i >= rows - 1 || j >= columns - 1) return;
    const float *above = in + (i - 1) * columns + j, *here = above + columns, *below = here + columns;
    float sum = 0.2f * above[-1];
    sum = fmaf(0.5f, above[0], sum);
    sum = fmaf(-0.8f, above[1], sum);
    sum = fmaf(-0.3f, here[-1], sum);
    sum = fmaf(0.6f, here[0], sum);
    sum = fmaf(-0.9f, here[1], sum);
    sum = fmaf(0.4f, below[-1], sum);
    sum = fmaf(0.7f, below[0], sum);
    sum = fmaf(0.1f, below[1], sum);
    out[i * columns + j] = sum;
}
