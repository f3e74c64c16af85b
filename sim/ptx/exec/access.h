/* Loads and stores whose lanes all touch one span of memory, as most do: addresses, the check and the bytes in one pass
 * over the lanes, compiled for each variant of the lane functions. */
#ifndef PTX_ACCESS_H
#define PTX_ACCESS_H
#include "exec/lane_macros.h"
#include "lower/code.h"

/* Device addresses [lo, lo + size) are at the host's address + shift, and a lane's own at as many times `apart`
 * more. */
struct access_span {
    uint64_t lo, size, shift, apart;
};

/* Of each lane that executes; the others go with the first of these. */
static inline void addresses_of(const unsigned char *regs, const struct uop *u, uint32_t mask,
                                uint64_t addresses[LANES])
{
    const unsigned char *base = regs + u->a;
    if (u->flags & UOP_WIDE_BASE) {
        const u64_any *wide = (const u64_any *)(const void *)base;
        const uint64_t kept = u->space == SP_SHARED ? UINT32_MAX : UINT64_MAX; /* shared memory is a window of 4 GiB */
        EACH_LANE addresses[l] = (wide[l] + (uint64_t)u->imm) & kept;
    } else {
        const u32_any *narrow = (const u32_any *)(const void *)base;
        EACH_LANE addresses[l] = (uint32_t)(narrow[l] + (uint32_t)u->imm);
        if (u->space == SP_CONST) {
            const u64_any *upper = (const u64_any *)(const void *)(regs + u->b);
            EACH_LANE addresses[l] |= upper[l];
        }
    }
    if (mask == FULL_MASK) return;
    const uint64_t fill = addresses[__builtin_ctz(mask)];
    EACH_LANE addresses[l] = mask & lane_bits[l] ? addresses[l] : fill;
}

#endif
