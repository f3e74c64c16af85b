// fenwick: sums over ranges of counters by a binary indexed tree (P. Fenwick, Software: Practice and Experience 1994).
// Node i, from 1 on, has the sum of the last (i & -i) counters up to i: a prefix is the sum of the nodes that are left
// as the lowest bits of i go, one after another. A thread owns a range.
#include "cuda_device.h"

extern "C" __global__ void fenwick_sums(const u32 *tree, const u32 *first, const u32 *end, u32 *sums, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u32 sum = 0;
#pragma unroll 1
    for (u32 i = end[thread]; i != 0; i &= i - 1) sum += tree[i];
#pragma unroll 1
    for (u32 i = first[thread]; i != 0; i &= i - 1) sum -= tree[i];
    sums[thread] = sum;
}
