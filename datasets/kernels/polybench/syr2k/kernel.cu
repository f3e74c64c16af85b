// syr2k: C = alpha (A B^T + B A^T) + beta C, C is n x n, A and B are n x m.
// Mapping of Polybench/GPU's syr2k: a thread owns C[i][j] of a 32 x 8 block. A[j][k] and B[j][k] differ between the
// lanes (uncoalesced) and are shared by all warps with the same j; A[i][k] and B[i][k] are one word a warp.
#include "cuda_device.h"

extern "C" __global__ void syr2k(const float *a, const float *b, float *c, float alpha, float beta, u32 n, u32 m)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    const float *a_i = a + i * m, *a_j = a + j * m, *b_i = b + i * m, *b_j = b + j * m;
    float sum = 0.0f;
#pragma unroll 2
    for (u32 k = 0; k < m; k++) {
        sum = fmaf(a_i[k], b_j[k], sum);
        sum = fmaf(b_i[k], a_j[k], sum);
    }
    c[i * n + j] = fmaf(alpha, sum, beta * c[i * n + j]);
}
