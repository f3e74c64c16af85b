// convlayer: a convolutional layer of a neural network, computed directly: 3 x 3 windows over all channels of an image
// of 28 x 28 pixels, then what is negative becomes 0. A thread owns an output; images have a border of one pixel of
// zeros.
#include "cuda_device.h"

#define SIDE 28
#define PITCH (SIDE + 2)

extern "C" __global__ void convlayer(const float *images, const float *weights, const float *bias, float *out,
                                     u32 channels, u32 filters, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    u32 plane = i / (SIDE * SIDE), pixel = i % (SIDE * SIDE), filter = plane % filters;
    const float *in = images + plane / filters * channels * (PITCH * PITCH) + pixel / SIDE * PITCH + pixel % SIDE;
    const float *weight = weights + filter * channels * 9;
    float sum = bias[filter];
#pragma unroll 1
    for (u32 left = channels; left != 0; left--, in += PITCH * PITCH, weight += 9) {
#pragma unroll
        for (u32 y = 0; y < 3; y++) {
            sum = fmaf(in[y * PITCH], weight[3 * y], sum);
            sum = fmaf(in[y * PITCH + 1], weight[3 * y + 1], sum);
            sum = fmaf(in[y * PITCH + 2], weight[3 * y + 2], sum);
        }
    }
    out[i] = sum > 0.0f ? sum : 0.0f;
}
