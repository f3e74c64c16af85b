/* Where a line lives: L2 bank and set, DRAM bank and row. Maps (l2.bank_index):
 *   linear    chunks of interleave_lines go round the banks
 *   hash      the same, but the bank is the sum of the chunk number's digits in base `banks`: power-of-two strides
 *             spread
 *   chunked   chunks go round the channels; bits of what is left choose the bank within the partition and the DRAM bank
 *             (the reference configuration's mapping dramid@8 ... RRRR.BBBCCCCB.CCSSSSSS)
 *   addresses the same of addresses themselves: line numbers of a launch then count from a multiple of
 *             address_period()
 *   ipoly     the same; the L2 bank is what ipoly_index() makes of channel, lowest bank bit and all above them. Of the
 *             next power of two of banks where there are not as many, modulo their number: the first then get twice as
 *             much as the others
 *   random    the same; each line's L2 bank is any
 * From `chunked` on the channel is what is left of the chunk number modulo the channels; its quotient, with the bytes
 * of the chunk, is the address within the channel, whose bank bits l2.low_bank_bit and dram.bank_bit name, where the
 * reference's mapping has its B: four, or as many as more than 16 banks need. */
#ifndef GPU_ADDRESS_H
#define GPU_ADDRESS_H
#include "net/msg.h"
#include "config/params.h"
#include "config/set_index.h"

/* Lines of L1 after which channels, banks and the low 12 bits of rows come again (from ADDRESSED_BANKS on; otherwise a
 * line of L2). */
static inline uint64_t address_period(const struct gpu_params *p)
{
    const uint64_t period =
        p->l2.bank_index >= ADDRESSED_BANKS ? (uint64_t)p->l2.interleave_lines * p->dram.channels << 20 : 1;
    return period * l1_lines_of_l2(p);
}

/* A number of 32 bits that is divided by again and again, as its reciprocal: floor((2^64 - 1) / by). */
struct divisor {
    uint64_t reciprocal;
    uint32_t by;
};
static inline struct divisor divisor_of(uint32_t by) { return (struct divisor){UINT64_MAX / by, by}; }
/* floor(x / by): (x + 1) * reciprocal lies below (x + 1) / by * 2^64, and by less than 2^-32 of that unit. */
static inline uint32_t divide(uint32_t x, struct divisor d)
{
    return (uint32_t)(((unsigned __int128)d.reciprocal * ((uint64_t)x + 1)) >> 64);
}
static inline uint32_t remainder_of(uint32_t x, struct divisor d) { return x - divide(x, d) * d.by; }

/* Of a configuration: what line numbers are divided by. */
struct address_map {
    uint32_t bank_index, set_index, banks_a_channel, n_powers;
    uint32_t low_bit, high_bit;   /* of bank bits in a line's number within its channel: one, and the others, */
    uint32_t high_bits;           /* of which there are so many */
    uint32_t slices, slice_shift; /* ipoly: banks to a power of two; of the number within the channel, bits that the
                                   * slice holds */
    uint32_t dram_bank_index;
    struct divisor interleave, sets, channels, dram_banks, row_lines; /* of row_lines neighbouring lines of a bank's
                                                                       * share is a row */
    struct ipoly slice_of, set_of, dram_bank_of; /* what ipoly_index() makes of numbers, where it is asked */
    struct divisor powers[32];                   /* banks, and its powers below 2^32; one bank has one */
};
struct address_map address_map_of(const struct gpu_params *params);

struct place {
    uint32_t bank, set;
};
struct dram_place {
    uint32_t bank, row;
};
HOT struct place address_l2(const struct address_map *map, uint32_t line);
/* `l2_bank`: the bank that address_l2 gave. */
HOT struct dram_place address_dram(const struct address_map *map, uint32_t line, uint32_t l2_bank);
#endif
