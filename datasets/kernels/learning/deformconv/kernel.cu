// deformconv: one output channel of a deformable convolution (J. Dai et al., "Deformable convolutional networks", ICCV 2017):
// each of a pixel's nine taps is moved by an offset of its own, and read by bilinear interpolation in plane after plane. A
// thread owns a pixel.
#include "cuda_device.h"

#define CHANNELS_MAX 256

extern "C" {
__constant__ float weights[9 * CHANNELS_MAX];
}

extern "C" __global__ void deformable(const float *maps, const float2 *offsets, float *out, u32 side, u32 channels, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 plane = side * side, pixel = thread % plane;
    const float *map = maps + thread / plane * channels * plane;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 tap = 0; tap < 9; tap++) {
        float2 offset = offsets[tap * n + thread];
        float x = (float)(pixel % side + tap % 3) - 1.0f + offset.x, y = (float)(pixel / side + tap / 3) - 1.0f + offset.y;
        const float last = (float)side - 1.001f;
        x = x < 0.0f ? 0.0f : x > last ? last : x;
        y = y < 0.0f ? 0.0f : y > last ? last : y;
        const float fx = x - (float)(u32)x, fy = y - (float)(u32)y;
        const float *at = map + (u32)y * side + (u32)x;
#pragma unroll 1
        for (u32 c = 0; c < channels; c++, at += plane) {
            float above = fmaf(fx, at[1] - at[0], at[0]), below = fmaf(fx, at[side + 1] - at[side], at[side]);
            sum = fmaf(weights[tap * channels + c], fmaf(fy, below - above, above), sum);
        }
    }
    out[thread] = sum;
}
