// hamming: near duplicates among codes of 16 bits, a quarter of a fingerprint (M. Norouzi and others, "Fast search in
// Hamming space with multi-index hashing", CVPR 2012): how many entries a table has at all codes that differ from the own
// one in one bit or two. A thread owns a code; masks name the bits.
#include "cuda_device.h"

extern "C" __global__ void count_near(const u32 *table, const u32 *codes, const u32 *masks, u32 *near, u32 n_masks,
                                      u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 code = codes[thread];
    u32 count = 0;
#pragma unroll 1
    for (u32 i = 0; i < n_masks; i++) count += table[code ^ masks[i]];
    near[thread] = count;
}
