/* Announcements: one thread of a block stores in shared memory what all others read after the next barrier, where the
 * compiler must not read before it: the last block to come adds up what every block has left. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void announcing_kernel(const int *__restrict__ x, int n, unsigned *__restrict__ arrived,
                                             volatile int *__restrict__ sums, int *seen)
{
    __shared__ bool comes_last;
    __shared__ int sum;
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t == 0) sum = 0;
    __syncthreads();
    if (i < n) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        comes_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (comes_last) {
        atomicAdd(seen, 1);
        if (t == 0) sum = 0;
        __syncthreads();
        for (int b = t; b < gridDim.x; b += blockDim.x) atomicAdd(&sum, sums[b]);
        __syncthreads();
        if (t == 0) sums[0] = sum;
    }
}
extern "C" __global__ void announcing_votes_kernel(const int *x, int *out)
{
    __shared__ int largest;
    const int t = threadIdx.x;
    for (int round = 0; round < 3; round++) {
        if (t == round * 40) largest = x[t];
        const int above = __syncthreads_count(x[t] > 0);
        const int all = __syncthreads_and(x[t] <= largest), any = __syncthreads_or(x[t] == largest + 1);
        out[round * blockDim.x + t] = largest * 4 + (above > 0) * 2 + (all & !any);
        __syncthreads();
    }
}
#endif

PROGRAM(announcing)
{
    const int n = 1000, threads = 128, blocks = (n + threads - 1) / threads;
    Array<int> x(n), sums(blocks), seen(1), out(3 * threads);
    Array<unsigned> arrived(1);
    int wanted = 0;
    for (int i = 0; i < n; i++) wanted += x[i] = (int)(noise(i) % 100) - 30;
    x.up();
    CHECK(!LAUNCH(announcing_kernel, dim3(blocks), dim3(threads), 0, (const int *)x.device, n, arrived.device, (volatile int *)sums.device, seen.device));
    CHECK(!LAUNCH(announcing_votes_kernel, dim3(1), dim3(threads), 0, (const int *)x.device, out.device));
    sums.down(), seen.down(), out.down();
    CHECK(seen[0] == threads && sums[0] == wanted);
    for (int round = 0; round < 3; round++) {
        const int largest = x[round * 40];
        bool above = false, all = true, any = false;
        for (int t = 0; t < threads; t++) above |= x[t] > 0, all &= x[t] <= largest, any |= x[t] == largest + 1;
        for (int t = 0; t < threads; t++) CHECK(out[round * threads + t] == largest * 4 + above * 2 + (all & !any));
    }
    return 0;
}
