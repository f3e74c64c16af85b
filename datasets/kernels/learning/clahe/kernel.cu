// clahe: contrast-limited adaptive histogram equalisation (K. Zuiderveld, Graphics Gems IV, 1994) of images of 12 bits:
// each pixel is looked up in the tables of the four tiles around it, and what they say is interpolated. A thread owns a
// pixel.
#include "cuda_device.h"

#define LEVELS 4096
typedef unsigned short u16;

extern "C" __global__ void clahe_apply(const u16 *image, const u16 *tables, u16 *out, u32 width, u32 tiles, u32 log_tile)
{
    const u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const u32 half = 1u << (log_tile - 1), size = 1u << log_tile;
    u32 value = image[y * width + x];
    u32 right = (x + half) >> log_tile, below = (y + half) >> log_tile; // of the four tiles, before they are clipped
    u32 left = right == 0 ? 0 : right - 1, above = below == 0 ? 0 : below - 1;
    u32 of_right = (x + half) & (size - 1), of_below = (y + half) & (size - 1);
    right = right == tiles ? tiles - 1 : right;
    below = below == tiles ? tiles - 1 : below;
    const u16 *own = tables + value;
    u32 a = own[(above * tiles + left) * LEVELS], b = own[(above * tiles + right) * LEVELS];
    u32 c = own[(below * tiles + left) * LEVELS], d = own[(below * tiles + right) * LEVELS];
    u32 upper = a * (size - of_right) + b * of_right, lower = c * (size - of_right) + d * of_right;
    out[y * width + x] = (u16)((upper * (size - of_below) + lower * of_below) >> 2 * log_tile);
}
