/* .f16 .bf16 and their pairs. [PTX ISA 9.7.4] Results are correctly rounded; NaN results are the canonical 0x7fff. */
#include "poise/half.h"
#include "exec/lane_macros.h"

static inline f64 add_d(f64 a, f64 b) { return odd_sum(a, b); }
static inline f64 sub_d(f64 a, f64 b) { return odd_sum(a, -b); }
static inline f64 mul_d(f64 a, f64 b) { return a * b; } /* exact: 22 bits */
static inline f64 fma_d(f64 a, f64 b, f64 c) { return odd_sum(a * b, c); }
static inline f64 min_d(f64 a, f64 b) { return a != a ? b : b != b || a < b ? a : b < a ? b : signbit(a) ? a : b; }
static inline f64 max_d(f64 a, f64 b) { return a != a ? b : b != b || a > b ? a : b > a ? b : signbit(a) ? b : a; }
static inline f64 min_NaN_d(f64 a, f64 b) { return a != a || b != b ? (f64)NAN : min_d(a, b); }
static inline f64 max_NaN_d(f64 a, f64 b) { return a != a || b != b ? (f64)NAN : max_d(a, b); }
static inline f64 xorsign_d(f64 magnitude, f64 a, f64 b)
{
    return copysign(magnitude, !signbit(a) == !signbit(b) ? 1.0 : -1.0);
}
static inline f64 min_xorsign_d(f64 a, f64 b) { return xorsign_d(min_d(fabs(a), fabs(b)), a, b); }
static inline f64 max_xorsign_d(f64 a, f64 b) { return xorsign_d(max_d(fabs(a), fabs(b)), a, b); }
static inline f64 min_NaN_xorsign_d(f64 a, f64 b) { return xorsign_d(min_NaN_d(fabs(a), fabs(b)), a, b); }
static inline f64 max_NaN_xorsign_d(f64 a, f64 b) { return xorsign_d(max_NaN_d(fabs(a), fabs(b)), a, b); }
static inline f64 ex2_d(f64 a) { return exp2(a); }
static inline f64 tanh_d(f64 a) { return tanh(a); }
/* what follows the operation */
static inline f64 sat_d(f64 x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }
static inline f64 relu_d(f64 x) { return x != x || x > 0.0 ? x : 0.0; }

#define LOW(x) ((x)&0xffffu)
#define HIGH(x) ((x) >> 16)

