#include "ptx_rig.h"

#define N 49 /* pairs of edge values: two warps, the last partial */
static const uint32_t edges[7] = {0, 1, 31, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
static const uint64_t edges64[7] = {
    0, 1, 63, 0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffffe, 0xffffffffffffffff};
static const uint16_t edges16[7] = {0, 1, 15, 0x7fff, 0x8000, 0xfffe, 0xffff};
static uint32_t a32[N], b32[N], c32[N];
static uint64_t a64[N], b64[N];
static uint16_t a16[N], b16[N];

static int fill(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        a32[i] = edges[i % 7], b32[i] = edges[i / 7], c32[i] = 0x12345678u * (uint32_t)i;
        a64[i] = edges64[i % 7], b64[i] = edges64[i / 7];
        a16[i] = edges16[i % 7], b16[i] = edges16[i / 7];
    }
    return 0;
}

/* inst over all pairs of edge values must give `expect`, an expression of a, b, c. */
#define CHECK32(inst, T, expect) \
    do { \
        uint32_t out[N]; \
        rig_op(inst, "b32", "b32", "b32", "b32", N, out, 4, a32, b32, c32); \
        for (int i = 0; i < N; i++) { \
            const T a = (T)a32[i], b = (T)b32[i], c = (T)c32[i]; \
            (void)a, (void)b, (void)c; \
            if (out[i] != (uint32_t)(expect)) \
                fail_msg("%s: a %x b %x c %x: %x, not %x", inst, a32[i], b32[i], c32[i], out[i], (uint32_t)(expect)); \
        } \
    } while (0)
#define CHECK64(inst, T, expect) \
    do { \
        uint64_t out[N]; \
        rig_op(inst, "b64", "b64", "b64", "b32", N, out, 8, a64, b64, b32); \
        for (int i = 0; i < N; i++) { \
            const T a = (T)a64[i], b = (T)b64[i]; \
            const uint32_t c = b32[i]; \
            (void)a, (void)b, (void)c; \
            if (out[i] != (uint64_t)(expect)) \
                fail_msg("%s: a %lx b %lx c %x: %lx, not %lx", inst, a64[i], b64[i], c, out[i], (uint64_t)(expect)); \
        } \
    } while (0)
#define CHECK16(inst, T, expect) \
    do { \
        uint16_t out[N]; \
        rig_op(inst, "b16", "b16", "b16", "b32", N, out, 2, a16, b16, b32); \
        for (int i = 0; i < N; i++) { \
            const T a = (T)a16[i], b = (T)b16[i]; \
            const uint32_t c = b32[i]; \
            (void)a, (void)b, (void)c; \
            const uint32_t wanted = (uint32_t)(expect)&0xffffu; \
            if (out[i] != wanted) fail_msg("%s: a %x b %x c %x: %x, not %x", inst, a16[i], b16[i], c, out[i], wanted); \
        } \
    } while (0)

static int64_t clamp32(int64_t x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x; }

