/* SIMD video instructions on two 16-bit or four 8-bit elements. [PTX ISA 9.7.17] type: the flags below; op: what is
 * done. */
#include "exec/lane_macros.h"
#include "lower/video.h"

static inline s32 element(u32 x, int k, int bits, bool is_signed)
{
    const u32 raw = x >> k * bits & ((1u << bits) - 1);
    return is_signed ? (s32)(raw << (32 - bits)) >> (32 - bits) : (s32)raw;
}

static inline s32 operate(uint8_t op, s32 a, s32 b)
{
    switch ((enum video_op)op) {
    case VIDEO_ADD: return a + b;
    case VIDEO_SUB: return a - b;
    case VIDEO_AVRG: return (a + b + (a + b >= 0)) >> 1; /* halves go away from zero, as in nvcc's __vavgs2 */
    case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
    case VIDEO_MIN: return a < b ? a : b;
    case VIDEO_MAX: return a > b ? a : b;
    case VIDEO_EQ: return a == b;
    case VIDEO_NE: return a != b;
    case VIDEO_LT: return a < b;
    case VIDEO_LE: return a <= b;
    case VIDEO_GT: return a > b;
    case VIDEO_GE: return a >= b;
    }
    return 0;
}

static inline u32 video_of(const struct uop *u, u32 a, u32 b, u32 c, int bits)
{
    const s32 top = (s32)(u->type & VIDEO_D_SIGNED ? (1u << (bits - 1)) - 1 : (1u << bits) - 1);
    const s32 bottom = u->type & VIDEO_D_SIGNED ? -top - 1 : 0;
    u32 packed = 0, total = c;
    for (int k = 0; k < 32 / bits; k++) {
        s32 x = operate(u->op, element(a, k, bits, u->type & VIDEO_A_SIGNED),
                        element(b, k, bits, u->type & VIDEO_B_SIGNED));
        if (u->type & VIDEO_SATURATES) x = x > top ? top : x < bottom ? bottom : x;
        packed |= ((u32)x & ((1u << bits) - 1)) << k * bits;
        total += (u32)x;
    }
    return u->type & VIDEO_ADDS ? total : packed;
}

/* ---- scalar video instructions [PTX ISA 9.7.16]: intermediate results have more than 32 bits ---- */
static inline s64 part_of(u32 x, uint8_t part, bool is_signed)
{
    if (!part) return is_signed ? (s64)(s32)x : (s64)x;
    const int bits = part <= 4 ? 8 : 16, shift = part <= 4 ? 8 * (part - 1) : 16 * (part - 5);
    return element(x >> shift, 0, bits, is_signed);
}

static inline s64 clamped(s64 x, int bits, bool is_signed)
{
    const s64 top = is_signed ? ((s64)1 << (bits - 1)) - 1 : ((s64)1 << bits) - 1, bottom = is_signed ? -top - 1 : 0;
    return x > top ? top : x < bottom ? bottom : x;
}

static inline s64 multiply_add(const struct video_spelling *v, s64 a, s64 b, u32 c)
{
    const bool is_signed = v->flags & (VIDEO_A_SIGNED | VIDEO_B_SIGNED);
    s64 x = a * b + (is_signed ? (s64)(s32)c : (s64)c) + (v->flags & VIDEO_PLUS_ONE ? 1 : 0);
    x = is_signed ? x >> v->shift : (s64)((u64)x >> v->shift);
    return v->flags & VIDEO_SATURATES ? (!is_signed && x < 0 ? (s64)UINT32_MAX : clamped(x, 32, is_signed)) : x;
}

static inline s64 scalar_operate(const struct video_spelling *v, s64 a, s64 b, u32 c)
{
    const unsigned by = v->flags & VIDEO_WRAPS ? (unsigned)b & 31 : b > 32 || b < 0 ? 32 : (unsigned)b;
    switch ((enum video_scalar)v->op) {
    case SCALAR_ADD: return a + b;
    case SCALAR_SUB: return a - b;
    case SCALAR_ABSDIFF: return a < b ? b - a : a - b;
    case SCALAR_MIN: return a < b ? a : b;
    case SCALAR_MAX: return a > b ? a : b;
    case SCALAR_SHL: return (s64)((u64)a << by);
    case SCALAR_SHR: return a >> by;
    case SCALAR_MAD: return multiply_add(v, a, b, c);
    case SCALAR_SET:
        switch ((enum video_op)v->compare) {
        case VIDEO_EQ: return a == b;
        case VIDEO_NE: return a != b;
        case VIDEO_LT: return a < b;
        case VIDEO_LE: return a <= b;
        case VIDEO_GT: return a > b;
        default: return a >= b;
        }
    }
    return 0;
}

static inline u32 scalar_of(const struct uop *u, u32 a, u32 b, u32 c)
{
    struct video_spelling v;
    memcpy(&v, &u->imm, sizeof v);
    const bool is_signed = v.flags & VIDEO_D_SIGNED;
    const int bits = !v.d_part ? 32 : v.d_part <= 4 ? 8 : 16;
    s64 x = scalar_operate(&v, part_of(a, v.a_part, v.flags & VIDEO_A_SIGNED),
                           part_of(b, v.b_part, v.flags & VIDEO_B_SIGNED), c);
    if (v.flags & VIDEO_SATURATES && v.op != SCALAR_MAD) x = clamped(x, bits, is_signed);
    if (v.d_part) {
        const int shift = v.d_part <= 4 ? 8 * (v.d_part - 1) : 16 * (v.d_part - 5);
        const u32 mask = ((1u << bits) - 1) << shift;
        return (c & ~mask) | ((u32)x << shift & mask);
    }
    const u32 r = (u32)x;
    if (v.second == 1) return r + c;
    if (v.second && is_signed) return ((s32)r < (s32)c) == (v.second == 2) ? r : c;
    if (v.second) return (r < c) == (v.second == 2) ? r : c;
    return r;
}

#define VIDEO_ROWS(L3) \
    L3(video2, u32, u32, u32, u32, video_of(u, a, b, c, 16)) \
    L3(video4, u32, u32, u32, u32, video_of(u, a, b, c, 8)) \
    L3(video_scalar, u32, u32, u32, u32, scalar_of(u, a, b, c))
VIDEO_ROWS(FN3)
const struct lane_op VARIANT(lanes_video)[] = {VIDEO_ROWS(ROW3){NULL, NULL, 0, {0}, 0}};
