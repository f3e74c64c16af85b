#include <fenv.h>
#include <float.h>
#include <math.h>
#include "ptx_rig.h"

#define E 11
#define N (E * E) /* pairs: four warps, the last partial */
static float a32[N], b32[N], c32[N];
static double a64[N], b64[N], c64[N];

static uint32_t bits32(float x)
{
    uint32_t b;
    memcpy(&b, &x, 4);
    return x != x ? 0x7fffffff : b;
}
static uint64_t bits64(double x)
{
    uint64_t b;
    memcpy(&b, &x, 8);
    return x != x ? 0x7ff8000000000000 : b;
}

static int fill(void **state)
{
    (void)state;
    const float e[E] = {0.0f, -0.0f, 1.0f, -1.5f, 3.1415927f, 1e-40f, -1e-40f, FLT_MAX, -INFINITY, INFINITY, NAN};
    const double e64[E] = {0.0, -0.0, 1.0, -1.5, 0.1, 1e-310, -1e-310, DBL_MAX, -INFINITY, INFINITY, NAN};
    for (int i = 0; i < N; i++) {
        a32[i] = e[i % E], b32[i] = e[i / E], c32[i] = e[(i * 7 + 3) % E];
        a64[i] = e64[i % E], b64[i] = e64[i / E], c64[i] = e64[(i * 7 + 3) % E];
    }
    return 0;
}

/* inst must give the bits of `expect` (a NaN: PTX's canonical one) for all pairs. */
#define CHECK(inst, expect) \
    do { \
        uint32_t out[N]; \
        rig_op(inst, "f32", "f32", "f32", "f32", N, out, 4, a32, b32, c32); \
        for (int i = 0; i < N; i++) { \
            const volatile float a = a32[i], b = b32[i], c = c32[i]; \
            (void)a, (void)b, (void)c; \
            const uint32_t wanted = bits32(expect); \
            if (out[i] != wanted) \
                fail_msg("%s: a %a b %a c %a: %x, not %x", inst, (double)a, (double)b, (double)c, out[i], wanted); \
        } \
    } while (0)
#define CHECK_DOUBLE(inst, expect) \
    do { \
        uint64_t out[N]; \
        rig_op(inst, "f64", "f64", "f64", "f64", N, out, 8, a64, b64, c64); \
        for (int i = 0; i < N; i++) { \
            const volatile double a = a64[i], b = b64[i], c = c64[i]; \
            (void)a, (void)b, (void)c; \
            const uint64_t wanted = bits64(expect); \
            if (out[i] != wanted) fail_msg("%s: a %a b %a c %a: %lx, not %lx", inst, a, b, c, out[i], wanted); \
        } \
    } while (0)

static float flush(float x) { return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x; }
static float min_ptx(float a, float b) { return a != a ? b : b != b ? a : a < b || (a == b && signbit(a)) ? a : b; }
static float max_ptx(float a, float b) { return a != a ? b : b != b ? a : a > b || (a == b && !signbit(a)) ? a : b; }

static void single_precision_is_IEEE(void **state)
{
    (void)state;
    CHECK("add.f32 d, a, b", a + b);
    CHECK("add.rn.f32 d, a, b", a + b);
    CHECK("sub.f32 d, a, b", a - b);
    CHECK("mul.f32 d, a, b", a * b);
    CHECK("div.rn.f32 d, a, b", a / b);
    CHECK("div.full.f32 d, a, b", a / b);
    CHECK("rcp.rn.f32 d, a", 1.0f / a);
    CHECK("sqrt.rn.f32 d, a", sqrtf(a));
    CHECK("fma.rn.f32 d, a, b, c", fmaf(a, b, c));
    CHECK("mad.rn.f32 d, a, b, c", fmaf(a, b, c));
    CHECK("add.f32 d, a, 0f3F800000", a + 1.0f);
    CHECK("add.f32 d, a, 1.5", a + 1.5f);
    CHECK("mul.f32 d, a, -2", a * -2.0f);
    CHECK("copysign.f32 d, a, b; add.f32 d, d, -0.0", copysignf(b, a));
}

static void fma_rounds_once(void **state)
{
    (void)state;
    const float a = 1.0f + FLT_EPSILON, b = 1.0f - FLT_EPSILON, c = -1.0f;
    uint32_t out;
    rig_op("fma.rn.f32 d, a, b, c", "f32", "f32", "f32", "f32", 1, &out, 4, &a, &b, &c);
    assert_int_equal(out, bits32(-FLT_EPSILON * FLT_EPSILON)); /* a product rounded first would give 0 */
    const double da = 1.0 + DBL_EPSILON, db = 1.0 - DBL_EPSILON, dc = -1.0;
    uint64_t wide;
    rig_op("fma.rn.f64 d, a, b, c", "f64", "f64", "f64", "f64", 1, &wide, 8, &da, &db, &dc);
    assert_true(wide == bits64(-DBL_EPSILON * DBL_EPSILON));
}

