// heartwall: follows points on a beating heart through a film. A block of 256 threads owns a point and does, for a frame, everything
// that Rodinia's kernel does: take the window about the point, convolve it with the point's picture (full size), sums under
// the picture by running sums along columns and rows, normalised correlation, its maximum, and the renewal of the picture. What lies
// between the phases is in global memory, one area a point. Pictures are column by column.
#include "cuda_device.h"

#define THREADS 256
struct shape { int rows, columns, points, half, search; }; // of the film; the picture has 2 half + 1, the window 2 search + 1 a side

// Elements of the area of a point: window, turned picture, convolution, padded running sums, sums and sums of squares.
static inline __device__ void take(float *to, const float *frame, int side, int row, int column, shape s)
{
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < side * side; i += THREADS) to[i] = frame[(column + i / side) * s.rows + row + i % side];
}

// sums[] = the sum of `window` (squared, if so) under a picture at every place where both overlap, by differences of running sums.
static inline __device__ void sums_under(const float *window, float *running, float *sums, int side, int picture, bool squared)
{
    int tx = (int)threadIdx.x, padded = side + 2 * picture, full = side + picture - 1;
#pragma unroll 1
    for (int i = tx; i < padded * padded; i += THREADS) {
        int r = i % padded - picture, c = i / padded - picture;
        float value = r >= 0 && r < side && c >= 0 && c < side ? window[c * side + r] : 0.0f;
        running[i] = squared ? value * value : value;
    }
    __syncthreads();
    if (tx < padded) { // down each column, one thread each
        float sum = 0.0f;
#pragma unroll 1
        for (int r = 0; r < padded; r++) running[tx * padded + r] = sum += running[tx * padded + r];
    }
    __syncthreads();
#pragma unroll 1
    for (int i = tx; i < full * padded; i += THREADS) {
        int r = i % full, c = i / full;
        sums[i] = running[c * padded + r + picture] - running[c * padded + r];
    }
    __syncthreads();
    if (tx < full) { // along each row
        float sum = 0.0f;
#pragma unroll 1
        for (int c = 0; c < padded; c++) running[c * full + tx] = sum += sums[c * full + tx];
    }
    __syncthreads();
#pragma unroll 1
    for (int i = tx; i < full * full; i += THREADS) {
        int r = i % full, c = i / full;
        sums[i] = running[(c + picture) * full + r] - running[c * full + r];
    }
    __syncthreads();
}

// out = full convolution of the window with the picture, turned beforehand: their products at every offset.
static inline __device__ void convolve(const float *window, const float *turned, float *out, int side, int picture)
{
    int full = side + picture - 1;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < full * full; i += THREADS) {
        int r = i % full, c = i / full, r0 = r < picture ? 0 : r - picture + 1, r1 = r < side ? r : side - 1;
        int c0 = c < picture ? 0 : c - picture + 1, c1 = c < side ? c : side - 1;
        float sum = 0.0f;
#pragma unroll 1
        for (int x = c0; x <= c1; x++)
#pragma unroll 1
            for (int y = r0; y <= r1; y++) sum = fmaf(window[x * side + y], turned[(c - x) * picture + r - y], sum);
        out[i] = sum;
    }
    __syncthreads();
}

// Mean and root of the sum of squared deviations of the picture, by one thread.
static inline __device__ void picture_statistics(const float *picture, int n, float *mean, float *spread)
{
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        sum += picture[i];
        squares = fmaf(picture[i], picture[i], squares);
    }
    *mean = sum / (float)n;
    float left = squares - sum * sum / (float)n;
    *spread = sqrtf(left > 0.0f ? left : 0.0f);
}

extern "C" __global__ void heartwall_frame(const float *frame, u32 number, shape s, int *rows, int *columns, float *pictures, float *areas,
                                           u32 area)
{
    __shared__ float mean, spread, best_value[THREADS];
    __shared__ int best_place[THREADS];
    int tx = (int)threadIdx.x, point = (int)blockIdx.x, picture = 2 * s.half + 1, side = 2 * s.search + 1, full = side + picture - 1;
    int row = rows[point], column = columns[point], padded = side + 2 * picture;
    float *mine = pictures + point * picture * picture;
    if (number == 0) { // the first frame only gives the pictures
        take(mine, frame, picture, row - s.half, column - s.half, s);
        return;
    }
    float *window = areas + (u32)point * area, *turned = window + side * side, *product = turned + picture * picture;
    float *running = product + full * full, *sums = running + padded * padded, *squares = sums + full * padded;
    take(window, frame, side, row - s.search, column - s.search, s);
#pragma unroll 1
    for (int i = tx; i < picture * picture; i += THREADS) turned[i] = mine[picture * picture - 1 - i];
    if (tx == 0) picture_statistics(mine, picture * picture, &mean, &spread);
    __syncthreads();
    convolve(window, turned, product, side, picture);
    sums_under(window, running, sums, side, picture, false);
    sums_under(window, running, squares, side, picture, true);
    // Normalised correlation; only offsets at which the picture lies wholly inside the window count.
    float best = -2.0f;
    int place = 0;
#pragma unroll 1
    for (int i = tx; i < full * full; i += THREADS) {
        int r = i % full, c = i / full;
        float left = squares[i] - sums[i] * sums[i] / (float)(picture * picture);
        float correlation = (product[i] - sums[i] * mean) / (sqrtf(left > 0.0f ? left : 0.0f) * spread + 1e-6f);
        bool counts = r >= picture - 1 && r < side && c >= picture - 1 && c < side;
        if (counts && correlation > best) {
            best = correlation;
            place = i;
        }
    }
    best_value[tx] = best;
    best_place[tx] = place;
    __syncthreads();
    if (tx == 0) {
#pragma unroll 1
        for (int i = 1; i < THREADS; i++)
            if (best_value[i] > best || (best_value[i] == best && best_place[i] < place)) {
                best = best_value[i];
                place = best_place[i];
            }
        best_place[0] = place;
        rows[point] = row += place % full - s.half - s.search;
        columns[point] = column += place / full - s.half - s.search;
    }
    __syncthreads();
    // The picture slowly takes on what is seen at the new place.
    place = best_place[0];
    row = place % full - picture + 1;
    column = place / full - picture + 1;
#pragma unroll 1
    for (int i = tx; i < picture * picture; i += THREADS)
        mine[i] = fmaf(0.88f, mine[i], 0.12f * window[(column + i / picture) * side + row + i % picture]);
}