static void sums_and_products_of_edge_values(void **state)
{
    (void)state;
    CHECK32("add.s32 d, a, b", uint32_t, a + b);
    CHECK32("sub.u32 d, a, b", uint32_t, a - b);
    CHECK32("add.sat.s32 d, a, b", int32_t, clamp32((int64_t)a + b));
    CHECK32("sub.sat.s32 d, a, b", int32_t, clamp32((int64_t)a - b));
    CHECK32("mul.lo.s32 d, a, b", uint32_t, a * b);
    CHECK32("mul.hi.u32 d, a, b", uint32_t, (uint64_t)a * b >> 32);
    CHECK32("mul.hi.s32 d, a, b", int32_t, ((int64_t)a * b) >> 32);
    CHECK32("mad.lo.s32 d, a, b, c", uint32_t, a * b + c);
    CHECK32("mad.hi.u32 d, a, b, c", uint32_t, ((uint64_t)a * b >> 32) + c);
    CHECK32("mad.hi.s32 d, a, b, c", int32_t, (uint32_t)(((int64_t)a * b) >> 32) + (uint32_t)c);
    CHECK32("mul24.lo.u32 d, a, b", uint32_t, (a & 0xffffff) * (b & 0xffffff));
    CHECK32("sad.s32 d, a, b, c", int32_t, (uint32_t)llabs((int64_t)a - b) + (uint32_t)c);
    CHECK32("sad.u32 d, a, b, c", uint32_t, (a > b ? a - b : b - a) + c);
    CHECK32("add.u32 d, a, 0xffffffff", uint32_t, a - 1);
    CHECK32("add.s32 d, a, -5", uint32_t, a - 5);
    CHECK64("add.s64 d, a, b", uint64_t, a + b);
    CHECK64("sub.s64 d, a, b", uint64_t, a - b);
    CHECK64("mul.lo.s64 d, a, b", uint64_t, a * b);
    CHECK64("mul.hi.u64 d, a, b", uint64_t, ((unsigned __int128)a * b) >> 64);
    CHECK64("mul.hi.s64 d, a, b", int64_t, (uint64_t)(((__int128)a * b) >> 64));
    CHECK64("mad.lo.u64 d, a, b, a", uint64_t, a * b + a);
    CHECK16("add.s16 d, a, b", uint16_t, a + b);
    CHECK16("mul.lo.s16 d, a, b", uint32_t, a * b);
    CHECK16("mul.hi.s16 d, a, b", int16_t, (a * b) >> 16);
    CHECK16("sub.u16 d, a, b", uint16_t, a - b);
}

static void wide_products(void **state)
{
    (void)state;
    uint64_t out[N];
    rig_op("mul.wide.s32 d, a, b", "b64", "b32", "b32", "", N, out, 8, a32, b32, NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == (uint64_t)((int64_t)(int32_t)a32[i] * (int32_t)b32[i]));
    rig_op("mul.wide.u32 d, a, b", "b64", "b32", "b32", "", N, out, 8, a32, b32, NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == (uint64_t)a32[i] * b32[i]);
    rig_op("mad.wide.s32 d, a, b, c", "b64", "b32", "b32", "b64", N, out, 8, a32, b32, a64);
    for (int i = 0; i < N; i++) assert_true(out[i] == (uint64_t)((int64_t)(int32_t)a32[i] * (int32_t)b32[i]) + a64[i]);
    uint32_t narrow[N];
    rig_op("mul.wide.s16 d, a, b", "b32", "b16", "b16", "", N, narrow, 4, a16, b16, NULL);
    for (int i = 0; i < N; i++) assert_true(narrow[i] == (uint32_t)((int16_t)a16[i] * (int16_t)b16[i]));
    rig_op("mul.wide.u16 d, a, b", "b32", "b16", "b16", "", N, narrow, 4, a16, b16, NULL);
    for (int i = 0; i < N; i++) assert_true(narrow[i] == (uint32_t)a16[i] * b16[i]);
}