static void minimum_and_maximum_prefer_numbers_and_know_signed_zero(void **state)
{
    (void)state;
    CHECK("min.f32 d, a, b", min_ptx(a, b));
    CHECK("max.f32 d, a, b", max_ptx(a, b));
    CHECK("min.NaN.f32 d, a, b", a != a || b != b ? NAN : min_ptx(a, b));
    CHECK("max.ftz.f32 d, a, b", max_ptx(flush(a), flush(b)));
    CHECK("neg.f32 d, a; add.f32 d, d, -0.0", -a);
    CHECK("abs.f32 d, a; add.f32 d, d, -0.0", fabsf(a));
    CHECK_DOUBLE("min.f64 d, a, b", a != a ? b : b != b ? a : a < b || (a == b && signbit(a)) ? a : b);
    CHECK_DOUBLE("max.f64 d, a, b", a != a ? b : b != b ? a : a > b || (a == b && !signbit(a)) ? a : b);
}

static void ftz_flushes_inputs_and_results_to_signed_zero(void **state)
{
    (void)state;
    CHECK("add.ftz.f32 d, a, b", flush(flush(a) + flush(b)));
    CHECK("mul.ftz.f32 d, a, b", flush(flush(a) * flush(b)));
    /* a times the reciprocal of b, which is zero above 2^126 */
    CHECK("div.approx.ftz.f32 d, a, b",
          fabsf(b) > 0x1p126f ? flush(a) * copysignf(0.0f, b) : flush(flush(a) / flush(b)));
    CHECK("div.approx.f32 d, a, b", fabsf(b) > 0x1p126f ? a * copysignf(0.0f, b) : a / b);
    CHECK("fma.rn.ftz.f32 d, a, b, c", flush(fmaf(flush(a), flush(b), flush(c))));
    CHECK("setp.eq.ftz.f32 p, a, b; selp.f32 d, 1.0, 0.0, p", flush(a) == flush(b) ? 1.0f : 0.0f);
}

static void sat_clamps_to_zero_and_one_and_turns_NaN_into_zero(void **state)
{
    (void)state;
    CHECK("add.sat.f32 d, a, b", a + b > 0 ? fminf(a + b, 1.0f) : 0.0f);
    CHECK("fma.rn.sat.f32 d, a, b, c", fmaf(a, b, c) > 0 ? fminf(fmaf(a, b, c), 1.0f) : 0.0f);
    CHECK("cvt.sat.f32.f32 d, a", a > 0 ? fminf(a, 1.0f) : 0.0f);
}

static float directed(int mode, char op, volatile float a, volatile float b)
{
    fesetround(mode);
    volatile float r = op == '+' ? a + b : op == '*' ? a * b : a / b;
    fesetround(FE_TONEAREST);
    return r;
}

static void directed_roundings(void **state)
{
    (void)state;
    CHECK("add.rz.f32 d, a, b", directed(FE_TOWARDZERO, '+', a, b));
    CHECK("add.rm.f32 d, a, b", directed(FE_DOWNWARD, '+', a, b));
    CHECK("mul.rp.f32 d, a, b", directed(FE_UPWARD, '*', a, b));
    CHECK("div.rz.f32 d, a, b", directed(FE_TOWARDZERO, '/', a, b));
    const int32_t i = 0x7fffffff;
    uint32_t out;
    rig_op("cvt.rz.f32.s32 d, a", "f32", "b32", "", "", 1, &out, 4, &i, NULL, NULL);
    assert_int_equal(out, 0x4effffff);
    rig_op("cvt.rn.f32.s32 d, a", "f32", "b32", "", "", 1, &out, 4, &i, NULL, NULL);
    assert_int_equal(out, 0x4f000000);
    const double x = 0.1;
    rig_op("cvt.rp.f32.f64 d, a", "f32", "f64", "", "", 1, &out, 4, &x, NULL, NULL);
    assert_int_equal(out, 0x3dcccccd);
    rig_op("cvt.rm.f32.f64 d, a", "f32", "f64", "", "", 1, &out, 4, &x, NULL, NULL);
    assert_int_equal(out, 0x3dcccccc);
}

