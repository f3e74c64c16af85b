// backproject: an image from filtered projections by parallel beams (A. Kak and M. Slaney, Principles of Computerized
// Tomographic Imaging, 1988). A thread owns a pixel: at every angle it adds what the detector reads that lies behind
// it, between two detectors in proportion.
#include "cuda_device.h"

#define ANGLES_MAX 1024

extern "C" {
__constant__ float2 backproject_turns[ANGLES_MAX]; // cosine and sine
}

extern "C" __global__ void backproject(const float *projections, float *image, u32 angles, u32 detectors, u32 side)
{
    u32 px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= side || py >= side) return;
    float half = (float)(side - 1) * 0.5f, x = (float)px - half, y = (float)py - half, sum = 0.0f;
    float middle = (float)(detectors - 1) * 0.5f;
#pragma unroll 1
    for (u32 a = 0; a < angles; a++, projections += detectors) {
        float2 turn = backproject_turns[a];
        float at = fmaf(x, turn.x, fmaf(y, turn.y, middle));
        int left = (int)at;
        float share = at - (float)left, value = projections[left];
        sum += fmaf(share, projections[left + 1] - value, value);
    }
    image[py * side + px] = sum;
}
