// syr2k: C = alpha (A B^T + B A^T) + beta C, C is n x n, A and B are n x m in rows of `lda` elements
// (panels of wider matrices).
// Mapping of Polybench/GPU's syr2k: a thread owns C[i][j]. A[j][k] and B[j][k] differ between the
// lanes (uncoalesced) and are shared by all warps with the same j; A[i][k] and B[i][k] are one word a warp.
#include "cuda_device.h"

#define STEP 10 // columns a turn of the loop; m is a multiple

extern "C" __global__ void syr2k(const float *a, const float *b, float *c, float alpha, float beta, u32 n, u32 m, u32 lda)
{
    u32 j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    const float *a_i = a + i * lda, *a_j = a + j * lda, *b_i = b + i * lda, *b_j = b + j * lda;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 left = m; left != 0; left -= STEP) {
#pragma unroll
        for (u32 k = 0; k < STEP; k++) {
            sum = fmaf(a_i[k], b_j[k], sum);
            sum = fmaf(b_i[k], a_j[k], sum);
        }
        a_i += STEP;
        a_j += STEP;
        b_i += STEP;
        b_j += STEP;
    }
    c[i * n + j] = fmaf(alpha, sum, beta * c[i * n + j]);
}
