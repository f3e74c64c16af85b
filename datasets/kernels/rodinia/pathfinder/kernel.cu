// pathfinder: the cheapest way down a grid, several rows a launch. A block of 256 threads owns a strip of columns with a halo of a
// column on either side for each row, so that no block waits for another; rows meet in shared memory.
#include "cuda_device.h"

#define BLOCK 256

extern "C" __global__ void pathfinder_rows(u32 rows, const int *wall, const int *source, int *result, u32 columns, u32 start)
{
    __shared__ int last[BLOCK], next[BLOCK];
    int tx = (int)threadIdx.x, left = (int)((BLOCK - 2 * rows) * blockIdx.x) - (int)rows, column = left + tx;
    int low = left < 0 ? -left : 0, high = left + BLOCK > (int)columns ? (int)columns - 1 - left : BLOCK - 1;
    int west = tx - 1 < low ? low : tx - 1, east = tx + 1 > high ? high : tx + 1;
    bool valid = tx >= low && tx <= high, computed = false;
    if (valid) last[tx] = source[column];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < (int)rows; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= BLOCK - i - 2 && valid) {
            int best = last[west] < last[tx] ? last[west] : last[tx];
            best = last[east] < best ? last[east] : best;
            next[tx] = best + wall[columns * (start + i) + column];
            computed = true;
        }
        __syncthreads();
        if (i == (int)rows - 1) break;
        if (computed) last[tx] = next[tx];
        __syncthreads();
    }
    if (computed) result[column] = next[tx];
}