static void division_by_zero_gives_all_ones_and_the_smallest_by_minus_one_itself(void **state)
{
    (void)state;
    CHECK32("div.u32 d, a, b", uint32_t, b ? a / b : UINT32_MAX);
    CHECK32("div.s32 d, a, b", int32_t, b == 0 ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b);
    CHECK32("rem.u32 d, a, b", uint32_t, b ? a % b : a);
    CHECK32("rem.s32 d, a, b", int32_t, b == 0 ? a : b == -1 ? 0 : a % b);
    CHECK64("div.u64 d, a, b", uint64_t, b ? a / b : UINT64_MAX);
    CHECK64("div.s64 d, a, b", int64_t, b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
    CHECK64("rem.s64 d, a, b", int64_t, b == 0 ? a : b == -1 ? 0 : a % b);
    CHECK16("div.s16 d, a, b", int16_t, b == 0 ? -1 : a / b);
    CHECK16("rem.u16 d, a, b", uint16_t, b ? a % b : a);
}

static void minima_maxima_and_signs(void **state)
{
    (void)state;
    CHECK32("min.s32 d, a, b", int32_t, a < b ? a : b);
    CHECK32("max.s32 d, a, b", int32_t, a > b ? a : b);
    CHECK32("min.u32 d, a, b", uint32_t, a < b ? a : b);
    CHECK32("max.u32 d, a, b", uint32_t, a > b ? a : b);
    CHECK64("min.s64 d, a, b", int64_t, a < b ? a : b);
    CHECK64("max.u64 d, a, b", uint64_t, a > b ? a : b);
    CHECK16("min.s16 d, a, b", int16_t, a < b ? a : b);
    CHECK16("max.u16 d, a, b", uint16_t, a > b ? a : b);
    CHECK32("abs.s32 d, a", int32_t, a < 0 ? 0u - (uint32_t)a : (uint32_t)a);
    CHECK32("neg.s32 d, a", uint32_t, 0u - a);
    CHECK64("abs.s64 d, a", int64_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a);
    CHECK64("neg.s64 d, a", uint64_t, 0 - a);
    CHECK16("abs.s16 d, a", int16_t, a < 0 ? -a : a);
    CHECK16("neg.s16 d, a", int16_t, -a);
}

static void shifts_by_the_width_and_more(void **state)
{
    (void)state;
    CHECK32("shl.b32 d, a, b", uint32_t, b > 31 ? 0 : a << b);
    CHECK32("shr.u32 d, a, b", uint32_t, b > 31 ? 0 : a >> b);
    CHECK32("shr.b32 d, a, b", uint32_t, b > 31 ? 0 : a >> b);
    /* cppcheck-suppress shiftTooManyBitsSigned ; gcc and clang shift arithmetically */
    CHECK32("shr.s32 d, a, b", int32_t, a >> ((uint32_t)b > 31 ? 31 : b));
    CHECK64("shl.b64 d, a, c", uint64_t, c > 63 ? 0 : a << c);
    CHECK64("shr.u64 d, a, c", uint64_t, c > 63 ? 0 : a >> c);
    CHECK64("shr.s64 d, a, c", int64_t, a >> (c > 63 ? 63 : c));
    CHECK16("shl.b16 d, a, c", uint16_t, c > 15 ? 0 : (uint32_t)a << c);
    CHECK16("shr.u16 d, a, c", uint16_t, c > 15 ? 0 : a >> c);
    CHECK16("shr.s16 d, a, c", int16_t, a >> (c > 15 ? 15 : c));
    CHECK32("shl.b32 d, a, 32", uint32_t, 0);
    CHECK32("shf.l.wrap.b32 d, a, b, 8", uint32_t, b << 8 | a >> 24);
    CHECK32("shf.r.wrap.b32 d, a, b, 40", uint32_t, b << 24 | a >> 8);
    CHECK32("shf.r.clamp.b32 d, a, b, 40", uint32_t, b);
    CHECK32("shf.l.clamp.b32 d, a, b, 33", uint32_t, a);
}

static void logic_and_lookup_tables(void **state)
{
    (void)state;
    CHECK32("and.b32 d, a, b", uint32_t, a & b);
    CHECK32("or.b32 d, a, b", uint32_t, a | b);
    CHECK32("xor.b32 d, a, b", uint32_t, a ^ b);
    CHECK32("not.b32 d, a", uint32_t, ~a);
    CHECK32("cnot.b32 d, a", uint32_t, a == 0);
    CHECK64("and.b64 d, a, b", uint64_t, a & b);
    CHECK64("or.b64 d, a, b", uint64_t, a | b);
    CHECK64("xor.b64 d, a, b", uint64_t, a ^ b);
    CHECK64("not.b64 d, a", uint64_t, ~a);
    CHECK16("not.b16 d, a", uint16_t, 0xffff - a);
    CHECK16("and.b16 d, a, b", uint16_t, a & b);
    CHECK32("lop3.b32 d, a, b, c, 0x96", uint32_t, a ^ b ^ c);
    CHECK32("lop3.b32 d, a, b, c, 0xe8", uint32_t, (a & b) | (a & c) | (b & c));
    CHECK32("lop3.b32 d, a, b, c, 0x40", uint32_t, a & b & ~c);
}

/* Bit by bit, as the ISA's pseudo-code has it. */
static uint64_t bfe_slow(uint64_t a, uint32_t pos, uint32_t len, int msb, bool is_signed)
{
    pos &= 0xff, len &= 0xff;
    const int top = (int)(pos + len) - 1 < msb ? (int)(pos + len) - 1 : msb;
    const uint64_t sign = !is_signed || len == 0 ? 0 : a >> top & 1;
    uint64_t d = 0;
    for (int i = 0; i <= msb; i++)
        d |= ((uint32_t)i < len && (int)pos + i <= msb ? a >> (pos + (uint32_t)i) & 1 : sign) << i;
    return d;
}
static uint64_t bfi_slow(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, int msb)
{
    pos &= 0xff, len &= 0xff;
    for (uint32_t i = 0; i < len && (int)(pos + i) <= msb; i++)
        b = (b & ~((uint64_t)1 << (pos + i))) | (a >> i & 1) << (pos + i);
    return b;
}

static void bit_fields_as_the_ISA_defines_them(void **state)
{
    (void)state;
    uint32_t x[N], pos[N], len[N], out[N];
    static const uint32_t positions[7] = {0, 1, 5, 31, 32, 64, 255}, lengths[7] = {0, 1, 8, 31, 32, 33, 255};
    for (int i = 0; i < N; i++) x[i] = 0x9a5b3c7du, pos[i] = positions[i % 7], len[i] = lengths[i / 7];
    rig_op("bfe.u32 d, a, b, c", "b32", "b32", "b32", "b32", N, out, 4, x, pos, len);
    for (int i = 0; i < N; i++) assert_int_equal(out[i], (uint32_t)bfe_slow(x[i], pos[i], len[i], 31, false));
    rig_op("bfe.s32 d, a, b, c", "b32", "b32", "b32", "b32", N, out, 4, x, pos, len);
    for (int i = 0; i < N; i++) assert_int_equal(out[i], (uint32_t)bfe_slow(x[i], pos[i], len[i], 31, true));
    rig_op("bfi.b32 d, a, 0x0f0f0f0f, b, c", "b32", "b32", "b32", "b32", N, out, 4, x, pos, len);
    for (int i = 0; i < N; i++) assert_int_equal(out[i], (uint32_t)bfi_slow(x[i], 0x0f0f0f0f, pos[i], len[i], 31));
    uint64_t wide[N], out64[N];
    for (int i = 0; i < N; i++) wide[i] = 0x9a5b3c7d81f2e4c6u;
    rig_op("bfe.s64 d, a, b, c", "b64", "b64", "b32", "b32", N, out64, 8, wide, pos, len);
    for (int i = 0; i < N; i++) assert_true(out64[i] == bfe_slow(wide[i], pos[i], len[i], 63, true));
    rig_op("bfe.u64 d, a, b, c", "b64", "b64", "b32", "b32", N, out64, 8, wide, pos, len);
    for (int i = 0; i < N; i++) assert_true(out64[i] == bfe_slow(wide[i], pos[i], len[i], 63, false));
    rig_op("bfi.b64 d, a, 0, b, c", "b64", "b64", "b32", "b32", N, out64, 8, wide, pos, len);
    for (int i = 0; i < N; i++) assert_true(out64[i] == bfi_slow(wide[i], 0, pos[i], len[i], 63));
}

static void bits_are_counted_found_and_permuted(void **state)
{
    (void)state;
    CHECK32("popc.b32 d, a", uint32_t, __builtin_popcount(a));
    CHECK32("clz.b32 d, a", uint32_t, a ? __builtin_clz(a) : 32);
    CHECK32("bfind.u32 d, a", uint32_t, a ? 31 - __builtin_clz(a) : -1);
    CHECK32("bfind.s32 d, a", int32_t, (a < 0 ? ~a : a) ? 31 - __builtin_clz((uint32_t)(a < 0 ? ~a : a)) : -1);
    CHECK32("bfind.shiftamt.u32 d, a", uint32_t, a ? __builtin_clz(a) : -1);
    CHECK32("prmt.b32 d, a, b, 0x3210", uint32_t, a);
    CHECK32("prmt.b32 d, a, b, 0x7654", uint32_t, b);
    CHECK32("prmt.b32 d, a, b, 0x0123", uint32_t, __builtin_bswap32(a));
    CHECK32("prmt.b32 d, a, b, 0xbbbb", int32_t, a < 0 ? ~0u : 0u);
    CHECK32("prmt.b32.f4e d, a, b, 1", uint32_t, (uint32_t)(((uint64_t)b << 32 | a) >> 8));
    uint32_t out[N];
    rig_op("brev.b32 d, a", "b32", "b32", "", "", N, out, 4, a32, NULL, NULL);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 32; k++) assert_int_equal(out[i] >> k & 1, a32[i] >> (31 - k) & 1);
    rig_op("popc.b64 d, a", "b32", "b64", "", "", N, out, 4, a64, NULL, NULL);
    for (int i = 0; i < N; i++) assert_int_equal(out[i], __builtin_popcountll(a64[i]));
    rig_op("clz.b64 d, a", "b32", "b64", "", "", N, out, 4, a64, NULL, NULL);
    for (int i = 0; i < N; i++) assert_int_equal(out[i], a64[i] ? __builtin_clzll(a64[i]) : 64);
}

