// trsolve: one lower triangular system with many right-hand sides, as BLAS's trsm solves it from the left. A thread owns a
// right-hand side, whose unknowns are interleaved with the others' and are read again for each further one.
#include "cuda_device.h"

extern "C" __global__ void solve(const float *triangle, float *x, u32 size, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    float *own = x + thread;
    const float *l = triangle;
#pragma unroll 1
    for (u32 i = 0; i < size; i++) {
        float sum = own[i * n];
#pragma unroll 1
        for (u32 j = 0; j < i; j++, l++) sum = fmaf(-*l, own[j * n], sum);
        own[i * n] = sum / *l++;
    }
}
