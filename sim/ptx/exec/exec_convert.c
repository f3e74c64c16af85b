/* cvt. [PTX ISA 9.7.9] Integer to integer: take the low bits of the source's type, extend, keep what the destination
 * holds. Float to integer: round as the instruction says (aux), clamp to the destination's range. A NaN gives 0
 * where neither type has 64 bits, else the destination's top bit alone. */
#include "exec/lane_macros.h"

#define S8(x) ((int8_t)(x))
#define S16(x) ((int16_t)(x))
#define M16(x) ((uint32_t)(x)&0xffffu)

/* name: i_<taken bits><z|s extended><to so many bits, then with zeros>_<slot read>_<width written> */
/* clang-format off */
#define NARROW_ROWS(L1) \
    L1(i_8z_32_16, w16, u32, a & 0xff) L1(i_8s_32_16, w16, u32, M16(S8(a))) L1(i_16z_32_16, w16, u32, a & 0xffff) \
    L1(i_8z_32_32, u32, u32, a & 0xff) L1(i_8s_32_32, s32, u32, S8(a)) L1(i_16z_32_32, u32, u32, a & 0xffff) \
    L1(i_16s_32_32, s32, u32, S16(a)) L1(i_32z_32_32, u32, u32, a) \
    L1(i_8z_32_64, u64, u32, a & 0xff) L1(i_8s_32_64, s64, u32, S8(a)) L1(i_16z_32_64, u64, u32, a & 0xffff) \
    L1(i_16s_32_64, s64, u32, S16(a)) L1(i_32z_32_64, u64, u32, a) L1(i_32s_32_64, s64, s32, a) \
    L1(i_8z_64_16, w16, u64, a & 0xff) L1(i_8s_64_16, w16, u64, M16(S8(a))) L1(i_16z_64_16, w16, u64, a & 0xffff) \
    L1(i_8z_64_32, u32, u64, a & 0xff) L1(i_8s_64_32, s32, u64, S8(a)) L1(i_16z_64_32, u32, u64, a & 0xffff) \
    L1(i_16s_64_32, s32, u64, S16(a)) L1(i_32z_64_32, u32, u64, a) \
    L1(i_8z_64_64, u64, u64, a & 0xff) L1(i_8s_64_64, s64, u64, S8(a)) L1(i_16z_64_64, u64, u64, a & 0xffff) \
    L1(i_16s_64_64, s64, u64, S16(a)) L1(i_32z_64_64, u64, u64, a & 0xffffffffu) L1(i_32s_64_64, s64, u64, (s32)a) \
    L1(i_64z_64_64, u64, u64, a) \
    L1(i_8s16_32_64, u64, u32, M16(S8(a))) L1(i_8s32_32_64, u64, u32, (u32)S8(a)) \
    L1(i_16s32_32_64, u64, u32, (u32)S16(a)) \
    L1(i_8s16_64_64, u64, u64, M16(S8(a))) L1(i_8s32_64_64, u64, u64, (u32)S8(a)) \
    L1(i_16s32_64_64, u64, u64, (u32)S16(a))
/* clang-format on */

/* Saturating integer conversions: source type, then the destination's limits from imm (the bits) and type. */
static inline u64 saturate_s(s64 x, u32 bits, bool is_signed)
{
    const s64 top = is_signed    ? (s64)(((u64)1 << (bits - 1)) - 1)
                    : bits == 64 ? INT64_MAX
                                 : (s64)(((u64)1 << bits) - 1);
    const s64 bottom = is_signed ? -top - 1 : 0;
    return (u64)(x > top ? top : x < bottom ? bottom : x);
}
static inline u64 saturate_u(u64 x, u32 bits, bool is_signed)
{
    const u64 top = is_signed ? ((u64)1 << (bits - 1)) - 1 : bits == 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
    return x > top ? top : x;
}
#define SATURATE_FN(id, T, take, limit) \
    static void id(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(T, a); \
        const u32 bits = (u32)u->imm & 0xff; \
        const bool is_signed = u->sign; \
        u64 wide[LANES]; \
        u32 narrow[LANES]; \
        EACH_LANE \
        { \
            const T a = pa[l]; \
            wide[l] = limit((take), bits, is_signed); \
            narrow[l] = (u32)wide[l] & (u->width == 16 ? 0xffffu : ~0u); \
        } \
        if (u->width == 64) put64(regs + u->d, wide, mask); \
        else put32(regs + u->d, narrow, mask); \
    }
