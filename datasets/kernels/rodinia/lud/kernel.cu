// lud: LU decomposition in place by blocks of 16 x 16, three kernels a step as in Rodinia: the diagonal block (16 threads), the blocks
// beside and below it (32 threads, one half each), all others (16 x 16 threads).
#include "cuda_device.h"

#define SIDE 16

extern "C" __global__ void lud_diagonal(float *m, u32 size, u32 offset)
{
    __shared__ float block[SIDE][SIDE];
    u32 tx = threadIdx.x, corner = offset * size + offset;
#pragma unroll 1
    for (u32 i = 0; i < SIDE; i++) block[i][tx] = m[corner + i * size + tx];
    __syncthreads();
#pragma unroll 1
    for (u32 i = 0; i < SIDE - 1; i++) {
        if (tx > i) {
#pragma unroll 1
            for (u32 j = 0; j < i; j++) block[tx][i] = fmaf(-block[tx][j], block[j][i], block[tx][i]);
            block[tx][i] /= block[i][i];
        }
        __syncthreads();
        if (tx > i)
#pragma unroll 1
            for (u32 j = 0; j < i + 1; j++) block[i + 1][tx] = fmaf(-block[i + 1][j], block[j][tx], block[i + 1][tx]);
        __syncthreads();
    }
#pragma unroll 1
    for (u32 i = 1; i < SIDE; i++) m[corner + i * size + tx] = block[i][tx];
}

extern "C" __global__ void lud_perimeter(float *m, u32 size, u32 offset)
{
    __shared__ float diagonal[SIDE][SIDE], beside[SIDE][SIDE], below[SIDE][SIDE];
    u32 corner = offset * size + offset, far = (blockIdx.x + 1) * SIDE, tx = threadIdx.x % SIDE;
    bool is_row = threadIdx.x < SIDE;
    // Each half loads half of the diagonal block and all of its own.
    u32 first = is_row ? 0 : SIDE / 2;
#pragma unroll 1
    for (u32 i = first; i < first + SIDE / 2; i++) diagonal[i][tx] = m[corner + i * size + tx];
    if (is_row) {
#pragma unroll 1
        for (u32 i = 0; i < SIDE; i++) beside[i][tx] = m[corner + far + i * size + tx];
    } else {
#pragma unroll 1
        for (u32 i = 0; i < SIDE; i++) below[i][tx] = m[corner + (far + i) * size + tx];
    }
    __syncthreads();
    if (is_row) {
#pragma unroll 1
        for (u32 i = 1; i < SIDE; i++)
#pragma unroll 1
            for (u32 j = 0; j < i; j++) beside[i][tx] = fmaf(-diagonal[i][j], beside[j][tx], beside[i][tx]);
    } else {
#pragma unroll 1
        for (u32 i = 0; i < SIDE; i++) {
#pragma unroll 1
            for (u32 j = 0; j < i; j++) below[tx][i] = fmaf(-below[tx][j], diagonal[j][i], below[tx][i]);
            below[tx][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (is_row) {
#pragma unroll 1
        for (u32 i = 1; i < SIDE; i++) m[corner + far + i * size + tx] = beside[i][tx];
    } else {
#pragma unroll 1
        for (u32 i = 0; i < SIDE; i++) m[corner + (far + i) * size + tx] = below[i][tx];
    }
}

extern "C" __global__ void lud_internal(float *m, u32 size, u32 offset)
{
    __shared__ float above[SIDE][SIDE], left[SIDE][SIDE];
    u32 tx = threadIdx.x, ty = threadIdx.y;
    u32 row = offset + (blockIdx.y + 1) * SIDE, column = offset + (blockIdx.x + 1) * SIDE;
    above[ty][tx] = m[(offset + ty) * size + column + tx];
    left[ty][tx] = m[(row + ty) * size + offset + tx];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (u32 i = 0; i < SIDE; i++) sum = fmaf(left[ty][i], above[i][tx], sum);
    m[(row + ty) * size + column + tx] -= sum;
}
