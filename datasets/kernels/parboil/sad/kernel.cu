// sad: sums of absolute differences for motion estimation, as Parboil's. sad_4x4: a block takes one 4 x 4 block of the current
// frame, its threads the search positions (a few each); the reference frame is read byte by byte around it. sad_8x8 and
// sad_16x16 add these up for the larger blocks, two 16-bit sums in a word at a time; a block takes a macroblock of 16 x 16.
#include "cuda_device.h"

typedef unsigned short u16;

// Clamped to the frame, as a texture does.
static inline __device__ int clamp(int v, int end) { return v < 0 ? 0 : v >= end ? end - 1 : v; }

extern "C" __global__ void sad_4x4(const u8 *current, const u8 *reference, u16 *sums, int width, int height, int range, u32 stride)
{
    __shared__ u8 pixels[16];
    u32 t = threadIdx.x, side = 2 * (u32)range + 1, n = side * side, each = (n + blockDim.x - 1) / blockDim.x;
    int x0 = (int)blockIdx.x * 4, y0 = (int)blockIdx.y * 4;
    if (t < 16) pixels[t] = current[(y0 + (int)t / 4) * width + x0 + (int)t % 4];
    __syncthreads();
    // The number of a 4 x 4 block counts those of a macroblock one after another.
    u32 macro = blockIdx.y / 4 * (gridDim.x / 4) + blockIdx.x / 4, block = macro * 16 + blockIdx.y % 4 * 4 + blockIdx.x % 4;
#pragma unroll 1
    for (u32 i = t * each; i < n && i < (t + 1) * each; i++) {
        int dx = (int)(i % side) - range, dy = (int)(i / side) - range, sum = 0;
#pragma unroll 1
        for (int y = 0; y < 4; y++) {
            const u8 *row = reference + clamp(y0 + dy + y, height) * width;
#pragma unroll
            for (int x = 0; x < 4; x++) {
                int d = (int)row[clamp(x0 + dx + x, width)] - (int)pixels[4 * y + x];
                sum += d < 0 ? -d : d;
            }
        }
        sums[block * stride + i] = (u16)sum;
    }
}

// sums: of 4 x 4 blocks. wide, tall, square: of 8 x 4, 4 x 8 and 8 x 8. threadIdx.y is the 8 x 8 block. words: stride / 2.
extern "C" __global__ void sad_8x8(const u32 *sums, u32 *wide, u32 *tall, u32 *square, u32 words)
{
    u32 macro = blockIdx.y * gridDim.x + blockIdx.x, part = threadIdx.y;
    const u32 *from = sums + (macro * 16 + part / 2 * 8 + part % 2 * 2) * words;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < words; i += blockDim.x) {
        u32 a = from[i], b = from[words + i], c = from[4 * words + i], d = from[5 * words + i];
        u32 at = (macro * 8 + part * 2) * words + i;
        wide[at] = a + b;
        wide[at + words] = c + d;
        tall[at] = a + c;
        tall[at + words] = b + d;
        square[(macro * 4 + part) * words + i] = a + b + c + d;
    }
}

// wide, tall and square: of 16 x 8, 8 x 16 and 16 x 16.
extern "C" __global__ void sad_16x16(const u32 *sums, u32 *wide, u32 *tall, u32 *square, u32 words)
{
    u32 macro = blockIdx.y * gridDim.x + blockIdx.x;
    const u32 *from = sums + macro * 4 * words;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < words; i += blockDim.x) {
        u32 a = from[i], b = from[words + i], c = from[2 * words + i], d = from[3 * words + i], at = macro * 2 * words + i;
        wide[at] = a + b;
        wide[at + words] = c + d;
        tall[at] = a + c;
        tall[at + words] = b + d;
        square[macro * words + i] = a + b + c + d;
    }
}
