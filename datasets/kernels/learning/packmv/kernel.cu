// packmv: symmetric matrices times vectors, of each the lower triangle alone, row after row, as in BLAS's spmv. A block owns
// a matrix, a thread a row: first the row of the triangle, then the column below the main diagonal, whose elements lie
// further apart from row to row.
#include "cuda_device.h"

extern "C" __global__ void packed_mv(const float *packed, const float *x, float *y, u32 size)
{
    const u32 t = threadIdx.x;
    const float *matrix = packed + blockIdx.x * (size * (size + 1) / 2), *own = x + blockIdx.x * size;
    const float *a = matrix + t * (t + 1) / 2;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 j = 0; j < t; j++, a++) sum = fmaf(*a, own[j], sum);
#pragma unroll 1
    for (u32 j = t; j < size; a += ++j) sum = fmaf(*a, own[j], sum);
    y[blockIdx.x * size + t] = sum;
}
