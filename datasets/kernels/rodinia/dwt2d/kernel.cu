// dwt2d: a two-dimensional 5/3 wavelet transform (integer lifting, JPEG 2000's reversible one). As in Rodinia a block owns a strip of
// columns and slides down it: it lifts new rows along x in shared memory, then columns along y, and keeps the last three rows
// for the next step.
#include "cuda_device.h"

#define WIDTH 64              // columns of a strip, and threads
#define HEIGHT 8              // rows of a step
#define HALO 3                // 2 on the left and above, 1 on the right and below
#define PITCH (WIDTH + HALO)
#define ROWS (HEIGHT + HALO)

// Interleaved colours become three arrays of signed values, through shared memory so that both sides are coalesced.
extern "C" __global__ void dwt_split(const u8 *colours, int *red, int *green, int *blue, u32 n)
{
    __shared__ u8 bytes[3 * 256];
    u32 first = blockIdx.x * 256, at = first + threadIdx.x;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < 3 * 256 && 3 * first + i < 3 * n; i += 256) bytes[i] = colours[3 * first + i];
    __syncthreads();
    if (at >= n) return;
    red[at] = (int)bytes[3 * threadIdx.x] - 128;
    green[at] = (int)bytes[3 * threadIdx.x + 1] - 128;
    blue[at] = (int)bytes[3 * threadIdx.x + 2] - 128;
}

// The place of i in a line of n values that is mirrored at its ends.
static inline __device__ int mirror(int i, int n)
{
    i = i < 0 ? -i : i;
    i = i >= n ? 2 * (n - 1) - i : i;
    return i < 0 ? 0 : i; // beyond what any result needs
}

// Brings `count` rows of the image from row `first` into the window from row `to` on and lifts them along x. Window column c is
// image column left + c with left even, so odd is odd.
static inline __device__ void load_rows(int (*window)[PITCH], const int *in, int first, int to, int count, int columns, int rows, int pitch)
{
    int tx = (int)threadIdx.x, left = (int)blockIdx.x * WIDTH - 2;
#pragma unroll 1
    for (int r = 0; r < count; r++) {
        const int *row = in + mirror(first + r, rows) * pitch;
        window[to + r][tx] = row[mirror(left + tx, columns)];
        if (tx < HALO) window[to + r][WIDTH + tx] = row[mirror(left + WIDTH + tx, columns)];
    }
    __syncthreads();
    int odd = 2 * tx + 1, even = 2 * tx + 2;
#pragma unroll 1
    for (int r = to; r < to + count && tx <= WIDTH / 2; r++) window[r][odd] -= (window[r][odd - 1] + window[r][odd + 1]) >> 1;
    __syncthreads();
#pragma unroll 1
    for (int r = to; r < to + count && tx < WIDTH / 2; r++) window[r][even] += (window[r][even - 1] + window[r][even + 1] + 2) >> 2;
    __syncthreads();
}

// Low halves go to the left and to the top of `out`, high halves to the right and to the bottom.
extern "C" __global__ void dwt_forward(const int *in, int *out, u32 n_columns, u32 n_rows, u32 pitch, u32 steps)
{
    __shared__ int window[ROWS][PITCH];
    int columns = (int)n_columns, rows = (int)n_rows, tx = (int)threadIdx.x, x = (int)blockIdx.x * WIDTH + tx;
    int y = (int)(blockIdx.y * steps) * HEIGHT, to_x = x % 2 == 0 ? x / 2 : columns / 2 + x / 2;
    load_rows(window, in, y - 2, 0, HALO, columns, rows, (int)pitch);
#pragma unroll 1
    for (u32 step = 0; step < steps && y < rows; step++, y += HEIGHT) {
        load_rows(window, in, y + 1, HALO, HEIGHT, columns, rows, (int)pitch);
        int c = tx + 2, high = window[1][c] - ((window[0][c] + window[2][c]) >> 1);
#pragma unroll 1
        for (int r = 2; r < ROWS - 1 && x < columns && y + r - 2 < rows; r += 2) {
            int next = window[r + 1][c] - ((window[r][c] + window[r + 2][c]) >> 1);
            int low = window[r][c] + ((high + next + 2) >> 2), at = (y + r - 2) / 2;
            out[at * (int)pitch + to_x] = low;
            out[(rows / 2 + at) * (int)pitch + to_x] = next;
            high = next;
        }
        __syncthreads();
#pragma unroll 1
        for (int i = tx; i < HALO * PITCH; i += WIDTH) window[i / PITCH][i % PITCH] = window[HEIGHT + i / PITCH][i % PITCH];
        __syncthreads();
    }
}
