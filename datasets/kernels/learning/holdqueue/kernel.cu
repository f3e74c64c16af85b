// holdqueue: many independent simulations of discrete events, in the hold model (J. Vaucher and P. Duval, CACM 1975):
// the earliest event happens and makes one that is later by a drawn delay. A thread owns a simulation, whose events are
// a heap: entry i is not later than 2 i + 1 and 2 i + 2. Entry i of all heaps lies together, as local memory would have
// it.
#include "cuda_device.h"

extern "C" __global__ void hold_events(u32 *heaps, u32 *seeds, u32 events, u32 holds, u32 n)
{
    u32 simulation = thread_index();
    if (simulation >= n) return;
    u32 *heap = heaps + simulation, seed = seeds[simulation];
#pragma unroll 1
    for (; holds != 0; holds--) {
        seed = seed * 1664525u + 1013904223u;
        u32 time = heap[0] + 1 + (seed >> 16), i = 0;
#pragma unroll 1
        for (u32 child = 1; child < events; child = 2 * i + 1) {
            u32 least = heap[child * n], right = heap[(child + 1) * n];
            if (right < least) {
                least = right;
                child++;
            }
            if (time <= least) break;
            heap[i * n] = least;
            i = child;
        }
        heap[i * n] = time;
    }
    seeds[simulation] = seed;
}