static void carries_run_through_128_bit_sums(void **state)
{
    (void)state;
    uint64_t out[N];
    rig_op("{ .reg .b64 lo; add.cc.u64 lo, a, b; addc.u64 d, a, b; }", "b64", "b64", "b64", "", N, out, 8, a64, b64,
           NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == a64[i] + b64[i] + (a64[i] + b64[i] < a64[i]));
    rig_op("{ .reg .b64 lo; sub.cc.u64 lo, a, b; subc.u64 d, a, b; }", "b64", "b64", "b64", "", N, out, 8, a64, b64,
           NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == a64[i] - b64[i] - (a64[i] < b64[i]));
    uint32_t narrow[N];
    rig_op("{ .reg .b32 lo; mad.lo.cc.u32 lo, a, b, c; madc.hi.u32 d, a, b, 0; }", "b32", "b32", "b32", "b32", N,
           narrow, 4, a32, b32, c32);
    for (int i = 0; i < N; i++) assert_int_equal(narrow[i], (uint32_t)(((uint64_t)a32[i] * b32[i] + c32[i]) >> 32));
    rig_op("{ .reg .b32 lo; add.cc.u32 lo, a, b; addc.cc.u32 d, a, 0; addc.u32 d, 0, 0; }", "b32", "b32", "b32", "", N,
           narrow, 4, a32, b32, NULL);
    for (int i = 0; i < N; i++)
        assert_int_equal(narrow[i], (uint32_t)(((uint64_t)a32[i] + (a32[i] + b32[i] < a32[i])) >> 32));
}

