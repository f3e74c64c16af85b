// spmm: a sparse matrix in compressed rows times a dense one of a few columns. A thread owns four columns of a row of
// the product: blocks are as wide as a dense row has fours, so the threads of a row read the dense rows that its list
// of entries names. Rows are taken in the order of their lengths, so that those of a warp have about the same.
#include "cuda_device.h"

// Two entries of a row: where their dense rows start, in fours, and their values. Rows have an even number of entries.
struct __attribute__((aligned(16))) entries { u32 from0, from1; float value0, value1; };

static inline __device__ void add(float4 &sum, float value, const float4 &a)
{
    sum.x = fmaf(value, a.x, sum.x);
    sum.y = fmaf(value, a.y, sum.y);
    sum.z = fmaf(value, a.z, sum.z);
    sum.w = fmaf(value, a.w, sum.w);
}

extern "C" __global__ void spmm_csr(const u32 *order, const u32 *start, const entries *pairs, const float4 *dense,
                                    float4 *product, u32 rows)
{
    u32 place = blockIdx.x * blockDim.y + threadIdx.y;
    if (place >= rows) return;
    u32 row = order[place];
    const float4 *own = dense + threadIdx.x;
    float4 sum;
    sum.x = sum.y = sum.z = sum.w = 0.0f;
#pragma unroll 1
    for (const entries *next = pairs + start[row], *end = pairs + start[row + 1]; next != end; next++) {
        entries e = *next;
        float4 a = own[e.from0], b = own[e.from1];
        add(sum, e.value0, a);
        add(sum, e.value1, b);
    }
    product[row * blockDim.x + threadIdx.x] = sum;
}
