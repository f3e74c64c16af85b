/* Where a line lives: L2 bank and set, DRAM bank and row. Three maps (l2.bank_index):
 *   linear    chunks of interleave_lines go round the banks
 *   hash      the same, but the bank is the sum of the chunk number's digits in base `banks`: power-of-two strides spread
 *   chunked   chunks go round the channels; bits of what is left choose the bank within the partition and the DRAM bank
 *             (the reference configuration's mapping dramid@8 ... RRRR.BBBCCCCB.CCSSSSSS)
 *   addresses the same of addresses themselves: line numbers of a launch then count from a multiple of address_period() */
#ifndef GPU_ADDRESS_H
#define GPU_ADDRESS_H
#include "msg.h"
#include "params.h"

enum { LINEAR_BANKS, HASHED_BANKS, CHUNKED_BANKS, ADDRESSED_BANKS };
/* Lines after which channels, banks and the low 12 bits of rows come again (ADDRESSED_BANKS; otherwise 1). */
static inline uint64_t address_period(const struct gpu_params *p)
{
    return p->l2.bank_index == ADDRESSED_BANKS ? (uint64_t)p->l2.interleave_lines * p->dram.channels << 20 : 1;
}
struct place { uint32_t bank, set; };
struct dram_place { uint32_t bank, row; };
HOT struct place address_l2(const struct gpu_params *params, uint32_t line);
/* `l2_bank`: the bank that address_l2 gave. */
HOT struct dram_place address_dram(const struct gpu_params *params, uint32_t line, uint32_t l2_bank);
#endif
