// spmv: sparse matrix vector product in jagged diagonal storage, as Parboil's. Rows are sorted by falling length and padded to
// the longest of their warp; element k of consecutive rows lies side by side, so matrix loads are coalesced and only the
// loads of the vector scatter. Where diagonals start and how long each warp's rows are is in constant memory.
#include "cuda_device.h"

#define MAX_DIAGONALS 4096
#define MAX_WARPS 8192

extern "C" {
__constant__ u32 spmv_diagonal[MAX_DIAGONALS];
__constant__ u32 spmv_length[MAX_WARPS];
}

extern "C" __global__ void spmv_jds(const float *data, const u32 *index, const u32 *perm, const float *x, float *y, u32 n)
{
    u32 row = thread_index();
    if (row >= n) return;
    u32 length = spmv_length[row / 32];
    float sum = 0.0f;
#pragma unroll 1
    for (u32 k = 0; k < length; k++) {
        u32 at = spmv_diagonal[k] + row;
        sum = fmaf(data[at], x[index[at]], sum);
    }
    y[perm[row]] = sum;
}
