/* Access entries: 32 byte addresses of a warp -> the shortest of four canonical kinds, and back.
 * trace_access_encode runs once for every recorded memory instruction: its loops are branch-free over a dense array so
 * that the compiler vectorises them. */
#include "poise/trace.h"

#include <string.h>

static inline void put64(uint32_t *words, uint64_t value)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}
static inline uint64_t get64(const uint32_t *words) { return (uint64_t)words[1] << 32 | words[0]; }

/* The lanes of mask as a dense array; returns how many. */
static uint32_t gather_lanes(uint64_t *dense, uint32_t mask, const uint64_t *addresses)
{
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1) dense[n++] = addresses[__builtin_ctz(m)];
    return n;
}

static uint32_t encode_scatter(uint32_t *words, const uint64_t *dense, uint32_t n)
{
    uint64_t lowest = dense[0], high = 0;
    for (uint32_t k = 1; k < n; k++) lowest = dense[k] < lowest ? dense[k] : lowest;
    for (uint32_t k = 0; k < n; k++) high |= dense[k] - lowest;
    if (high >> 32 == 0) {
        words[0] = TRACE_ACCESS_SCATTER32;
        put64(words + 1, lowest);
        for (uint32_t k = 0; k < n; k++) words[3 + k] = (uint32_t)(dense[k] - lowest);
        return 3 + n;
    }
    words[0] = TRACE_ACCESS_SCATTER64;
    for (uint32_t k = 0; k < n; k++) put64(words + 1 + 2 * k, dense[k]);
    return 1 + 2 * n;
}

static uint32_t encode_strided(uint32_t *words, uint64_t base, int64_t stride)
{
    words[0] = TRACE_ACCESS_STRIDED;
    put64(words + 1, base);
    words[3] = (uint32_t)stride;
    return 4;
}

static uint32_t encode_uniform(uint32_t *words, uint64_t base)
{
    words[0] = TRACE_ACCESS_UNIFORM;
    put64(words + 1, base);
    return 3;
}

static bool fits32(int64_t stride) { return stride == (int32_t)stride; }

static uint32_t encode_full(uint32_t *words, const uint64_t *addresses)
{
    const uint64_t base = addresses[0], stride = addresses[1] - base;
    uint64_t differs = 0, expected = base;
    if (fits32((int64_t)stride)) {
        for (uint32_t l = 0; l < TRACE_LANES; l++, expected += stride) differs |= addresses[l] ^ expected;
        if (differs == 0) return stride ? encode_strided(words, base, (int64_t)stride) : encode_uniform(words, base);
    }
    return encode_scatter(words, addresses, TRACE_LANES);
}

/* Do the lanes of mask lie on a line with this stride? All 32 are computed and the others masked out: no branches. */
static bool on_line(uint32_t mask, const uint64_t *addresses, uint64_t lane0, uint64_t stride)
{
    uint64_t differs = 0;
    for (uint32_t l = 0; l < TRACE_LANES; l++, lane0 += stride)
        differs |= (addresses[l] ^ lane0) & (0 - (uint64_t)(mask >> l & 1));
    return differs == 0;
}

uint32_t trace_access_encode(uint32_t *words, uint32_t mask, const uint64_t addresses[TRACE_LANES])
{
    if (mask == UINT32_MAX) return encode_full(words, addresses);
    if (mask == 0) return 0;
    const uint32_t rest = mask & (mask - 1), first = (uint32_t)__builtin_ctz(mask);
    const uint64_t base = addresses[first];
    if (rest == 0) return encode_uniform(words, base);
    const uint32_t second = (uint32_t)__builtin_ctz(rest), gap = second - first;
    const int64_t difference = (int64_t)(addresses[second] - base),
                  stride = gap == 1 ? difference : difference / (int64_t)gap;
    if (stride * (int64_t)gap == difference && fits32(stride) &&
        on_line(mask, addresses, base - first * (uint64_t)stride, (uint64_t)stride))
        return stride ? encode_strided(words, base, stride) : encode_uniform(words, base);
    uint64_t dense[TRACE_LANES];
    const uint32_t n = gather_lanes(dense, mask, addresses);
    return encode_scatter(words, dense, n);
}

uint32_t trace_access_decode(const uint32_t *words, uint32_t mask, uint64_t addresses[TRACE_LANES])
{
    const uint64_t base = get64(words + 1);
    uint32_t k = 0;
    switch (words[0]) {
    case TRACE_ACCESS_UNIFORM:
        for (uint32_t m = mask; m; m &= m - 1) addresses[__builtin_ctz(m)] = base;
        return 3;
    case TRACE_ACCESS_STRIDED: {
        const uint32_t first = mask ? (uint32_t)__builtin_ctz(mask) : 0;
        const uint64_t stride = (uint64_t)(int64_t)(int32_t)words[3];
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint32_t l = (uint32_t)__builtin_ctz(m);
            addresses[l] = base + (uint64_t)(l - first) * stride;
        }
        return 4;
    }
    case TRACE_ACCESS_SCATTER32:
        for (uint32_t m = mask; m; m &= m - 1, k++) addresses[__builtin_ctz(m)] = base + words[3 + k];
        return 3 + k;
    default:
        for (uint32_t m = mask; m; m &= m - 1, k++) addresses[__builtin_ctz(m)] = get64(words + 1 + 2 * k);
        return 1 + 2 * k;
    }
}
