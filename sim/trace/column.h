/* Columns at rest: numbers -> bytes -> zstd frames of at most COLUMN_FRAME raw bytes, so that neither side needs a
 * whole column in memory.
 *
 * A residual column holds what a predictor got wrong, mostly zeros: pairs of (zeros before it, value), both LEB128
 * varints, and a last count of zeros. A plain column is varints. A frame is u32 raw bytes, u32 stored bytes, zstd
 * frame. */
#ifndef TRACE_COLUMN_H
#define TRACE_COLUMN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>
#include "container.h"

#define COLUMN_FRAME (1u << 18)
#define COLUMN_LEVEL 3 /* zstd level; 1 is no faster here because the columns are short */

static inline uint64_t zigzag(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
static inline uint64_t unzigzag(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

struct column_out {
    ZSTD_CCtx *zstd; /* borrowed */
    uint8_t *frame;
    uint8_t *stored;
    size_t n_frame, n_stored, cap_stored;
    uint64_t raw, zeros;
    bool failed; /* out of memory */
};
void column_out_init(struct column_out *c, ZSTD_CCtx *zstd);
void column_flush(struct column_out *c);
void column_end(struct column_out *c); /* trailing zeros and the last frame */
void column_out_fini(struct column_out *c);
/* Any bytes as frames. */
void column_bytes(struct column_out *c, const void *data, size_t size);

static inline void column_plain(struct column_out *c, uint64_t value)
{
    if (c->n_frame + 10 > COLUMN_FRAME) column_flush(c);
    if (c->failed) return;
    while (value >= 128) {
        c->frame[c->n_frame++] = (uint8_t)(value | 128);
        value >>= 7;
    }
    c->frame[c->n_frame++] = (uint8_t)value;
}
/* Bytes of a varint: one for every seven bits; 9 / 64 is near enough to 1 / 7 up to 64 bits. */
static inline unsigned varint_bytes(uint64_t value)
{
    return ((64u - (unsigned)__builtin_clzll(value | 1)) * 9 + 64) >> 6;
}
/* A varint at `at`, where there is room for ten bytes; returns its end. The groups of seven bits are moved to bytes of
 * their own all at once, since the length of a varint is hard to foretell for the host's branch predictor. */
static inline uint8_t *varint_write(uint8_t *at, uint64_t value)
{
    const unsigned n = varint_bytes(value);
    if (n > 8) {
        for (; value >= 128; value >>= 7) *at++ = (uint8_t)(value | 128);
        *at++ = (uint8_t)value;
        return at;
    }
    uint64_t x = (value & 0x00fffffff0000000u) << 4 | (value & 0x000000000fffffffu);
    x = (x & 0x0fffc0000fffc000u) << 2 | (x & 0x00003fff00003fffu);
    x = (x & 0x3f803f803f803f80u) << 1 | (x & 0x007f007f007f007fu);
    x |= 0x8080808080808080u & (((uint64_t)1 << 8 * (n - 1)) - 1); /* another byte follows all but the last */
    memcpy(at, &x, sizeof x);
    return at + n;
}
/* The same bytes as column_plain of one value after the other. bits: the union of the values' bits. */
static inline void column_plain_many(struct column_out *c, const uint64_t *values, uint32_t n, uint64_t bits)
{
    if (c->n_frame + (size_t)n * 10 > COLUMN_FRAME) {
        for (uint32_t k = 0; k < n; k++) column_plain(c, values[k]);
        return;
    }
    if (c->failed) return;
    uint8_t *at = c->frame + c->n_frame;
    if (bits < 128)
        for (uint32_t k = 0; k < n; k++) *at++ = (uint8_t)values[k];
    else
        for (uint32_t k = 0; k < n; k++) at = varint_write(at, values[k]);
    c->n_frame = (size_t)(at - c->frame);
}
static inline void column_put(struct column_out *c, uint64_t residual)
{
    if (residual == 0) {
        c->zeros++;
        return;
    }
    column_plain(c, c->zeros);
    column_plain(c, residual);
    c->zeros = 0;
}

/* Reading. A column that ends early or does not decompress sets `bad` and gives zeros from then on. */
struct column_in {
    ZSTD_DCtx *zstd; /* borrowed */
    const uint8_t *stored;
    uint64_t n_stored, at, offset; /* offset: of the section in the file, for messages */
    uint32_t type;
    uint8_t *frame;
    size_t n_frame, pos;
    uint64_t zeros, value_follows;
    bool bad;
};
int column_in_init(struct column_in *c, ZSTD_DCtx *zstd, const struct container *in, enum section_type type,
                   struct error *err);
void column_in_fini(struct column_in *c);
bool column_refill(struct column_in *c);
bool column_at_end(struct column_in *c); /* everything was read, exactly */
/* A whole section into `size` bytes. */
int section_unpack(void *data, size_t size, ZSTD_DCtx *zstd, const struct container *in, const struct section *s,
                   struct error *err);

static inline uint64_t column_get_plain(struct column_in *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (c->pos == c->n_frame && !column_refill(c)) {
            c->bad = true;
            return 0;
        }
        const uint8_t byte = c->frame[c->pos++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    c->bad = true;
    return 0;
}
static inline uint64_t column_get(struct column_in *c)
{
    if (c->zeros) {
        c->zeros--;
        return 0;
    }
    if (c->bad) return 0;
    if (!c->value_follows) {
        c->zeros = column_get_plain(c);
        c->value_follows = !c->bad;
        if (c->zeros) {
            c->zeros--;
            return 0;
        }
    }
    c->value_follows = 0;
    return column_get_plain(c);
}
#endif
