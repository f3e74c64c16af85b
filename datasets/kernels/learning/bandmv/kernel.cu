// bandmv: a banded matrix times a vector, as BLAS's gbmv does it: column j of LAPACK's band storage has the diagonals from
// above to below, so that a row of the matrix is a diagonal of what is stored. A thread owns a row.
#include "cuda_device.h"

extern "C" __global__ void band_mv(const float *band, const float *x, float *y, u32 half, u32 pitch, u32 n)
{
    u32 row = thread_index();
    if (row >= n) return;
    const u32 first = row < half ? 0 : row - half, last = row + half < n ? row + half : n - 1;
    const float *a = band + first * pitch + (half + row - first);
    float sum = 0.0f;
#pragma unroll 1
    for (u32 j = first; j <= last; j++, a += pitch - 1) sum = fmaf(*a, x[j], sum);
    y[row] = sum;
}
