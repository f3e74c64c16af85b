/* Integer arithmetic. 16-bit values live zero-extended in 32 bits; S16() gives their signed value. [PTX ISA 9.7.1] */
#include "poise/half.h"
#include "exec/lane_macros.h"

#define S16(x) ((s32)(int16_t)(x))
#define M16(x) ((uint32_t)(x)&0xffffu)

static inline u64 mul_hi_u64_of(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
static inline s64 mul_hi_s64_of(s64 a, s64 b) { return (s64)(((__int128)a * b) >> 64); }
static inline s32 s24(u32 x) { return (s32)(x << 8) >> 8; }
static inline u32 u24(u32 x) { return x & 0xffffffu; }
/* Division by zero gives all ones, as the hardware does; the remainder is the dividend. */
static inline u32 div_u32_of(u32 a, u32 b) { return b ? a / b : ~0u; }
static inline u64 div_u64_of(u64 a, u64 b) { return b ? a / b : ~(u64)0; }
static inline s32 div_s32_of(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : a / b; }
static inline s64 div_s64_of(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? (s64)(0u - (u64)a) : a / b; }
static inline u32 rem_u32_of(u32 a, u32 b) { return b ? a % b : a; }
static inline u64 rem_u64_of(u64 a, u64 b) { return b ? a % b : a; }
static inline s32 rem_s32_of(s32 a, s32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static inline s64 rem_s64_of(s64 a, s64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static inline s32 clamp_s32(s64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x; }
static inline s32 min2(s32 a, s32 b) { return a < b ? a : b; }
static inline s32 max2(s32 a, s32 b) { return a > b ? a : b; }
static inline s32 relu(s32 a) { return a > 0 ? a : 0; }
static inline u32 abs_diff(s64 a, s64 b) { return (u32)(a < b ? b - a : a - b); }
#define LO(x) ((x)&0xffffu)
#define HI(x) ((x) >> 16)
#define PAIR(lo, hi) (LO(lo) | (u32)(hi) << 16)
/* signed bytes of a times unsigned bytes of b */
static inline u32 dot4_mixed(u32 a, u32 b, u32 c)
{
    for (int k = 0; k < 4; k++) c += (u32)((s32)(int8_t)(a >> 8 * k) * (s32)(b >> 8 * k & 0xff));
    return c;
}

/* dp2a: two 16-bit elements of a with two bytes of b from bit `shift` on */
static inline u32 dot2(u32 a, u32 b, u32 shift, bool a_signed, bool b_signed)
{
    u32 sum = 0;
    for (u32 k = 0; k < 2; k++) {
        const u32 x = a >> 16 * k & 0xffff, y = b >> (shift + 8 * k) & 0xff;
        sum += (a_signed ? (u32)(s32)(int16_t)x : x) * (b_signed ? (u32)(s32)(int8_t)y : y);
    }
    return sum;
}
static inline u32 sign_extend(u32 a, u32 bits) { return bits ? (u32)((s32)(a << (32 - bits)) >> (32 - bits)) : 0; }
/* fns: the n-th set bit from `base` on, upwards or (n < 0) downwards; all ones if there is none */
static inline u32 find_nth(u32 mask, u32 base, s32 n)
{
    s32 left = n < 0 ? -n : n;
    if (base > 31 || left > 32 || left < 0) return ~0u;
    if (!left) return mask >> base & 1 ? base : ~0u;
    for (s32 at = (s32)base; at >= 0 && at < 32; at += n < 0 ? -1 : 1)
        if (mask >> at & 1 && --left == 0) return (u32)at;
    return ~0u;
}

static inline s32 dot4_s(u32 a, u32 b, s32 c)
{
    for (int i = 0; i < 32; i += 8) c = (s32)((u32)c + (u32)((s32)(int8_t)(a >> i) * (s32)(int8_t)(b >> i)));
    return c;
}
static inline u32 dot4_u(u32 a, u32 b, u32 c)
{
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}

#define INT_ROWS(L1, L2, L3, L4) \
    L2(add_b16, w16, w16, w16, M16(a + b)) \
    L2(add_b32, u32, u32, u32, a + b) \
    L2(add_b64, u64, u64, u64, a + b) \
    L2(add_sat_s32, s32, s32, s32, clamp_s32((s64)a + b)) \
    L2(sub_b16, w16, w16, w16, M16(a - b)) \
    L2(sub_b32, u32, u32, u32, a - b) \
    L2(sub_b64, u64, u64, u64, a - b) \
    L2(sub_sat_s32, s32, s32, s32, clamp_s32((s64)a - b)) \
    L2(mul_lo_b16, w16, w16, w16, M16(a *b)) \
    L2(mul_lo_b32, u32, u32, u32, a *b) \
    L2(mul_lo_b64, u64, u64, u64, a *b) \
    L2(mul_hi_u16, w16, w16, w16, (a * b) >> 16) \
    L2(mul_hi_s16, w16, w16, w16, M16((S16(a) * S16(b)) >> 16)) \
    L2(mul_hi_u32, u32, u32, u32, ((u64)a * b) >> 32) \
    L2(mul_hi_s32, s32, s32, s32, ((s64)a * b) >> 32) \
    L2(mul_hi_u64, u64, u64, u64, mul_hi_u64_of(a, b)) \
    L2(mul_hi_s64, s64, s64, s64, mul_hi_s64_of(a, b)) \
    L2(mul_wide_u16, u32, w16, w16, a *b) \
    L2(mul_wide_s16, s32, w16, w16, S16(a) * S16(b)) \
    L2(mul_wide_u32, u64, u32, u32, (u64)a *b) \
    L2(mul_wide_s32, s64, s32, s32, (s64)a *b) \
    L2(mul24_lo_u32, u32, u32, u32, u24(a) * u24(b)) \
    L2(mul24_lo_s32, u32, u32, u32, (u64)((s64)s24(a) * s24(b))) \
    L2(mul24_hi_u32, u32, u32, u32, ((u64)u24(a) * u24(b)) >> 16) \
    L2(mul24_hi_s32, u32, u32, u32, (u64)(((s64)s24(a) * s24(b)) >> 16)) \
    L3(mad24_lo_u32, u32, u32, u32, u32, u24(a) * u24(b) + c) \
    L3(mad24_lo_s32, u32, u32, u32, u32, (u64)((s64)s24(a) * s24(b)) + c) \
    L3(mad24_hi_u32, u32, u32, u32, u32, (((u64)u24(a) * u24(b)) >> 16) + c) \
    L3(mad24_hi_s32, u32, u32, u32, u32, (u64)(((s64)s24(a) * s24(b)) >> 16) + c) \
    L3(mad24_hi_sat_s32, s32, u32, u32, s32, clamp_s32((((s64)s24(a) * s24(b)) >> 16) + c)) \
    L3(mad_lo_b16, w16, w16, w16, w16, M16(a *b + c)) \
    L3(mad_lo_b32, u32, u32, u32, u32, a *b + c) \
    L3(mad_lo_b64, u64, u64, u64, u64, a *b + c) \
    L3(mad_hi_u16, w16, w16, w16, w16, M16(((a * b) >> 16) + c)) \
    L3(mad_hi_s16, w16, w16, w16, w16, M16((u32)((S16(a) * S16(b)) >> 16) + c)) \
    L3(mad_hi_u32, u32, u32, u32, u32, (((u64)a * b) >> 32) + c) \
    L3(mad_hi_s32, u32, s32, s32, u32, (u64)(((s64)a * b) >> 32) + c) \
    L3(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32((((s64)a * b) >> 32) + c)) \
    L3(mad_hi_u64, u64, u64, u64, u64, mul_hi_u64_of(a, b) + c) \
    L3(mad_hi_s64, u64, s64, s64, u64, (u64)mul_hi_s64_of(a, b) + c) \
    L3(mad_wide_u16, u32, w16, w16, u32, a *b + c) \
    L3(mad_wide_s16, u32, w16, w16, u32, (u32)(S16(a) * S16(b)) + c) \
    L3(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c) \
    L3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a * b) + c) \
    L3(sad_u16, w16, w16, w16, w16, M16(abs_diff(a, b) + c)) \
    L3(sad_s16, w16, w16, w16, w16, M16(abs_diff(S16(a), S16(b)) + c)) \
    L3(sad_u32, u32, u32, u32, u32, abs_diff(a, b) + c) \
    L3(sad_s32, u32, s32, s32, u32, abs_diff(a, b) + c) \
    L3(sad_u64, u64, u64, u64, u64, (a < b ? b - a : a - b) + c) \
    L3(sad_s64, u64, s64, s64, u64, (a < b ? (u64)b - (u64)a : (u64)a - (u64)b) + c) \
    L3(dp2a_lo_u32_u32, u32, u32, u32, u32, dot2(a, b, 0, false, false) + c) \
    L3(dp2a_hi_u32_u32, u32, u32, u32, u32, dot2(a, b, 16, false, false) + c) \
    L3(dp2a_lo_s32_s32, u32, u32, u32, u32, dot2(a, b, 0, true, true) + c) \
    L3(dp2a_hi_s32_s32, u32, u32, u32, u32, dot2(a, b, 16, true, true) + c) \
    L3(dp2a_lo_u32_s32, u32, u32, u32, u32, dot2(a, b, 0, false, true) + c) \
    L3(dp2a_hi_u32_s32, u32, u32, u32, u32, dot2(a, b, 16, false, true) + c) \
    L3(dp2a_lo_s32_u32, u32, u32, u32, u32, dot2(a, b, 0, true, false) + c) \
    L3(dp2a_hi_s32_u32, u32, u32, u32, u32, dot2(a, b, 16, true, false) + c) \
    L2(add_u16x2, u32, u32, u32, PAIR(LO(a) + LO(b), HI(a) + HI(b))) \
    L2(add_s16x2, u32, u32, u32, PAIR(LO(a) + LO(b), HI(a) + HI(b))) \
    L2(min_u16x2, u32, u32, u32, PAIR(LO(a) < LO(b) ? LO(a) : LO(b), HI(a) < HI(b) ? HI(a) : HI(b))) \
    L2(max_u16x2, u32, u32, u32, PAIR(LO(a) > LO(b) ? LO(a) : LO(b), HI(a) > HI(b) ? HI(a) : HI(b))) \
    L2(min_s16x2, u32, u32, u32, \
       PAIR(S16(LO(a)) < S16(LO(b)) ? LO(a) : LO(b), S16(HI(a)) < S16(HI(b)) ? HI(a) : HI(b))) \
    L2(max_s16x2, u32, u32, u32, \
       PAIR(S16(LO(a)) > S16(LO(b)) ? LO(a) : LO(b), S16(HI(a)) > S16(HI(b)) ? HI(a) : HI(b))) \
    L2(min_relu_s16x2, u32, u32, u32, PAIR(relu(min2(S16(LO(a)), S16(LO(b)))), relu(min2(S16(HI(a)), S16(HI(b)))))) \
    L2(max_relu_s16x2, u32, u32, u32, PAIR(relu(max2(S16(LO(a)), S16(LO(b)))), relu(max2(S16(HI(a)), S16(HI(b)))))) \
    L2(min_relu_s32, s32, s32, s32, relu(min2(a, b))) \
    L2(max_relu_s32, s32, s32, s32, relu(max2(a, b))) \
    L2(szext_clamp_u32, u32, u32, u32, b > 31 ? a : (u32)(a & (((u64)1 << b) - 1))) \
    L2(szext_wrap_u32, u32, u32, u32, (u32)(a & (((u64)1 << (b & 31)) - 1))) \
    L2(szext_clamp_s32, u32, u32, u32, sign_extend(a, b > 32 ? 32 : b)) \
    L2(szext_wrap_s32, u32, u32, u32, sign_extend(a, b & 31)) \
    L3(fns_b32, u32, u32, u32, s32, find_nth(a, b, c)) \
    L3(dp4a_u32_u32, u32, u32, u32, u32, dot4_u(a, b, c)) \
    L3(dp4a_u32_s32, u32, u32, u32, u32, dot4_mixed(b, a, c)) \
    L3(dp4a_s32_u32, u32, u32, u32, u32, dot4_mixed(a, b, c)) \
    L3(dp4a_s32_s32, s32, u32, u32, s32, dot4_s(a, b, c)) \
    L2(div_u16, w16, w16, w16, M16(div_u32_of(a, b))) \
    L2(div_s16, w16, w16, w16, M16(div_s32_of(S16(a), S16(b)))) \
    L2(div_u32, u32, u32, u32, div_u32_of(a, b)) \
    L2(div_s32, s32, s32, s32, div_s32_of(a, b)) \
    L2(div_u64, u64, u64, u64, div_u64_of(a, b)) \
    L2(div_s64, s64, s64, s64, div_s64_of(a, b)) \
    L2(rem_u16, w16, w16, w16, M16(rem_u32_of(a, b))) \
    L2(rem_s16, w16, w16, w16, M16(rem_s32_of(S16(a), S16(b)))) \
    L2(rem_u32, u32, u32, u32, rem_u32_of(a, b)) \
    L2(rem_s32, s32, s32, s32, rem_s32_of(a, b)) \
    L2(rem_u64, u64, u64, u64, rem_u64_of(a, b)) \
    L2(rem_s64, s64, s64, s64, rem_s64_of(a, b)) \
    L1(abs_s16, w16, w16, M16(S16(a) < 0 ? 0u - a : a)) \
    L1(abs_s32, u32, u32, (s32)a < 0 ? 0u - a : a) \
    L1(abs_s64, u64, u64, (s64)a < 0 ? (u64)0 - a : a) \
    L1(neg_s16, w16, w16, M16(0u - a)) \
    L1(neg_s32, u32, u32, 0u - a) \
    L1(neg_s64, u64, u64, (u64)0 - a) \
    L2(min_u16, w16, w16, w16, a < b ? a : b) \
    L2(min_s16, w16, w16, w16, S16(a) < S16(b) ? a : b) \
    L2(min_u32, u32, u32, u32, a < b ? a : b) \
    L2(min_s32, s32, s32, s32, a < b ? a : b) \
    L2(min_u64, u64, u64, u64, a < b ? a : b) \
    L2(min_s64, s64, s64, s64, a < b ? a : b) \
    L2(max_u16, w16, w16, w16, a > b ? a : b) \
    L2(max_s16, w16, w16, w16, S16(a) > S16(b) ? a : b) \
    L2(max_u32, u32, u32, u32, a > b ? a : b) \
    L2(max_s32, s32, s32, s32, a > b ? a : b) \
    L2(max_u64, u64, u64, u64, a > b ? a : b) \
    L2(max_s64, s64, s64, s64, a > b ? a : b)

INT_ROWS(FN1, FN2, FN3, FN4)

/* Carry chains. The carry is a predicate at d2; op: 1 = comes in, 2 = goes out. Subtraction carries the borrow. */
#define CARRY_FN(id, T, WIDE, product, combine) \
    static void id(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        uint32_t carry, out = 0; \
        memcpy(&carry, regs + u->d2, 4); \
        SRC(T, a); \
        SRC(T, b); \
        const T##_any *pc = (const T##_any *)(const void *)(regs + (u->c == NO_SLOT ? u->a : u->c)); \
        T t[LANES]; \
        EACH_LANE \
        { \
            const T a = pa[l], b = pb[l], c = pc[l]; \
            const WIDE in = u->op & 1 ? carry >> l & 1 : 0, x = (product), sum = combine; \
            (void)b, (void)c; \
            t[l] = (T)sum; \
            out |= sum >> WIDTH_##T & 1 ? lane_bits[l] : 0; \
        } \
        PUT_##T(regs + u->d, t, mask); \
        carry = (out & mask) | (carry & ~mask); \
        if (u->op & 2) memcpy(regs + u->d2, &carry, 4); \
    }
typedef unsigned __int128 u128;
#define HI_S32(a, b) (u32)(((s64)(s32)(a) * (s32)(b)) >> 32)
CARRY_FN(carry_add_b32, u32, u64, a, x + b + in)
CARRY_FN(carry_add_b64, u64, u128, a, x + b + in)
CARRY_FN(carry_sub_b32, u32, u64, a, x - b - in)
CARRY_FN(carry_sub_b64, u64, u128, a, x - b - in)
CARRY_FN(carry_mad_lo_b32, u32, u64, (u32)(a *b), x + c + in)
CARRY_FN(carry_mad_hi_u32, u32, u64, ((u64)a * b) >> 32, x + c + in)
CARRY_FN(carry_mad_hi_s32, u32, u64, HI_S32(a, b), x + c + in)
CARRY_FN(carry_mad_lo_b64, u64, u128, (u64)(a *b), x + c + in)
CARRY_FN(carry_mad_hi_u64, u64, u128, mul_hi_u64_of(a, b), x + c + in)
CARRY_FN(carry_mad_hi_s64, u64, u128, (u64)mul_hi_s64_of((s64)a, (s64)b), x + c + in)
#define CARRY_ROW2(id, bits) {#id, id, 2, {bits, bits, bits, 0, 0}, 0},
#define CARRY_ROW3(id, bits) {#id, id, 3, {bits, bits, bits, bits, 0}, 0},

const struct lane_op VARIANT(lanes_int)[] = {
    /* clang-format off */
    INT_ROWS(ROW1, ROW2, ROW3, ROW4)
    CARRY_ROW2(carry_add_b32, 32) CARRY_ROW2(carry_add_b64, 64) CARRY_ROW2(carry_sub_b32, 32)
    CARRY_ROW2(carry_sub_b64, 64)
    CARRY_ROW3(carry_mad_lo_b32, 32) CARRY_ROW3(carry_mad_hi_u32, 32) CARRY_ROW3(carry_mad_hi_s32, 32)
    CARRY_ROW3(carry_mad_lo_b64, 64) CARRY_ROW3(carry_mad_hi_u64, 64) CARRY_ROW3(carry_mad_hi_s64, 64)
    /* clang-format on */
    {NULL, NULL, 0, {0}, 0}};

/* Comparisons: 32 lanes -> one mask. "gt" is "lt" with the operands exchanged and the unordered forms are
 * complements, so a few rows are enough. 16-bit untyped and unsigned values compare as 32-bit ones. */
static inline uint32_t pack_bits(const uint8_t bits[LANES])
{
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++) { /* eight 0/1 bytes -> eight bits by one multiplication */
        uint64_t eight;
        memcpy(&eight, bits + 8 * i, 8);
        mask |= (uint32_t)((eight * 0x0102040810204080u) >> 56) << (8 * i);
    }
    return mask;
}