/* clang-format off */
#define SATURATE_ROWS(R) \
    R(sat_u8_32, u32, a & 0xff, saturate_u) R(sat_u16_32, u32, a & 0xffff, saturate_u) \
    R(sat_u32_32, u32, a, saturate_u) \
    R(sat_s8_32, u32, S8(a), saturate_s) R(sat_s16_32, u32, S16(a), saturate_s) R(sat_s32_32, s32, a, saturate_s) \
    R(sat_u8_64, u64, a & 0xff, saturate_u) R(sat_u16_64, u64, a & 0xffff, saturate_u) \
    R(sat_u32_64, u64, (u32)a, saturate_u) \
    R(sat_s8_64, u64, S8(a), saturate_s) R(sat_s16_64, u64, S16(a), saturate_s) \
    R(sat_s32_64, u64, (s32)a, saturate_s) \
    R(sat_u64_64, u64, a, saturate_u) R(sat_s64_64, s64, a, saturate_s)
/* clang-format on */

/* clang-format off */
#define INT_TO_FLOAT_ROWS(L1) \
    L1(cvt_f32_u8, f32, u32, (s32)(a & 0xff)) L1(cvt_f32_s8, f32, u32, S8(a)) \
    L1(cvt_f32_u16, f32, u32, (s32)(a & 0xffff)) \
    L1(cvt_f32_s16, f32, u32, S16(a)) L1(cvt_f32_u32, f32, u32, a) L1(cvt_f32_s32, f32, s32, a) \
    L1(cvt_f32_u64, f32, u64, a) L1(cvt_f32_s64, f32, s64, a) \
    L1(cvt_f64_u8, f64, u32, (s32)(a & 0xff)) L1(cvt_f64_s8, f64, u32, S8(a)) \
    L1(cvt_f64_u16, f64, u32, (s32)(a & 0xffff)) \
    L1(cvt_f64_s16, f64, u32, S16(a)) L1(cvt_f64_u32, f64, u32, a) L1(cvt_f64_s32, f64, s32, a) \
    L1(cvt_f64_u64, f64, u64, a) L1(cvt_f64_s64, f64, s64, a)
/* clang-format on */

static inline f32 canon(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, 4);
    bits = x != x ? 0x7fffffffu : bits;
    memcpy(&x, &bits, 4);
    return x;
}
static inline f64 canon64(f64 x)
{
    u64 bits;
    memcpy(&bits, &x, 8);
    bits = x != x ? 0x7ff8000000000000u : bits;
    memcpy(&x, &bits, 8);
    return x;
}
static inline f32 flush(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, 4);
    bits = bits & 0x7f800000u ? bits : bits & 0x80000000u;
    memcpy(&x, &bits, 4);
    return x;
}
/* clang-format off */
#define FLOAT_ROWS(L1) \
    L1(cvt_f64_f32, f64, f32, canon64((f64)a)) L1(cvt_ftz_f64_f32, f64, f32, canon64((f64)flush(a))) \
    L1(cvt_f32_f64, f32, f64, canon((f32)a)) L1(cvt_ftz_f32_f64, f32, f64, flush(canon((f32)a))) \
    L1(cvt_f32_f32, f32, f32, canon(a)) L1(cvt_ftz_f32_f32, f32, f32, flush(canon(a))) \
    L1(cvt_f64_f64, f64, f64, canon64(a))
/* clang-format on */

NARROW_ROWS(FN1)
INT_TO_FLOAT_ROWS(FN1)
FLOAT_ROWS(FN1)
SATURATE_ROWS(SATURATE_FN)

/* Rounding to an integral value, in double precision: exact for single precision too. */
static inline void round_lanes(f64 t[LANES], uint8_t mode)
{
    if (mode == ROUND_ZERO) {
        EACH_LANE t[l] = trunc(t[l]);
    } else if (mode == ROUND_DOWN) {
        EACH_LANE t[l] = floor(t[l]);
    } else if (mode == ROUND_UP) {
        EACH_LANE t[l] = ceil(t[l]);
    } else {
        EACH_LANE t[l] = rint(t[l]);
    }
}

/* imm: bits of the destination type; sign: whether it is signed; op: .ftz */
static inline void put_integers(unsigned char *regs, const struct uop *u, uint32_t mask, const f64 t[LANES],
                                bool from_double)
{
    const u32 bits = (u32)u->imm;
    const f64 top = ldexp(1.0, (int)bits - (u->sign ? 1 : 0)), bottom = u->sign ? -top : 0.0;
    const u64 top_bits = u->sign ? ((u64)1 << (bits - 1)) - 1 : bits == 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
    const u64 of_nan = !from_double && bits < 64 ? 0 : u->sign ? ~top_bits : (u64)1 << (bits - 1);
    u64 wide[LANES];
    u32 narrow[LANES];
    EACH_LANE
    {
        const f64 x = t[l];
        if (x != x) wide[l] = of_nan;
        else if (x >= top) wide[l] = top_bits;
        else if (x <= bottom) wide[l] = u->sign ? ~top_bits : 0;
        else wide[l] = u->sign ? (u64)(s64)x : (u64)x;
        narrow[l] = (u32)wide[l] & (u->width == 16 ? 0xffffu : ~0u);
    }
    if (u->width == 64) put64(regs + u->d, wide, mask);
    else put32(regs + u->d, narrow, mask);
}

