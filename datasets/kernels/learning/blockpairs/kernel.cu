// blockpairs: which pairs would rather have one another than whom a lottery gave them (D. Gale and L. Shapley, "College
// admissions and the stability of marriage", American Mathematical Monthly 69, 1962), over many markets. A thread owns an
// applicant: down his list to the place that he was given, it asks what rank he has there.
#include "cuda_device.h"

typedef unsigned short u16;

extern "C" __global__ void blocking_pairs(const u16 *lists, const u16 *ranks, const u16 *given, const u16 *held, u32 *counts,
                                          u32 size, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 first = thread / size * size, own = thread - first, place = given[thread]; // places of the market from `first`
    u32 count = 0, asked = lists[thread];
#pragma unroll 1
    for (u32 i = 1; asked != place; i++) {
        if (ranks[(first + asked) * size + own] < held[first + asked]) count++;
        asked = lists[i * n + thread];
    }
    counts[thread] = count;
}
