// mri-gridding: samples at any place in space are spread over a regular grid, as Parboil's in gather form. grid_bins finds each
// sample's bin; a radix sort brings the samples of a bin together (grid_digits counts digits a block, the MapReduce scan, then
// grid_scatter, which ranks a block's digits by splitting on one bit after another); grid_reorder moves the samples;
// grid_gather has one block for each tile of the grid, which reads the samples of the bins around it through shared memory.
#include "mapreduce.cuh"

#define THREADS 256
#define DIGITS 16
#define TILE 4 // points along an edge of a tile; a tile is a bin
#define POINTS (TILE * TILE * TILE)
#define TABLE 256

struct sample { float x, y, z, re, im, density; };
extern "C" {
__constant__ float grid_window[TABLE]; // the window's value by squared distance over the squared radius
}

extern "C" __global__ void grid_bins(const sample *samples, u32 *keys, u32 *order, u32 nx, u32 ny, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    u32 x = (u32)samples[i].x / TILE, y = (u32)samples[i].y / TILE, z = (u32)samples[i].z / TILE;
    keys[i] = x + nx * (y + ny * z);
    order[i] = i;
}

// counts[digit * blocks + block], so that a scan of it gives each block's place for each digit.
extern "C" __global__ void grid_digits(const u32 *keys, u32 shift, u32 *counts, u32 n)
{
    __shared__ u32 count[DIGITS];
    u32 i = thread_index(), t = threadIdx.x;
    if (t < DIGITS) count[t] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&count[keys[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (t < DIGITS) counts[t * gridDim.x + blockIdx.x] = count[t];
}

// The sum of flag over the threads before this one, by doubling steps in shared memory. *total: over all.
static inline __device__ u32 scan_flags(u32 *sums, u32 flag, u32 *total)
{
    u32 t = threadIdx.x;
    __syncthreads();
    sums[t] = flag;
    __syncthreads();
#pragma unroll 1
    for (u32 step = 1; step < THREADS; step *= 2) {
        u32 other = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += other;
        __syncthreads();
    }
    *total = sums[THREADS - 1];
    return sums[t] - flag;
}

// Stable: equal digits keep their order.
extern "C" __global__ void grid_scatter(const u32 *keys, const u32 *order, const u32 *starts, u32 shift, u32 *keys_out, u32 *order_out, u32 n)
{
    __shared__ u32 sums[THREADS], key_of[THREADS], order_of[THREADS], first[DIGITS];
    u32 i = thread_index(), t = threadIdx.x, in_block = n - blockIdx.x * THREADS < THREADS ? n - blockIdx.x * THREADS : THREADS;
    u32 key = i < n ? keys[i] : ~0u, item = i < n ? order[i] : 0; // places past the end sort last
#pragma unroll 1
    for (u32 bit = 0; bit < 4; bit++) {
        u32 is_one = i < n ? key >> (shift + bit) & 1 : 1, zeros;
        u32 before = scan_flags(sums, !is_one, &zeros), to = is_one ? zeros + t - before : before;
        key_of[to] = key;
        order_of[to] = item;
        __syncthreads();
        key = key_of[t];
        item = order_of[t];
    }
    u32 digit = key >> shift & (DIGITS - 1);
    __syncthreads();
    if (t < in_block && (t == 0 || (key_of[t - 1] >> shift & (DIGITS - 1)) != digit)) first[digit] = t;
    __syncthreads();
    if (t >= in_block) return;
    u32 to = starts[digit * gridDim.x + blockIdx.x] + t - first[digit];
    keys_out[to] = key;
    order_out[to] = item;
}

// The samples in the order of their bins, and where each bin starts (one entry more: the end of the last).
extern "C" __global__ void grid_reorder(const sample *samples, const u32 *keys, const u32 *order, sample *sorted, u32 *starts, u32 n_bins, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    sorted[i] = samples[order[i]];
    u32 key = keys[i], next = i + 1 < n ? keys[i + 1] : n_bins;
    if (i == 0)
        for (u32 bin = 0; bin <= key; bin++) starts[bin] = 0;
#pragma unroll 1
    for (u32 bin = key + 1; bin <= next; bin++) starts[bin] = i + 1;
}

// A block is a tile, a thread a point of the grid. radius2: of the window, at most a tile's edge squared.
extern "C" __global__ void grid_gather(const sample *samples, const u32 *starts, float *re, float *im, u32 nx, u32 ny, u32 nz, float radius2)
{
    __shared__ sample loaded[POINTS];
    int bx = (int)blockIdx.x, by = (int)(blockIdx.y % ny), bz = (int)(blockIdx.y / ny), t = (int)threadIdx.x;
    u32 px = (u32)(bx * TILE + t % TILE), py = (u32)(by * TILE + t / TILE % TILE), pz = (u32)(bz * TILE + t / (TILE * TILE));
    float sum_re = 0.0f, sum_im = 0.0f, scale = (float)TABLE / radius2;
#pragma unroll 1
    for (int k = 0; k < 9; k++) { // three bins in a row lie one after another
        int y = by + k % 3 - 1, z = bz + k / 3 - 1, left = bx > 0 ? bx - 1 : 0, right = bx + 1 < (int)nx ? bx + 1 : (int)nx - 1;
        if (y < 0 || y >= (int)ny || z < 0 || z >= (int)nz) continue;
        u32 row = nx * ((u32)y + ny * (u32)z), end = starts[row + (u32)right + 1];
#pragma unroll 1
        for (u32 base = starts[row + (u32)left]; base < end; base += POINTS) {
            u32 n_loaded = end - base < POINTS ? end - base : POINTS;
            __syncthreads();
            if ((u32)t < n_loaded) loaded[t] = samples[base + (u32)t];
            __syncthreads();
#pragma unroll 1
            for (u32 i = 0; i < n_loaded; i++) {
                float dx = loaded[i].x - (float)px, dy = loaded[i].y - (float)py, dz = loaded[i].z - (float)pz;
                float distance2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
                if (distance2 >= radius2) continue;
                float weight = grid_window[(u32)(distance2 * scale)] * loaded[i].density;
                sum_re = fmaf(weight, loaded[i].re, sum_re);
                sum_im = fmaf(weight, loaded[i].im, sum_im);
            }
        }
    }
    u32 at = px + nx * TILE * (py + ny * TILE * pz);
    re[at] = sum_re;
    im[at] = sum_im;
}
