/* The places of a key's bits: first, first + step, first + 2 step, ... Included by kernel.cu and host.c. */
#ifndef BLOOM_HASH_H
#define BLOOM_HASH_H
#ifdef __CUDA__
#define BLOOM static inline __device__
#else
#define BLOOM static inline
#endif
#define BLOOM_PROBES 8u

/* The mixer at the end of MurmurHash3: every bit of the key acts on every bit of the result. */
BLOOM unsigned bloom_mix(unsigned h)
{
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}
BLOOM unsigned bloom_first(unsigned key) { return bloom_mix(key); }
BLOOM unsigned bloom_step(unsigned key) { return bloom_mix(key ^ 0x9e3779b9u) | 1u; } /* odd: eight different bits */
#endif
