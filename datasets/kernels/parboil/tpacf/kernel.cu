// tpacf: the two-point angular correlation function, as Parboil's. A block takes one set of random points (or the data) and
// counts the angles of its pairs, and of its points with the data's, in bins; the other set passes through shared memory a tile
// at a time; the bin of a pair is found by binary search in constant memory; each warp has its own histogram in shared memory.
#include "cuda_device.h"

#define BINS 20
#define THREADS 256
#define WARPS (THREADS / 32)

extern "C" {
__constant__ float tpacf_bounds[BINS + 1]; // falling cosines of the angles between bins
}

static inline __device__ void count_pairs(u32 *mine, const float *tile, u32 n, u32 first, float x, float y, float z)
{
#pragma unroll 1
    for (u32 j = first; j < n; j++) {
        float product = fmaf(tile[j], x, fmaf(tile[THREADS + j], y, tile[2 * THREADS + j] * z));
        u32 low = 0, high = BINS;
#pragma unroll 1
        while (high > low + 1) {
            u32 middle = (low + high) / 2;
            if (product >= tpacf_bounds[middle]) high = middle;
            else low = middle;
        }
        if (product < tpacf_bounds[low] && product >= tpacf_bounds[high]) atomicAdd(&mine[low], 1);
    }
}

// points: x, y and z of the data, then of each random set. Block 0: data with data. Block k: random set k with itself, and with the data.
extern "C" __global__ void tpacf_count(const float *points, u32 n, u32 *histograms)
{
    __shared__ float tile[3 * THREADS];
    __shared__ u32 bins[2][WARPS][BINS];
    u32 t = threadIdx.x, set = blockIdx.x;
    for (u32 i = t; i < 2 * WARPS * BINS; i += THREADS) (&bins[0][0][0])[i] = 0;
    const float *own = points + 3 * n * set;
#pragma unroll 1
    for (u32 kind = 0; kind < (set ? 2u : 1u); kind++) { // with itself, with the data
        const float *other = kind ? points : own;
#pragma unroll 1
        for (u32 base = 0; base < n; base += THREADS) {
            u32 in_tile = n - base < THREADS ? n - base : THREADS;
            __syncthreads();
            if (t < in_tile)
                for (u32 c = 0; c < 3; c++) tile[c * THREADS + t] = other[c * n + base + t];
            __syncthreads();
#pragma unroll 1
            for (u32 i = t; i < n; i += THREADS) {
                u32 first = kind || i < base ? 0 : i - base + 1; // a pair of one set counts once
                count_pairs(bins[kind][t / 32], tile, in_tile, first, own[i], own[n + i], own[2 * n + i]);
            }
        }
    }
    __syncthreads();
    if (t >= 2 * BINS) return;
    u32 sum = 0;
    for (u32 warp = 0; warp < WARPS; warp++) sum += bins[t / BINS][warp][t % BINS];
    histograms[set * 2 * BINS + t] = sum;
}
