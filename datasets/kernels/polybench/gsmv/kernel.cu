// gsmv (gesummv): y = alpha A x + beta B x, A and B are n x m. As in Polybench/GPU, both sums lie in memory, A's in tmp and
// B's in y: every turn of the loop loads an element of each matrix, x's element and the sums, and stores the sums. A thread
// owns a row of both matrices. No pointer is __restrict__, so no store leaves the loop, and the loads behind it stay.
#include "cuda_device.h"

extern "C" __global__ void gsmv(const float *a, const float *b, float *tmp, const float *x, float *y, float alpha, float beta, int n, int m)
{
    int i = (int)thread_index();
    if (i >= n) return;
#pragma unroll 1
    for (int j = 0; j < m; j++) {
        tmp[i] = fmaf(a[i * m + j], x[j], tmp[i]);
        y[i] = fmaf(b[i * m + j], x[j], y[i]);
    }
    y[i] = fmaf(alpha, tmp[i], beta * y[i]);
}
