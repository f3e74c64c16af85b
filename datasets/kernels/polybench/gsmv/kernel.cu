// gsmv (gesummv): y = alpha A x + beta B x for a batch of small square systems.
// Mapping of Polybench/GPU's gesummv: a thread owns a row of both matrices (uncoalesced).
#include "cuda_device.h"

extern "C" __global__ void gsmv(const float *a, const float *b, const float *x, float *y, float alpha, float beta, u32 n, u32 systems)
{
    u32 row = blockIdx.x * blockDim.x + threadIdx.x, system = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || system >= systems) return;
    u32 out = system * n + row;
    const float *a_row = a + out * n, *b_row = b + out * n, *x_system = x + system * n;
    float a_sum = 0.0f, b_sum = 0.0f;
#pragma unroll 1
    for (u32 j = 0; j < n; j++) {
        a_sum = fmaf(a_row[j], x_system[j], a_sum);
        b_sum = fmaf(b_row[j], x_system[j], b_sum);
    }
    y[out] = fmaf(alpha, a_sum, beta * b_sum);
}
