// hybridsort: sorts floats by buckets, then each bucket by merging lists of float4, kernels as in Rodinia: histogram, bucket count
// (binary search of pivots, ranks by shared atomics), prefix over blocks, scatter, first sort of fours, merge passes, packing.
#include "cuda_device.h"

#define DIVISIONS 1024
#define LOG_DIVISIONS 10
#define BINS 1024
#define THREADS 128
#define PER_BLOCK 512 // elements of a block of the bucket kernels

struct four { float x, y, z, w; };

extern "C" __global__ void sort_histogram(const float *in, u32 n, float low, float scale, u32 *histogram)
{
    __shared__ u32 bins[BINS];
#pragma unroll 1
    for (u32 i = threadIdx.x; i < BINS; i += blockDim.x) bins[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (u32 i = thread_index(); i < n; i += blockDim.x * gridDim.x) {
        u32 bin = (u32)((in[i] - low) * scale);
        atomicAdd(&bins[bin < BINS ? bin : BINS - 1], 1);
    }
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&histogram[i], bins[i]);
}

// The bucket of each element and its rank among the block's; how many of the block's fall in each bucket.
extern "C" __global__ void sort_bucket_count(const float *in, const float *pivots, u32 n, u32 *places, u32 *counts)
{
    __shared__ u32 count[DIVISIONS];
#pragma unroll 1
    for (u32 i = threadIdx.x; i < DIVISIONS; i += THREADS) count[i] = 0;
    __syncthreads();
    u32 first = blockIdx.x * PER_BLOCK;
#pragma unroll 1
    for (u32 i = first + threadIdx.x; i < first + PER_BLOCK && i < n; i += THREADS) {
        float element = in[i];
        u32 bucket = 0;
#pragma unroll 1
        for (u32 jump = DIVISIONS / 2; jump > 0; jump /= 2)
            if (element >= pivots[bucket + jump]) bucket += jump;
        places[i] = (atomicAdd(&count[bucket], 1) << LOG_DIVISIONS) + bucket;
    }
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < DIVISIONS; i += THREADS) counts[blockIdx.x * DIVISIONS + i] = count[i];
}

// counts becomes what earlier blocks have in the same bucket; a thread owns a bucket.
extern "C" __global__ void sort_bucket_prefix(u32 *counts, u32 *totals, u32 n_blocks)
{
    u32 bucket = thread_index(), sum = 0;
#pragma unroll 1
    for (u32 i = bucket; i < n_blocks * DIVISIONS; i += DIVISIONS) {
        u32 mine = counts[i];
        counts[i] = sum;
        sum += mine;
    }
    totals[bucket] = sum;
}

// Scatters the elements to their buckets.
extern "C" __global__ void sort_scatter(const float *in, const u32 *places, float *out, u32 n, const u32 *counts, const u32 *offsets)
{
    __shared__ u32 start[DIVISIONS];
#pragma unroll 1
    for (u32 i = threadIdx.x; i < DIVISIONS; i += THREADS) start[i] = offsets[i] + counts[blockIdx.x * DIVISIONS + i];
    __syncthreads();
    u32 first = blockIdx.x * PER_BLOCK;
#pragma unroll 1
    for (u32 i = first + threadIdx.x; i < first + PER_BLOCK && i < n; i += THREADS) {
        u32 place = places[i];
        out[start[place % DIVISIONS] + (place >> LOG_DIVISIONS)] = in[i];
    }
}

static inline __device__ void order(float *a, float *b)
{
    float low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static inline __device__ four sorted(four e)
{
    order(&e.x, &e.y);
    order(&e.z, &e.w);
    order(&e.x, &e.z);
    order(&e.y, &e.w);
    order(&e.y, &e.z);
    return e;
}

// Sorts each four.
extern "C" __global__ void sort_fours(const four *in, four *out, u32 n)
{
    u32 i = thread_index();
    if (i < n) out[i] = sorted(in[i]);
}

// Merges neighbouring runs of `run` fours within each division; a thread owns a pair of runs. Starts are in fours.
extern "C" __global__ void sort_merge(const four *in, four *out, const u32 *starts, u32 threads_a_division, u32 run)
{
    u32 thread = thread_index(), division = thread / threads_a_division;
    if (division >= DIVISIONS) return;
    u32 a = starts[division] + thread % threads_a_division * 2 * run, end = starts[division + 1];
    if (a >= end) return;
    u32 to = a, b = a + run, end_b = b + run < end ? b + run : end, end_a = b < end ? b : end;
    four low = in[a++];
    if (b >= end) { // a run without a partner
        out[to++] = low;
#pragma unroll 1
        while (a < end_a) out[to++] = in[a++];
        return;
    }
    four high = in[b++];
    // low and high are the heads of the two runs, later what is left of the last merge and the next head.
#pragma unroll 1
    while (true) {
        four least = {low.x < high.w ? low.x : high.w, low.y < high.z ? low.y : high.z, low.z < high.y ? low.z : high.y,
                      low.w < high.x ? low.w : high.x};
        four rest = {low.x < high.w ? high.w : low.x, low.y < high.z ? high.z : low.y, low.z < high.y ? high.y : low.z,
                     low.w < high.x ? high.x : low.w};
        out[to++] = sorted(least);
        low = sorted(rest);
        if (a >= end_a && b >= end_b) break;
        if (b >= end_b || (a < end_a && in[a].x < in[b].x)) high = in[a++];
        else high = in[b++];
    }
    out[to] = low;
}

// Packs the divisions without the fillers at their fronts.
extern "C" __global__ void sort_pack(const float *in, float *out, const u32 *starts, const u32 *fillers, const u32 *offsets, const u32 *totals)
{
    u32 division = blockIdx.x, from = 4 * starts[division] + fillers[division];
#pragma unroll 1
    for (u32 i = threadIdx.x; i < totals[division]; i += blockDim.x) out[offsets[division] + i] = in[from + i];
}