static void comparisons_of_every_kind(void **state)
{
    (void)state;
    CHECK32("setp.eq.s32 p, a, b; selp.u32 d, 1, 0, p", int32_t, a == b);
    CHECK32("setp.ne.u32 p, a, b; selp.u32 d, 1, 0, p", uint32_t, a != b);
    CHECK32("setp.lt.s32 p, a, b; selp.u32 d, 1, 0, p", int32_t, a < b);
    CHECK32("setp.le.s32 p, a, b; selp.u32 d, 1, 0, p", int32_t, a <= b);
    CHECK32("setp.gt.s32 p, a, b; selp.u32 d, 1, 0, p", int32_t, a > b);
    CHECK32("setp.ge.s32 p, a, b; selp.u32 d, 1, 0, p", int32_t, a >= b);
    CHECK32("setp.lt.u32 p, a, b; selp.u32 d, 1, 0, p", uint32_t, a < b);
    CHECK32("setp.lo.u32 p, a, b; selp.u32 d, 1, 0, p", uint32_t, a < b);
    CHECK32("setp.ls.u32 p, a, b; selp.u32 d, 1, 0, p", uint32_t, a <= b);
    CHECK32("setp.hi.u32 p, a, b; selp.u32 d, 1, 0, p", uint32_t, a > b);
    CHECK32("setp.hs.u32 p, a, b; selp.u32 d, 1, 0, p", uint32_t, a >= b);
    CHECK32("setp.eq.b32 p, a, b; selp.b32 d, a, c, p", uint32_t, a == b ? a : c);
    CHECK64("setp.lt.s64 p, a, b; selp.b64 d, 1, 0, p", int64_t, a < b);
    CHECK64("setp.ge.u64 p, a, b; selp.b64 d, a, b, p", uint64_t, a >= b ? a : b);
    CHECK16("setp.lt.s16 p, a, b; selp.b16 d, a, b, p", int16_t, a < b ? a : b);
    CHECK16("setp.gt.u16 p, a, b; selp.b16 d, a, b, p", uint16_t, a > b ? a : b);
    CHECK32("setp.lt.s32 p|q, a, b; selp.u32 d, 1, 0, q", int32_t, !(a < b));
    CHECK32("setp.lt.s32 p, a, b; setp.eq.and.s32 q, a, -1, p; selp.u32 d, 1, 0, q", int32_t, a == -1 && a < b);
    CHECK32("setp.lt.s32 p, a, b; setp.eq.or.s32 q, a, b, !p; selp.u32 d, 1, 0, q", int32_t, a == b || !(a < b));
    CHECK32("setp.lt.s32 p, a, b; setp.lt.xor.u32 q, a, b, p; selp.u32 d, 1, 0, q", int32_t,
            (a < b) != ((uint32_t)a < (uint32_t)b));
    CHECK32("setp.lt.s32 p, a, b; setp.gt.s32 q, a, 0; or.pred p, p, q; not.pred p, p; selp.u32 d, 1, 0, p", int32_t,
            !(a < b || a > 0));
    CHECK32("set.gt.u32.s32 d, a, b", int32_t, a > b ? ~0u : 0u);
    CHECK32("slct.u32.s32 d, a, b, c", uint32_t, (int32_t)c >= 0 ? a : b);
}

