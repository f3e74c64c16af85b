#include "cache/org.h"
#include "cache/org_lamar.h"
#include "config/params.h"
#include "poise/gpu.h"
#include "poise/log2.h"

const struct org_type org_plain = {.name = "plain", .chunk_bytes = SECTOR_BYTES};
static const struct org_type org_sectored = {.name = "sectored", .is_sectored = true, .chunk_bytes = SECTOR_BYTES};
const struct org_type org_streaming = {.name = "streaming", .takes_at_fill = true, .chunk_bytes = SECTOR_BYTES};
static const struct org_type org_streaming_sectored = {
    .name = "streaming_sectored", .is_sectored = true, .takes_at_fill = true, .chunk_bytes = SECTOR_BYTES};

const struct org_type *org_of(bool is_sectored, bool is_streaming)
{
    if (is_streaming) return is_sectored ? &org_streaming_sectored : &org_streaming;
    return is_sectored ? &org_sectored : &org_plain;
}

uint32_t masks_overlap(uint32_t mask, uint32_t from, uint32_t to)
{
    uint32_t out = 0;
    for (; mask && from != to; mask &= mask - 1) {
        const uint32_t begin = (uint32_t)__builtin_ctz(mask) * from;
        for (uint32_t part = begin / to; part * to < begin + from; part++) out |= 1u << part;
    }
    return from == to ? mask : out;
}

uint32_t org_chunks(const struct tags *t, uint32_t sectors)
{
    return masks_overlap(sectors, SECTOR_BYTES, t->chunk_bytes);
}

uint32_t org_sectors(const struct tags *t, uint32_t chunks)
{
    return masks_overlap(chunks, t->chunk_bytes, SECTOR_BYTES);
}

uint64_t gpu_l1_extra_bits(const struct gpu_params *params, unsigned tag_bits)
{
    const struct l1_params *p = &params->l1;
    const uint64_t lines = (uint64_t)p->sets * p->ways, chunks = lines * (p->line_bytes / p->chunk_bytes),
                   k = p->dsc_tags;
    const uint32_t chunk_bits = log2_ceil(p->line_bytes / p->chunk_bytes);
    const uint64_t lru_bits = p->sets * (uint64_t)replacement_lru.set_bits(p->ways); /* of the ordinary cache */
    const struct replacement_type *of_tsc = replacement_of(p->replacement, &replacement_nru),
                                  *of_dsc = replacement_of(p->replacement, &replacement_lru);
    const uint64_t group = p->tsc_group_chunks ? p->tsc_group_chunks : p->line_bytes / p->chunk_bytes;
    switch (p->organisation) {
    case L1_SECTORED:
    case L1_LAMAR: /* a valid bit a sector, and what it predicts by */
        return chunks + (l1_predicts(p) ? lamar_bits(params, tag_bits) : 0);
    case L1_TSC: /* private tag, place, valid and NRU bit (or another policy's) a chunk, and what groups share; in place
                                   * of a line's tag, valid and LRU bits */
        return chunks * (p->tsc_private_bits + chunk_bits + 1) +
               p->sets * (uint64_t)of_tsc->set_bits((uint32_t)(chunks / p->sets)) +
               chunks / group * (tag_bits - p->tsc_private_bits) - lines * (tag_bits + 1) - lru_bits;
    case L1_DSC: /* tag and valid bit of each further tag, selectors, and more bits of the order of use */
        return (k - 1) * lines * (tag_bits + 1) + chunks * log2_ceil(k) +
               p->sets * (uint64_t)of_dsc->set_bits((uint32_t)k * p->ways) - lru_bits;
    case L1_ELASTIC: /* chunk tag, valid and LRU bits a chunk, the common tag and the mode a line, in place of a
                      * line's tag and valid bit */
        return chunks * (p->elastic_chunk_bits + 1 + chunk_bits) +
               lines * (tag_bits - (p->elastic_chunk_bits - chunk_bits) + 1) - lines * (tag_bits + 1);
    default: return 0;
    }
}
