#include "plan/address.h"
#include "poise/log2.h"

/* Slices are numbered to a power of two of channels; what lies above them is hashed onto them: of a power of two of
 * channels all that is above the bank bits that a slice has, else all above the channel. */
static void plan_slices(struct address_map *map, const struct gpu_params *p)
{
    const uint32_t channels = p->dram.channels,
                   power = 1u << (log2_floor(channels) + ((channels & (channels - 1)) != 0));
    map->slices = power * map->banks_a_channel;
    map->slice_shift = power == channels ? log2_floor(map->banks_a_channel) : 0;
}

struct address_map address_map_of(const struct gpu_params *p)
{
    const uint32_t banks = p->l2.banks, row_lines = p->dram.row_bytes / l2_line_bytes(p);
    const uint32_t line_bits = log2_floor(l2_line_bytes(p));
    struct address_map map = {
        .bank_index = p->l2.bank_index,
        .set_index = p->l2.set_index,
        .banks_a_channel = banks / p->dram.channels,
        .interleave = divisor_of(p->l2.interleave_lines),
        .low_bit = p->l2.low_bank_bit > line_bits ? p->l2.low_bank_bit - line_bits : 0,
        .high_bit = p->dram.bank_bit > line_bits ? p->dram.bank_bit - line_bits : 0,
        .high_bits = p->dram.banks > 16 ? log2_floor(2 * p->dram.banks - 1) - 1 : 3,
        .dram_bank_index = p->dram.bank_index,
        .sets = divisor_of(p->l2.sets),
        .channels = divisor_of(p->dram.channels),
        .dram_banks = divisor_of(p->dram.banks),
        .row_lines = divisor_of(row_lines),
    };
    plan_slices(&map, p);
    if (map.bank_index == IPOLY_BANKS) map.slice_of = ipoly_tables(map.slices);
    if (map.set_index == IPOLY_INDEX) map.set_of = ipoly_tables(map.sets.by);
    if (map.dram_bank_index == DRAM_BANK_IPOLY) map.dram_bank_of = ipoly_tables(map.dram_banks.by);
    uint64_t power = banks;
    do map.powers[map.n_powers++] = divisor_of((uint32_t)power);
    while ((power *= banks) <= UINT32_MAX && banks > 1);
    return map;
}

/* The set of the bank's `own`-th line. */
static inline uint32_t set_of(const struct address_map *m, uint32_t own)
{
    if (m->set_index == LINEAR_INDEX) return remainder_of(own, m->sets);
    if (m->set_index == IPOLY_INDEX) return ipoly_look_up(&m->set_of, own);
    return m->set_index == FERMI_INDEX || m->set_index == FERMI_ANY_INDEX ? fermi_index(own, m->sets.by)
                                                                          : hash_index(own, m->sets.by);
}

struct chunked {
    uint32_t channel, rest;
}; /* rest: the chunk's number within its channel */

static struct chunked split(const struct address_map *m, uint32_t chunk)
{
    const uint32_t rest = divide(chunk, m->channels);
    return (struct chunked){chunk - rest * m->channels.by, rest};
}

/* The number without its bit `at`. */
static uint32_t without_bit(uint32_t number, uint32_t at)
{
    return (number >> (at + 1)) << at | (number & ((1u << at) - 1));
}

/* Bits as good as random. [The finaliser of MurmurHash3] */
static uint32_t scatter(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* The bank of a chunk whose channel and low bank bit are `slice`; `above`: what lies above the channel. */
static uint32_t bank_of_slice(const struct address_map *m, uint32_t line, uint32_t slice, uint32_t above)
{
    const uint32_t banks = m->powers[0].by;
    if (m->bank_index == RANDOM_BANKS) return (uint32_t)((uint64_t)scatter(line) * banks >> 32);
    if (m->bank_index != IPOLY_BANKS) return slice;
    return remainder_of(ipoly_look_up(&m->slice_of, (above >> m->slice_shift) * m->slices + slice), m->powers[0]);
}

/* Where the mapping has bank bit `k` of a line within its channel: the lowest, and three others side by side. */
static uint32_t bank_bit(const struct address_map *m, uint32_t k) { return k ? m->high_bit + k - 1 : m->low_bit; }

/* Bank within the partition: as many of the lowest bank bits as that has, which the line's number among the bank's own
 * leaves out. */
static struct place place_chunked(const struct address_map *m, uint32_t line, uint32_t chunk, uint32_t within)
{
    enum { BANK_BITS = 4 };
    const struct chunked c = split(m, chunk);
    const uint32_t banks = m->banks_a_channel;
    uint32_t sub = 0, n = 0, own = c.rest * m->interleave.by + within;
    for (; n < BANK_BITS && 2u << n <= banks; n++) sub |= (own >> bank_bit(m, n) & 1) << n;
    while (n-- > 0) own = without_bit(own, bank_bit(m, n));
    return (struct place){bank_of_slice(m, line, c.channel * banks + sub, c.rest), set_of(m, own)};
}

struct place address_l2(const struct address_map *m, uint32_t line)
{
    const uint32_t chunk = divide(line, m->interleave), within = line - chunk * m->interleave.by;
    if (m->bank_index >= CHUNKED_BANKS) return place_chunked(m, line, chunk, within);
    const struct divisor banks = m->powers[0];
    const uint32_t round = divide(chunk, banks), digit = chunk - round * banks.by;
    const uint32_t set = set_of(m, round * m->interleave.by + within);
    if (m->bank_index == LINEAR_BANKS || banks.by == 1) return (struct place){digit, set};
    /* The sum of all digits is x - (n - 1) (x / n + x / n^2 + ..), in whole numbers: but for a multiple of n, x + x
     * / n + x / n^2 + .. */
    uint32_t sum = digit + round;
    for (uint32_t k = 1; k < m->n_powers && chunk >= m->powers[k].by; k++) sum += divide(chunk, m->powers[k]);
    return (struct place){remainder_of(sum, banks), set};
}

struct dram_place address_dram(const struct address_map *m, uint32_t line, uint32_t l2_bank)
{
    if (m->bank_index >= CHUNKED_BANKS) {
        const uint32_t chunk = divide(line, m->interleave), within = line - chunk * m->interleave.by;
        const uint32_t own = split(m, chunk).rest * m->interleave.by + within,
                       row = own >> (m->high_bit + m->high_bits);
        uint32_t bank = (own >> m->low_bit & 1) | (own >> m->high_bit & ((1u << m->high_bits) - 1)) << 1;
        if (m->dram_bank_index == DRAM_BANK_XOR) bank ^= row;
        if (m->dram_bank_index == DRAM_BANK_IPOLY)
            bank = ipoly_look_up(&m->dram_bank_of, row * m->dram_banks.by + bank);
        return (struct dram_place){remainder_of(bank, m->dram_banks), row};
    }
    /* Neighbouring lines share a row, then banks alternate, the bank number mixed with the row so that rows of one
     * column of banks do not collide for ever. */
    const uint32_t index =
        divide(divide(line, m->powers[0]) * m->banks_a_channel + l2_bank % m->banks_a_channel, m->row_lines);
    const uint32_t row = divide(index, m->dram_banks), column = index - row * m->dram_banks.by;
    return (struct dram_place){remainder_of(column + row, m->dram_banks), row};
}
