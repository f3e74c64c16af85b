// naivebayes: the training of a naive Bayes classifier counts how often each value of each attribute occurs with each
// class. Every thread counts its own part of the records in counters of its own, which are summed by a second kernel.
#include "counters.cuh"

#define ATTRIBUTES 7
#define VALUES 8
#define CLASSES 2
#define COUNTERS (CLASSES * ATTRIBUTES * VALUES)

struct __attribute__((aligned(8))) record { u32 low, high; }; // bytes: the class, then the values of seven attributes

extern "C" __global__ void naivebayes_count(const record *records, u32 *counters, u32 per_thread)
{
    u32 thread = thread_index();
    const record *next = records + thread * per_thread;
    u32 *own = counters + thread * COUNTERS;
#pragma unroll 1
    for (const record *end = next + per_thread; next != end; next++) {
        record r = *next;
        u32 *count = own + (r.low & 0xff) * (ATTRIBUTES * VALUES);
        count[r.low >> 8 & 7]++;
        count[(r.low >> 16 & 7) + VALUES]++;
        count[(r.low >> 24) + 2 * VALUES]++;
        count[(r.high & 7) + 3 * VALUES]++;
        count[(r.high >> 8 & 7) + 4 * VALUES]++;
        count[(r.high >> 16 & 7) + 5 * VALUES]++;
        count[(r.high >> 24) + 6 * VALUES]++;
    }
}

extern "C" __global__ void naivebayes_sum(const u32 *counters, u32 *counts, u32 share)
{
    counters_sum(counters, counts, COUNTERS, share);
}
