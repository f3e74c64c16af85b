// csrwarp: a sparse matrix in compressed rows times a vector, a row for each warp (N. Bell and M. Garland, "Implementing
// sparse matrix-vector multiplication on throughput-oriented processors", SC 2009): its lanes read the row together and
// add up in shared memory.
#include "cuda_device.h"

#define BLOCK 256

extern "C" __global__ void spmv_vector(const u32 *row, const u32 *column, const float *value, const float *x, float *y,
                                       u32 n)
{
    __shared__ float sums[BLOCK];
    const u32 lane = threadIdx.x & 31, r = thread_index() >> 5;
    float sum = 0.0f;
    if (r < n) {
#pragma unroll 1
        for (u32 e = row[r] + lane, end = row[r + 1]; e < end; e += 32) sum = fmaf(value[e], x[column[e]], sum);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (u32 half = 16; half > 0; half /= 2) {
        if (lane < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (lane == 0 && r < n) y[r] = sums[threadIdx.x];
}
