/* The usual load and store, see access.h. Lanes side by side are one row of memory, lanes at one address one value. */
#include "exec/access.h"

/* Where the lanes of an access are, seen from the first. */
struct places {
    const uint64_t *addresses;
    uint64_t shift, apart; /* the host's less the device's, and more of it for each lane */
    bool is_row, is_same;
};

static inline unsigned char *host_of(const struct places *p, int lane, uint64_t skip)
{
    return (unsigned char *)(uintptr_t)(p->addresses[lane] + p->shift + (uint64_t)lane * p->apart + skip);
}

/* False: not all lanes fit, or are aligned. An access has a power of two of bytes. A lane's offset in the span, or
 * what it leaves of it, is negative as a signed number where it does not fit: no comparison of 64 bits, which the
 * baseline has not for several lanes. */
static inline bool find_places(struct places *p, const unsigned char *regs, const struct uop *u, uint32_t mask,
                               const struct access_span *s, uint64_t addresses[LANES])
{
    const uint32_t bytes = (uint32_t)u->bytes * u->n_vec, log = (uint32_t)__builtin_ctz(bytes);
    if (s->size < bytes || s->size > INT64_MAX) return false;
    addresses_of(regs, u, mask, addresses);
    const uint64_t first = addresses[0], lo = s->lo, last = s->size - bytes;
    uint64_t low_bits = 0, outside = 0, off_row = 0, off_first = 0;
    EACH_LANE
    {
        const uint64_t address = addresses[l], offset = address - lo, way = address - first;
        low_bits |= address;
        outside |= offset | (last - offset);
        off_row |= way - ((uint64_t)l << log);
        off_first |= way;
    }
    if (low_bits & (bytes - 1) || outside >> 63) return false;
    *p = (struct places){addresses, s->shift, s->apart, off_row == 0 && s->apart == 0 && u->n_vec == 1,
                         off_first == 0 && s->apart == 0};
    return true;
}

/* M in memory, D in the register; `value` makes the one of the other, x. A whole warp's values go to the register at
 * once: a copy of them would wait for the stores that it reads. */
#define LOAD(M, D, put, value) \
    { \
        D part[LANES]; \
        D##_any *to = mask == FULL_MASK ? (D##_any *)(void *)at : (D##_any *)part; \
        if (p->is_row) { \
            M row[LANES]; \
            memcpy(row, host_of(p, 0, skip), sizeof row); \
            EACH_LANE \
            { \
                const M x = row[l]; \
                to[l] = (D)(value); \
            } \
        } else if (p->is_same) { \
            M x; \
            memcpy(&x, host_of(p, 0, skip), sizeof x); \
            const D same = (D)(value); \
            EACH_LANE to[l] = same; \
        } else { \
            EACH_LANE \
            { \
                M x; \
                memcpy(&x, host_of(p, l, skip), sizeof x); \
                to[l] = (D)(value); \
            } \
        } \
        if (mask != FULL_MASK) put(at, part, mask); \
        return; \
    }

/* One element, extended to the width of the register. */
static void load_element(unsigned char *at, const struct uop *u, const struct places *p, uint64_t skip, uint32_t mask)
{
    const uint32_t kept = u->width == 16 ? 0xffffu : ~0u;
    if (u->width == 64) {
        switch (u->bytes * 2 + u->sign) {
        case 2: LOAD(uint8_t, u64, put64, x)
        case 3: LOAD(int8_t, s64, put64, x)
        case 4: LOAD(uint16_t, u64, put64, x)
        case 5: LOAD(int16_t, s64, put64, x)
        case 8: LOAD(uint32_t, u64, put64, x)
        case 9: LOAD(int32_t, s64, put64, x)
        default: LOAD(uint64_t, u64, put64, x)
        }
    }
    switch (u->bytes * 2 + u->sign) {
    case 2: LOAD(uint8_t, u32, put32, x)
    case 3: LOAD(int8_t, u32, put32, (uint32_t)x & kept)
    case 4: LOAD(uint16_t, u32, put32, x)
    case 5: LOAD(int16_t, u32, put32, (uint32_t)x & kept)
    default: LOAD(uint32_t, u32, put32, x)
    }
}

/* M in memory, D in the register, of which memory gets the low bytes. Lanes store in ascending order. */
#define STORE(M, D) \
    { \
        const D##_any *from = (const D##_any *)(const void *)at; \
        if (mask == FULL_MASK && p->is_row) { \
            M row[LANES]; \
            EACH_LANE row[l] = (M)from[l]; \
            memcpy(host_of(p, 0, skip), row, sizeof row); \
        } else if (mask == FULL_MASK) { \
            EACH_LANE \
            { \
                const M x = (M)from[l]; \
                memcpy(host_of(p, l, skip), &x, sizeof x); \
            } \
        } else { \
            for (uint32_t left = mask; left; left &= left - 1) { \
                const int l = __builtin_ctz(left); \
                const M x = (M)from[l]; \
                memcpy(host_of(p, l, skip), &x, sizeof x); \
            } \
        } \
        return; \
    }

static void store_element(const unsigned char *at, const struct uop *u, const struct places *p, uint64_t skip,
                          uint32_t mask)
{
    if (u->width == 64) {
        switch (u->bytes) {
        case 1: STORE(uint8_t, u64)
        case 2: STORE(uint16_t, u64)
        case 4: STORE(uint32_t, u64)
        default: STORE(uint64_t, u64)
        }
    }
    switch (u->bytes) {
    case 1: STORE(uint8_t, u32)
    case 2: STORE(uint16_t, u32)
    default: STORE(uint32_t, u32)
    }
}

access_fn VARIANT(access_load), VARIANT(access_store); /* of lanes.c */

bool VARIANT(access_load)(unsigned char *regs, const struct uop *u, uint32_t mask, const struct access_span *s,
                          uint64_t addresses[LANES])
{
    struct places p;
    if (!find_places(&p, regs, u, mask, s, addresses)) return false;
    for (uint32_t v = 0; v < u->n_vec; v++)
        if (u->vec[v] != NO_SLOT) load_element(regs + u->vec[v], u, &p, (uint64_t)v * u->bytes, mask);
    return true;
}

bool VARIANT(access_store)(unsigned char *regs, const struct uop *u, uint32_t mask, const struct access_span *s,
                           uint64_t addresses[LANES])
{
    struct places p;
    if (!find_places(&p, regs, u, mask, s, addresses)) return false;
    for (uint32_t v = 0; v < u->n_vec; v++) store_element(regs + u->vec[v], u, &p, (uint64_t)v * u->bytes, mask);
    return true;
}
