#include "address.h"

struct chunked { uint32_t channel, rest; }; /* rest: the chunk's number within its channel */

static struct chunked split(const struct gpu_params *p, uint32_t line)
{
    const uint32_t chunk = line / p->l2.interleave_lines;
    return (struct chunked){chunk % p->dram.channels, chunk / p->dram.channels};
}

/* Bank within the partition: bit 0 and bit 5 of what the channel leaves, as the reference mapping's B bits lie. */
static struct place place_chunked(const struct gpu_params *p, uint32_t line)
{
    const struct chunked c = split(p, line);
    const uint32_t banks = p->l2.banks / p->dram.channels, n = p->l2.interleave_lines;
    uint32_t sub = 0, rest = c.rest;
    if (banks >= 4) {
        sub = (rest >> 5 & 1) << 1;
        rest = (rest & 31) | rest >> 6 << 5;
    }
    if (banks >= 2) {
        sub |= rest & 1;
        rest >>= 1;
    }
    return (struct place){c.channel * banks + sub, (rest * n + line % n) % p->l2.sets};
}

struct place address_l2(const struct gpu_params *p, uint32_t line)
{
    const uint32_t n = p->l2.banks, chunk = line / p->l2.interleave_lines;
    if (p->l2.bank_index >= CHUNKED_BANKS) return place_chunked(p, line);
    const uint32_t set = (chunk / n * p->l2.interleave_lines + line % p->l2.interleave_lines) % p->l2.sets;
    if (p->l2.bank_index == LINEAR_BANKS || n == 1) return (struct place){chunk % n, set};
    uint32_t sum = 0;
    for (uint32_t rest = chunk; rest; rest /= n) sum += rest % n;
    return (struct place){sum % n, set};
}

struct dram_place address_dram(const struct gpu_params *p, uint32_t line, uint32_t l2_bank)
{
    const uint32_t n = p->dram.banks;
    if (p->l2.bank_index >= CHUNKED_BANKS) {
        const uint32_t rest = split(p, line).rest;
        return (struct dram_place){((rest & 1) | (rest >> 5 & 7) << 1) % n, rest >> 8};
    }
    /* Neighbouring lines share a row, then banks alternate, the bank number mixed with the row so that rows of one column of
     * banks do not collide for ever. */
    const uint32_t lines_a_row = p->dram.row_bytes / p->l1.line_bytes, banks = p->l2.banks / p->dram.channels;
    const uint32_t index = (line / p->l2.banks * banks + l2_bank % banks) / lines_a_row;
    const uint32_t row = index / n;
    return (struct dram_place){(uint32_t)(((uint64_t)index + row) % n), row};
}
