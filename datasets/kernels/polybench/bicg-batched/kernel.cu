// bicg: s = A^T r and q = A p, the two products of BiCGStab's sub-kernel, for a batch of small square systems.
// Mapping of Polybench/GPU's bicg: bicg_columns gives a thread a column (coalesced), bicg_rows a row (uncoalesced).
#include "cuda_device.h"

extern "C" __global__ void bicg_columns(const float *a, const float *r, float *s, u32 n, u32 systems)
{
    u32 column = blockIdx.x * blockDim.x + threadIdx.x, system = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || system >= systems) return;
    const float *a_column = a + system * n * n + column, *r_system = r + system * n;
    s[system * n + column] = dot_column(a_column, n, r_system, n, 0.0f);
}

extern "C" __global__ void bicg_rows(const float *a, const float *p, float *q, u32 n, u32 systems)
{
    u32 row = blockIdx.x * blockDim.x + threadIdx.x, system = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || system >= systems) return;
    u32 out = system * n + row;
    const float *a_row = a + out * n, *p_system = p + system * n;
    q[out] = dot(a_row, p_system, n, 0.0f);
}
