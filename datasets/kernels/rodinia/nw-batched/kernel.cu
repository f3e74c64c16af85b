// nw: Needleman-Wunsch alignment. The score matrix is filled tile by tile along anti-diagonals of tiles, a launch a diagonal; a block
// is one tile of 16 x 16 and has 16 threads, as in Rodinia. Within the tile the threads walk its 31 anti-diagonals in shared
// memory. grid.y = pair of sequences. The matrix has n + 1 rows and columns.
#include "cuda_device.h"

#define SIDE 16

static inline __device__ int best(int a, int b, int c)
{
    int m = a > b ? a : b;
    return m > c ? m : c;
}

static inline __device__ void fill_tile(const int *similarity, int *score, u32 columns, int penalty, u32 tile_x, u32 tile_y)
{
    __shared__ int temp[SIDE + 1][SIDE + 1], local[SIDE][SIDE];
    u32 tid = threadIdx.x, corner = columns * columns * blockIdx.y + columns * SIDE * tile_y + SIDE * tile_x;
    u32 inner = corner + columns + 1 + tid;
    if (tid == 0) temp[0][0] = score[corner];
#pragma unroll
    for (u32 row = 0; row < SIDE; row++) local[row][tid] = similarity[inner + columns * row];
    __syncthreads();
    temp[tid + 1][0] = score[corner + columns * (tid + 1)];
    __syncthreads();
    temp[0][tid + 1] = score[corner + tid + 1];
    __syncthreads();
#pragma unroll 1
    for (u32 m = 0; m < SIDE; m++) {
        if (tid <= m) {
            u32 x = tid + 1, y = m - tid + 1;
            temp[y][x] = best(temp[y - 1][x - 1] + local[y - 1][x - 1], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
        }
        __syncthreads();
    }
#pragma unroll 1
    for (u32 m = SIDE - 1; m-- > 0;) {
        if (tid <= m) {
            u32 x = tid + SIDE - m, y = SIDE - tid;
            temp[y][x] = best(temp[y - 1][x - 1] + local[y - 1][x - 1], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 row = 0; row < SIDE; row++) score[inner + columns * row] = temp[row + 1][tid + 1];
}

// Diagonals up to the longest: `length` tiles from the bottom left upwards.
extern "C" __global__ void nw_upper(const int *similarity, int *score, u32 columns, int penalty, u32 length)
{
    fill_tile(similarity, score, columns, penalty, blockIdx.x, length - 1 - blockIdx.x);
}

// Diagonals after the longest; a side has `width` tiles.
extern "C" __global__ void nw_lower(const int *similarity, int *score, u32 columns, int penalty, u32 length, u32 width)
{
    fill_tile(similarity, score, columns, penalty, blockIdx.x + width - length, width - 1 - blockIdx.x);
}
