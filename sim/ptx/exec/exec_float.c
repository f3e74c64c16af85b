/* Floating-point arithmetic. [PTX ISA 9.7.3] Every result is the IEEE 754 one for the current rounding mode; fma is
 * fused. The approximate instructions (.approx, ex2, lg2, sin, cos, rsqrt, tanh) are computed in double precision
 * and rounded once, which is inside PTX's error bounds and the same everywhere. A NaN result is PTX's canonical one,
 * so that no payload depends on the compiler's choice of operand order. ".ftz" flushes subnormal inputs and results
 * to zero of the same sign. */
#include "exec/lane_macros.h"

static inline u32 bits32(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static inline f32 float_of(u32 bits)
{
    f32 x;
    memcpy(&x, &bits, 4);
    return x;
}
static inline u64 bits64(f64 x)
{
    u64 bits;
    memcpy(&bits, &x, 8);
    return bits;
}
static inline f64 double_of(u64 bits)
{
    f64 x;
    memcpy(&x, &bits, 8);
    return x;
}
static inline f32 canon(f32 x) { return float_of(x != x ? 0x7fffffffu : bits32(x)); }
static inline f64 canon64(f64 x) { return double_of(x != x ? 0x7ff8000000000000u : bits64(x)); }
static inline f32 flush(f32 x)
{
    const u32 bits = bits32(x);
    return float_of(bits & 0x7f800000u ? bits : bits & 0x80000000u);
}
/* min and max: a NaN loses against a number, -0 is below +0. */
static inline f32 min_of(f32 a, f32 b)
{
    const u32 least = a < b ? bits32(a) : b < a ? bits32(b) : bits32(a) | bits32(b);
    return float_of(a != a ? (b != b ? 0x7fffffffu : bits32(b)) : b != b ? bits32(a) : least);
}
static inline f32 max_of(f32 a, f32 b)
{
    const u32 most = a > b ? bits32(a) : b > a ? bits32(b) : bits32(a) & bits32(b);
    return float_of(a != a ? (b != b ? 0x7fffffffu : bits32(b)) : b != b ? bits32(a) : most);
}
static inline f64 min64_of(f64 a, f64 b)
{
    const u64 least = a < b ? bits64(a) : b < a ? bits64(b) : bits64(a) | bits64(b);
    return double_of(a != a ? (b != b ? 0x7ff8000000000000u : bits64(b)) : b != b ? bits64(a) : least);
}
static inline f64 max64_of(f64 a, f64 b)
{
    const u64 most = a > b ? bits64(a) : b > a ? bits64(b) : bits64(a) & bits64(b);
    return double_of(a != a ? (b != b ? 0x7ff8000000000000u : bits64(b)) : b != b ? bits64(a) : most);
}
/* ".NaN": a NaN wins. */
static inline f32 min_nan_of(f32 a, f32 b) { return float_of(a != a || b != b ? 0x7fffffffu : bits32(min_of(a, b))); }
static inline f32 max_nan_of(f32 a, f32 b) { return float_of(a != a || b != b ? 0x7fffffffu : bits32(max_of(a, b))); }
/* ".xorsign.abs": of the magnitudes; the sign is the exclusive or of the operands' signs. */
static inline f32 xorsign_of(f32 magnitude, f32 a, f32 b)
{
    return float_of((bits32(magnitude) & 0x7fffffffu) | ((bits32(a) ^ bits32(b)) & 0x80000000u));
}
static inline f32 abs_of(f32 a) { return float_of(bits32(a) & 0x7fffffffu); }
static inline f32 neg_of(f32 a) { return float_of(bits32(a) ^ 0x80000000u); }
static inline f32 copysign_of(f32 sign, f32 a)
{
    return float_of((bits32(sign) & 0x80000000u) | (bits32(a) & 0x7fffffffu));
}
/* div.approx multiplies by the reciprocal, which is zero above 2^126. [PTX ISA 9.7.3.8] */
static inline f32 div_approx_of(f32 a, f32 b) { return abs_of(b) > 0x1p126f ? a * copysign_of(b, 0.0f) : a / b; }
/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see the upper 32 bits of their operand and give those of the result;
 * subnormals are zero. [PTX ISA 9.7.3.14] */
static inline f64 upper_half(f64 x)
{
    const u64 bits = bits64(x), upper = x != x ? 0x7ff8000000000000u : bits >> 32 << 32;
    return double_of(bits & 0x7ff0000000000000u ? upper : bits >> 63 << 63);
}
static inline f32 ex2_of(f32 a) { return (f32)exp2((f64)a); }
static inline f32 lg2_of(f32 a) { return (f32)log2((f64)a); }
static inline f32 sin_of(f32 a) { return (f32)sin((f64)a); }
static inline f32 cos_of(f32 a) { return (f32)cos((f64)a); }
static inline f32 tanh_of(f32 a) { return (f32)tanh((f64)a); }
static inline f32 rsqrt_of(f32 a) { return (f32)(1.0 / sqrt((f64)a)); }

/* A single-precision row becomes two: plain and .ftz. */
/* clang-format off */
#define FLUSHED1(id, expr) static inline f32 flush_##id(f32 x) { const f32 a = flush(x); return flush(canon(expr)); }
/* clang-format on */
#define FLUSHED2(id, expr) \
    static inline f32 flush_##id(f32 x, f32 y) \
    { \
        const f32 a = flush(x), b = flush(y); \
        return flush(canon(expr)); \
    }
#define FLUSHED3(id, expr) \
    static inline f32 flush_##id(f32 x, f32 y, f32 z) \
    { \
        const f32 a = flush(x), b = flush(y), c = flush(z); \
        return flush(canon(expr)); \
    }
/* clang-format off */
#define SINGLE1(R) \
    R(rcp, 1.0f / a) R(sqrt, sqrtf(a)) R(rsqrt, rsqrt_of(a)) R(ex2, ex2_of(a)) R(lg2, lg2_of(a)) R(sin, sin_of(a)) \
    R(cos, cos_of(a)) R(tanh, tanh_of(a))
/* clang-format on */
/* clang-format off */
#define SINGLE2(R) \
    R(add, a + b) R(sub, a - b) R(mul, a *b) R(div, a / b) R(min, min_of(a, b)) R(max, max_of(a, b)) \
    R(min_NaN, min_nan_of(a, b)) R(max_NaN, max_nan_of(a, b)) R(div_approx, div_approx_of(a, b)) \
    R(min_xorsign_abs, xorsign_of(min_of(abs_of(a), abs_of(b)), a, b)) \
    R(max_xorsign_abs, xorsign_of(max_of(abs_of(a), abs_of(b)), a, b)) \
    R(min_NaN_xorsign_abs, xorsign_of(min_nan_of(abs_of(a), abs_of(b)), a, b)) \
    R(max_NaN_xorsign_abs, xorsign_of(max_nan_of(abs_of(a), abs_of(b)), a, b))
/* clang-format on */
#define SINGLE3(R) R(fma, fmaf(a, b, c))
SINGLE1(FLUSHED1)
SINGLE2(FLUSHED2)
SINGLE3(FLUSHED3)

#define SINGLE1_FN(id, expr) FN1(id##_f32, f32, f32, canon(expr)) FN1(id##_ftz_f32, f32, f32, flush_##id(a))
#define SINGLE2_FN(id, expr) \
    FN2(id##_f32, f32, f32, f32, canon(expr)) FN2(id##_ftz_f32, f32, f32, f32, flush_##id(a, b))
/* clang-format off */
#define SINGLE3_FN(id, expr) \
    FN3(id##_f32, f32, f32, f32, f32, canon(expr)) FN3(id##_ftz_f32, f32, f32, f32, f32, flush_##id(a, b, c))
/* clang-format on */
SINGLE1(SINGLE1_FN)
SINGLE2(SINGLE2_FN)
SINGLE3(SINGLE3_FN)
#define SINGLE1_ROW(id, expr) ROW1(id##_f32, f32, f32, ) ROW1(id##_ftz_f32, f32, f32, )
#define SINGLE2_ROW(id, expr) ROW2(id##_f32, f32, f32, f32, ) ROW2(id##_ftz_f32, f32, f32, f32, )
#define SINGLE3_ROW(id, expr) ROW3(id##_f32, f32, f32, f32, f32, ) ROW3(id##_ftz_f32, f32, f32, f32, f32, )

#define DOUBLE_ROWS(L1, L2, L3) \
    L1(abs_f32, f32, f32, abs_of(a)) \
    L1(abs_ftz_f32, f32, f32, abs_of(flush(a))) \
    L1(neg_f32, f32, f32, neg_of(a)) \
    L1(neg_ftz_f32, f32, f32, neg_of(flush(a))) \
    L2(copysign_f32, f32, f32, f32, copysign_of(a, b)) \
    L2(copysign_f64, u64, u64, u64, (a & (u64)1 << 63) | (b & ~((u64)1 << 63))) \
    L1(sat_f32, f32, f32, a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f) \
    L1(sat_f64, f64, f64, a > 0.0 ? (a < 1.0 ? a : 1.0) : 0.0) \
    L2(add_f64, f64, f64, f64, canon64(a + b)) \
    L2(sub_f64, f64, f64, f64, canon64(a - b)) \
    L2(mul_f64, f64, f64, f64, canon64(a *b)) \
    L2(div_f64, f64, f64, f64, canon64(a / b)) \
    L2(min_f64, f64, f64, f64, min64_of(a, b)) \
    L2(max_f64, f64, f64, f64, max64_of(a, b)) \
    L3(fma_f64, f64, f64, f64, f64, canon64(fma(a, b, c))) \
    L1(rcp_f64, f64, f64, canon64(1.0 / a)) \
    L1(sqrt_f64, f64, f64, canon64(sqrt(a))) \
    L1(rsqrt_f64, f64, f64, canon64(1.0 / sqrt(a))) \
    L1(rcp_approx_ftz_f64, f64, f64, upper_half(1.0 / upper_half(a))) \
    L1(rsqrt_approx_ftz_f64, f64, f64, upper_half(1.0 / sqrt(upper_half(a)))) \
    L1(abs_f64, u64, u64, a & ~((u64)1 << 63)) \
    L1(neg_f64, u64, u64, a ^ (u64)1 << 63)
DOUBLE_ROWS(FN1, FN2, FN3)

/* testp: the class of a value as a predicate. */
static inline bool is_normal(u32 a) { return (a & 0x7f800000u) != 0 && (a & 0x7f800000u) != 0x7f800000u; }
static inline bool is_subnormal(u32 a) { return !(a & 0x7f800000u) && (a & 0x7fffffu); }
#define EXP64 0x7ff0000000000000u
#define TESTP_ROWS(T) \
    T(testp_finite_f32, u32, (a & 0x7f800000u) != 0x7f800000u) \
    T(testp_infinite_f32, u32, (a & 0x7fffffffu) == 0x7f800000u) \
    T(testp_number_f32, u32, (a & 0x7fffffffu) <= 0x7f800000u) \
    T(testp_notanumber_f32, u32, (a & 0x7fffffffu) > 0x7f800000u) \
    T(testp_normal_f32, u32, is_normal(a)) \
    T(testp_subnormal_f32, u32, is_subnormal(a)) \
    T(testp_finite_f64, u64, (a & EXP64) != EXP64) \
    T(testp_infinite_f64, u64, a << 1 == EXP64 << 1) \
    T(testp_number_f64, u64, a << 1 <= EXP64 << 1) \
    T(testp_notanumber_f64, u64, a << 1 > EXP64 << 1) \
    T(testp_normal_f64, u64, (a & EXP64) && (a & EXP64) != EXP64) \
    T(testp_subnormal_f64, u64, !(a & EXP64) && a << 12)
#define TESTP_FN(id, T, expr) \
    static void id(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(T, a); \
        uint32_t out = 0, old; \
        EACH_LANE \
        { \
            const T a = pa[l]; \
            out |= (expr) ? lane_bits[l] : 0; \
        } \
        memcpy(&old, regs + u->d, 4); \
        out = (out & mask) | (old & ~mask); \
        memcpy(regs + u->d, &out, 4); \
    }
TESTP_ROWS(TESTP_FN)
#define TESTP_ROW(id, T, expr) {#id, id, 1, {1, WIDTH_##T, 0, 0, 0}, 2},

const struct lane_op VARIANT(lanes_float)[] = {
    /* clang-format off */
    SINGLE1(SINGLE1_ROW) SINGLE2(SINGLE2_ROW) SINGLE3(SINGLE3_ROW) DOUBLE_ROWS(ROW1, ROW2, ROW3) TESTP_ROWS(TESTP_ROW)
    /* clang-format on */
    {NULL, NULL, 0, {0}, 0}};
