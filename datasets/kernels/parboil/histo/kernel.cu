// histo: a large saturating histogram, as Parboil's four kernels. The counters are 8-bit, four to a word; most inputs fall into a
// band of rows around the middle, which histo_main counts in shared memory; the rest goes to global memory.
//   histo_prescan        the range of bins that matters: mean and deviation of a sample, per block
//   histo_intermediates  input bins -> (row, column) pairs, padded
//   histo_main           a block takes a slice of the input and one range of rows; atomics on shared memory, or on global memory
//   histo_final          adds both up, saturates at 255, four bins a thread
#include "cuda_device.h"

#define THREADS 256
#define ROW_BINS 1024 // bins of a row
#define RANGE_ROWS 6  // rows that a block counts in shared memory: 24 KB
#define LIMIT 255

// An atomic of its own: the compiler would make one generic atomic of this and the one on global memory.
static inline __device__ void count_shared(u32 *counter)
{
    asm volatile("{ .reg .u64 at; .reg .u32 old; cvta.to.shared.u64 at, %0; atom.shared.add.u32 old, [at], 1; }" : : "l"(counter) : "memory");
}

extern "C" __global__ void histo_prescan(const u32 *input, u32 n, u32 *range)
{
    __shared__ float sum[THREADS], squares[THREADS];
    u32 per_block = n / gridDim.x, first = blockIdx.x * per_block, t = threadIdx.x;
    float s = 0.0f, q = 0.0f;
#pragma unroll 1
    for (u32 i = first + t; i < first + per_block; i += THREADS) {
        float row = (float)(input[i] / ROW_BINS);
        s += row;
        q = fmaf(row, row, q);
    }
    sum[t] = s;
    squares[t] = q;
#pragma unroll 1
    for (u32 half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sum[t] += sum[t + half];
            squares[t] += squares[t + half];
        }
    }
    if (t != 0) return;
    float mean = sum[0] / (float)per_block, spread = 2.0f * sqrtf(squares[0] / (float)per_block - mean * mean) + 1.0f;
    atomicMin(&range[0], mean > spread ? (u32)(mean - spread) : 0);
    atomicMax(&range[1], (u32)(mean + spread));
}

extern "C" __global__ void histo_intermediates(const u32 *input, u32 n, u32 *pairs)
{
    u32 i = thread_index();
    if (i < n) pairs[i] = input[i] / ROW_BINS << 16 | input[i] % ROW_BINS;
}

// grid.x slices of the input, grid.y ranges of rows from range[0]. partial: a copy of its range for each block.
extern "C" __global__ void histo_main(const u32 *pairs, u32 n, const u32 *range, u32 *partial, u32 *outside)
{
    __shared__ u32 counts[RANGE_ROWS * ROW_BINS];
    u32 low = range[0] + blockIdx.y * RANGE_ROWS, high = range[0] + gridDim.y * RANGE_ROWS;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < RANGE_ROWS * ROW_BINS; i += blockDim.x) counts[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (u32 i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
        u32 pair = pairs[i], row = pair >> 16, column = pair & 0xffff;
        if (row - low < RANGE_ROWS) count_shared(&counts[(row - low) * ROW_BINS + column]);
        else if (blockIdx.y == 0 && (row < range[0] || row >= high)) atomicAdd(&outside[row * ROW_BINS + column], 1);
    }
    __syncthreads();
    u32 *mine = partial + (blockIdx.y * gridDim.x + blockIdx.x) * (RANGE_ROWS * ROW_BINS);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < RANGE_ROWS * ROW_BINS; i += blockDim.x) mine[i] = counts[i];
}

extern "C" __global__ void histo_final(const u32 *range, const u32 *partial, u32 n_slices, u32 n_ranges, const u32 *outside, u32 *out,
                                       u32 n_words)
{
    u32 word = thread_index();
    if (word >= n_words) return;
    u32 packed = 0;
#pragma unroll 1
    for (u32 k = 0; k < 4; k++) {
        u32 bin = 4 * word + k, row = bin / ROW_BINS - range[0], count = outside[bin];
        if (row < n_ranges * RANGE_ROWS) {
            const u32 *from = partial + row / RANGE_ROWS * n_slices * (RANGE_ROWS * ROW_BINS) + row % RANGE_ROWS * ROW_BINS + bin % ROW_BINS;
#pragma unroll 1
            for (u32 slice = 0; slice < n_slices; slice++) count += from[slice * (RANGE_ROWS * ROW_BINS)];
        }
        packed |= (count < LIMIT ? count : LIMIT) << 8 * k;
    }
    out[word] = packed;
}