static inline f32 flush(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, 4);
    bits = bits & 0x7f800000u ? bits : bits & 0x80000000u;
    memcpy(&x, &bits, 4);
    return x;
}

#define FLUSHED(x) f16_get(f16_flush(x))
#define NARROW_COMPARES(C, fmt) \
    C(eq_##fmt, w16, fmt##_get(a) == fmt##_get(b)) \
    C(lt_##fmt, w16, fmt##_get(a) < fmt##_get(b)) \
    C(le_##fmt, w16, fmt##_get(a) <= fmt##_get(b)) \
    C(lg_##fmt, w16, fmt##_get(a) < fmt##_get(b) || fmt##_get(a) > fmt##_get(b)) \
    C(num_##fmt, w16, fmt##_get(a) == fmt##_get(a) && fmt##_get(b) == fmt##_get(b))
/* clang-format off */
#define COMPARE_ROWS(C) \
    C(eq_b16, w16, a == b) \
    C(lt_u16, w16, a < b) \
    C(le_u16, w16, a <= b) \
    C(lt_s16, w16, S16(a) < S16(b)) \
    C(le_s16, w16, S16(a) <= S16(b)) \
    C(eq_b32, u32, a == b) \
    C(lt_u32, u32, a < b) \
    C(le_u32, u32, a <= b) \
    C(lt_s32, s32, a < b) \
    C(le_s32, s32, a <= b) \
    C(eq_b64, u64, a == b) \
    C(lt_u64, u64, a < b) \
    C(le_u64, u64, a <= b) \
    C(lt_s64, s64, a < b) \
    C(le_s64, s64, a <= b) \
    C(eq_f32, f32, a == b) \
    C(lt_f32, f32, a < b) \
    C(le_f32, f32, a <= b) \
    C(lg_f32, f32, a < b || a > b) \
    C(num_f32, f32, a == a && b == b) \
    C(eq_ftz_f32, f32, flush(a) == flush(b)) \
    C(lt_ftz_f32, f32, flush(a) < flush(b)) \
    C(le_ftz_f32, f32, flush(a) <= flush(b)) \
    C(lg_ftz_f32, f32, flush(a) < flush(b) || flush(a) > flush(b)) \
    C(num_ftz_f32, f32, a == a && b == b) \
    C(eq_f64, f64, a == b) \
    C(lt_f64, f64, a < b) \
    C(le_f64, f64, a <= b) \
    C(lg_f64, f64, a < b || a > b) \
    C(num_f64, f64, a == a && b == b) \
    NARROW_COMPARES(C, f16) NARROW_COMPARES(C, bf16) \
    C(eq_ftz_f16, w16, FLUSHED(a) == FLUSHED(b)) \
    C(lt_ftz_f16, w16, FLUSHED(a) < FLUSHED(b)) \
    C(le_ftz_f16, w16, FLUSHED(a) <= FLUSHED(b)) \
    C(lg_ftz_f16, w16, FLUSHED(a) < FLUSHED(b) || FLUSHED(a) > FLUSHED(b)) \
    C(num_ftz_f16, w16, FLUSHED(a) == FLUSHED(a) && FLUSHED(b) == FLUSHED(b))
/* clang-format on */

#define COMPARE_FN(id, T, expr) \
    static uint32_t id(const unsigned char *left, const unsigned char *right) \
    { \
        const T##_any *pa = (const T##_any *)(const void *)left, *pb = (const T##_any *)(const void *)right; \
        uint8_t bits[LANES]; \
        EACH_LANE \
        { \
            const T a = pa[l], b = pb[l]; \
            bits[l] = (uint8_t)(expr); \
        } \
        return pack_bits(bits); \
    }
#define COMPARE_ROW(id, T, expr) {#id, id, WIDTH_##T},
COMPARE_ROWS(COMPARE_FN)
const struct compare_op VARIANT(compares)[] = {COMPARE_ROWS(COMPARE_ROW){NULL, NULL, 0}};
