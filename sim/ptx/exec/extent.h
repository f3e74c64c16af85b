/* An allocation and an access to it: whether it holds all bytes, and where the host has them. */
#ifndef PTX_EXTENT_H
#define PTX_EXTENT_H
#include <stdbool.h>
#include "poise/ptx.h"

/* lo, hi: the allocation's first address and the one behind its last. */
static inline bool extent_holds(uint64_t lo, uint64_t hi, uint64_t address, uint32_t bytes)
{
    return address >= lo && hi - lo >= bytes && address <= hi - bytes;
}

/* What has to be added to a device address to get the host's. A stray access stays in the reserved range. */
static inline uint64_t extent_shift(const struct ptx_memory *m, const struct ptx_extent *e, uint64_t address)
{
    if (e->host && address >= e->lo && address < e->hi) return (uint64_t)(uintptr_t)e->host - e->lo;
    return (uint64_t)(uintptr_t)m->host - m->base;
}
#endif
