// atax: y = A^T (A x) for a batch of small square systems.
// Mapping of Polybench/GPU's atax: atax_rows gives a thread a row (uncoalesced), atax_columns a column (coalesced).
#include "cuda_device.h"

extern "C" __global__ void atax_rows(const float *a, const float *x, float *tmp, u32 n, u32 systems)
{
    u32 row = blockIdx.x * blockDim.x + threadIdx.x, system = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || system >= systems) return;
    u32 out = system * n + row;
    const float *a_row = a + out * n, *x_system = x + system * n;
    tmp[out] = dot(a_row, x_system, n, 0.0f);
}

extern "C" __global__ void atax_columns(const float *a, const float *tmp, float *y, u32 n, u32 systems)
{
    u32 column = blockIdx.x * blockDim.x + threadIdx.x, system = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || system >= systems) return;
    const float *a_column = a + system * n * n + column, *tmp_system = tmp + system * n;
    y[system * n + column] = dot_column(a_column, n, tmp_system, n, 0.0f);
}
