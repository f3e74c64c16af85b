/* Integer arithmetic and bits: every spelling against plain C, written from the ISA's definitions and not from the
 * executor. */
#include "families.h"

typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

static s64 clamp(s64 x, s64 least, s64 most) { return x < least ? least : x > most ? most : x; }
#define CLAMP32(x) clamp(x, INT32_MIN, INT32_MAX)
static s32 sx24(u32 x) { return (s32)(x << 8) >> 8; }
static u64 magnitude(s128 x) { return (u64)(x < 0 ? -x : x); }
static u32 dot(u32 a, u32 b, u32 c, int n, int wide, int b_from, bool a_signed, bool b_signed)
{
    s64 sum = (s32)c;
    for (int k = 0; k < n; k++) {
        const u32 ea = wide ? a >> 16 * k & 0xffff : a >> 8 * k & 0xff, eb = b >> (b_from + 8 * k) & 0xff;
        const s64 x = !a_signed ? (s64)ea
                      : wide    ? (s64)(s16)ea
                                : (s64)(int8_t)ea,
                  y = b_signed ? (s64)(int8_t)eb : (s64)eb;
        sum += x * y;
    }
    return (u32)sum;
}
static u32 halves(u32 a, u32 b, char op, bool is_signed)
{
    u32 d = 0;
    for (int k = 0; k < 2; k++) {
        const s32 x = is_signed ? (s16)(a >> 16 * k) : (s32)(a >> 16 * k & 0xffff),
                  y = is_signed ? (s16)(b >> 16 * k) : (s32)(b >> 16 * k & 0xffff);
        d |= (u32)(u16)(op == '+' ? x + y : op == '<' ? (x < y ? x : y) : x > y ? x : y) << 16 * k;
    }
    return d;
}

