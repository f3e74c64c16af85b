// mvt: x1 += A y1 and x2 += A^T y2, A is n x m. As in Polybench/GPU, the sum lies in memory: every turn of the loop loads
// an element of A and one of the vector, and stores the sum. A thread owns a row (mvt_rows) or a column (mvt_columns).
// No pointer is __restrict__, so no store leaves the loop.
#include "cuda_device.h"

extern "C" __global__ void mvt_rows(const float *a, float *x1, const float *y1, int n, int m)
{
    int i = (int)thread_index();
    if (i >= n) return;
#pragma unroll 1
    for (int j = 0; j < m; j++) x1[i] = fmaf(a[i * m + j], y1[j], x1[i]);
}

extern "C" __global__ void mvt_columns(const float *a, float *x2, const float *y2, int n, int m)
{
    int j = (int)thread_index();
    if (j >= m) return;
#pragma unroll 1
    for (int i = 0; i < n; i++) x2[j] = fmaf(a[i * m + j], y2[i], x2[j]);
}
