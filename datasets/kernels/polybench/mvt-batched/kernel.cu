// mvt: x1 += A y1 and x2 += A^T y2 for a batch of small square systems.
// Mapping of Polybench/GPU's mvt: a thread owns a row (mvt_rows: uncoalesced) or a column (mvt_columns: coalesced).
#include "cuda_device.h"

extern "C" __global__ void mvt_rows(const float *a, const float *y1, float *x1, u32 n, u32 systems)
{
    u32 row = blockIdx.x * blockDim.x + threadIdx.x, system = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || system >= systems) return;
    u32 out = system * n + row;
    const float *a_row = a + out * n, *y = y1 + system * n;
    x1[out] = dot(a_row, y, n, x1[out]);
}

extern "C" __global__ void mvt_columns(const float *a, const float *y2, float *x2, u32 n, u32 systems)
{
    u32 column = blockIdx.x * blockDim.x + threadIdx.x, system = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || system >= systems) return;
    u32 out = system * n + column;
    const float *a_column = a + system * n * n + column, *y = y2 + system * n;
    x2[out] = dot_column(a_column, n, y, n, x2[out]);
}
