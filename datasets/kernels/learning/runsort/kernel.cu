// runsort: many short buckets put in order by insertion, as codes that move particles keep their cells sorted from step to
// step (D. Knuth, The Art of Computer Programming, volume 3, 1998, chapter 5.2.1). A thread owns a bucket; place j of all
// buckets lies together.
#include "cuda_device.h"

extern "C" __global__ void insertion_sort(u32 *keys, u32 size, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u32 *own = keys + thread;
#pragma unroll 1
    for (u32 i = 1; i < size; i++) {
        u32 key = own[i * n], j = i;
#pragma unroll 1
        for (; j != 0; j--) {
            u32 before = own[(j - 1) * n];
            if (before <= key) break;
            own[j * n] = before;
        }
        own[j * n] = key;
    }
}