/* One operation on one element of a format, and its pair. */
#define ONE1(id, fmt, in, out, op) \
    static inline u32 one_##id##_##fmt(u32 a) { return out(fmt##_put(op##_d(fmt##_get(in(a))))); } \
    FN1(id##_##fmt, w16, w16, one_##id##_##fmt(a)) \
    FN1(id##_##fmt##x2, u32, u32, one_##id##_##fmt(LOW(a)) | one_##id##_##fmt(HIGH(a)) << 16)
#define ONE2(id, fmt, in, out, post, op) \
    static inline u32 one_##id##_##fmt(u32 a, u32 b) \
    { \
        return out(fmt##_put(post(op##_d(fmt##_get(in(a)), fmt##_get(in(b)))))); \
    } \
    FN2(id##_##fmt, w16, w16, w16, one_##id##_##fmt(a, b)) \
    FN2(id##_##fmt##x2, u32, u32, u32, one_##id##_##fmt(LOW(a), LOW(b)) | one_##id##_##fmt(HIGH(a), HIGH(b)) << 16)
#define ONE3(id, fmt, in, out, post, op) \
    static inline u32 one_##id##_##fmt(u32 a, u32 b, u32 c) \
    { \
        return out(fmt##_put(post(op##_d(fmt##_get(in(a)), fmt##_get(in(b)), fmt##_get(in(c)))))); \
    } \
    FN3(id##_##fmt, w16, w16, w16, w16, one_##id##_##fmt(a, b, c)) \
    FN3(id##_##fmt##x2, u32, u32, u32, u32, \
        one_##id##_##fmt(LOW(a), LOW(b), LOW(c)) | one_##id##_##fmt(HIGH(a), HIGH(b), HIGH(c)) << 16)

/* clang-format off */
#define SMALL1(R) \
    R(ex2_approx, f16, , , ex2) R(ex2_approx_ftz, f16, f16_flush, f16_flush, ex2) R(tanh_approx, f16, , , tanh) \
    R(ex2_approx, bf16, , , ex2) R(ex2_approx_ftz, bf16, , , ex2) R(tanh_approx, bf16, , , tanh)
/* clang-format on */
/* clang-format off */
#define XORSIGN(R, op) \
    R(op##_abs, f16, , , , op) R(op##_abs_ftz, f16, f16_flush, f16_flush, , op) R(op##_abs, bf16, , , , op)
/* clang-format on */
#define XORSIGN_NAN(R, op) XORSIGN(R, op##_NaN_xorsign)
/* clang-format off */
#define SMALL2(R) \
    R(add, f16, , , , add) R(sub, f16, , , , sub) R(mul, f16, , , , mul) \
    R(add_ftz, f16, f16_flush, f16_flush, , add) R(sub_ftz, f16, f16_flush, f16_flush, , sub) \
    R(mul_ftz, f16, f16_flush, f16_flush, , mul) R(add_sat, f16, , , sat_d, add) R(sub_sat, f16, , , sat_d, sub) \
    R(mul_sat, f16, , , sat_d, mul) R(add_ftz_sat, f16, f16_flush, f16_flush, sat_d, add) \
    R(sub_ftz_sat, f16, f16_flush, f16_flush, sat_d, sub) R(mul_ftz_sat, f16, f16_flush, f16_flush, sat_d, mul) \
    R(min, f16, , , , min) R(max, f16, , , , max) R(min_NaN, f16, , , , min_NaN) R(max_NaN, f16, , , , max_NaN) \
    R(min_ftz, f16, f16_flush, f16_flush, , min) R(max_ftz, f16, f16_flush, f16_flush, , max) \
    R(min_NaN_ftz, f16, f16_flush, f16_flush, , min_NaN) R(max_NaN_ftz, f16, f16_flush, f16_flush, , max_NaN) \
    XORSIGN(R, min_xorsign) XORSIGN(R, max_xorsign) XORSIGN_NAN(R, min) XORSIGN_NAN(R, max) \
    R(add, bf16, , , , add) R(sub, bf16, , , , sub) R(mul, bf16, , , , mul) R(min, bf16, , , , min) \
    R(max, bf16, , , , max) R(min_NaN, bf16, , , , min_NaN) R(max_NaN, bf16, , , , max_NaN)
/* clang-format on */
/* clang-format off */
#define SMALL3(R) \
    R(fma, f16, , , , fma) R(fma_ftz, f16, f16_flush, f16_flush, , fma) R(fma_sat, f16, , , sat_d, fma) \
    R(fma_ftz_sat, f16, f16_flush, f16_flush, sat_d, fma) R(fma_relu, f16, , , relu_d, fma) \
    R(fma_relu_ftz, f16, f16_flush, f16_flush, relu_d, fma) R(fma, bf16, , , , fma) \
    R(fma_relu, bf16, , , relu_d, fma)
/* clang-format on */
SMALL1(ONE1)
SMALL2(ONE2)
SMALL3(ONE3)

/* An integer of 64 bits as a double whose last bit says that something was lost. */
static inline f64 odd_integer(u64 x)
{
    const int drop = x >> 53 ? 11 - __builtin_clzll(x) : 0;
    const u64 kept = x >> drop << drop;
    return (f64)(kept | (u64)(kept != x) << drop);
}
static inline u32 flush_single(u32 bits) { return bits & 0x7f800000u ? bits : bits & 0x80000000u; }

/* clang-format off */
#define SIGN_ROWS(L1) \
    L1(abs_f16, w16, w16, a & 0x7fff) L1(neg_f16, w16, w16, a ^ 0x8000) L1(abs_bf16, w16, w16, a & 0x7fff) \
    L1(neg_bf16, w16, w16, a ^ 0x8000) L1(abs_f16x2, u32, u32, a & 0x7fff7fffu) \
    L1(neg_f16x2, u32, u32, a ^ 0x80008000u) \
    L1(abs_bf16x2, u32, u32, a & 0x7fff7fffu) L1(neg_bf16x2, u32, u32, a ^ 0x80008000u) \
    L1(abs_ftz_f16, w16, w16, f16_flush(a) & 0x7fff) L1(neg_ftz_f16, w16, w16, f16_flush(a) ^ 0x8000) \
    L1(abs_ftz_f16x2, u32, u32, (f16_flush(LOW(a)) | f16_flush(HIGH(a)) << 16) & 0x7fff7fffu) \
    L1(neg_ftz_f16x2, u32, u32, (f16_flush(LOW(a)) | f16_flush(HIGH(a)) << 16) ^ 0x80008000u)
/* clang-format on */
SIGN_ROWS(FN1)

/* cvt to or from a narrow format: every pair of types through one double. op: source type, type: destination's, aux:
 * rounding, imm: bits of the source's register, flags: UOP_SATURATE, e: nonzero rounds to an integral value, n_vec:
 * .relu, sign: .ftz (of .f32) */
static f64 wide_value(const unsigned char *regs, const struct uop *u, int l)
{
    u64 bits = 0;
    memcpy(&bits, regs + u->a + l * (int)(u->imm == 64 ? 8 : 4), u->imm == 64 ? 8 : 4);
    switch ((enum ptx_type)u->op) {
    case T_F16: return f16_get((u32)bits);
    case T_BF16: return bf16_get((u32)bits);
    case T_F64: return small_double(bits);
    case T_F32: {
        const u32 single = u->sign ? flush_single((u32)bits) : (u32)bits;
        f32 x;
        memcpy(&x, &single, 4);
        return (f64)x;
    }
    case T_U8: return (f64)(uint8_t)bits;
    case T_S8: return (f64)(int8_t)bits;
    case T_U16: return (f64)(uint16_t)bits;
    case T_S16: return (f64)(int16_t)bits;
    case T_U32: return (f64)(uint32_t)bits;
    case T_S32: return (f64)(int32_t)bits;
    case T_U64: return odd_integer(bits);
    default: return (s64)bits < 0 ? -odd_integer(0 - bits) : odd_integer(bits);
    }
}

static f64 integral(f64 x, uint8_t mode)
{
    return mode == ROUND_ZERO ? trunc(x) : mode == ROUND_DOWN ? floor(x) : mode == ROUND_UP ? ceil(x) : rint(x);
}

static u64 clamped(f64 x, u32 bits, bool is_signed)
{
    const f64 top = ldexp(1.0, (int)bits - (is_signed ? 1 : 0));
    const u64 top_bits = is_signed ? ((u64)1 << (bits - 1)) - 1 : bits == 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
    if (x != x) return bits == 64 ? (u64)1 << 63 : 0; /* a NaN [PTX ISA 9.7.9.22] */
    if (x >= top) return top_bits;
    if (x <= (is_signed ? -top : 0.0)) return is_signed ? ~top_bits : 0;
    return is_signed ? (u64)(s64)x : (u64)x;
}

static void cvt_small(unsigned char *regs, const struct uop *u, uint32_t mask)
{
    const enum ptx_type to = (enum ptx_type)u->type;
    u64 wide[LANES];
    u32 narrow[LANES];
    for (int l = 0; l < LANES; l++) {
        f64 x = wide_value(regs, u, l);
        if (u->e == 1) x = integral(x, u->aux);
        if (u->flags & UOP_SATURATE) x = sat_d(x);
        if (u->n_vec) x = relu_d(x);
        switch (to) {
        case T_F16: wide[l] = small_put(x, 10, 15, u->aux); break;
        case T_BF16: wide[l] = small_put(x, 7, 127, u->aux); break;
        case T_F64: wide[l] = x != x ? 0x7ff8000000000000u : small_bits(x); break;
        case T_F32: {
            const f32 single = (f32)x;
            u32 bits;
            memcpy(&bits, &single, 4);
            wide[l] = x != x ? 0x7fffffffu : u->sign ? flush_single(bits) : bits;
            break;
        }
        default: wide[l] = clamped(integral(x, u->aux), type_bits(to), type_kind(to) == 's'); break;
        }
        narrow[l] = (u32)wide[l] & (u->width == 16 ? 0xffffu : ~0u);
    }
    if (u->width == 64) put64(regs + u->d, wide, mask);
    else put32(regs + u->d, narrow, mask);
}

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half. */
static inline f64 single_of(u32 bits)
{
    f32 x;
    memcpy(&x, &bits, 4);
    return (f64)x;
}
#define PACK_FN(id, mant, bias, post) \
    static void id(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(u32, a); \
        SRC(u32, b); \
        u32 t[LANES]; \
        for (int l = 0; l < LANES; l++) \
            t[l] = small_put(post(single_of(pa[l])), mant, bias, u->aux) << 16 | \
                   small_put(post(single_of(pb[l])), mant, bias, u->aux); \
        put32(regs + u->d, t, mask); \
    }
PACK_FN(cvt_f16x2_f32, 10, 15, )
PACK_FN(cvt_bf16x2_f32, 7, 127, )
PACK_FN(cvt_relu_f16x2_f32, 10, 15, relu_d)
PACK_FN(cvt_relu_bf16x2_f32, 7, 127, relu_d)

#define SMALL1_ROW(id, fmt, in, out, op) ROW1(id##_##fmt, w16, w16, ) ROW1(id##_##fmt##x2, u32, u32, )
#define SMALL2_ROW(id, fmt, in, out, post, op) ROW2(id##_##fmt, w16, w16, w16, ) ROW2(id##_##fmt##x2, u32, u32, u32, )
/* clang-format off */
#define SMALL3_ROW(id, fmt, in, out, post, op) \
    ROW3(id##_##fmt, w16, w16, w16, w16, ) ROW3(id##_##fmt##x2, u32, u32, u32, u32, )
/* clang-format on */
#define PACK_ROW(id) {#id, id, 2, {32, 32, 32, 0, 0}, 6},
const struct lane_op VARIANT(lanes_half)[] = {
    /* clang-format off */
    SMALL1(SMALL1_ROW) SMALL2(SMALL2_ROW) SMALL3(SMALL3_ROW) SIGN_ROWS(ROW1)
    PACK_ROW(cvt_f16x2_f32) PACK_ROW(cvt_bf16x2_f32) PACK_ROW(cvt_relu_f16x2_f32) PACK_ROW(cvt_relu_bf16x2_f32)
    /* clang-format on */
    {"cvt_small", cvt_small, 1, {0, 0, 0, 0, 0}, 0},
    {NULL, NULL, 0, {0}, 0}};
