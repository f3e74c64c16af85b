// gaussian: Gaussian elimination, two kernels a column as in Rodinia. In the second a thread's x is the *row* and y the column, in
// blocks of 4 x 4: neighbouring lanes go down a column (uncoalesced), and a warp is half empty.
#include "cuda_device.h"

// The multipliers of column t.
extern "C" __global__ void gaussian_multipliers(float *m, const float *a, u32 size, u32 t)
{
    u32 i = thread_index();
    if (i >= size - 1 - t) return;
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

// Takes the multiple of row t from all rows below it, right side included.
extern "C" __global__ void gaussian_eliminate(const float *m, float *a, float *b, u32 size, u32 t)
{
    u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - t || y >= size - t) return;
    u32 row = x + 1 + t;
    a[size * row + y + t] = fmaf(-m[size * row + t], a[size * t + y + t], a[size * row + y + t]);
    if (y == 0) b[row] = fmaf(-m[size * row + t], b[t], b[row]);
}
