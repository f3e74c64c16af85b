// backprop: one training step of a layered network with 16 hidden units. A block of 16 x 16 threads owns 16 inputs: row ty = input,
// column tx = hidden unit. The weights lie row by row, (hidden + 1) words a row, unit 0 being the bias.
#include "cuda_device.h"

#define SIDE 16

// Products of inputs and weights, summed over the block's inputs by a tree in shared memory. As in Rodinia, the summed tile is
// written back over the weights, which the host restores before the second kernel.
extern "C" __global__ void backprop_forward(const float *input, float *weights, float *partial, u32 hidden)
{
    __shared__ float node[SIDE], tile[SIDE][SIDE];
    u32 tx = threadIdx.x, ty = threadIdx.y, first = SIDE * blockIdx.y;
    u32 at = (hidden + 1) * (first + ty + 1) + tx + 1;
    if (tx == 0) node[ty] = input[first + ty + 1];
    __syncthreads();
    tile[ty][tx] = weights[at];
    __syncthreads();
    tile[ty][tx] *= node[ty];
    __syncthreads();
#pragma unroll 1
    for (u32 step = 2; step <= SIDE; step *= 2) {
        if (ty % step == 0) tile[ty][tx] += tile[ty + step / 2][tx];
        __syncthreads();
    }
    weights[at] = tile[ty][tx];
    __syncthreads();
    if (tx == 0) partial[blockIdx.y * hidden + ty] = tile[tx][ty];
}

// weight += rate delta input + momentum previous change.
extern "C" __global__ void backprop_adjust(const float *delta, const float *input, float *weights, float *changes, u32 hidden)
{
    u32 tx = threadIdx.x, ty = threadIdx.y, from = SIDE * blockIdx.y + ty + 1;
    u32 at = (hidden + 1) * from + tx + 1;
    float change = fmaf(0.3f * delta[tx + 1], input[from], 0.3f * changes[at]);
    weights[at] += change;
    changes[at] = change;
    __syncthreads();
    if (ty == 0 && blockIdx.y == 0) { // the bias has input 1
        change = fmaf(0.3f, delta[tx + 1], 0.3f * changes[tx + 1]);
        weights[tx + 1] += change;
        changes[tx + 1] = change;
    }
}
