/* Logic, shifts, bit fields, moves and selections. [PTX ISA 9.7.6-9.7.8] */
#include "exec/lane_macros.h"

#define S16(x) ((s32)(int16_t)(x))
#define M16(x) ((uint32_t)(x)&0xffffu)

static inline u32 shl_of(u32 a, u32 b) { return b > 31 ? 0 : a << b; }
static inline u64 shl64_of(u64 a, u32 b) { return b > 63 ? 0 : a << b; }
static inline u32 shr_of(u32 a, u32 b) { return b > 31 ? 0 : a >> b; }
static inline u64 shr64_of(u64 a, u32 b) { return b > 63 ? 0 : a >> b; }
static inline s32 sar_of(s32 a, u32 b) { return a >> (b > 31 ? 31 : b); }
static inline s64 sar64_of(s64 a, u32 b) { return a >> (b > 63 ? 63 : b); }
static inline u64 mask_of(u32 length) { return length > 63 ? ~(u64)0 : ((u64)1 << length) - 1; }

/* bfe: bits beyond the top are the sign (signed) or zero. */
static inline u64 bfe_u(u64 a, u32 pos, u32 len, u32 width)
{
    pos &= 0xff;
    len &= 0xff;
    return pos >= width ? 0 : (a >> pos) & mask_of(len);
}
static inline s64 bfe_s(s64 a, u32 pos, u32 len, u32 width) /* a sign-extended from width */
{
    pos &= 0xff;
    len &= 0xff;
    if (!len) return 0;
    if (pos >= width) return a < 0 ? -1 : 0;
    const s64 field = a >> pos;
    if (len >= width - pos) return field; /* the sign bit is already on top */
    return (s64)((u64)field << (64 - len)) >> (64 - len);
}
static inline u64 bfi_of(u64 a, u64 b, u32 pos, u32 len, u32 width)
{
    pos &= 0xff;
    len &= 0xff;
    if (pos >= width) return b;
    const u64 mask = mask_of(len) << pos;
    return (b & ~mask) | (a << pos & mask);
}
static inline u32 brev_of(u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline u32 clz_of(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
static inline u32 clz64_of(u64 x) { return x ? (u32)__builtin_clzll(x) : 64; }
static inline u32 popc_of(u32 x) { return (u32)__builtin_popcount(x); }
static inline u32 popc64_of(u64 x) { return (u32)__builtin_popcountll(x); }
/* bfind: the highest bit that differs from the sign; shiftamt: how far to shift it to the top. */
static inline u32 bfind_of(u64 x, u32 width, bool shift)
{
    if (!x) return ~0u;
    const u32 top = 63 - clz64_of(x);
    return shift ? width - 1 - top : top;
}
static inline u64 unsign(s64 x) { return (u64)(x < 0 ? ~x : x); }
static inline u32 funnel_l(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) << n >> 32); }
static inline u32 funnel_r(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) >> n); }
static inline u32 clamp32(u32 n) { return n > 32 ? 32 : n; }
static inline u32 lop3_of(u32 a, u32 b, u32 c, u32 lut)
{
    u32 out = 0;
    for (u32 k = 0; k < 8; k++) {
        const u32 term = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        out |= lut >> k & 1 ? term : 0;
    }
    return out;
}
static inline u32 prmt_byte(u64 bytes, u32 select)
{
    const u32 byte = (u32)(bytes >> (select & 7) * 8) & 0xff;
    return select & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
static inline u32 prmt_of(u32 a, u32 b, u32 select)
{
    const u64 bytes = (u64)b << 32 | a;
    return prmt_byte(bytes, select) | prmt_byte(bytes, select >> 4) << 8 | prmt_byte(bytes, select >> 8) << 16 |
           prmt_byte(bytes, select >> 12) << 24;
}
/* prmt's named modes: the four selectors for each value of c's low two bits. */
static inline u32 prmt_f4e(u32 c) { return (const u32[]){0x3210, 0x4321, 0x5432, 0x6543}[c & 3]; }
static inline u32 prmt_b4e(u32 c) { return (const u32[]){0x5670, 0x6701, 0x7012, 0x0123}[c & 3]; }
static inline u32 prmt_rc8(u32 c) { return (const u32[]){0x0000, 0x1111, 0x2222, 0x3333}[c & 3]; }
static inline u32 prmt_ecl(u32 c) { return (const u32[]){0x3210, 0x3211, 0x3222, 0x3333}[c & 3]; }
static inline u32 prmt_ecr(u32 c) { return (const u32[]){0x0000, 0x1110, 0x2210, 0x3210}[c & 3]; }
static inline u32 prmt_rc16(u32 c) { return (const u32[]){0x1010, 0x3232, 0x1010, 0x3232}[c & 3]; }
static inline u32 bmsk_of(u32 pos, u32 len, bool wrap)
{
    if (wrap) pos &= 31, len &= 31;
    if (pos > 31) return 0;
    return (u32)(mask_of(len > 32 ? 32 : len) << pos);
}

#define LOGIC_ROWS(L1, L2, L3, L4) \
    L1(mov_16, w16, w16, a) \
    L1(mov_32, u32, u32, a) \
    L1(mov_64, u64, u64, a) \
    L2(and_b16, w16, w16, w16, a &b) \
    L2(and_b32, u32, u32, u32, a &b) \
    L2(and_b64, u64, u64, u64, a &b) \
    L2(or_b16, w16, w16, w16, a | b) \
    L2(or_b32, u32, u32, u32, a | b) \
    L2(or_b64, u64, u64, u64, a | b) \
    L2(xor_b16, w16, w16, w16, a ^ b) \
    L2(xor_b32, u32, u32, u32, a ^ b) \
    L2(xor_b64, u64, u64, u64, a ^ b) \
    L1(not_b16, w16, w16, M16(~a)) \
    L1(not_b32, u32, u32, ~a) \
    L1(not_b64, u64, u64, ~a) \
    L1(cnot_b16, w16, w16, a == 0) \
    L1(cnot_b32, u32, u32, a == 0) \
    L1(cnot_b64, u64, u64, a == 0) \
    L2(shl_b16, w16, w16, u32, M16(shl_of(a, b))) \
    L2(shl_b32, u32, u32, u32, shl_of(a, b)) \
    L2(shl_b64, u64, u64, u32, shl64_of(a, b)) \
    L2(shr_b16, w16, w16, u32, shr_of(a, b)) \
    L2(shr_s16, w16, w16, u32, M16(sar_of(S16(a), b))) \
    L2(shr_b32, u32, u32, u32, shr_of(a, b)) \
    L2(shr_s32, s32, s32, u32, sar_of(a, b)) \
    L2(shr_b64, u64, u64, u32, shr64_of(a, b)) \
    L2(shr_s64, s64, s64, u32, sar64_of(a, b)) \
    L3(bfe_u32, u32, u32, u32, u32, bfe_u(a, b, c, 32)) \
    L3(bfe_s32, s32, s32, u32, u32, bfe_s(a, b, c, 32)) \
    L3(bfe_u64, u64, u64, u32, u32, bfe_u(a, b, c, 64)) \
    L3(bfe_s64, s64, s64, u32, u32, bfe_s(a, b, c, 64)) \
    L4(bfi_b32, u32, u32, u32, u32, u32, bfi_of(a, b, c, e, 32)) \
    L4(bfi_b64, u64, u64, u64, u32, u32, bfi_of(a, b, c, e, 64)) \
    L2(bmsk_clamp_b32, u32, u32, u32, bmsk_of(a, b, false)) \
    L2(bmsk_wrap_b32, u32, u32, u32, bmsk_of(a, b, true)) \
    L1(brev_b32, u32, u32, brev_of(a)) \
    L1(brev_b64, u64, u64, (u64)brev_of((u32)a) << 32 | brev_of((u32)(a >> 32))) \
    L1(popc_b32, u32, u32, popc_of(a)) \
    L1(popc_b64, u32, u64, popc64_of(a)) \
    L1(clz_b32, u32, u32, clz_of(a)) \
    L1(clz_b64, u32, u64, clz64_of(a)) \
    L1(bfind_u32, u32, u32, bfind_of(a, 32, false)) \
    L1(bfind_s32, u32, s32, bfind_of(unsign(a), 32, false)) \
    L1(bfind_u64, u32, u64, bfind_of(a, 64, false)) \
    L1(bfind_s64, u32, s64, bfind_of(unsign(a), 64, false)) \
    L1(bfind_shiftamt_u32, u32, u32, bfind_of(a, 32, true)) \
    L1(bfind_shiftamt_s32, u32, s32, bfind_of(unsign(a), 32, true)) \
    L1(bfind_shiftamt_u64, u32, u64, bfind_of(a, 64, true)) \
    L1(bfind_shiftamt_s64, u32, s64, bfind_of(unsign(a), 64, true)) \
    L3(shf_l_clamp_b32, u32, u32, u32, u32, funnel_l(a, b, clamp32(c))) \
    L3(shf_l_wrap_b32, u32, u32, u32, u32, funnel_l(a, b, c & 31)) \
    L3(shf_r_clamp_b32, u32, u32, u32, u32, funnel_r(a, b, clamp32(c))) \
    L3(shf_r_wrap_b32, u32, u32, u32, u32, funnel_r(a, b, c & 31)) \
    L4(lop3_b32, u32, u32, u32, u32, u32, lop3_of(a, b, c, e)) \
    L3(prmt_b32, u32, u32, u32, u32, prmt_of(a, b, c)) \
    L3(prmt_f4e_b32, u32, u32, u32, u32, prmt_of(a, b, prmt_f4e(c))) \
    L3(prmt_b4e_b32, u32, u32, u32, u32, prmt_of(a, b, prmt_b4e(c))) \
    L3(prmt_rc8_b32, u32, u32, u32, u32, prmt_of(a, b, prmt_rc8(c))) \
    L3(prmt_ecl_b32, u32, u32, u32, u32, prmt_of(a, b, prmt_ecl(c))) \
    L3(prmt_ecr_b32, u32, u32, u32, u32, prmt_of(a, b, prmt_ecr(c))) \
    L3(prmt_rc16_b32, u32, u32, u32, u32, prmt_of(a, b, prmt_rc16(c))) \
    L3(slct_s32_16, w16, w16, w16, s32, c >= 0 ? a : b) \
    L3(slct_s32_32, u32, u32, u32, s32, c >= 0 ? a : b) \
    L3(slct_s32_64, u64, u64, u64, s32, c >= 0 ? a : b) \
    L3(slct_f32_16, w16, w16, w16, f32, c >= 0 ? a : b) \
    L3(slct_f32_32, u32, u32, u32, f32, c >= 0 ? a : b) \
    L3(slct_f32_64, u64, u64, u64, f32, c >= 0 ? a : b)

LOGIC_ROWS(FN1, FN2, FN3, FN4)

/* selp: c is a predicate, one mask for all lanes. */
#define SELECT_FN(id, T) \
    static void id(unsigned char *regs, const struct uop *u, uint32_t mask) \
    { \
        SRC(T, a); \
        SRC(T, b); \
        uint32_t chosen; \
        memcpy(&chosen, regs + u->c, sizeof chosen); \
        T t[LANES]; \
        EACH_LANE t[l] = chosen & lane_bits[l] ? pa[l] : pb[l]; \
        PUT_##T(regs + u->d, t, mask); \
    }
SELECT_FN(selp_16, w16)
SELECT_FN(selp_32, u32)
SELECT_FN(selp_64, u64)

const struct lane_op VARIANT(lanes_logic)[] = {
    LOGIC_ROWS(ROW1, ROW2, ROW3, ROW4){"selp_16", selp_16, 3, {16, 16, 16, 1, 0}, 0},
    {"selp_32", selp_32, 3, {32, 32, 32, 1, 0}, 0},
    {"selp_64", selp_64, 3, {64, 64, 64, 1, 0}, 0},
    {NULL, NULL, 0, {0}, 0}};
