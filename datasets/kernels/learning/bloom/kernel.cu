// bloom: which keys a Bloom filter may hold. A thread owns a key and probes bit after bit, at the places that double
// hashing gives, until one is not set (B. Bloom, CACM 1970; A. Kirsch and M. Mitzenmacher, ESA 2006).
#include "cuda_device.h"
#include "hash.h"

extern "C" __global__ void bloom_query(const u32 *words, u32 bit_mask, const u32 *keys, u32 *found, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    u32 key = keys[i], bit = bloom_first(key), step = bloom_step(key), left = BLOOM_PROBES;
#pragma unroll 1
    do {
        u32 at = bit & bit_mask;
        if ((words[at / 32] >> (at % 32) & 1) == 0) break;
        bit += step;
    } while (--left != 0);
    found[i] = left == 0;
}