static void integers_convert_by_truncation_extension_and_saturation(void **state)
{
    (void)state;
    CHECK32("cvt.u32.u8 d, a", uint32_t, (uint8_t)a);
    CHECK32("cvt.s32.s8 d, a", uint32_t, (int8_t)a);
    CHECK32("cvt.s32.s16 d, a", uint32_t, (int16_t)a);
    CHECK32("cvt.u32.u16 d, a", uint32_t, (uint16_t)a);
    CHECK32("cvt.s8.s32 d, a", uint32_t, (int8_t)a);
    CHECK32("cvt.u8.s32 d, a", uint32_t, (uint8_t)a);
    CHECK32("cvt.u16.s8 d, a", uint32_t, (uint16_t)(int8_t)a);
    CHECK32("cvt.sat.u8.s32 d, a", int32_t, a < 0 ? 0 : a > 255 ? 255 : a);
    CHECK32("cvt.sat.s8.s32 d, a", int32_t, a < -128 ? -128 : a > 127 ? 127 : a);
    CHECK32("cvt.sat.s16.u32 d, a", uint32_t, a > 32767 ? 32767 : a);
    CHECK32("cvt.sat.u32.s32 d, a", int32_t, a < 0 ? 0 : a);
    uint64_t out[N];
    rig_op("cvt.s64.s32 d, a", "b64", "b32", "", "", N, out, 8, a32, NULL, NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == (uint64_t)(int64_t)(int32_t)a32[i]);
    rig_op("cvt.u64.u32 d, a", "b64", "b32", "", "", N, out, 8, a32, NULL, NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == a32[i]);
    rig_op("cvt.s64.s8 d, a", "b64", "b32", "", "", N, out, 8, a32, NULL, NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == (uint64_t)(int64_t)(int8_t)a32[i]);
    uint32_t narrow[N];
    rig_op("cvt.u32.u64 d, a", "b32", "b64", "", "", N, narrow, 4, a64, NULL, NULL);
    for (int i = 0; i < N; i++) assert_int_equal(narrow[i], (uint32_t)a64[i]);
    rig_op("cvt.sat.s32.s64 d, a", "b32", "b64", "", "", N, narrow, 4, a64, NULL, NULL);
    for (int i = 0; i < N; i++) assert_int_equal(narrow[i], (uint32_t)clamp32((int64_t)a64[i]));
    uint16_t half[N];
    rig_op("cvt.u16.u32 d, a", "b16", "b32", "", "", N, half, 2, a32, NULL, NULL);
    for (int i = 0; i < N; i++) assert_int_equal(half[i], (uint16_t)a32[i]);
    rig_op("cvt.s16.s8 d, a", "b16", "b16", "", "", N, half, 2, a16, NULL, NULL);
    for (int i = 0; i < N; i++) assert_int_equal(half[i], (uint16_t)(int8_t)a16[i]);
    rig_op("cvt.s32.s16 d, a", "b32", "b16", "", "", N, narrow, 4, a16, NULL, NULL);
    for (int i = 0; i < N; i++) assert_int_equal(narrow[i], (uint32_t)(int16_t)a16[i]);
}

