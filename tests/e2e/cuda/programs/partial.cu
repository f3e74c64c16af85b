/* A reduction of the last level by a few lanes of a warp, as CUDA's samples write it: its shuffles also name lanes that do not
 * take part, whose values PTX leaves open. On hardware they add nothing, and programs rely on it. */
#include "program.h"
#ifndef PROGRAM_DRIVER
__device__ static inline int partial_sum(unsigned mask, int x)
{
    for (int by = 16; by; by /= 2) x += __shfl_down_sync(mask, x, by);
    return x;
}
extern "C" __global__ void partial_kernel(const int *in, int *out)
{
    __shared__ int sums[8];
    const unsigned t = threadIdx.x;
    int x = partial_sum(0xffffffffu, in[blockIdx.x * blockDim.x + t]);
    if (t % 32 == 0) sums[t / 32] = x;
    __syncthreads();
    const unsigned members = __ballot_sync(0xffffffffu, t < blockDim.x / 32);
    x = t < blockDim.x / 32 ? sums[t] : x; /* the others keep what they had */
    if (t < blockDim.x / 32) x = partial_sum(members, x);
    if (t == 0) out[blockIdx.x] = x;
}
#endif

PROGRAM(partial)
{
    const int blocks = 3, threads = 256;
    Array<int> in(blocks * threads), out(blocks);
    for (int i = 0; i < blocks * threads; i++) in[i] = (int)(noise((uint32_t)i) % 1000);
    in.up();
    CHECK(!LAUNCH(partial_kernel, dim3(blocks), dim3(threads), 0, (const int *)in.device, out.device));
    out.down();
    for (int b = 0; b < blocks; b++) {
        int sum = 0;
        for (int t = 0; t < threads; t++) sum += in[b * threads + t];
        CHECK(out[b] == sum);
    }
    return 0;
}
