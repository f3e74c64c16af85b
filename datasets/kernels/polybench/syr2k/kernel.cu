// syr2k: C = alpha (A B^T + B A^T) + beta C, C is n x n, A and B are n x m. As in Polybench/GPU, the sum lies in C: every turn
// of the loop loads A[i][k], B[j][k], B[i][k] and A[j][k], and stores C[i][j]. A thread owns C[i][j] of a 32 x 8 block:
// A[j][k] and B[j][k] differ between the lanes (uncoalesced) and are shared by the block's eight warps; A[i][k] and B[i][k]
// are one word a warp. No pointer is __restrict__, so no store leaves the loop.
#include "cuda_device.h"

extern "C" __global__ void syr2k(const float *a, const float *b, float *c, float alpha, float beta, int n, int m)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= n || j >= n) return;
    c[i * n + j] *= beta;
#pragma unroll 1
    for (int k = 0; k < m; k++)
        c[i * n + j] += fmaf(alpha * b[i * m + k], a[j * m + k], alpha * a[i * m + k] * b[j * m + k]);
}