/* The common case, 32-bit signed, without branches. */
static inline void put_s32(unsigned char *regs, const struct uop *u, uint32_t mask, const f64 t[LANES],
                           bool from_double)
{
    const f64 of_nan = from_double ? -2147483648.0 : 0.0;
    s32 out[LANES];
    EACH_LANE
    {
        f64 x = t[l] != t[l] ? of_nan : t[l];
        x = x > 2147483647.0 ? 2147483647.0 : x;
        x = x < -2147483648.0 ? -2147483648.0 : x;
        out[l] = (s32)x;
    }
    put32(regs + u->d, out, mask);
}

#define TO_INTEGER(id, T, flushed) \
    static void id(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(T, a); \
        f64 t[LANES]; \
        EACH_LANE \
        { \
            const T a = pa[l]; \
            t[l] = (f64)(flushed); \
        } \
        round_lanes(t, u->aux); \
        if (u->imm == 32 && u->sign && u->width == 32) put_s32(regs, u, mask, t, sizeof(T) == 8); \
        else put_integers(regs, u, mask, t, sizeof(T) == 8); \
    }
TO_INTEGER(to_int_f32, f32, a)
TO_INTEGER(to_int_ftz_f32, f32, flush(a))
TO_INTEGER(to_int_f64, f64, a)

#define TO_INTEGRAL(id, T, put, taken) \
    static void id(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(T, a); \
        f64 t[LANES]; \
        T out[LANES]; \
        EACH_LANE \
        { \
            const T a = pa[l]; \
            t[l] = (f64)(taken); \
        } \
        round_lanes(t, u->aux); \
        EACH_LANE out[l] = canon_##T((T)t[l]); \
        put(regs + u->d, out, mask); \
    }
#define canon_f32 canon
#define canon_f64 canon64
TO_INTEGRAL(integral_f32, f32, put32, a)
TO_INTEGRAL(integral_ftz_f32, f32, put32, flush(a))
TO_INTEGRAL(integral_f64, f64, put64, a)

/* cvt.pack.sat.t.s32{.b32} d, a, b{, c}: imm bits an element, signed or not; a above b, and above them what c holds. */
static inline u32 pack_of(const struct uop *u, s32 a, s32 b, u32 c)
{
    const u32 bits = u->imm < 16 ? (u32)u->imm : 16, mask = (1u << bits) - 1;
    const u32 pair = ((u32)saturate_s(a, bits, u->sign) & mask) << bits | ((u32)saturate_s(b, bits, u->sign) & mask);
    return bits > 15 ? pair : c << 2 * bits | pair;
}
/* cvt.tf32.f32: 10 bits of significand stay; op: .relu */
static inline u32 tf32_of(const struct uop *u, u32 a)
{
    if ((a & 0x7fffffffu) > 0x7f800000u) return 0x7fffffffu;
    if (u->op && a >> 31) return 0;
    if (u->aux == ROUND_NEAREST) a += 0xfffu + (a >> 13 & 1);
    else if (u->aux == ROUND_AWAY) a += 0x1000u;
    return a & ~0x1fffu;
}
FN3(cvt_pack, u32, s32, s32, u32, pack_of(u, a, b, c))
FN1(cvt_tf32, u32, u32, tf32_of(u, a))

#define SATURATE_ROW(id, T, take, limit) {#id, id, 1, {0, WIDTH_##T, 0, 0, 0}, 0},
const struct lane_op VARIANT(lanes_convert)[] = {
    /* clang-format off */
    NARROW_ROWS(ROW1) INT_TO_FLOAT_ROWS(ROW1) FLOAT_ROWS(ROW1) SATURATE_ROWS(SATURATE_ROW)
    ROW3(cvt_pack, u32, s32, s32, u32, ) ROW1(cvt_tf32, u32, u32, )
    /* clang-format on */
    {"to_int_f32", to_int_f32, 1, {0, 32, 0, 0, 0}, 2},
    {"to_int_ftz_f32", to_int_ftz_f32, 1, {0, 32, 0, 0, 0}, 2},
    {"to_int_f64", to_int_f64, 1, {0, 64, 0, 0, 0}, 2},
    {"integral_f32", integral_f32, 1, {32, 32, 0, 0, 0}, 3},
    {"integral_ftz_f32", integral_ftz_f32, 1, {32, 32, 0, 0, 0}, 3},
    {"integral_f64", integral_f64, 1, {64, 64, 0, 0, 0}, 3},
    {NULL, NULL, 0, {0}, 0}};