/* id, spelling, kinds of d a b c, C types of a b c, what it gives */
#define ARITHMETIC(R) \
    R(add16, "add.s16 d, a, b", "hhh", u16, u16, u16, a + b) \
    R(add32, "add.u32 d, a, b", "www", u32, u32, u32, a + b) \
    R(add64, "add.s64 d, a, b", "lll", u64, u64, u64, a + b) \
    R(sub16, "sub.u16 d, a, b", "hhh", u16, u16, u16, a - b) \
    R(sub32, "sub.s32 d, a, b", "www", u32, u32, u32, a - b) \
    R(sub64, "sub.u64 d, a, b", "lll", u64, u64, u64, a - b) \
    R(addsat, "add.sat.s32 d, a, b", "www", s32, s32, s32, CLAMP32((s64)a + b)) \
    R(subsat, "sub.sat.s32 d, a, b", "www", s32, s32, s32, CLAMP32((s64)a - b)) \
    R(addx2, "add.u16x2 d, a, b", "www", u32, u32, u32, halves(a, b, '+', false)) \
    R(addsx2, "add.s16x2 d, a, b", "www", u32, u32, u32, halves(a, b, '+', true)) \
    R(minux2, "min.u16x2 d, a, b", "www", u32, u32, u32, halves(a, b, '<', false)) \
    R(minsx2, "min.s16x2 d, a, b", "www", u32, u32, u32, halves(a, b, '<', true)) \
    R(maxux2, "max.u16x2 d, a, b", "www", u32, u32, u32, halves(a, b, '>', false)) \
    R(maxsx2, "max.s16x2 d, a, b", "www", u32, u32, u32, halves(a, b, '>', true)) \
    R(mullo16, "mul.lo.u16 d, a, b", "hhh", u16, u16, u16, (u32)a *b) \
    R(mullo32, "mul.lo.s32 d, a, b", "www", u32, u32, u32, a *b) \
    R(mullo64, "mul.lo.u64 d, a, b", "lll", u64, u64, u64, a *b) \
    R(mulhiu16, "mul.hi.u16 d, a, b", "hhh", u16, u16, u16, (u32)a *b >> 16) \
    R(mulhis16, "mul.hi.s16 d, a, b", "hhh", s16, s16, s16, (a * b) >> 16) \
    R(mulhiu32, "mul.hi.u32 d, a, b", "www", u32, u32, u32, (u64)a *b >> 32) \
    R(mulhis32, "mul.hi.s32 d, a, b", "www", s32, s32, s32, ((s64)a * b) >> 32) \
    R(mulhiu64, "mul.hi.u64 d, a, b", "lll", u64, u64, u64, (u128)a *b >> 64) \
    R(mulhis64, "mul.hi.s64 d, a, b", "lll", s64, s64, s64, ((s128)a * b) >> 64) \
    R(mulwu16, "mul.wide.u16 d, a, b", "whh", u16, u16, u16, (u32)a *b) \
    R(mulws16, "mul.wide.s16 d, a, b", "whh", s16, s16, s16, a *b) \
    R(mulwu32, "mul.wide.u32 d, a, b", "lww", u32, u32, u32, (u64)a *b) \
    R(mulws32, "mul.wide.s32 d, a, b", "lww", s32, s32, s32, (s64)a *b) \
    R(madlo16, "mad.lo.s16 d, a, b, c", "hhhh", u16, u16, u16, (u32)a *b + c) \
    R(madlo32, "mad.lo.u32 d, a, b, c", "wwww", u32, u32, u32, a *b + c) \
    R(madlo64, "mad.lo.s64 d, a, b, c", "llll", u64, u64, u64, a *b + c) \
    R(madhiu16, "mad.hi.u16 d, a, b, c", "hhhh", u16, u16, u16, ((u32)a * b >> 16) + c) \
    R(madhis16, "mad.hi.s16 d, a, b, c", "hhhh", s16, s16, s16, (a * b >> 16) + c) \
    R(madhiu32, "mad.hi.u32 d, a, b, c", "wwww", u32, u32, u32, ((u64)a * b >> 32) + c) \
    R(madhis32, "mad.hi.s32 d, a, b, c", "wwww", s32, s32, s32, ((s64)a * b >> 32) + c) \
    R(madhisat, "mad.hi.sat.s32 d, a, b, c", "wwww", s32, s32, s32, CLAMP32(((s64)a * b >> 32) + c)) \
    R(madhiu64, "mad.hi.u64 d, a, b, c", "llll", u64, u64, u64, (u64)((u128)a * b >> 64) + c) \
    R(madhis64, "mad.hi.s64 d, a, b, c", "llll", s64, s64, u64, (u64)((s128)a * b >> 64) + c) \
    R(madwu16, "mad.wide.u16 d, a, b, c", "whhw", u16, u16, u32, (u32)a *b + c) \
    R(madws16, "mad.wide.s16 d, a, b, c", "whhw", s16, s16, u32, (u32)(a * b) + c) \
    R(madwu32, "mad.wide.u32 d, a, b, c", "lwwl", u32, u32, u64, (u64)a *b + c) \
    R(madws32, "mad.wide.s32 d, a, b, c", "lwwl", s32, s32, u64, (u64)((s64)a * b) + c) \
    R(mul24lu, "mul24.lo.u32 d, a, b", "www", u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff)) \
    R(mul24ls, "mul24.lo.s32 d, a, b", "www", u32, u32, u32, (s64)sx24(a) * sx24(b)) \
    R(mul24hu, "mul24.hi.u32 d, a, b", "www", u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff) >> 16) \
    R(mul24hs, "mul24.hi.s32 d, a, b", "www", u32, u32, u32, (s64)sx24(a) * sx24(b) >> 16) \
    R(mad24lu, "mad24.lo.u32 d, a, b, c", "wwww", u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff) + c) \
    R(mad24ls, "mad24.lo.s32 d, a, b, c", "wwww", u32, u32, s32, (s64)sx24(a) * sx24(b) + c) \
    R(mad24hu, "mad24.hi.u32 d, a, b, c", "wwww", u32, u32, u32, ((u64)(a & 0xffffff) * (b & 0xffffff) >> 16) + c) \
    R(mad24hs, "mad24.hi.s32 d, a, b, c", "wwww", u32, u32, s32, ((s64)sx24(a) * sx24(b) >> 16) + c) \
    R(mad24sat, "mad24.hi.sat.s32 d, a, b, c", "wwww", u32, u32, s32, CLAMP32(((s64)sx24(a) * sx24(b) >> 16) + c)) \
    R(sadu16, "sad.u16 d, a, b, c", "hhhh", u16, u16, u16, c + (a > b ? a - b : b - a)) \
    R(sads16, "sad.s16 d, a, b, c", "hhhh", s16, s16, s16, c + (a > b ? a - b : b - a)) \
    R(sadu32, "sad.u32 d, a, b, c", "wwww", u32, u32, u32, c + (a > b ? a - b : b - a)) \
    R(sads32, "sad.s32 d, a, b, c", "wwww", s32, s32, u32, c + magnitude((s64)a - b)) \
    R(sadu64, "sad.u64 d, a, b, c", "llll", u64, u64, u64, c + (a > b ? a - b : b - a)) \
    R(sads64, "sad.s64 d, a, b, c", "llll", s64, s64, u64, c + magnitude((s128)a - b)) \
    R(divu16, "div.u16 d, a, b", "hhh", u16, u16, u16, b ? a / b : 0xffff) \
    R(divs16, "div.s16 d, a, b", "hhh", s16, s16, s16, b ? a / b : -1) \
    R(divu32, "div.u32 d, a, b", "www", u32, u32, u32, b ? a / b : ~0u) \
    R(divs32, "div.s32 d, a, b", "www", s32, s32, s32, b ? (s64)a / b : -1) \
    R(divu64, "div.u64 d, a, b", "lll", u64, u64, u64, b ? a / b : ~(u64)0) \
    R(divs64, "div.s64 d, a, b", "lll", s64, s64, s64, b ? (s128)a / b : -1) \
    R(remu16, "rem.u16 d, a, b", "hhh", u16, u16, u16, b ? a % b : a) \
    R(rems16, "rem.s16 d, a, b", "hhh", s16, s16, s16, b ? a % b : a) \
    R(remu32, "rem.u32 d, a, b", "www", u32, u32, u32, b ? a % b : a) \
    R(rems32, "rem.s32 d, a, b", "www", s32, s32, s32, b ? (s64)a % b : a) \
    R(remu64, "rem.u64 d, a, b", "lll", u64, u64, u64, b ? a % b : a) \
    R(rems64, "rem.s64 d, a, b", "lll", s64, s64, s64, b ? (s128)a % b : a) \
    R(abs16, "abs.s16 d, a", "hh", s16, s16, s16, a < 0 ? -a : a) \
    R(abs32, "abs.s32 d, a", "ww", s32, s32, s32, magnitude(a)) \
    R(abs64, "abs.s64 d, a", "ll", s64, s64, s64, magnitude(a)) \
    R(neg16, "neg.s16 d, a", "hh", s16, s16, s16, -a) \
    R(neg32, "neg.s32 d, a", "ww", s32, s32, s32, -(s64)a) \
    R(neg64, "neg.s64 d, a", "ll", s64, s64, s64, -(s128)a) \
    R(minu16, "min.u16 d, a, b", "hhh", u16, u16, u16, a < b ? a : b) \
    R(mins16, "min.s16 d, a, b", "hhh", s16, s16, s16, a < b ? a : b) \
    R(minu32, "min.u32 d, a, b", "www", u32, u32, u32, a < b ? a : b) \
    R(mins32, "min.s32 d, a, b", "www", s32, s32, s32, a < b ? a : b) \
    R(minu64, "min.u64 d, a, b", "lll", u64, u64, u64, a < b ? a : b) \
    R(mins64, "min.s64 d, a, b", "lll", s64, s64, s64, a < b ? a : b) \
    R(maxu16, "max.u16 d, a, b", "hhh", u16, u16, u16, a > b ? a : b) \
    R(maxs16, "max.s16 d, a, b", "hhh", s16, s16, s16, a > b ? a : b) \
    R(maxu32, "max.u32 d, a, b", "www", u32, u32, u32, a > b ? a : b) \
    R(maxs32, "max.s32 d, a, b", "www", s32, s32, s32, a > b ? a : b) \
    R(maxu64, "max.u64 d, a, b", "lll", u64, u64, u64, a > b ? a : b) \
    R(maxs64, "max.s64 d, a, b", "lll", s64, s64, s64, a > b ? a : b) \
    R(minrelu, "min.relu.s32 d, a, b", "www", s32, s32, s32, clamp(a < b ? a : b, 0, INT32_MAX)) \
    R(maxrelu, "max.relu.s32 d, a, b", "www", s32, s32, s32, clamp(a > b ? a : b, 0, INT32_MAX)) \
    R(minrelux2, "min.relu.s16x2 d, a, b", "www", u32, u32, u32, halves(halves(a, b, '<', true), 0, '>', true)) \
    R(maxrelux2, "max.relu.s16x2 d, a, b", "www", u32, u32, u32, halves(halves(a, b, '>', true), 0, '>', true)) \
    R(dp4auu, "dp4a.u32.u32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 4, 0, 0, false, false)) \
    R(dp4aus, "dp4a.u32.s32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 4, 0, 0, false, true)) \
    R(dp4asu, "dp4a.s32.u32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 4, 0, 0, true, false)) \
    R(dp4ass, "dp4a.s32.s32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 4, 0, 0, true, true)) \
    R(dp2aluu, "dp2a.lo.u32.u32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 0, false, false)) \
    R(dp2ahuu, "dp2a.hi.u32.u32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 16, false, false)) \
    R(dp2alus, "dp2a.lo.u32.s32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 0, false, true)) \
    R(dp2ahus, "dp2a.hi.u32.s32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 16, false, true)) \
    R(dp2alsu, "dp2a.lo.s32.u32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 0, true, false)) \
    R(dp2ahsu, "dp2a.hi.s32.u32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 16, true, false)) \
    R(dp2alss, "dp2a.lo.s32.s32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 0, true, true)) \
    R(dp2ahss, "dp2a.hi.s32.s32 d, a, b, c", "wwww", u32, u32, u32, dot(a, b, c, 2, 1, 16, true, true))

/* ---- carry chains: sums, differences and products of twice the width, the upper half and the last carry looked at
 * ---- */
#define WIDE(hi, lo) ((u128)(hi) << 64 | (lo))
#define CARRIES(R) \
    R(add96, "{ .reg .b32 t; add.cc.u32 t, a, b; addc.u32 d, b, c; }", "wwww", u32, u32, u32, \
      (((u64)b << 32 | a) + ((u64)c << 32 | b)) >> 32) \
    R(sub96, "{ .reg .b32 t; sub.cc.u32 t, a, b; subc.u32 d, b, c; }", "wwww", u32, u32, u32, \
      (((u64)b << 32 | a) - ((u64)c << 32 | b)) >> 32) \
    R(add128, "{ .reg .b64 t; add.cc.u64 t, a, b; addc.u64 d, b, c; }", "llll", u64, u64, u64, \
      (WIDE(b, a) + WIDE(c, b)) >> 64) \
    R(sub128, "{ .reg .b64 t; sub.cc.s64 t, a, b; subc.s64 d, b, c; }", "llll", u64, u64, u64, \
      (WIDE(b, a) - WIDE(c, b)) >> 64) \
    R(carry3, "{ .reg .b32 t; add.cc.u32 t, a, b; addc.cc.u32 t, b, c; addc.u32 d, 0, 0; }", "wwww", u32, u32, u32, \
      ((u64)b + c + (((u64)a + b) >> 32)) >> 32) \
    R(borrow3, "{ .reg .b32 t; sub.cc.u32 t, a, b; subc.cc.u32 t, b, c; subc.u32 d, 0, 0; }", "wwww", u32, u32, u32, \
      -(s32)((s64)b - c - (a < b) < 0)) \
    R(madlocc, "{ .reg .b32 t; mad.lo.cc.u32 t, a, b, c; madc.hi.u32 d, a, b, c; }", "wwww", u32, u32, u32, \
      ((u64)a * b + ((u64)c << 32 | c)) >> 32) \
    R(madhicc, "{ .reg .b32 t; mad.hi.cc.u32 t, a, b, c; addc.u32 d, 0, 0; }", "wwww", u32, u32, u32, \
      (((u64)a * b >> 32) + c) >> 32) \
    R(madhiccs, "{ .reg .b32 t; mad.hi.cc.s32 t, a, b, c; addc.u32 d, 0, 0; }", "wwww", s32, s32, u32, \
      ((u64)(u32)((s64)a * b >> 32) + c) >> 32) \
    R(madcchain, "{ .reg .b32 t; add.cc.u32 t, a, b; madc.lo.cc.u32 t, b, c, a; madc.hi.u32 d, b, c, 0; }", "wwww", \
      u32, u32, u32, ((u64)b * c + a + (((u64)a + b) >> 32)) >> 32) \
    R(madlo64cc, "{ .reg .b64 t; mad.lo.cc.u64 t, a, b, c; madc.hi.u64 d, a, b, 0; }", "llll", u64, u64, u64, \
      ((u128)a * b + c) >> 64) \
    R(madhis64cc, "{ .reg .b64 t; add.cc.u64 t, a, b; madc.hi.s64 d, a, b, c; }", "llll", u64, u64, u64, \
      (u64)((s128)(s64)a * (s64)b >> 64) + c + (a + b < a))

/* ---- bits: one at a time, as the ISA's pseudo-code has it ---- */
static u64 bfe(u64 a, u32 pos, u32 len, int msb, bool is_signed)
{
    pos &= 0xff, len &= 0xff;
    const int top = (int)(pos + len) - 1 < msb ? (int)(pos + len) - 1 : msb;
    const u64 sign = !is_signed || !len ? 0 : a >> top & 1;
    u64 d = 0;
    for (int i = 0; i <= msb; i++) d |= ((u32)i < len && (int)pos + i <= msb ? a >> (pos + (u32)i) & 1 : sign) << i;
    return d;
}
static u64 bfi(u64 a, u64 f, u32 pos, u32 len, int msb)
{
    pos &= 0xff, len &= 0xff;
    for (u32 i = 0; i < len && (int)(pos + i) <= msb; i++) f = (f & ~((u64)1 << (pos + i))) | (a >> i & 1) << (pos + i);
    return f;
}
static u64 reversed(u64 x, int bits)
{
    u64 d = 0;
    for (int i = 0; i < bits; i++) d |= (x >> i & 1) << (bits - 1 - i);
    return d;
}
static u32 ones(u64 x)
{
    u32 n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
static u32 leading_zeros(u64 x, int bits)
{
    u32 n = 0;
    while (n < (u32)bits && !(x >> ((u32)bits - 1 - n) & 1)) n++;
    return n;
}
static u32 find_bit(u64 a, int bits, bool is_signed, bool shift)
{
    if (is_signed && a >> (bits - 1) & 1) a = ~a & (bits == 64 ? ~(u64)0 : 0xffffffff);
    for (int i = bits - 1; i >= 0; i--)
        if (a >> i & 1) return (u32)(shift ? bits - 1 - i : i);
    return ~0u;
}
static u32 funnel(u32 lo, u32 hi, u32 n, char to, bool clamps)
{
    n = clamps ? (n > 32 ? 32 : n) : n & 31;
    const u64 x = (u64)hi << 32 | lo;
    return to == 'l' ? (u32)(n ? x >> (32 - n) : hi) : (u32)(x >> n);
}
static u32 bit_mask(u32 pos, u32 len, bool clamps)
{
    u32 d = 0;
    if (!clamps) pos &= 31, len &= 31;
    for (u32 i = 0; i < 32; i++) d |= (u32)(i >= pos && i - pos < len) << i;
    return d;
}
static u32 extend(u32 a, u32 n, bool is_signed, bool clamps)
{
    if (clamps && n > 31) return a;
    n &= 31;
    if (!n) return 0;
    const u32 mask = (1u << n) - 1;
    return is_signed && a >> (n - 1) & 1 ? a | ~mask : a & mask;
}
static u32 nth_set(u32 mask, u32 base, s32 n)
{
    if (base > 31) return ~0u;
    if (n == 0) return mask >> base & 1 ? base : ~0u;
    s64 left = n < 0 ? -(s64)n : n;
    for (s32 i = (s32)base; i >= 0 && i < 32; i += n < 0 ? -1 : 1)
        if (mask >> i & 1 && --left == 0) return (u32)i;
    return ~0u;
}
static u32 permuted(u32 a, u32 b, u32 selectors)
{
    u32 d = 0;
    for (int k = 0; k < 4; k++) {
        const u32 s = selectors >> 4 * k & 15, byte = (s & 4 ? b : a) >> 8 * (s & 3) & 0xff;
        d |= (s & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << 8 * k;
    }
    return d;
}
/* byte k of each mode, as the ISA's tables give it for c = 0 .. 3 */
static u32 moded(const char *mode, u32 a, u32 b, u32 c)
{
    u32 s = 0;
    c &= 3;
    for (u32 k = 0; k < 4; k++) {
        u32 from = 0;
        if (!strcmp(mode, "f4e")) from = (c + k) & 7;
        else if (!strcmp(mode, "b4e")) from = (c - k) & 7;
        else if (!strcmp(mode, "rc8")) from = c;
        else if (!strcmp(mode, "ecl")) from = k > c ? k : c;
        else if (!strcmp(mode, "ecr")) from = k < c ? k : c;
        else from = (c & 1) * 2 + (k & 1);
        s |= from << 4 * k;
    }
    return permuted(a, b, s);
}

#define BITS(R) \
    R(and16, "and.b16 d, a, b", "hhh", u16, u16, u16, a &b) \
    R(or16, "or.b16 d, a, b", "hhh", u16, u16, u16, a | b) \
    R(xor16, "xor.b16 d, a, b", "hhh", u16, u16, u16, a ^ b) \
    R(not16, "not.b16 d, a", "hh", u16, u16, u16, ~a) \
    R(and32, "and.b32 d, a, b", "www", u32, u32, u32, a &b) \
    R(or32, "or.b32 d, a, b", "www", u32, u32, u32, a | b) \
    R(xor32, "xor.b32 d, a, b", "www", u32, u32, u32, a ^ b) \
    R(not32, "not.b32 d, a", "ww", u32, u32, u32, ~a) \
    R(and64, "and.b64 d, a, b", "lll", u64, u64, u64, a &b) \
    R(or64, "or.b64 d, a, b", "lll", u64, u64, u64, a | b) \
    R(xor64, "xor.b64 d, a, b", "lll", u64, u64, u64, a ^ b) \
    R(not64, "not.b64 d, a", "ll", u64, u64, u64, ~a) \
    R(cnot16, "cnot.b16 d, a", "hh", u16, u16, u16, !a) \
    R(cnot32, "cnot.b32 d, a", "ww", u32, u32, u32, !a) \
    R(cnot64, "cnot.b64 d, a", "ll", u64, u64, u64, !a) \
    R(shl16, "shl.b16 d, a, b", "hhn", u16, u32, u32, b > 15 ? 0 : (u32)a << b) \
    R(shl32, "shl.b32 d, a, b", "wwn", u32, u32, u32, b > 31 ? 0 : a << b) \
    R(shl64, "shl.b64 d, a, b", "lln", u64, u32, u32, b > 63 ? 0 : a << b) \
    R(shru16, "shr.u16 d, a, b", "hhn", u16, u32, u32, b > 15 ? 0 : a >> b) \
    R(shrs16, "shr.s16 d, a, b", "hhn", s16, u32, u32, a >> (b > 15 ? 15 : b)) \
    R(shrb16, "shr.b16 d, a, b", "hhn", u16, u32, u32, b > 15 ? 0 : a >> b) \
    R(shru32, "shr.u32 d, a, b", "wwn", u32, u32, u32, b > 31 ? 0 : a >> b) \
    R(shrs32, "shr.s32 d, a, b", "wwn", s32, u32, u32, a >> (b > 31 ? 31 : b)) \
    R(shru64, "shr.u64 d, a, b", "lln", u64, u32, u32, b > 63 ? 0 : a >> b) \
    R(shrs64, "shr.s64 d, a, b", "lln", s64, u32, u32, a >> (b > 63 ? 63 : b)) \
    R(bfeu32, "bfe.u32 d, a, b, c", "wwnn", u32, u32, u32, bfe(a, b, c, 31, false)) \
    R(bfes32, "bfe.s32 d, a, b, c", "wwnn", u32, u32, u32, bfe(a, b, c, 31, true)) \
    R(bfeu64, "bfe.u64 d, a, b, c", "llnn", u64, u32, u32, bfe(a, b, c, 63, false)) \
    R(bfes64, "bfe.s64 d, a, b, c", "llnn", u64, u32, u32, bfe(a, b, c, 63, true)) \
    R(bfi32, "bfi.b32 d, a, 0x5a3c9601, b, c", "wwnn", u32, u32, u32, bfi(a, 0x5a3c9601, b, c, 31)) \
    R(bfi64, "bfi.b64 d, a, 0x5a3c96010f1e2d4b, b, c", "llnn", u64, u32, u32, bfi(a, 0x5a3c96010f1e2d4b, b, c, 63)) \
    R(bfindu32, "bfind.u32 d, a", "ww", u32, u32, u32, find_bit(a, 32, false, false)) \
    R(bfinds32, "bfind.s32 d, a", "ww", u32, u32, u32, find_bit(a, 32, true, false)) \
    R(bfindu64, "bfind.u64 d, a", "wl", u64, u32, u32, find_bit(a, 64, false, false)) \
    R(bfinds64, "bfind.s64 d, a", "wl", u64, u32, u32, find_bit(a, 64, true, false)) \
    R(bfindsau32, "bfind.shiftamt.u32 d, a", "ww", u32, u32, u32, find_bit(a, 32, false, true)) \
    R(bfindsas32, "bfind.shiftamt.s32 d, a", "ww", u32, u32, u32, find_bit(a, 32, true, true)) \
    R(bfindsau64, "bfind.shiftamt.u64 d, a", "wl", u64, u32, u32, find_bit(a, 64, false, true)) \
    R(bfindsas64, "bfind.shiftamt.s64 d, a", "wl", u64, u32, u32, find_bit(a, 64, true, true)) \
    R(bmskc, "bmsk.clamp.b32 d, a, b", "wnn", u32, u32, u32, bit_mask(a, b, true)) \
    R(bmskw, "bmsk.wrap.b32 d, a, b", "wnn", u32, u32, u32, bit_mask(a, b, false)) \
    R(szextcu, "szext.clamp.u32 d, a, b", "wwn", u32, u32, u32, extend(a, b, false, true)) \
    R(szextwu, "szext.wrap.u32 d, a, b", "wwn", u32, u32, u32, extend(a, b, false, false)) \
    R(szextcs, "szext.clamp.s32 d, a, b", "wwn", u32, u32, u32, extend(a, b, true, true)) \
    R(szextws, "szext.wrap.s32 d, a, b", "wwn", u32, u32, u32, extend(a, b, true, false)) \
    R(brev32, "brev.b32 d, a", "ww", u32, u32, u32, reversed(a, 32)) \
    R(brev64, "brev.b64 d, a", "ll", u64, u64, u64, reversed(a, 64)) \
    R(popc32, "popc.b32 d, a", "ww", u32, u32, u32, ones(a)) \
    R(popc64, "popc.b64 d, a", "wl", u64, u64, u64, ones(a)) \
    R(clz32, "clz.b32 d, a", "ww", u32, u32, u32, leading_zeros(a, 32)) \
    R(clz64, "clz.b64 d, a", "wl", u64, u64, u64, leading_zeros(a, 64)) \
    R(fnsup, "fns.b32 d, a, b, c", "wwnn", u32, u32, s32, nth_set(a, b, c)) \
    R(fnsdown, "{ .reg .b32 t; neg.s32 t, c; fns.b32 d, a, b, t; }", "wwnn", u32, u32, s32, \
      nth_set(a, b, (s32) - (s64)c)) \
    R(shflc, "shf.l.clamp.b32 d, a, b, c", "wwwn", u32, u32, u32, funnel(a, b, c, 'l', true)) \
    R(shflw, "shf.l.wrap.b32 d, a, b, c", "wwwn", u32, u32, u32, funnel(a, b, c, 'l', false)) \
    R(shfrc, "shf.r.clamp.b32 d, a, b, c", "wwwn", u32, u32, u32, funnel(a, b, c, 'r', true)) \
    R(shfrw, "shf.r.wrap.b32 d, a, b, c", "wwwn", u32, u32, u32, funnel(a, b, c, 'r', false)) \
    R(prmt, "prmt.b32 d, a, b, c", "wwww", u32, u32, u32, permuted(a, b, c)) \
    R(prmtf4e, "prmt.b32.f4e d, a, b, c", "wwww", u32, u32, u32, moded("f4e", a, b, c)) \
    R(prmtb4e, "prmt.b32.b4e d, a, b, c", "wwww", u32, u32, u32, moded("b4e", a, b, c)) \
    R(prmtrc8, "prmt.b32.rc8 d, a, b, c", "wwww", u32, u32, u32, moded("rc8", a, b, c)) \
    R(prmtecl, "prmt.b32.ecl d, a, b, c", "wwww", u32, u32, u32, moded("ecl", a, b, c)) \
    R(prmtecr, "prmt.b32.ecr d, a, b, c", "wwww", u32, u32, u32, moded("ecr", a, b, c)) \
    R(prmtrc16, "prmt.b32.rc16 d, a, b, c", "wwww", u32, u32, u32, moded("rc16", a, b, c)) \
    R(selp16, "selp.b16 d, a, b, pc", "hhhp", u16, u16, u32, c ? a : b) \
    R(selp32, "selp.s32 d, a, b, !pc", "wwwp", u32, u32, u32, c ? b : a) \
    R(selp64, "selp.f64 d, a, b, pc", "lllp", u64, u64, u32, c ? a : b) \
    R(slcts16, "slct.u16.s32 d, a, b, c", "hhhw", u16, u16, s32, c >= 0 ? a : b) \
    R(slcts32, "slct.f32.s32 d, a, b, c", "wwww", u32, u32, s32, c >= 0 ? a : b) \
    R(slcts64, "slct.b64.s32 d, a, b, c", "lllw", u64, u64, s32, c >= 0 ? a : b) \
    R(pack32, "mov.b32 d, {a, b}", "whh", u16, u16, u16, (u32)b << 16 | a) \
    R(pack64, "mov.b64 d, {a, b}", "lww", u32, u32, u32, (u64)b << 32 | a) \
    R(unpack32, "{ .reg .b16 t; mov.b32 {t, d}, a; }", "hw", u32, u32, u32, a >> 16) \
    R(unpack64, "{ .reg .b32 t; mov.b64 {d, t}, a; }", "wl", u64, u32, u32, a) \
    R(pack4, "{ .reg .b16 t<4>; mov.b64 {t0, t1, t2, t3}, a; mov.b64 d, {t3, t2, t1, t0}; }", "ll", u64, u32, u32, \
      a << 48 | (a << 16 & 0xffff00000000) | (a >> 16 & 0xffff0000) | a >> 48) \
    R(popcpred, \
      "{ .reg .pred t; and.pred p, pa, pb; xor.pred q, p, pc; or.pred t, q, !pa; not.pred t, t; selp.u32 d, 1, 0, t; " \
      "}", \
      "wppp", u32, u32, u32, !(((a & b) ^ c) | !a))

#define DEFINE(id, inst, kinds, A, B, C, expr) ORACLE(id, A, B, C, expr)
ARITHMETIC(DEFINE)
CARRIES(DEFINE)
BITS(DEFINE)
struct row {
    const char *inst, *kinds;
    oracle_fn *oracle;
};
#define ROW(id, inst, kinds, A, B, C, expr) {inst, kinds, id},
static const struct row arithmetic[] = {ARITHMETIC(ROW)}, carries[] = {CARRIES(ROW)}, bits[] = {BITS(ROW)};
#define ALL(rows) \
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) \
    family_case(rows[i].inst, rows[i].kinds, rows[i].oracle, NULL)

static void arithmetic_of_every_integer_type(void **state)
{
    (void)state;
    ALL(arithmetic);
    none_wrong();
}
static void carries_over_two_and_three_words(void **state)
{
    (void)state;
    ALL(carries);
    none_wrong();
}
static void bits_fields_shifts_permutations_selections(void **state)
{
    (void)state;
    ALL(bits);
    none_wrong();
}

static uint64_t by_table(const void *how, struct triple x)
{
    const u32 table = *(const u32 *)how;
    u32 d = 0;
    for (int i = 0; i < 32; i++) d |= (table >> ((x.a >> i & 1) << 2 | (x.b >> i & 1) << 1 | (x.c >> i & 1)) & 1) << i;
    return d;
}
static void lop3_of_all_256_tables(void **state)
{
    (void)state;
    const uint32_t keep = n_samples;
    n_samples = 1024; /* enough for all eight combinations of bits, many times */
    for (u32 table = 0; table < 256; table++) {
        char inst[64];
        snprintf(inst, sizeof inst, "lop3.b32 d, a, b, c, 0x%x", table);
        family_case(inst, "wwww", by_table, &table);
    }
    n_samples = keep;
    none_wrong();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_of_every_integer_type),
        cmocka_unit_test(carries_over_two_and_three_words),
        cmocka_unit_test(bits_fields_shifts_permutations_selections),
        cmocka_unit_test(lop3_of_all_256_tables),
    };
    family_arguments(argc, argv);
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%u spellings\n", n_cases);
    return rc;
}
