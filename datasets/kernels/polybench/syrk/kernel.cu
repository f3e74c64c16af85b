// syrk: C = alpha A A^T + beta C, C is n x n and A is n x m. As in Polybench/GPU, the sum lies in C: every turn of the loop
// loads A[i][k] and A[j][k], and stores C[i][j]. A thread owns C[i][j] of a 32 x 8 block: A[j][k] differs between the lanes
// (uncoalesced) and is shared by the block's eight warps; A[i][k] is one word a warp. No pointer is __restrict__, so no
// store leaves the loop.
#include "cuda_device.h"

extern "C" __global__ void syrk(const float *a, float *c, float alpha, float beta, int n, int m)
{
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x), i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= n || j >= n) return;
    c[i * n + j] *= beta;
#pragma unroll 1
    for (int k = 0; k < m; k++) c[i * n + j] = fmaf(alpha * a[i * m + k], a[j * m + k], c[i * n + j]);
}
