/* Which set of a cache a line belongs to (l1.set_index, l2.set_index). `line` is a line number; in an L2 bank it counts
 * the bank's own lines, what chooses the bank left out, as in the reference simulator, whose l2_cache_config::set_index
 * takes the address within the partition. */
#ifndef GPU_SET_INDEX_H
#define GPU_SET_INDEX_H
#include <stdint.h>

enum { LINEAR_INDEX, HASH_INDEX, FERMI_INDEX, FERMI_ANY_INDEX, IPOLY_INDEX };
enum { MODULO_INDEX = IPOLY_INDEX + 1 }; /* linear, of sets that are no power of two: L1's own name for it */

/* XOR of all groups of log2(sets) bits of the line number, folded from eight groups to one. `sets`: a power of two. */
static inline uint32_t hash_index(uint32_t line, uint32_t sets)
{
    const uint32_t bits = (uint32_t)__builtin_ctz(sets);
    uint64_t set = line;
    if (bits < 4) { /* more than eight groups */
        for (set = 0; bits && line; line >>= bits) set ^= line;
        return (uint32_t)set & (sets - 1);
    }
    set ^= set >> 4 * bits;
    set ^= set >> 2 * bits;
    return (uint32_t)(set ^ set >> bits) & (sets - 1);
}

/* Fermi's index as Nugteren et al. measured it (HPCA 2014; [BUCL §V] and [TSC Tab. 2] refer to it): five bits, XORed
 * with bits 6, 7, 8, 10 and 12 of the line number; with 64 sets bit 5 stands in front of them as it is. Published for
 * 32 and 64 sets; of other powers of two fewer of these bits remain, or more stand in front (FERMI_ANY_INDEX). */
static inline uint32_t fermi_index(uint32_t line, uint32_t sets)
{
    const uint32_t upper = (line >> 6 & 7) | (line >> 10 & 1) << 3 | (line >> 12 & 1) << 4;
    const uint32_t set = (line & 31) ^ upper;
    return (set | (line & ~31u)) & (sets - 1);
}

/* Pseudo-random interleaving [Rau, ISCA 1991; Khairy et al., TPDS 2017]: the bits of `number` are the coefficients of a
 * polynomial over GF(2), and the index is its remainder by an irreducible polynomial of degree log2(n): numbers that
 * differ by any power of two spread evenly. `n`: a power of two up to IPOLY_MOST. The polynomials are the first of
 * each degree in Peterson's table. */
enum { IPOLY_MOST = 256, IPOLY_BITS = 32 };
static inline uint32_t ipoly_index(uint32_t number, uint32_t n)
{
    static const uint16_t polynomials[] = {1, 3, 7, 013, 023, 045, 0103, 0203, 0435}; /* octal, as the table has them */
    const uint32_t degree = (uint32_t)__builtin_ctz(n), polynomial = polynomials[degree];
    uint64_t left = number;
    while (left >> degree) left ^= (uint64_t)polynomial << (63 - (uint32_t)__builtin_clzll(left) - degree);
    return (uint32_t)left;
}

/* The same by tables: the remainder of a sum is the sum of remainders, and a number the sum of its groups of four
 * bits. */
struct ipoly {
    uint8_t of[8][16]; /* of the k-th group */
};
static inline struct ipoly ipoly_tables(uint32_t n)
{
    struct ipoly t = {0};
    for (uint32_t k = 0; k < 8; k++)
        for (uint32_t i = 1; i < 16; i++)
            t.of[k][i] = (uint8_t)(i & (i - 1) ? t.of[k][i & (i - 1)] ^ t.of[k][i & -i] : ipoly_index(i << 4 * k, n));
    return t;
}
static inline uint32_t ipoly_look_up(const struct ipoly *t, uint32_t number)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 8; k++) sum ^= t->of[k][number >> 4 * k & 15];
    return sum;
}
#endif
