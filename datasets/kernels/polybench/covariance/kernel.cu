// covariance: means of the columns of a table, the table centred on them, and the covariances of all pairs of columns.
// Mapping of Polybench/GPU: a thread owns a column and walks down it (coalesced across the warp), for covariances
// together with a second column, which is one element a warp. As there, COLUMNS is a constant, rows and columns count
// from 1, and so a row is COLUMNS + 1 long.
#include "cuda_device.h"

#define COLUMNS 2048u
#define PITCH (COLUMNS + 1)

extern "C" __global__ void covariance_mean(const double *data, double *mean, u32 rows)
{
    u32 column = 1 + thread_index();
    double sum = 0.0;
#pragma unroll 1
    for (u32 i = 1; i <= rows; i++) sum += data[i * PITCH + column];
    mean[column] = sum / (double)rows;
}

extern "C" __global__ void covariance_centre(double *data, const double *mean, u32 rows)
{
    u32 column = 1 + thread_index(), row = 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (row <= rows) data[row * PITCH + column] -= mean[column];
}

// Columns from `first` on, one a column of blocks, with all columns up to them. rows is a multiple of 8.
extern "C" __global__ void covariance_pairs(const double *data, double *covariance, u32 first, u32 rows)
{
    u32 column = 1 + blockIdx.y * blockDim.x + threadIdx.x, other = first + blockIdx.x;
    if (column > other) return;
    const double *a = data + PITCH + column, *b = data + PITCH + other;
    double sum = 0.0;
#pragma unroll 1
    for (u32 left = rows; left != 0; left -= 8, a += 8 * PITCH, b += 8 * PITCH)
#pragma unroll
        for (u32 i = 0; i < 8; i++) sum = fma(a[i * PITCH], b[i * PITCH], sum);
    covariance[column * PITCH + other] = sum;
    covariance[other * PITCH + column] = sum;
}
