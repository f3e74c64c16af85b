// mertens: sums of Mertens' function over n / i, the long part of its recurrence M(n) = 1 - sum over i > 1 of M(n / i), as
// Dirichlet's hyperbola has it (M. Deleglise and J. Rivat, "Computing the summation of the Moebius function", Experimental
// Mathematics 5, 1996). A thread owns a number; quotients come from a table of reciprocals that all threads share.
#include "cuda_device.h"

#define STEPS_MAX 4096

extern "C" {
__constant__ u32 reciprocals[STEPS_MAX]; // 2^32 / i, rounded up
}

extern "C" __global__ void hyperbola_sums(const int *mertens, int *sums, u32 first, u32 steps, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 number = first + thread;
    int sum = 0;
#pragma unroll 1
    for (u32 i = 2; i < steps; i++) sum += mertens[(u32)((unsigned long long)number * reciprocals[i] >> 32)];
    sums[thread] = sum;
}
