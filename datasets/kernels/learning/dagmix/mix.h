/* The search for a nonce as Ethash has it: the numbers that are mixed. Included by kernel.cu and host.c. */
#ifndef DAGMIX_MIX_H
#define DAGMIX_MIX_H
#ifdef __CUDA__
#define MIX static inline __device__
#else
#define MIX static inline
#endif
#define DAG_READS 64u /* pages that a nonce reads */
#define DAG_LANES 8u  /* threads of a nonce, four words of a page each */
#define DAG_WORDS 32u /* of a page */

MIX unsigned dag_fnv(unsigned a, unsigned b) { return a * 0x01000193u ^ b; }
/* The mixer at the end of MurmurHash3, in the place of Keccak: what a word of the mix is to begin with. */
MIX unsigned dag_seed(unsigned nonce, unsigned word)
{
    unsigned h = nonce * 0x9e3779b9u + word * 0x85ebca6bu + 1;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}
#endif
