// softmax: the softmax of each row of a matrix in three passes over the row: the greatest element, the sum of
// exponentials, and the quotients. A warp owns a row, which its lanes read together; they combine in shared memory.
#include "cuda_device.h"
#include "exact_math.h"

#define BLOCK 256

extern "C" __global__ void softmax_rows(const float *in, float *out, u32 width, u32 rows)
{
    __shared__ float shared[BLOCK];
    const u32 lane = threadIdx.x & 31, row = thread_index() >> 5;
    const bool is_row = row < rows;
    const float *from = in + row * width;
    float most = -1.0e30f, sum = 0.0f;
    if (is_row) {
#pragma unroll 1
        for (u32 i = lane; i < width; i += 32) most = from[i] > most ? from[i] : most;
    }
    shared[threadIdx.x] = most;
    __syncthreads();
#pragma unroll 1
    for (u32 half = 16; half > 0; half /= 2) {
        if (lane < half && shared[threadIdx.x + half] > shared[threadIdx.x])
            shared[threadIdx.x] = shared[threadIdx.x + half];
        __syncthreads();
    }
    most = shared[threadIdx.x - lane];
    __syncthreads();
    if (is_row) {
#pragma unroll 1
        for (u32 i = lane; i < width; i += 32) sum += exact_exp(from[i] - most);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (u32 half = 16; half > 0; half /= 2) {
        if (lane < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    if (!is_row) return;
    const float scale = 1.0f / shared[threadIdx.x - lane];
#pragma unroll 1
    for (u32 i = lane; i < width; i += 32) out[row * width + i] = exact_exp(from[i] - most) * scale;
}
