// pcr: parallel cyclic reduction of many tridiagonal systems (R. Hockney and C. Jesshope, Parallel Computers, 1981; Y. Zhang
// and others, PPoPP 2010, for GPUs). A block owns a system, a thread a row. In each step a row eliminates its neighbours,
// which lie twice as far as in the step before; the two copies of all rows change places.
#include "cuda_device.h"

extern "C" __global__ void reduce_rows(float *rows, float *x, u32 size, u32 n)
{
    const u32 i = threadIdx.x, at = blockIdx.x * size + i;
    u32 from = 0, to = 4 * n; // lower, main, upper diagonal and right-hand side of all rows
#pragma unroll 1
    for (u32 offset = 1; offset < size; offset *= 2) {
        const float *in = rows + from + at;
        float lower = in[0], main = in[n], upper = in[2 * n], right = in[3 * n], below = 0.0f, above = 0.0f;
        if (i >= offset) {
            const float *a = in - offset;
            float k = lower / a[n];
            below = -(a[0] * k);
            main = fmaf(-a[2 * n], k, main);
            right = fmaf(-a[3 * n], k, right);
        }
        if (i + offset < size) {
            const float *b = in + offset;
            float k = upper / b[n];
            above = -(b[2 * n] * k);
            main = fmaf(-b[0], k, main);
            right = fmaf(-b[3 * n], k, right);
        }
        float *out = rows + to + at;
        out[0] = below;
        out[n] = main;
        out[2 * n] = above;
        out[3 * n] = right;
        __syncthreads();
        u32 swap = from;
        from = to;
        to = swap;
    }
    x[at] = rows[from + at + 3 * n] / rows[from + at + n];
}
