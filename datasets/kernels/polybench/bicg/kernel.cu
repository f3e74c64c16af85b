// bicg: s = A^T r and q = A p, the two products of BiCGStab's sub-kernel, A is n x m. As in Polybench/GPU, the sum lies in
// memory: it is set to zero, then every turn of the loop loads an element of A and one of the vector, and stores the sum.
// bicg_columns gives a thread a column, bicg_rows a row. No pointer is __restrict__, so no store leaves the loop.
#include "cuda_device.h"

extern "C" __global__ void bicg_columns(const float *a, const float *r, float *s, int n, int m)
{
    int j = (int)thread_index();
    if (j >= m) return;
    s[j] = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i++) s[j] = fmaf(r[i], a[i * m + j], s[j]);
}

extern "C" __global__ void bicg_rows(const float *a, const float *p, float *q, int n, int m)
{
    int i = (int)thread_index();
    if (i >= n) return;
    q[i] = 0.0f;
#pragma unroll 1
    for (int j = 0; j < m; j++) q[i] = fmaf(a[i * m + j], p[j], q[i]);
}