static void double_precision_is_IEEE(void **state)
{
    (void)state;
    CHECK_DOUBLE("add.f64 d, a, b", a + b);
    CHECK_DOUBLE("sub.rn.f64 d, a, b", a - b);
    CHECK_DOUBLE("mul.f64 d, a, b", a * b);
    CHECK_DOUBLE("div.rn.f64 d, a, b", a / b);
    CHECK_DOUBLE("rcp.rn.f64 d, a", 1.0 / a);
    CHECK_DOUBLE("sqrt.rn.f64 d, a", sqrt(a));
    CHECK_DOUBLE("fma.rn.f64 d, a, b, c", fma(a, b, c));
    CHECK_DOUBLE("neg.f64 d, a; add.f64 d, d, -0.0", -a);
    CHECK_DOUBLE("add.f64 d, a, 0d3FF8000000000000", a + 1.5);
}

static void approximations_are_within_one_unit(void **state)
{
    (void)state;
    float x[64];
    uint32_t out[64];
    for (int i = 0; i < 64; i++) x[i] = 0.1f + 0.37f * (float)i;
    static const struct {
        const char *inst;
        double (*f)(double);
    } rows[] = {{"ex2.approx.f32 d, a", exp2}, {"lg2.approx.f32 d, a", log2},  {"sin.approx.f32 d, a", sin},
                {"cos.approx.f32 d, a", cos},  {"sqrt.approx.f32 d, a", sqrt}, {"tanh.approx.f32 d, a", tanh}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        rig_op(rows[k].inst, "f32", "f32", "", "", 64, out, 4, x, NULL, NULL);
        for (int i = 0; i < 64; i++) assert_int_equal(out[i], bits32((float)rows[k].f((double)x[i])));
    }
    rig_op("rsqrt.approx.ftz.f32 d, a", "f32", "f32", "", "", 64, out, 4, x, NULL, NULL);
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], bits32((float)(1.0 / sqrt((double)x[i]))));
}

static void ordered_and_unordered_comparisons(void **state)
{
    (void)state;
#define ORDER(cmp, expect) CHECK("setp." cmp ".f32 p, a, b; selp.f32 d, 1.0, 0.0, p", (expect) ? 1.0f : 0.0f)
    ORDER("eq", a == b);
    ORDER("ne", a < b || a > b);
    ORDER("lt", a < b);
    ORDER("le", a <= b);
    ORDER("gt", a > b);
    ORDER("ge", a >= b);
    ORDER("equ", !(a < b || a > b));
    ORDER("neu", !(a == b));
    ORDER("ltu", !(a >= b));
    ORDER("leu", !(a > b));
    ORDER("gtu", !(a <= b));
    ORDER("geu", !(a < b));
    ORDER("num", a == a && b == b);
    ORDER("nan", a != a || b != b);
    CHECK_DOUBLE("setp.ltu.f64 p, a, b; selp.f64 d, 1.0, 0.0, p", !(a >= b) ? 1.0 : 0.0);
    CHECK_DOUBLE("setp.gt.f64 p, a, b; selp.f64 d, a, b, p", a > b ? a : b);
    CHECK("set.lt.f32.f32 d, a, b", a < b ? 1.0f : 0.0f);
}

static void classes_of_values(void **state)
{
    (void)state;
#define CLASS(name, expect) CHECK("testp." name ".f32 p, a; selp.f32 d, 1.0, 0.0, p", (expect) ? 1.0f : 0.0f)
    CLASS("finite", isfinite(a));
    CLASS("infinite", isinf(a));
    CLASS("number", !isnan(a));
    CLASS("notanumber", isnan(a));
    CLASS("normal", isnormal(a));
    CLASS("subnormal", fpclassify(a) == FP_SUBNORMAL);
    CHECK_DOUBLE("testp.subnormal.f64 p, a; selp.f64 d, 1.0, 0.0, p", fpclassify(a) == FP_SUBNORMAL ? 1.0 : 0.0);
    CHECK_DOUBLE("testp.infinite.f64 p, a; selp.f64 d, 1.0, 0.0, p", isinf(a) ? 1.0 : 0.0);
}

