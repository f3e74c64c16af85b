#include "plan/address.h"

struct address_map address_map_of(const struct gpu_params *p)
{
    const uint32_t banks = p->l2.banks, row_lines = p->dram.row_bytes / l2_line_bytes(p);
    struct address_map map = {
        .bank_index = p->l2.bank_index, .set_index = p->l2.set_index, .banks_a_channel = banks / p->dram.channels,
        .interleave = divisor_of(p->l2.interleave_lines),
        .sets = divisor_of(p->l2.sets), .channels = divisor_of(p->dram.channels), .dram_banks = divisor_of(p->dram.banks),
        .row_lines = divisor_of(row_lines),
    };
    uint64_t power = banks;
    do map.powers[map.n_powers++] = divisor_of((uint32_t)power);
    while ((power *= banks) <= UINT32_MAX && banks > 1);
    return map;
}

/* The set of the bank's `own`-th line. */
static inline uint32_t set_of(const struct address_map *m, uint32_t own)
{
    if (m->set_index == LINEAR_INDEX) return remainder_of(own, m->sets);
    return m->set_index == FERMI_INDEX ? fermi_index(own, m->sets.by) : hash_index(own, m->sets.by);
}

struct chunked { uint32_t channel, rest; }; /* rest: the chunk's number within its channel */

static struct chunked split(const struct address_map *m, uint32_t chunk)
{
    const uint32_t rest = divide(chunk, m->channels);
    return (struct chunked){chunk - rest * m->channels.by, rest};
}

/* Bank within the partition: bit 0 and bit 5 of what the channel leaves, as the reference mapping's B bits lie. */
static struct place place_chunked(const struct address_map *m, uint32_t chunk, uint32_t within)
{
    const struct chunked c = split(m, chunk);
    const uint32_t banks = m->banks_a_channel;
    uint32_t sub = 0, rest = c.rest;
    if (banks >= 4) {
        sub = (rest >> 5 & 1) << 1;
        rest = (rest & 31) | rest >> 6 << 5;
    }
    if (banks >= 2) {
        sub |= rest & 1;
        rest >>= 1;
    }
    return (struct place){c.channel * banks + sub, set_of(m, rest * m->interleave.by + within)};
}

struct place address_l2(const struct address_map *m, uint32_t line)
{
    const uint32_t chunk = divide(line, m->interleave), within = line - chunk * m->interleave.by;
    if (m->bank_index >= CHUNKED_BANKS) return place_chunked(m, chunk, within);
    const struct divisor banks = m->powers[0];
    const uint32_t round = divide(chunk, banks), digit = chunk - round * banks.by;
    const uint32_t set = set_of(m, round * m->interleave.by + within);
    if (m->bank_index == LINEAR_BANKS || banks.by == 1) return (struct place){digit, set};
    /* The sum of all digits is x - (n - 1) (x / n + x / n^2 + ..), in whole numbers: but for a multiple of n, x + x / n + x / n^2 + .. */
    uint32_t sum = digit + round;
    for (uint32_t k = 1; k < m->n_powers; k++) sum += divide(chunk, m->powers[k]);
    return (struct place){remainder_of(sum, banks), set};
}

struct dram_place address_dram(const struct address_map *m, uint32_t line, uint32_t l2_bank)
{
    if (m->bank_index >= CHUNKED_BANKS) {
        const uint32_t rest = split(m, divide(line, m->interleave)).rest;
        return (struct dram_place){remainder_of((rest & 1) | (rest >> 5 & 7) << 1, m->dram_banks), rest >> 8};
    }
    /* Neighbouring lines share a row, then banks alternate, the bank number mixed with the row so that rows of one column of
     * banks do not collide for ever. */
    const uint32_t index = divide(divide(line, m->powers[0]) * m->banks_a_channel + l2_bank % m->banks_a_channel, m->row_lines);
    const uint32_t row = divide(index, m->dram_banks), column = index - row * m->dram_banks.by;
    return (struct dram_place){remainder_of(column + row, m->dram_banks), row};
}
