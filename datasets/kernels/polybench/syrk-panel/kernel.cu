// syrk: C = alpha A A^T + beta C, C is n x n and A is n x m in rows of `lda` elements (a panel of a wider matrix).
// Mapping of Polybench/GPU's syrk: a thread owns C[i][j] of a 32 x 8 block. A[j][k] differs between the lanes
// (uncoalesced) and is shared by all warps with the same j; A[i][k] is one word a warp.
#include "cuda_device.h"

extern "C" __global__ void syrk(const float *a, float *c, float alpha, float beta, u32 n, u32 m, u32 lda)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    const float *a_i = a + i * lda, *a_j = a + j * lda;
    float sum = dot(a_i, a_j, m, 0.0f);
    c[i * n + j] = fmaf(alpha, sum, beta * c[i * n + j]);
}