static void floats_become_integers_by_rounding_and_clamping(void **state)
{
    (void)state;
    static const float x[10] = {0.5f, 1.5f, -0.5f, -1.5f, 2.7f, -2.7f, 3e9f, -3e9f, NAN, 5e19f};
    static const struct {
        const char *inst;
        int32_t expect[10];
    } rows[] = {{"cvt.rni.s32.f32 d, a", {0, 2, 0, -2, 3, -3, INT32_MAX, INT32_MIN, 0, INT32_MAX}},
                {"cvt.rzi.s32.f32 d, a", {0, 1, 0, -1, 2, -2, INT32_MAX, INT32_MIN, 0, INT32_MAX}},
                {"cvt.rmi.s32.f32 d, a", {0, 1, -1, -2, 2, -3, INT32_MAX, INT32_MIN, 0, INT32_MAX}},
                {"cvt.rpi.s32.f32 d, a", {1, 2, 0, -1, 3, -2, INT32_MAX, INT32_MIN, 0, INT32_MAX}},
                {"cvt.rzi.u32.f32 d, a", {0, 1, 0, 0, 2, 0, (int32_t)3000000000u, 0, 0, -1}},
                {"cvt.rzi.s8.f32 d, a", {0, 1, 0, -1, 2, -2, 127, -128, 0, 127}},
                {"cvt.rzi.u16.f32 d, a", {0, 1, 0, 0, 2, 0, 65535, 0, 0, 65535}}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        int32_t out[10];
        rig_op(rows[k].inst, "b32", "f32", "", "", 10, out, 4, x, NULL, NULL);
        for (int i = 0; i < 10; i++)
            if (out[i] != rows[k].expect[i])
                fail_msg("%s of %g: %d, not %d", rows[k].inst, (double)x[i], out[i], rows[k].expect[i]);
    }
    int64_t wide[10];
    /* a NaN: the top bit alone */
    static const int64_t expect64[10] = {0, 1, 0, -1, 2, -2, 3000000000, -3000000000, INT64_MIN, INT64_MAX};
    rig_op("cvt.rzi.s64.f32 d, a", "b64", "f32", "", "", 10, wide, 8, x, NULL, NULL);
    assert_memory_equal(wide, expect64, sizeof wide);
    CHECK("cvt.rni.f32.f32 d, a", rintf(a));
    CHECK("cvt.rzi.f32.f32 d, a", truncf(a));
    CHECK("cvt.rmi.f32.f32 d, a", floorf(a));
    CHECK("cvt.rpi.ftz.f32.f32 d, a", ceilf(flush(a)));
    CHECK_DOUBLE("cvt.rmi.f64.f64 d, a", floor(a));
}

static void integers_become_floats(void **state)
{
    (void)state;
    const int32_t i[4] = {INT32_MIN, -1, 16777217, INT32_MAX};
    uint32_t out[4];
    rig_op("cvt.rn.f32.s32 d, a", "f32", "b32", "", "", 4, out, 4, i, NULL, NULL);
    for (int k = 0; k < 4; k++) assert_int_equal(out[k], bits32((float)i[k]));
    rig_op("cvt.rn.f32.u32 d, a", "f32", "b32", "", "", 4, out, 4, i, NULL, NULL);
    for (int k = 0; k < 4; k++) assert_int_equal(out[k], bits32((float)(uint32_t)i[k]));
    rig_op("cvt.rn.f32.u8 d, a", "f32", "b32", "", "", 4, out, 4, i, NULL, NULL);
    for (int k = 0; k < 4; k++) assert_int_equal(out[k], bits32((float)(uint8_t)i[k]));
    rig_op("cvt.rn.f32.s16 d, a", "f32", "b32", "", "", 4, out, 4, i, NULL, NULL);
    for (int k = 0; k < 4; k++) assert_int_equal(out[k], bits32((float)(int16_t)i[k]));
    const uint64_t w[3] = {UINT64_MAX, 0x8000008000000001, 12345678901234567};
    uint64_t wide[3];
    rig_op("cvt.rn.f64.u64 d, a", "f64", "b64", "", "", 3, wide, 8, w, NULL, NULL);
    for (int k = 0; k < 3; k++) assert_true(wide[k] == bits64((double)w[k]));
    rig_op("cvt.rn.f32.u64 d, a", "f32", "b64", "", "", 3, out, 4, w, NULL, NULL);
    for (int k = 0; k < 3; k++) assert_int_equal(out[k], bits32((float)w[k]));
    rig_op("cvt.rn.f32.s64 d, a", "f32", "b64", "", "", 3, out, 4, w, NULL, NULL);
    for (int k = 0; k < 3; k++) assert_int_equal(out[k], bits32((float)(int64_t)w[k]));
    rig_op("cvt.f64.f32 d, a", "f64", "f32", "", "", 3, wide, 8, a32 + 2, NULL, NULL);
    for (int k = 0; k < 3; k++) assert_true(wide[k] == bits64((double)a32[2 + k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision_is_IEEE),
        cmocka_unit_test(fma_rounds_once),
        cmocka_unit_test(minimum_and_maximum_prefer_numbers_and_know_signed_zero),
        cmocka_unit_test(ftz_flushes_inputs_and_results_to_signed_zero),
        cmocka_unit_test(sat_clamps_to_zero_and_one_and_turns_NaN_into_zero),
        cmocka_unit_test(directed_roundings),
        cmocka_unit_test(double_precision_is_IEEE),
        cmocka_unit_test(approximations_are_within_one_unit),
        cmocka_unit_test(ordered_and_unordered_comparisons),
        cmocka_unit_test(classes_of_values),
        cmocka_unit_test(floats_become_integers_by_rounding_and_clamping),
        cmocka_unit_test(integers_become_floats),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