static void vectors_are_packed_and_unpacked(void **state)
{
    (void)state;
    CHECK64("{ .reg .b32 lo, hi; mov.b64 {lo, hi}, a; mov.b64 d, {hi, lo}; }", uint64_t, a << 32 | a >> 32);
    CHECK64("{ .reg .b16 w, x, y, z; mov.b64 {w, x, y, z}, a; mov.b64 d, {z, y, x, w}; }", uint64_t,
            (a & 0xffff) << 48 | (a >> 16 & 0xffff) << 32 | (a >> 32 & 0xffff) << 16 | a >> 48);
    CHECK32("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, a; mov.b32 d, {hi, lo}; }", uint32_t, a << 16 | a >> 16);
    CHECK32("{ .reg .b16 hi; mov.b32 {_, hi}, a; cvt.u32.u16 d, hi; }", uint32_t, a >> 16);
}

/* [PTX ISA, integer constants]: 64 bits wide, converted to the size of the instruction's type. */
static void constants_are_cut_to_the_width_of_their_type_as_ptxas_does(void **state)
{
    (void)state;
    CHECK32("mov.u32 d, 0x1aabbccdd", uint32_t, 0xaabbccddu);
    CHECK32("mov.s32 d, -4294967297", uint32_t, UINT32_MAX);
    CHECK32("add.u32 d, a, 0x1ffffffff", uint32_t, a - 1);
    CHECK32("mad.lo.u32 d, a, 5000000000, 7", uint32_t, a * 705032704u + 7);
    CHECK32("shl.b32 d, a, 0x100000001", uint32_t, a << 1);
    CHECK64("mul.wide.s32 d, 2, 0x1ffffffff", uint64_t, -2);
    CHECK16("mov.u16 d, 0x1dddd", uint16_t, 0xdddd);
    CHECK16("add.u16 d, a, 65537", uint16_t, a + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_of_edge_values),
        cmocka_unit_test(wide_products),
        cmocka_unit_test(division_by_zero_gives_all_ones_and_the_smallest_by_minus_one_itself),
        cmocka_unit_test(minima_maxima_and_signs),
        cmocka_unit_test(shifts_by_the_width_and_more),
        cmocka_unit_test(logic_and_lookup_tables),
        cmocka_unit_test(bit_fields_as_the_ISA_defines_them),
        cmocka_unit_test(bits_are_counted_found_and_permuted),
        cmocka_unit_test(carries_run_through_128_bit_sums),
        cmocka_unit_test(comparisons_of_every_kind),
        cmocka_unit_test(integers_convert_by_truncation_extension_and_saturation),
        cmocka_unit_test(vectors_are_packed_and_unpacked),
        cmocka_unit_test(constants_are_cut_to_the_width_of_their_type_as_ptxas_does),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
