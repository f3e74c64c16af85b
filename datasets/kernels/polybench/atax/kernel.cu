// atax: y = A^T (A x), A is n x m. As in Polybench/GPU, the sum lies in memory: it is set to zero, then every turn of the
// loop loads an element of A and one of the vector, and stores the sum. atax_rows gives a thread a row, atax_columns a
// column. No pointer is __restrict__, so no store leaves the loop.
#include "cuda_device.h"

extern "C" __global__ void atax_rows(const float *a, const float *x, float *tmp, int n, int m)
{
    int i = (int)thread_index();
    if (i >= n) return;
    tmp[i] = 0.0f;
#pragma unroll 1
    for (int j = 0; j < m; j++) tmp[i] = fmaf(a[i * m + j], x[j], tmp[i]);
}

extern "C" __global__ void atax_columns(const float *a, float *y, const float *tmp, int n, int m)
{
    int j = (int)thread_index();
    if (j >= m) return;
    y[j] = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i++) y[j] = fmaf(a[i * m + j], tmp[i], y[j]);
}
