#include "cache/org.h"

const struct org_type org_plain = {.name = "plain", .chunk_bytes = SECTOR_BYTES};
const struct org_type org_sectored = {.name = "sectored", .is_sectored = true, .chunk_bytes = SECTOR_BYTES};
const struct org_type org_streaming = {.name = "streaming", .takes_at_fill = true, .chunk_bytes = SECTOR_BYTES};
const struct org_type org_streaming_sectored = {
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
