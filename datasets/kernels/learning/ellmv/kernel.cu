// ellmv: sparse matrix vector product in ELLPACK-R storage. A thread owns a row; element k of all rows lies side by
// side, so loads of values and column numbers are coalesced and only those of the vector scatter. A thread ends at its
// own row's length.
#include "cuda_device.h"

extern "C" __global__ void ellmv(const float *value, const u32 *column, const u32 *length, const float *x, float *y,
                                 u32 rows)
{
    u32 row = thread_index();
    if (row >= rows) return;
    u32 at = row, end = row + length[row] * rows;
    float sum = 0.0f;
#pragma unroll 1
    do { // a row has an element at least
        sum = fmaf(value[at], x[column[at]], sum);
        at += rows;
    } while (at != end);
    y[row] = sum;
}
