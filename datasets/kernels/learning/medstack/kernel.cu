// medstack: the median of each pixel over a stack of exposures, by Hoare's selection (C. Hoare, "Algorithm 65: Find",
// CACM 1961) in place. A thread owns a pixel; exposure i of all pixels lies together.
#include "cuda_device.h"

extern "C" __global__ void median_stack(float *stack, float *medians, u32 width, u32 height, int exposures)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const u32 pitch = width * height, pixel = y * width + x;
    float *own = stack + pixel;
    const int middle = exposures / 2;
    int low = 0, high = exposures - 1;
#pragma unroll 1
    while (low < high) {
        float pivot = own[(u32)middle * pitch];
        int i = low, j = high;
#pragma unroll 1
        while (i <= j) {
            float a, b;
#pragma unroll 1
            while ((a = own[(u32)i * pitch]) < pivot) i++;
#pragma unroll 1
            while (pivot < (b = own[(u32)j * pitch])) j--;
            if (i <= j) {
                own[(u32)i++ * pitch] = b;
                own[(u32)j-- * pitch] = a;
            }
        }
        if (j < middle) low = i;
        if (middle < i) high = j;
    }
    medians[pixel] = own[(u32)middle * pitch];
}
