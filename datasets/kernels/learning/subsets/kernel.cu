// subsets: the cheapest division of each set of terminals into two, a step of Steiner trees (S. Dreyfus and R. Wagner,
// Networks 1, 1971): at every vertex cost[s] + cost[set without s] is least over the subsets s of a set. A thread owns a
// set at a vertex; (s - 1) & set is the next smaller subset.
#include "cuda_device.h"

extern "C" __global__ void divide(const u32 *cost, u32 *least, u32 bits, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 set = thread & ((1u << bits) - 1);
    const u32 *at = cost + (thread >> bits << bits);
    u32 best = at[set];
#pragma unroll 1
    for (u32 s = (set - 1) & set; s > set >> 1; s = (s - 1) & set) { // each division once: the greater part
        u32 both = at[s] + at[set ^ s];
        if (both < best) best = both;
    }
    least[thread] = best;
}
