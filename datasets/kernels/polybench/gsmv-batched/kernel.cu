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
    for (const float *end = x_system + n; x_system != end; a_row += 2, b_row += 2, x_system += 2) { // n is even
        a_sum = fmaf(a_row[0], x_system[0], a_sum);
        b_sum = fmaf(b_row[0], x_system[0], b_sum);
        a_sum = fmaf(a_row[1], x_system[1], a_sum);
        b_sum = fmaf(b_row[1], x_system[1], b_sum);
    }
    y[out] = fmaf(alpha, a_sum, beta * b_sum);
}
