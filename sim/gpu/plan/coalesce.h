/* The lines that a warp's access touches, and the passes that one of shared memory takes. Most accesses are uniform
 * or on a straight line, and the trace says which: then their lines come in order, and nothing is searched for. */
#ifndef GPU_COALESCE_H
#define GPU_COALESCE_H
#include <stdbool.h>
#include "poise/trace.h"

enum { COALESCE_MAX = 3 * TRACE_LANES }; /* 64 bytes a lane in lines of 32 */
/* The addresses of an access. */
struct lanes {
    uint32_t mask;    /* lanes that take part */
    bool is_straight; /* lane l stands at base + (l - the lowest lane) * stride; until lanes_spread() `addresses`
                       * is not there */
    uint64_t base, stride;
    uint64_t low, high; /* no lane's first byte lies outside */
    uint64_t addresses[TRACE_LANES];
};
/* All addresses by lane; from then on lanes can be left out of the mask. */
void lanes_spread(struct lanes *lanes);
/* For lanes_read: an access that is not straight; one that goes around the end of all addresses. */
uint32_t lanes_read_scattered(struct lanes *lanes, const uint32_t *words, uint32_t mask);
void lanes_wrap(struct lanes *lanes);
/* Reads one access of the trace, for the lanes of mask (not 0); returns the words it took. */
static inline uint32_t lanes_read(struct lanes *a, const uint32_t *words, uint32_t mask)
{
    const bool is_strided = words[0] == TRACE_ACCESS_STRIDED;
    if (words[0] > TRACE_ACCESS_STRIDED) return lanes_read_scattered(a, words, mask);
    a->mask = mask;
    a->is_straight = true;
    a->base = a->low = a->high = (uint64_t)words[2] << 32 | words[1];
    a->stride = 0;
    if (is_strided) {
        const uint32_t steps = 31 - (uint32_t)__builtin_clz(mask) - (uint32_t)__builtin_ctz(mask);
        a->stride = (uint64_t)(int64_t)(int32_t)words[3];
        const uint64_t last = a->base + steps * a->stride;
        if ((int64_t)a->stride < 0) a->low = last;
        else a->high = last;
    }
    if (a->low > a->high || a->high > UINT64_MAX - UINT32_MAX) lanes_wrap(a);
    return is_strided ? 4 : 3;
}

/* The lines that an access touches, and of each the chunks, the lowest in bit 0. */
struct coalesced {
    uint64_t lines[COALESCE_MAX];
    uint32_t chunks[COALESCE_MAX];
};
/* Lines touched, in order of the lowest lane that touches each; bytes: of a lane, 1 to 64; a line has at most 32
 * chunks, of 32 bytes at most, and is a whole number of them (powers of two). Returns how many. */
uint32_t coalesce(struct coalesced *out, struct lanes *lanes, uint32_t bytes, uint32_t line_bytes,
                  uint32_t chunk_bytes);
/* How many they are, where that is seen without going over the lanes; 0 where it is not. The lines then are within
 * those of low and high. */
uint32_t coalesce_count(const struct lanes *lanes, uint32_t bytes, uint32_t line_bytes);
/* How many they are at most, where lanes are gone over but not lines; 0 if a lane goes around the end of all addresses.
 * Afterwards `low` and `high` are the lowest and the highest address. */
uint32_t coalesce_bound(struct lanes *lanes, uint32_t bytes, uint32_t line_bytes);
/* As coalesce() for an atomic: lanes that touch the same bytes go in requests of their own. */
uint32_t coalesce_atomic(struct coalesced *out, struct lanes *lanes, uint32_t bytes, uint32_t line_bytes,
                         uint32_t chunk_bytes);
/* Lanes in order stand side by side in whole sectors of 32 bytes: of each that they touch, they touch all bytes. After
 * coalesce(). */
bool lanes_cover_sectors(const struct lanes *lanes, uint32_t bytes);
/* Passes a shared-memory access takes. A bank gives one word of 32 bits a pass, to all lanes that want it. Lanes of two
 * words go half a warp at a time, of four a quarter: the passes of a part are the most words that any bank must give,
 * without those that an earlier part has been given, which go to all lanes too. [CUDA C Programming Guide, shared
 * memory of compute capabilities 2.x to 7.x] */
uint32_t shared_passes(struct lanes *lanes, uint32_t bytes, uint32_t banks);
/* Passes that a load of shared memory takes where each returns a register of 32 bits to all lanes: or two of them, if
 * all lanes n and n ^ 1, or all n and n ^ 2, name the same address. [NVIDIA developer forum, Unexpected shared memory
 * bank conflict: compute capability 7.0 to 7.5] */
uint32_t shared_return_passes(struct lanes *lanes, uint32_t bytes);
/* Addresses that a constant access names: they are served one after another. [CUDA C Programming Guide, constant
 * memory] */
uint32_t distinct_addresses(struct lanes *lanes);
#endif
